import {
  changesClaim,
  claimIds,
  claimRegister,
  idempotentRequests,
  isUnknown,
  keyOf,
  registerEntries,
} from './claim-register.ts';
import { DESK_RULES } from './desk-rules.ts';
import { checkFeed } from './feed.ts';
import {
  type Call,
  type ClaimView,
  type FaultKind,
  type Finding,
  grouped,
  type History,
  type Interval,
  type LimitedKey,
  type Operation,
  succeeded,
} from './history.ts';
import { checkLinearizability } from './linearizability.ts';

export interface Violation extends Finding {
  readonly rule: string;
}

type Rule = (history: History, judged: Judged) => Iterable<Finding>;

/** The history in the form of the general checks. */
interface Judged {
  readonly claims: ReturnType<typeof checkLinearizability>;
  /** By firm. */
  readonly feeds: ReadonlyMap<string, ReturnType<typeof checkFeed>>;
}

const hasResponse = (call: Call): boolean => call.status !== null;

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
    const missing = call.seen.find(({ id }) => !final.has(id));
    if (missing !== undefined) yield { description: `${missing.id} is missing`, calls: [call] };
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

function* oneClaimPerKey(history: History): Iterable<Finding> {
  for (const [key, calls] of grouped(history.calls.filter(succeeded), keyOf)) {
    const ids = new Set(calls.flatMap(({ seen }) => seen.map(({ id }) => id)));
    if (ids.size > 1) yield { description: `${key} gave ${[...ids].join(' and ')}`, calls };
  }
}

/** All attempts at a request get a response, and none fails because an earlier one succeeded. */
function* retriesConverge(history: History): Iterable<Finding> {
  for (const calls of grouped(history.calls, (call) => String(call.task)).values()) {
    const [first] = calls;
    if (first === undefined || first.operation === 'limited') continue;
    const last = calls.reduce((latest, call) => (call.attempt > latest.attempt ? call : latest));
    const settled = last.status !== null && last.status < 500 && last.status !== 429;
    if (!settled && !history.isPartial)
      yield { description: `${first.operation} never got a response`, calls: calls.slice(-10) };
    if (first.idempotencyKey === undefined || first.intent.expectedError !== undefined) continue;
    const done = calls.filter(succeeded);
    for (const rejected of calls) {
      if (
        rejected.status === null ||
        rejected.status < 400 ||
        rejected.status >= 500 ||
        rejected.status === 429
      )
        continue;
      // The adjuster may have left between two concurrent attempts.
      const concurrent = NOT_OFFERABLE.includes(rejected.code ?? '') && first.intent.mayHaveLeft === true;
      const contradicted = done.some(({ endedAt }) => !concurrent || endedAt < rejected.startedAt);
      if (contradicted)
        yield { description: `${first.operation} succeeded and was rejected (${rejected.code})`, calls };
    }
  }
}

/** The adjuster has left, has lost the permission to accept claims, or is disabled. */
const NOT_OFFERABLE: readonly string[] = ['adjuster_not_in_firm', 'adjuster_not_accepting'];

const EXPECTED_ERRORS: Readonly<Record<Operation, readonly string[]>> = {
  send: NOT_OFFERABLE,
  offer: ['claim_already_accepted', 'claim_closed', 'claim_changed', ...NOT_OFFERABLE],
  get: [],
  list: [],
  poll: [],
  invite: ['already_member', 'invitation_pending'],
  withdraw: ['not_found'],
  'withdraw offer': ['claim_already_accepted', 'offer_not_pending', 'claim_changed'],
  'close at desk': ['claim_changed'],
  accept: ['offer_not_pending', 'not_found'],
  reject: ['offer_not_pending', 'not_found'],
  close: [],
  leave: ['not_found'],
  join: ['not_found'],
  suspend: ['not_found'],
  permit: ['not_found'],
  disable: [],
  enable: [],
  'create key': [],
  'revoke key': [],
  offers: [],
  limited: ['rate_limited'],
  import: [],
  'list board': [],
  'add staff': [],
  demote: ['not_found'],
  'remove staff': ['not_found'],
  // A secret whose first roll had no response is rolled already.
  'change webhook': ['validation_failed'],
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
    else if (code !== undefined && NOT_OFFERABLE.includes(code) && intent.mayHaveLeft !== true) {
      yield { description: `${outcome}, though the adjuster never left`, calls: [call] };
    }
  }
}

/** Each claim behaves like a register that changes as the specification allows. */
function* claimsAreLinearizable(history: History, { claims }: Judged): Iterable<Finding> {
  for (const { key, text } of claims.failures) yield { description: text, calls: callsOn(history, key) };
}

/** Each poll shows all changes up to some moment, in one order that agrees with real time. */
function* feedIsStrictlySerializable(history: History, { feeds }: Judged): Iterable<Finding> {
  for (const [firm, { findings }] of feeds)
    for (const text of findings) yield { description: `${firm}: ${text}`, calls: [] };
  const changes = new Map<string, string>();
  const shown = [...history.calls.map(({ firm, seen }) => [firm, seen] as const), ...history.final];
  for (const [firm, claims] of shown) {
    if (firm === null) continue;
    for (const { id, updatedAt } of claims) {
      const other = changes.get(`${firm} ${updatedAt}`) ?? id;
      if (other !== id)
        yield { description: `${firm} has two changes at ${updatedAt}: ${id}, ${other}`, calls: [] };
      changes.set(`${firm} ${updatedAt}`, id);
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

/** Promised are about two seconds; the clock may have been set meanwhile. */
const MIN_RESPONSE_DELAY_MS = 1_800;

/**
 * A test account responds to the latest offer, two seconds after it, and not to an earlier one that it replaced. Claims are
 * left out that have an offer without a response that shows it.
 */
function* testAccountsRespondToTheLatestOffer(history: History): Iterable<Finding> {
  const { calls, final, timeOrigin, autoResponding } = history;
  if (timeOrigin === undefined) return;
  const idOf = claimIds(history);
  const offers = idempotentRequests(calls).flatMap((attempts) => {
    const [first] = attempts;
    if (first === undefined || !changesClaim(first)) return [];
    if (!attempts.some((each) => succeeded(each) || isUnknown(each))) return [];
    const shown = attempts.find((each) => succeeded(each) && each.replayed !== true)?.seen[0];
    const id = shown?.id ?? first.intent.claimId ?? idOf.get(first.intent.externalId ?? '');
    return [{ id, startedAt: first.startedAt, madeAt: shown?.updatedAt }];
  });
  const ofClaims = grouped(offers, ({ id }) => id);
  const responses = new Map<string, ClaimView>();
  for (const view of [...calls.flatMap(({ seen }) => seen), ...[...final.values()].flat()])
    if (view.respondedAt !== null && autoResponding.has(view.adjuster))
      responses.set(`${view.id} ${view.updatedAt}`, view);
  for (const { id, adjuster, respondedAt, updatedAt } of responses.values()) {
    const made = ofClaims.get(id) ?? [];
    if (made.some(({ madeAt }) => madeAt === undefined)) continue;
    const earlier = made.filter(({ madeAt = '' }) => madeAt < updatedAt);
    const latest = earlier.sort((a, b) => ((a.madeAt ?? '') < (b.madeAt ?? '') ? 1 : -1))[0];
    if (latest === undefined) continue;
    const waitedMs = Math.round(Date.parse(respondedAt ?? '') - timeOrigin - latest.startedAt);
    if (waitedMs < MIN_RESPONSE_DELAY_MS)
      yield {
        description: `${adjuster} responded to ${id} ${waitedMs} ms after the latest offer was requested`,
        calls: callsOn(history, id),
      };
  }
}

/** A request of an unknown outcome has had its effect by then, or never will: its deadline is 5 s, a frozen process's 3.5 s more. */
const LATEST_EFFECT_MS = 15_000;

/** What an adjuster who may not accept claims needs before that is possible again. */
const ENDS_OF_ABSENCES: Readonly<Partial<Record<Operation, readonly Operation[]>>> = {
  leave: ['invite', 'join'],
  suspend: ['permit'],
  disable: ['enable'],
};

/**
 * When each adjuster was surely not a member who may accept claims: from leaving until the first request that may have
 * invited, and the first that may have accepted the invitation; from losing the permission, or from being disabled, until
 * that may be over.
 */
function absences({ calls }: History): Map<string, Interval[]> {
  const found = new Map<string, Interval[]>();
  for (const [adjuster, own] of grouped(calls, ({ intent }) => intent.adjuster)) {
    // A call that overlaps with the leaving may come after it, as from a second device.
    const earliest = (operation: Operation, { startedAt, endedAt }: Interval): number => {
      let first = Number.POSITIVE_INFINITY;
      for (const call of own) {
        if (call.operation !== operation || !(succeeded(call) || isUnknown(call))) continue;
        const mayEndAt = isUnknown(call) ? call.startedAt + LATEST_EFFECT_MS : call.endedAt;
        if (mayEndAt > startedAt) first = Math.min(first, Math.max(call.startedAt, endedAt));
      }
      return first;
    };
    for (const call of own) {
      const ends = ENDS_OF_ABSENCES[call.operation];
      if (!succeeded(call) || ends === undefined) continue;
      const endedAt = Math.max(...ends.map((operation) => earliest(operation, call)));
      found.set(adjuster, [...(found.get(adjuster) ?? []), { startedAt: call.endedAt, endedAt }]);
    }
  }
  return found;
}

/** Open claims only: the operator may close a claim whose offer is pending, which then stays so. */
function* offersEndWithMembership(history: History): Iterable<Finding> {
  const absent = absences(history);
  const closed = new Set(
    history.calls.filter(({ operation }) => operation === 'close').map(({ intent }) => intent.claimId),
  );
  const waits = ({ id, status, adjuster }: ClaimView, shown: Interval): boolean =>
    status === 'pending_acceptance' &&
    !closed.has(id) &&
    (absent.get(adjuster) ?? []).some(
      ({ startedAt, endedAt }) => startedAt < shown.startedAt && shown.endedAt < endedAt,
    );
  for (const call of history.calls) {
    for (const claim of call.seen)
      if (waits(claim, call))
        yield {
          description: `${claim.id} waits for ${claim.adjuster}, who may not accept it`,
          calls: [call],
        };
  }
  const end = { startedAt: Number.MAX_VALUE, endedAt: Number.MAX_VALUE };
  for (const claim of [...history.final.values()].flat())
    if (waits(claim, end))
      yield {
        description: `${claim.id} waits for ${claim.adjuster}, who may not accept it`,
        calls: callsOn(history, claim.id),
      };
}

function* firmsAreIsolated(history: History): Iterable<Finding> {
  for (const call of history.calls) {
    if (call.foreign !== undefined && call.foreign.length > 0) {
      yield { description: `${call.actor} received data of ${call.foreign.join(', ')}`, calls: [call] };
    }
  }
}

const AUDITED: Readonly<Partial<Record<Operation, string>>> = {
  send: 'claim.send',
  offer: 'claim.offer',
  accept: 'claim.accept',
  reject: 'claim.reject',
  close: 'claim.close',
  'close at desk': 'claim.close',
  'withdraw offer': 'claim.withdraw',
  demote: 'staff.role',
  'remove staff': 'staff.remove',
};

/** Acknowledged actions on the claims of firms whose audit trail was read. */
function* auditedActions(history: History): Iterable<{ call: Call; action: string; isRecorded: boolean }> {
  const final = finalById(history);
  for (const call of history.calls) {
    if (!succeeded(call)) continue;
    const name = AUDITED[call.operation];
    const id = call.intent.claimId ?? call.seen[0]?.id;
    const object = call.intent.object ?? (id === undefined ? undefined : `claim:${id}`);
    const of = [
      ...(name === undefined || object === undefined ? [] : [`${name} ${object}`]),
      ...(call.rows ?? []).flatMap((row) =>
        row.outcome === 'sent' ? `claim.send claim:${row.claimId}` : [],
      ),
    ];
    const trail = history.audit.get(call.firm ?? final.get(id ?? '')?.firm ?? '');
    if (trail === undefined) continue;
    for (const action of of) yield { call, action, isRecorded: trail.actions.has(action) };
  }
}

/** No row of a chain is missing or changed, and each acknowledged action on a claim was recorded with it. */
function* auditIsComplete(history: History): Iterable<Finding> {
  for (const [chain, { problem }] of history.audit) {
    if (problem !== null) yield { description: `${chain}: ${problem}`, calls: [] };
  }
  for (const { call, action, isRecorded } of auditedActions(history)) {
    if (!isRecorded) yield { description: `${action} is not in the audit trail`, calls: [call] };
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
  'an idempotency key gives one claim': oneClaimPerKey,
  'all retries give the same result': retriesConverge,
  'every error has a reason': errorsAreExplained,
  'claims are linearizable': claimsAreLinearizable,
  'the change feed is strictly serializable': feedIsStrictlySerializable,
  'no job is lost': jobsAreDone,
  'test accounts respond to the latest offer': testAccountsRespondToTheLatestOffer,
  'no offer waits for an adjuster who may not accept it': offersEndWithMembership,
  'no firm sees data of another': firmsAreIsolated,
  'rate limits hold within the documented approximation': limitsHold,
  'audit chains are intact and have every acknowledged action': auditIsComplete,
  ...DESK_RULES,
};

/** Rules that need the final state. */
const AT_THE_END: readonly Rule[] = [existsOnce, jobsAreDone];

export const RULE_NAMES = Object.keys(RULES);

export function checkHistory(history: History) {
  const entries = registerEntries(history);
  const claims = checkLinearizability(entries, claimRegister);
  const feeds = new Map([...history.final.keys()].map((firm) => [firm, checkFeed(history, firm)]));
  const sum = (count: 'polls' | 'changes') => [...feeds.values()].reduce((all, feed) => all + feed[count], 0);
  return {
    violations: Object.entries(RULES)
      .filter(([, find]) => !history.isPartial || !AT_THE_END.includes(find))
      .flatMap(([rule, find]) => [...find(history, { claims, feeds })].map((found) => ({ rule, ...found }))),
    counts: {
      claims: claims.linearizable + claims.failures.length + claims.undecided.length,
      operations: entries.length,
      /** Claims whose search took too long. */
      undecided: claims.undecided.length,
      polls: sum('polls'),
      changes: sum('changes'),
      chains: history.audit.size,
      actions: [...auditedActions(history)].length,
    },
  };
}
