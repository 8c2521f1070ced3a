import type { Call, FaultKind, History, LimitedKey, Operation, Seen } from './history.ts';

export interface Violation {
  readonly rule: string;
  readonly what: string;
  /** The part of the history that shows it. */
  readonly calls: readonly Call[];
}

type Found = Omit<Violation, 'rule'>;
type Rule = (history: History) => Iterable<Found>;

const answered = (call: Call): boolean => call.status !== null;
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
  calls.filter((call) => call.meant.claimId === id || call.seen.some((seen) => seen.id === id)).slice(-30);

/** Where each acknowledged claim is in the end, by id. */
const finalById = (history: History): Map<string, Seen & { firm: string }> =>
  new Map(
    [...history.final].flatMap(([firm, claims]) => claims.map((claim) => [claim.id, { ...claim, firm }])),
  );

function* existsOnce(history: History): Iterable<Found> {
  for (const [firm, claims] of history.final) {
    for (const [externalId, twins] of grouped(claims, (claim) => claim.externalId)) {
      if (twins.length > 1) yield { what: `${firm} has ${externalId} ${twins.length} times`, calls: [] };
    }
  }
  const final = finalById(history);
  for (const call of history.calls) {
    if (call.operation !== 'send' || !succeeded(call)) continue;
    const [claim] = call.seen;
    const kept = claim === undefined ? undefined : final.get(claim.id);
    if (kept?.firm !== call.firm || kept?.externalId !== call.meant.externalId) {
      yield { what: `the acknowledged ${call.meant.externalId} is not there as ${claim?.id}`, calls: [call] };
    }
  }
}

/** A claim that nobody sent, or an answer that nobody gave. */
function* nothingOfNothing(history: History): Iterable<Found> {
  const sent = new Set(
    history.calls.filter((call) => call.operation === 'send').map((call) => call.meant.externalId),
  );
  const answers = grouped(
    history.calls.filter(({ operation }) => operation === 'accept' || operation === 'reject'),
    (call) => `${call.operation} ${call.meant.claimId} ${call.meant.adjuster}`,
  );
  for (const claims of history.final.values()) {
    for (const claim of claims) {
      if (!sent.has(claim.externalId)) yield { what: `${claim.externalId} was never sent`, calls: [] };
      if (history.selfAnswering.has(claim.adjuster)) continue;
      const given = claim.status === 'accepted' ? 'accept' : claim.status === 'rejected' ? 'reject' : null;
      if (given === null) continue;
      const calls = answers.get(`${given} ${claim.id} ${claim.adjuster}`) ?? [];
      const reasons = calls.map(({ meant }) => meant.reason ?? null);
      if (calls.length === 0 || (given === 'reject' && !reasons.includes(claim.reason))) {
        yield {
          what: `nobody gave the answer of ${JSON.stringify(claim)}`,
          calls: callsOn(history, claim.id),
        };
      }
    }
  }
}

const keyOf = (call: Call): string | undefined =>
  call.idempotencyKey === undefined ? undefined : `${call.firm} ${call.idempotencyKey}`;

function* oneClaimPerKey(history: History): Iterable<Found> {
  for (const [key, calls] of grouped(history.calls.filter(succeeded), keyOf)) {
    const ids = new Set(calls.flatMap(({ seen }) => seen.map(({ id }) => id)));
    if (ids.size > 1) yield { what: `${key} gave ${[...ids].join(' and ')}`, calls };
  }
}

/** Every attempt at a send ends with the claim that any other attempt made, and none with a refusal of its own work. */
function* retriesConverge(history: History): Iterable<Found> {
  for (const calls of grouped(history.calls, (call) => String(call.task)).values()) {
    const [first] = calls;
    if (first === undefined || first.operation === 'limited') continue;
    const last = calls.reduce((latest, call) => (call.attempt > latest.attempt ? call : latest));
    const settled = last.status !== null && last.status < 500 && last.status !== 429;
    if (!settled) yield { what: `a ${first.operation} never got an answer`, calls: calls.slice(-10) };
    if (first.idempotencyKey === undefined || first.meant.refusal !== undefined) continue;
    const done = calls.filter(succeeded);
    const ids = new Set(done.flatMap(({ seen }) => seen.map(({ id }) => id)));
    if (ids.size > 1) yield { what: `the retries of a ${first.operation} gave several claims`, calls };
    for (const refused of calls) {
      if (refused.status === null || refused.status < 400 || refused.status >= 500 || refused.status === 429)
        continue;
      // Of two that were under way together, one may have met an adjuster who was just leaving.
      const together = refused.code === 'adjuster_not_in_firm' && first.meant.mayHaveLeft === true;
      const contradicted = done.some(({ endedAt }) => !together || endedAt < refused.startedAt);
      if (contradicted)
        yield { what: `a ${first.operation} succeeded and was refused (${refused.code})`, calls };
      else if (done.length === 0 && didItAnyway(history, refused)) {
        yield { what: `a ${first.operation} was refused (${refused.code}) and took effect`, calls };
      }
    }
  }
}

/** The claim ended with the adjuster of a refused offer, and nobody else ever offered it to them. */
function didItAnyway({ calls, final }: History, refused: Call): boolean {
  const { claimId, adjuster } = refused.meant;
  if (refused.operation !== 'offer' || claimId === undefined) return false;
  const claim = [...final.values()].flat().find(({ id }) => id === claimId);
  return (
    claim?.adjuster === adjuster &&
    !calls.some(
      ({ operation, meant, task }) =>
        meant.adjuster === adjuster &&
        ((operation === 'offer' && meant.claimId === claimId && task !== refused.task) ||
          (operation === 'send' && meant.externalId === claim?.externalId)),
    )
  );
}

const DENIALS: Readonly<Record<Operation, readonly string[]>> = {
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

/** No failure but the one that says "not now", and no refusal that nothing in the history explains. */
function* answersAreRight(history: History): Iterable<Found> {
  for (const call of history.calls) {
    const { status, code, meant } = call;
    if (status === null) continue;
    const told = `${call.operation} was answered ${status} ${code ?? ''}`;
    if (call.misshapen !== undefined) yield { what: `${told}: ${call.misshapen}`, calls: [call] };
    if (meant.refusal !== undefined && status < 500) {
      if (code !== meant.refusal) yield { what: `${told} instead of ${meant.refusal}`, calls: [call] };
      else if (code === 'duplicate_claim' && call.existingClaimId !== meant.claimId) {
        yield { what: `${told} and named ${call.existingClaimId}`, calls: [call] };
      }
      continue;
    }
    const fine =
      status < 300 ||
      (status === 503 && code === 'service_unavailable') ||
      (status < 500 && code !== undefined && DENIALS[call.operation].includes(code));
    if (!fine) yield { what: told, calls: [call] };
    else if (code === 'adjuster_not_in_firm' && meant.mayHaveLeft !== true) {
      yield { what: `${told}, though the adjuster never left`, calls: [call] };
    }
  }
  const accepted = new Set(
    [...history.final.values()].flat().flatMap(({ id, status }) => (status === 'accepted' ? [id] : [])),
  );
  for (const call of history.calls) {
    if (call.code !== 'claim_already_accepted') continue;
    const id = call.meant.claimId ?? '';
    if (!accepted.has(id))
      yield { what: `${id} was called accepted and is not`, calls: callsOn(history, id) };
  }
}

const NEXT: Readonly<Record<string, readonly string[]>> = {
  pending_acceptance: ['pending_acceptance', 'accepted', 'rejected', 'unassigned'],
  // Through a new offer, of which the observer may have seen nothing, anything can follow.
  rejected: ['pending_acceptance', 'accepted', 'rejected', 'unassigned'],
  unassigned: ['pending_acceptance', 'accepted', 'rejected', 'unassigned'],
  accepted: [],
};

function faultOf({ status, respondedAt, reason, createdAt, updatedAt }: Seen): string | null {
  if (!(status in NEXT)) return `is ${status}`;
  const responded = status === 'accepted' || status === 'rejected';
  if (responded !== (respondedAt !== null)) return `is ${status} and was responded to at ${respondedAt}`;
  if (reason !== null && status !== 'rejected') return `is ${status} with a reason for a rejection`;
  if (updatedAt < createdAt) return 'changed before it was made';
  if (updatedAt === createdAt && status !== 'pending_acceptance') return `began as ${status}`;
  return null;
}

/** The states that anybody saw a claim in, in the order of their stamps, are a path in the table of transitions. */
function* statesAreAPath(history: History): Iterable<Found> {
  const views = grouped(
    [...history.calls.flatMap(({ seen }) => seen), ...[...history.final.values()].flat()],
    ({ id }) => id,
  );
  const distinctChanges = changesAskedFor(history);
  for (const [id, seen] of views) {
    const show = (what: string): Found => ({ what: `${id} ${what}`, calls: callsOn(history, id) });
    const versions = new Map<string, Seen>();
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
    const asked = 1 + (distinctChanges.get(id) ?? 0);
    if (versions.size > asked)
      yield show(`has ${versions.size} versions, and ${asked} changes were asked for`);
  }
}

/** How many changes anybody asked of each claim after it was sent; a retry with the same key asks for no second one. */
function changesAskedFor({ calls, selfAnswering }: History): Map<string, number> {
  const asked = new Map<string, Set<string>>();
  const note = (id: string | undefined, change: string): void => {
    if (id === undefined) return;
    const changes = asked.get(id) ?? new Set();
    asked.set(id, changes.add(change));
  };
  const leavers = new Set<string>();
  for (const { operation, idempotencyKey, meant, task, attempt } of calls) {
    if (operation === 'offer') note(meant.claimId, `offer ${idempotencyKey}`);
    if (operation === 'accept' || operation === 'reject') note(meant.claimId, `answer ${task} ${attempt}`);
    if (operation === 'leave' && meant.adjuster !== undefined) leavers.add(meant.adjuster);
  }
  // Each offer to somebody who leaves may lapse, and each to somebody who answers by himself is answered.
  for (const { operation, idempotencyKey, meant, seen } of calls) {
    if (operation !== 'send' && operation !== 'offer') continue;
    const id = operation === 'send' ? seen[0]?.id : meant.claimId;
    if (leavers.has(meant.adjuster ?? '')) note(id, `lapse of ${idempotencyKey}`);
    if (selfAnswering.has(meant.adjuster ?? '')) note(id, `answer to ${idempotencyKey}`);
  }
  return new Map([...asked].map(([id, changes]) => [id, changes.size]));
}

/** Whoever asks after somebody got an answer sees no earlier state than that one did. */
function* readsNeverGoBack(history: History): Iterable<Found> {
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
          what: `${id} was seen at ${later.seen.updatedAt} after ${newest.seen.updatedAt}`,
          calls: [newest.call, later.call],
        };
      }
    }
  }
}

/** What was acknowledged is still so, or has moved on by the table. */
function* finalAgrees(history: History): Iterable<Found> {
  const final = finalById(history);
  for (const call of history.calls) {
    if (!succeeded(call)) continue;
    for (const seen of call.seen) {
      const last = final.get(seen.id);
      if (last === undefined) {
        yield { what: `${seen.id} is gone`, calls: [call] };
      } else if (last.updatedAt < seen.updatedAt) {
        yield {
          what: `${seen.id} was seen at ${seen.updatedAt} and ended at ${last.updatedAt}`,
          calls: [call],
        };
      } else if (seen.status === 'accepted' && last.updatedAt !== seen.updatedAt) {
        yield {
          what: `${seen.id} was accepted and ended as ${last.status}`,
          calls: callsOn(history, seen.id),
        };
      }
    }
    const [claim] = call.seen;
    if (call.operation === 'accept' && claim?.status !== 'accepted') {
      yield { what: `an acceptance was answered with ${claim?.status}`, calls: [call] };
    }
  }
}

/** Nobody waits for an answer of somebody who has left, unless the offer may be newer than the leaving. */
function* leaversHaveNoOffers(history: History): Iterable<Found> {
  const left = grouped(
    history.calls.filter((call) => call.operation === 'leave' && call.status === 204),
    ({ meant }) => meant.adjuster,
  );
  for (const claims of history.final.values()) {
    for (const claim of claims) {
      const leaving = left.get(claim.adjuster)?.at(-1);
      if (claim.status !== 'pending_acceptance' || leaving === undefined) continue;
      const since = history.calls.some(
        (call) =>
          (call.operation === 'offer' || call.operation === 'send') &&
          call.meant.adjuster === claim.adjuster &&
          call.seen.some(({ id, updatedAt }) => id === claim.id && updatedAt === claim.updatedAt) &&
          call.endedAt < leaving.startedAt,
      );
      if (since)
        yield {
          what: `${claim.id} waits for ${claim.adjuster}, who left`,
          calls: callsOn(history, claim.id),
        };
    }
  }
}

/** Those who answer by themselves have done so; their jobs outlive the process that was to run them. */
function* jobsAreDone(history: History): Iterable<Found> {
  for (const claims of history.final.values()) {
    for (const { id, status, adjuster } of claims) {
      if (status !== 'pending_acceptance' || !history.selfAnswering.has(adjuster)) continue;
      yield { what: `${adjuster} never answered ${id}`, calls: callsOn(history, id) };
    }
  }
}

/** A poller that asks from the last stamp it saw, without any overlap, has seen the last version of every claim. */
function* pollersMissNothing(history: History): Iterable<Found> {
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
          yield { what: `the feed of ${firm} went back to ${updatedAt}`, calls: [call] };
        newest = updatedAt > newest ? updatedAt : newest;
        last.set(id, updatedAt);
      }
    }
    for (const { id, updatedAt } of claims) {
      if (last.get(id) === updatedAt) continue;
      yield { what: `the poller of ${firm} missed ${id} at ${updatedAt}`, calls: callsOn(history, id) };
    }
    const stamps = grouped(claims, ({ updatedAt }) => updatedAt);
    for (const [stamp, twins] of stamps) {
      if (twins.length > 1) yield { what: `${firm} has ${twins.length} claims at ${stamp}`, calls: [] };
    }
  }
}

function* firmsAreApart(history: History): Iterable<Found> {
  for (const call of history.calls) {
    if (call.foreign !== undefined && call.foreign.length > 0) {
      yield { what: `${call.actor} was shown what belongs to ${call.foreign.join(', ')}`, calls: [call] };
    }
  }
  const owner = new Map<string, string>();
  for (const call of history.calls) {
    if (call.firm === null) continue;
    for (const { id } of call.seen) {
      const known: string = owner.get(id) ?? call.firm;
      if (known !== call.firm)
        yield { what: `${id} was shown to ${known} and to ${call.firm}`, calls: [call] };
      owner.set(id, known);
    }
  }
}

/** Longer stretches say nothing new: what is allowed grows with every fault in them. */
const LONGEST_STRETCH_MS = 60_000;

/** A Redis that forgot gives every key a full bucket. */
const FORGETS: readonly FaultKind[] = ['redis flushed', 'redis killed'];

/**
 * A bucket never gives more than its burst and its refill. Redis may forget, and a process that cannot reach Redis
 * keeps a bucket of its own: each time, what is new starts full.
 */
function* limitsHold(history: History): Iterable<Found> {
  for (const key of history.limited) {
    const spent = history.calls.filter(
      (call) => call.actor === key.actor && answered(call) && call.status !== 429 && call.status !== 503,
    );
    const times = spent
      .map(({ startedAt, endedAt }) => ({ startedAt, endedAt }))
      .sort((a, b) => a.endedAt - b.endedAt);
    for (let from = 0; from < times.length; from += 1) {
      for (let to = from; to < times.length; to += 1) {
        const [first, last] = [times[from], times[to]];
        if (first === undefined || last === undefined) continue;
        if (last.endedAt - first.startedAt > LONGEST_STRETCH_MS) break;
        const count = to - from + 1;
        // The spending happened somewhere between the request and its answer.
        const allowed = allowance(key, history, Math.min(first.startedAt, first.endedAt), last.endedAt);
        if (count > allowed) {
          yield {
            what: `${key.actor} had ${count} requests where ${Math.floor(allowed)} are allowed`,
            calls: spent.slice(from, to + 1).slice(-30),
          };
          return;
        }
      }
    }
  }
}

/** So many commands in a row may fail before a process gives Redis up and says so; it counts those requests itself. */
const UNTOLD = 2;

/** How many requests may be accepted between two moments. */
function allowance(
  key: LimitedKey,
  { faults, ownBuckets, processes }: History,
  from: number,
  to: number,
): number {
  const refill = (ms: number): number => (ms * key.requestsPerMinute) / 60_000;
  let allowed = key.burst + 1 + refill(to - from) + UNTOLD * processes;
  for (const { kind, startedAt, endedAt } of faults) {
    if (FORGETS.includes(kind) && startedAt <= to && endedAt >= from) allowed += key.burst;
  }
  for (const { startedAt, endedAt } of ownBuckets) {
    const overlap = Math.min(to, endedAt) - Math.max(from, startedAt);
    if (overlap >= 0) allowed += key.burst + refill(overlap);
  }
  return allowed;
}

const RULES: Readonly<Record<string, Rule>> = {
  'every acknowledged claim exists exactly once': existsOnce,
  'nothing comes of nothing': nothingOfNothing,
  'no key gives two claims': oneClaimPerKey,
  'every retry converges': retriesConverge,
  'no failure and no refusal without a reason': answersAreRight,
  'the states of a claim are a path in the table': statesAreAPath,
  'no read goes back': readsNeverGoBack,
  'what was acknowledged stays': finalAgrees,
  'who left has no offers': leaversHaveNoOffers,
  'no job is lost': jobsAreDone,
  'a poller without overlap misses nothing': pollersMissNothing,
  'no firm sees another': firmsAreApart,
  'limits hold but for the documented approximation': limitsHold,
};

export const RULE_NAMES = Object.keys(RULES);

/** Everything in the history that must not be. Pure: the same history gives the same findings. */
export function check(history: History): Violation[] {
  return Object.entries(RULES).flatMap(([rule, find]) =>
    [...find(history)].map((found) => ({ rule, ...found })),
  );
}
