import type { Call, ClaimView, FaultKind, History, LimitedKey, Operation } from './history.ts';

export interface Violation {
  readonly rule: string;
  readonly description: string;
  /** The calls that show it. */
  readonly calls: readonly Call[];
}

type Finding = Omit<Violation, 'rule'>;
type Rule = (history: History) => Iterable<Finding>;

const hasResponse = (call: Call): boolean => call.status !== null;
const succeeded = (call: Call): boolean => call.status !== null && call.status < 300;

function grouped<T>(items: Iterable<T>, nameOf: (item: T) => string | undefined): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = nameOf(item);
    if (name === undefined) continue;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return groups;
}

const callsOn = ({ calls }: History, id: string): Call[] =>
  calls.filter((call) => call.intent.claimId === id || call.seen.some((seen) => seen.id === id)).slice(-30);

/** The final state of each claim by id. */
const finalById = (history: History): Map<string, ClaimView & { firm: string }> =>
  new Map(
    [...history.final].flatMap(([firm, claims]) => claims.map((claim) => [claim.id, { ...claim, firm }])),
  );

function* existsOnce(history: History): Iterable<Finding> {
  for (const [firm, claims] of history.final) {
    for (const [externalId, duplicates] of grouped(claims, (claim) => claim.externalId)) {
      if (duplicates.length > 1)
        yield { description: `${firm} has ${externalId} ${duplicates.length} times`, calls: [] };
    }
  }
  const final = finalById(history);
  for (const call of history.calls) {
    if (call.operation !== 'send' || !succeeded(call)) continue;
    const [claim] = call.seen;
    const kept = claim === undefined ? undefined : final.get(claim.id);
    if (kept?.firm !== call.firm || kept?.externalId !== call.intent.externalId) {
      yield {
        description: `the acknowledged ${call.intent.externalId} is not stored as ${claim?.id}`,
        calls: [call],
      };
    }
  }
}

/** A claim or a response of an adjuster without a request for it. */
function* nothingUnrequested(history: History): Iterable<Finding> {
  const sent = new Set(
    history.calls.filter((call) => call.operation === 'send').map((call) => call.intent.externalId),
  );
  const answers = grouped(
    history.calls.filter(({ operation }) => operation === 'accept' || operation === 'reject'),
    (call) => `${call.operation} ${call.intent.claimId} ${call.intent.adjuster}`,
  );
  for (const claims of history.final.values()) {
    for (const claim of claims) {
      if (!sent.has(claim.externalId)) yield { description: `${claim.externalId} was never sent`, calls: [] };
      if (history.autoResponding.has(claim.adjuster)) continue;
      const given = claim.status === 'accepted' ? 'accept' : claim.status === 'rejected' ? 'reject' : null;
      if (given === null) continue;
      const calls = answers.get(`${given} ${claim.id} ${claim.adjuster}`) ?? [];
      const reasons = calls.map(({ intent }) => intent.reason ?? null);
      if (calls.length === 0 || (given === 'reject' && !reasons.includes(claim.reason))) {
        yield {
          description: `no adjuster responded as in ${JSON.stringify(claim)}`,
          calls: callsOn(history, claim.id),
        };
      }
    }
  }
}

const keyOf = (call: Call): string | undefined =>
  call.idempotencyKey === undefined ? undefined : `${call.firm} ${call.idempotencyKey}`;

function* oneClaimPerKey(history: History): Iterable<Finding> {
  for (const [key, calls] of grouped(history.calls.filter(succeeded), keyOf)) {
    const ids = new Set(calls.flatMap(({ seen }) => seen.map(({ id }) => id)));
    if (ids.size > 1) yield { description: `${key} gave ${[...ids].join(' and ')}`, calls };
  }
}

/** All attempts at a request give the same claim, and none fails because an earlier one succeeded. */
function* retriesConverge(history: History): Iterable<Finding> {
  for (const calls of grouped(history.calls, (call) => String(call.task)).values()) {
    const [first] = calls;
    if (first === undefined || first.operation === 'limited') continue;
    const last = calls.reduce((latest, call) => (call.attempt > latest.attempt ? call : latest));
    const settled = last.status !== null && last.status < 500 && last.status !== 429;
    if (!settled) yield { description: `${first.operation} never got a response`, calls: calls.slice(-10) };
    if (first.idempotencyKey === undefined || first.intent.expectedError !== undefined) continue;
    const done = calls.filter(succeeded);
    const ids = new Set(done.flatMap(({ seen }) => seen.map(({ id }) => id)));
    if (ids.size > 1) yield { description: `the retries of ${first.operation} gave several claims`, calls };
    for (const rejected of calls) {
      if (
        rejected.status === null ||
        rejected.status < 400 ||
        rejected.status >= 500 ||
        rejected.status === 429
      )
        continue;
      // The adjuster may have left between two concurrent attempts.
      const concurrent = rejected.code === 'adjuster_not_in_firm' && first.intent.mayHaveLeft === true;
      const contradicted = done.some(({ endedAt }) => !concurrent || endedAt < rejected.startedAt);
      if (contradicted)
        yield { description: `${first.operation} succeeded and was rejected (${rejected.code})`, calls };
      else if (done.length === 0 && tookEffect(history, rejected)) {
        yield { description: `${first.operation} was rejected (${rejected.code}) and took effect`, calls };
      }
    }
  }
}

/** The claim is with the adjuster of a rejected offer, and no other request offered it to them. */
function tookEffect({ calls, final }: History, rejected: Call): boolean {
  const { claimId, adjuster } = rejected.intent;
  if (rejected.operation !== 'offer' || claimId === undefined) return false;
  const claim = [...final.values()].flat().find(({ id }) => id === claimId);
  return (
    claim?.adjuster === adjuster &&
    !calls.some(
      ({ operation, intent, task }) =>
        intent.adjuster === adjuster &&
        ((operation === 'offer' && intent.claimId === claimId && task !== rejected.task) ||
          (operation === 'send' && intent.externalId === claim?.externalId)),
    )
  );
}

const EXPECTED_ERRORS: Readonly<Record<Operation, readonly string[]>> = {
  send: ['adjuster_not_in_firm'],
  offer: ['claim_already_accepted', 'adjuster_not_in_firm'],
  get: [],
  poll: [],
  invite: ['already_member', 'invitation_pending'],
  withdraw: ['not_found'],
  accept: ['offer_not_pending', 'not_found'],
  reject: ['offer_not_pending', 'not_found'],
  close: [],
  leave: ['not_found'],
  join: ['not_found'],
  offers: [],
  limited: ['rate_limited'],
};

/** No failure except service_unavailable, and no error that the history does not explain. */
function* errorsAreExplained(history: History): Iterable<Finding> {
  for (const call of history.calls) {
    const { status, code, intent } = call;
    if (status === null) continue;
    const outcome = `${call.operation} returned ${status} ${code ?? ''}`;
    if (call.malformed !== undefined) yield { description: `${outcome}: ${call.malformed}`, calls: [call] };
    if (intent.expectedError !== undefined && status < 500) {
      if (code !== intent.expectedError)
        yield { description: `${outcome} instead of ${intent.expectedError}`, calls: [call] };
      else if (code === 'duplicate_claim' && call.existingClaimId !== intent.claimId) {
        yield { description: `${outcome} with ${call.existingClaimId}`, calls: [call] };
      }
      continue;
    }
    const expected =
      status < 300 ||
      (status === 503 && code === 'service_unavailable') ||
      (status < 500 && code !== undefined && EXPECTED_ERRORS[call.operation].includes(code));
    if (!expected) yield { description: outcome, calls: [call] };
    else if (code === 'adjuster_not_in_firm' && intent.mayHaveLeft !== true) {
      yield { description: `${outcome}, though the adjuster never left`, calls: [call] };
    }
  }
  const accepted = new Set(
    [...history.final.values()].flat().flatMap(({ id, status }) => (status === 'accepted' ? [id] : [])),
  );
  for (const call of history.calls) {
    if (call.code !== 'claim_already_accepted') continue;
    const id = call.intent.claimId ?? '';
    if (!accepted.has(id))
      yield { description: `${id} was reported as accepted and is not`, calls: callsOn(history, id) };
  }
}

const NEXT: Readonly<Record<string, readonly string[]>> = {
  pending_acceptance: ['pending_acceptance', 'accepted', 'rejected', 'unassigned'],
  // Unobserved offers may lie between two observations.
  rejected: ['pending_acceptance', 'accepted', 'rejected', 'unassigned'],
  unassigned: ['pending_acceptance', 'accepted', 'rejected', 'unassigned'],
  accepted: [],
};

function faultOf({ status, respondedAt, reason, createdAt, updatedAt }: ClaimView): string | null {
  if (!(status in NEXT)) return `is ${status}`;
  const responded = status === 'accepted' || status === 'rejected';
  if (responded !== (respondedAt !== null)) return `is ${status} with responded_at ${respondedAt}`;
  if (reason !== null && status !== 'rejected') return `is ${status} with a rejection reason`;
  if (updatedAt < createdAt) return 'changed before it was created';
  if (updatedAt === createdAt && status !== 'pending_acceptance') return `was created as ${status}`;
  return null;
}

/** The observed states of a claim, ordered by updated_at, follow allowed transitions. */
function* transitionsAreAllowed(history: History): Iterable<Finding> {
  const views = grouped(
    [...history.calls.flatMap(({ seen }) => seen), ...[...history.final.values()].flat()],
    ({ id }) => id,
  );
  const distinctChanges = requestedChanges(history);
  for (const [id, seen] of views) {
    const show = (what: string): Finding => ({ description: `${id} ${what}`, calls: callsOn(history, id) });
    const versions = new Map<string, ClaimView>();
    for (const view of seen) {
      const fault = faultOf(view);
      if (fault !== null) yield show(fault);
      const known = versions.get(view.updatedAt);
      if (known === undefined) versions.set(view.updatedAt, view);
      else if (JSON.stringify(known) !== JSON.stringify(view)) {
        yield show(`has two states at ${view.updatedAt}: ${JSON.stringify([known, view])}`);
      }
    }
    const path = [...versions.values()].sort((a, b) => (a.updatedAt < b.updatedAt ? -1 : 1));
    for (let at = 1; at < path.length; at += 1) {
      const [before, after] = [path[at - 1], path[at]];
      if (before && after && !NEXT[before.status]?.includes(after.status)) {
        yield show(`went from ${before.status} to ${after.status}`);
      }
    }
    const requested = 1 + (distinctChanges.get(id) ?? 0);
    if (versions.size > requested)
      yield show(`has ${versions.size} versions after ${requested} requested changes`);
  }
}

/** Changes requested for each claim after it was sent; a retry with the same key does not count. */
function requestedChanges({ calls, autoResponding }: History): Map<string, number> {
  const requested = new Map<string, Set<string>>();
  const note = (id: string | undefined, change: string): void => {
    if (id === undefined) return;
    const changes = requested.get(id) ?? new Set();
    requested.set(id, changes.add(change));
  };
  const leavers = new Set<string>();
  for (const { operation, idempotencyKey, intent, task, attempt } of calls) {
    if (operation === 'offer') note(intent.claimId, `offer ${idempotencyKey}`);
    if (operation === 'accept' || operation === 'reject') note(intent.claimId, `answer ${task} ${attempt}`);
    if (operation === 'leave' && intent.adjuster !== undefined) leavers.add(intent.adjuster);
  }
  // Offers to an adjuster who leaves may become unassigned, and test accounts respond automatically.
  for (const { operation, idempotencyKey, intent, seen } of calls) {
    if (operation !== 'send' && operation !== 'offer') continue;
    const id = operation === 'send' ? seen[0]?.id : intent.claimId;
    if (leavers.has(intent.adjuster ?? '')) note(id, `lapse of ${idempotencyKey}`);
    if (autoResponding.has(intent.adjuster ?? '')) note(id, `answer to ${idempotencyKey}`);
  }
  return new Map([...requested].map(([id, changes]) => [id, changes.size]));
}

/** A read that starts after another response never returns an earlier state. */
function* readsNeverGoBack(history: History): Iterable<Finding> {
  const views = grouped(
    history.calls.flatMap((call) => call.seen.map((seen) => ({ call, seen }))),
    ({ seen }) => seen.id,
  );
  for (const [id, seen] of views) {
    const byStart = [...seen].sort((a, b) => a.call.startedAt - b.call.startedAt);
    const byEnd = [...seen].sort((a, b) => a.call.endedAt - b.call.endedAt);
    let newest: (typeof seen)[number] | undefined;
    let ended = 0;
    for (const later of byStart) {
      for (; ended < byEnd.length; ended += 1) {
        const earlier = byEnd[ended];
        if (earlier === undefined || earlier.call.endedAt >= later.call.startedAt) break;
        if (newest === undefined || earlier.seen.updatedAt > newest.seen.updatedAt) newest = earlier;
      }
      if (newest !== undefined && later.seen.updatedAt < newest.seen.updatedAt) {
        yield {
          description: `${id} was seen at ${later.seen.updatedAt} after ${newest.seen.updatedAt}`,
          calls: [newest.call, later.call],
        };
      }
    }
  }
}

/** Acknowledged states are kept, or followed by an allowed transition. */
function* finalAgrees(history: History): Iterable<Finding> {
  const final = finalById(history);
  for (const call of history.calls) {
    if (!succeeded(call)) continue;
    for (const seen of call.seen) {
      const last = final.get(seen.id);
      if (last === undefined) {
        yield { description: `${seen.id} is missing`, calls: [call] };
      } else if (last.updatedAt < seen.updatedAt) {
        yield {
          description: `${seen.id} was seen at ${seen.updatedAt} and ended at ${last.updatedAt}`,
          calls: [call],
        };
      } else if (seen.status === 'accepted' && last.updatedAt !== seen.updatedAt) {
        yield {
          description: `${seen.id} was accepted and ended as ${last.status}`,
          calls: callsOn(history, seen.id),
        };
      }
    }
    const [claim] = call.seen;
    if (call.operation === 'accept' && claim?.status !== 'accepted') {
      yield { description: `an acceptance returned ${claim?.status}`, calls: [call] };
    }
  }
}

/** No offer is pending for an adjuster who has left, unless it may be newer. */
function* leaversHaveNoOffers(history: History): Iterable<Finding> {
  const left = grouped(
    history.calls.filter((call) => call.operation === 'leave' && call.status === 204),
    ({ intent }) => intent.adjuster,
  );
  for (const claims of history.final.values()) {
    for (const claim of claims) {
      const leaving = left.get(claim.adjuster)?.at(-1);
      if (claim.status !== 'pending_acceptance' || leaving === undefined) continue;
      const since = history.calls.some(
        (call) =>
          (call.operation === 'offer' || call.operation === 'send') &&
          call.intent.adjuster === claim.adjuster &&
          call.seen.some(({ id, updatedAt }) => id === claim.id && updatedAt === claim.updatedAt) &&
          call.endedAt < leaving.startedAt,
      );
      if (since)
        yield {
          description: `${claim.id} is pending for ${claim.adjuster}, who left`,
          calls: callsOn(history, claim.id),
        };
    }
  }
}

/** Test accounts have responded; their jobs survive the process that was to run them. */
function* jobsAreDone(history: History): Iterable<Finding> {
  for (const claims of history.final.values()) {
    for (const { id, status, adjuster } of claims) {
      if (status !== 'pending_acceptance' || !history.autoResponding.has(adjuster)) continue;
      yield { description: `${adjuster} never responded to ${id}`, calls: callsOn(history, id) };
    }
  }
}

/** A poller that continues from its last updated_at, without overlap, sees the last version of every claim. */
function* pollersMissNothing(history: History): Iterable<Finding> {
  const polls = grouped(
    history.calls.filter((call) => call.operation === 'poll' && succeeded(call)),
    (call) => call.firm ?? undefined,
  );
  for (const [firm, claims] of history.final) {
    const last = new Map<string, string>();
    let newest = '';
    for (const call of polls.get(firm) ?? []) {
      for (const { id, updatedAt } of call.seen) {
        if (updatedAt < newest)
          yield { description: `the feed of ${firm} went back to ${updatedAt}`, calls: [call] };
        newest = updatedAt > newest ? updatedAt : newest;
        last.set(id, updatedAt);
      }
    }
    for (const { id, updatedAt } of claims) {
      if (last.get(id) === updatedAt) continue;
      yield {
        description: `the poller of ${firm} missed ${id} at ${updatedAt}`,
        calls: callsOn(history, id),
      };
    }
    const timestamps = grouped(claims, ({ updatedAt }) => updatedAt);
    for (const [timestamp, duplicates] of timestamps) {
      if (duplicates.length > 1)
        yield { description: `${firm} has ${duplicates.length} claims at ${timestamp}`, calls: [] };
    }
  }
}

function* firmsAreIsolated(history: History): Iterable<Finding> {
  for (const call of history.calls) {
    if (call.foreign !== undefined && call.foreign.length > 0) {
      yield { description: `${call.actor} received data of ${call.foreign.join(', ')}`, calls: [call] };
    }
  }
  const owner = new Map<string, string>();
  for (const call of history.calls) {
    if (call.firm === null) continue;
    for (const { id } of call.seen) {
      const known: string = owner.get(id) ?? call.firm;
      if (known !== call.firm)
        yield { description: `${id} was shown to ${known} and to ${call.firm}`, calls: [call] };
      owner.set(id, known);
    }
  }
}

/** Longer intervals add nothing, because every fault in them raises the allowance. */
const MAX_INTERVAL_MS = 60_000;

/** After these faults every key has a full bucket. */
const RESETS_BUCKETS: readonly FaultKind[] = ['redis flushed', 'redis killed'];

/**
 * A key never gets more than its burst and refill. After Redis lost its data, and for a process that cannot reach Redis,
 * a new bucket starts full.
 */
function* limitsHold(history: History): Iterable<Finding> {
  for (const key of history.limited) {
    const accepted = history.calls.filter(
      (call) => call.actor === key.actor && hasResponse(call) && call.status !== 429 && call.status !== 503,
    );
    const times = accepted
      .map(({ startedAt, endedAt }) => ({ startedAt, endedAt }))
      .sort((a, b) => a.endedAt - b.endedAt);
    for (let from = 0; from < times.length; from += 1) {
      for (let to = from; to < times.length; to += 1) {
        const [first, last] = [times[from], times[to]];
        if (first === undefined || last === undefined) continue;
        if (last.endedAt - first.startedAt > MAX_INTERVAL_MS) break;
        const count = to - from + 1;
        // The token was consumed between request and response.
        const allowed = allowance(key, history, Math.min(first.startedAt, first.endedAt), last.endedAt);
        if (count > allowed) {
          yield {
            description: `${key.actor} had ${count} requests, allowed are ${Math.floor(allowed)}`,
            calls: accepted.slice(from, to + 1).slice(-30),
          };
          return;
        }
      }
    }
  }
}

/** Redis commands that may fail, each counted locally, before a process logs that Redis is unavailable. */
const UNLOGGED_FAILURES = 2;

/** How many requests may be accepted in an interval. */
function allowance(
  key: LimitedKey,
  { faults, localBuckets, processes }: History,
  from: number,
  to: number,
): number {
  const refill = (ms: number): number => (ms * key.requestsPerMinute) / 60_000;
  let allowed = key.burst + 1 + refill(to - from) + UNLOGGED_FAILURES * processes;
  for (const { kind, startedAt, endedAt } of faults) {
    if (RESETS_BUCKETS.includes(kind) && startedAt <= to && endedAt >= from) allowed += key.burst;
  }
  for (const { startedAt, endedAt } of localBuckets) {
    const overlap = Math.min(to, endedAt) - Math.max(from, startedAt);
    if (overlap >= 0) allowed += key.burst + refill(overlap);
  }
  return allowed;
}

const RULES: Readonly<Record<string, Rule>> = {
  'every acknowledged claim exists exactly once': existsOnce,
  'every claim and response was requested': nothingUnrequested,
  'an idempotency key gives one claim': oneClaimPerKey,
  'all retries give the same result': retriesConverge,
  'every error has a reason': errorsAreExplained,
  'claims follow allowed transitions': transitionsAreAllowed,
  'no read returns an earlier state': readsNeverGoBack,
  'acknowledged states are kept': finalAgrees,
  'an adjuster who left has no offers': leaversHaveNoOffers,
  'no job is lost': jobsAreDone,
  'a poller without overlap misses no change': pollersMissNothing,
  'no firm sees data of another': firmsAreIsolated,
  'rate limits hold within the documented approximation': limitsHold,
};

export const RULE_NAMES = Object.keys(RULES);

/** All violations in the history. */
export function check(history: History): Violation[] {
  return Object.entries(RULES).flatMap(([rule, find]) =>
    [...find(history)].map((found) => ({ rule, ...found })),
  );
}
