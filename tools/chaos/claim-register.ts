// The claims of a chaos run as a history of registers, one per claim, for the linearizability check.
import { type Call, type ClaimView, grouped, type History, succeeded } from './history.ts';
import type { HistoryEntry, Model } from './linearizability.ts';

export type RegisterOperation =
  | { readonly type: 'send' | 'accept' | 'leave'; readonly adjuster: string }
  /** `basedOn` undefined: whatever has become of the claim. */
  | { readonly type: 'offer'; readonly adjuster: string; readonly basedOn: string | undefined }
  /** `reason` undefined: chosen by the service for a test account. */
  | { readonly type: 'reject'; readonly adjuster: string; readonly reason: string | undefined }
  | { readonly type: 'close' }
  /** By people of the firm. */
  | { readonly type: 'withdraw offer'; readonly basedOn: string | undefined }
  | { readonly type: 'close at desk'; readonly basedOn: string | undefined }
  | { readonly type: 'read' };

/** The claim that the response showed, or the code of its error; `unseen`: it took effect and showed neither. */
type RegisterResult = { readonly claim: ClaimView } | { readonly error: string } | { readonly unseen: true };

export type RegisterEntry = HistoryEntry<RegisterOperation, RegisterResult>;

/** What a claim shows; the parts that nobody has observed yet are null, `reason` is undefined. */
interface ClaimState {
  readonly status: string;
  readonly adjuster: string;
  readonly reason: string | null | undefined;
  /** `updated_at` and `responded_at` of this state. */
  readonly version: { readonly updatedAt: string; readonly respondedAt: string | null } | null;
  /** An earlier `updated_at`. */
  readonly after: string;
  readonly createdAt: string | null;
  /** Not visible, but nothing changes afterwards. */
  readonly isClosed: boolean;
}

const changed = (
  before: ClaimState,
  change: Pick<ClaimState, 'status' | 'adjuster' | 'reason'>,
): ClaimState => ({
  ...before,
  ...change,
  version: null,
  after: before.version?.updatedAt ?? before.after,
});

/** The state with the parts that the response shows for the first time; null: it shows another state. */
function observed(state: ClaimState, claim: ClaimView): ClaimState | null {
  const { status, adjuster, reason, respondedAt, updatedAt, createdAt } = claim;
  const { version } = state;
  const responded = status === 'accepted' || status === 'rejected';
  const shows =
    status === state.status &&
    adjuster === state.adjuster &&
    (state.reason === undefined || reason === state.reason) &&
    (respondedAt !== null) === responded &&
    (version === null
      ? updatedAt > state.after
      : updatedAt === version.updatedAt && respondedAt === version.respondedAt) &&
    (state.createdAt === null ? createdAt <= updatedAt : createdAt === state.createdAt);
  return shows ? { ...state, reason, version: { updatedAt, respondedAt }, createdAt } : null;
}

const only = (state: ClaimState | null): ClaimState[] => (state === null ? [] : [state]);

/** The states and transitions of the specification. Null: not sent yet. */
export const claimRegister: Model<ClaimState | null, RegisterOperation, RegisterResult> = {
  init: () => null,
  step(state, operation, result) {
    const claim = result !== undefined && 'claim' in result ? result.claim : null;
    const error = result !== undefined && 'error' in result ? result.error : null;
    const becomes = (next: ClaimState): ClaimState[] => only(claim === null ? next : observed(next, claim));
    if (operation.type === 'send') {
      const { adjuster } = operation;
      const sent = { status: 'pending_acceptance', adjuster, reason: null, version: null, after: '' };
      return state === null ? becomes({ ...sent, createdAt: null, isClosed: false }) : [];
    }
    if (state === null) return operation.type === 'leave' ? [state] : [];
    if (operation.type === 'read') return claim === null ? [state] : only(observed(state, claim));
    if (operation.type === 'close') return [{ ...state, isClosed: true }];
    const isPending = state.status === 'pending_acceptance' && !state.isClosed;
    if (operation.type === 'withdraw offer' || operation.type === 'close at desk') {
      const { basedOn, type } = operation;
      const closes = type === 'close at desk';
      const mayDiffer = basedOn !== undefined && state.version?.updatedAt !== basedOn;
      if (error === 'claim_changed')
        return mayDiffer && (closes ? !state.isClosed : isPending) ? [state] : [];
      if (error === 'claim_already_accepted') return state.status === 'accepted' ? [state] : [];
      if (error !== null) return !isPending && state.status !== 'accepted' ? [state] : [];
      if (closes && state.isClosed) return becomes(state);
      if (mayDiffer && state.version !== null) return [];
      const { adjuster } = state;
      const ended = isPending ? changed(state, { status: 'unassigned', adjuster, reason: null }) : state;
      if (closes) return becomes({ ...ended, isClosed: true });
      return isPending ? becomes(ended) : [];
    }
    const { adjuster } = operation;
    const isTheirs = state.adjuster === adjuster;
    if (operation.type === 'leave') {
      const isUnassigned = isTheirs && isPending;
      return [isUnassigned ? changed(state, { status: 'unassigned', adjuster, reason: null }) : state];
    }
    if (operation.type === 'offer') {
      const isAccepted = state.status === 'accepted';
      const { basedOn } = operation;
      const differs = basedOn !== undefined && state.version !== null && state.version.updatedAt !== basedOn;
      if (error === 'claim_changed')
        return basedOn !== undefined && (differs || state.version === null) ? [state] : [];
      if (error === 'claim_already_accepted') return isAccepted ? [state] : [];
      if (error !== null) return state.isClosed && !isAccepted ? [state] : [];
      return isAccepted || state.isClosed || differs
        ? []
        : becomes(changed(state, { status: 'pending_acceptance', adjuster, reason: null }));
    }
    if (error === 'not_found') return isTheirs ? [] : [state];
    if (error !== null) return isTheirs && !isPending ? [state] : [];
    if (!isTheirs || !isPending) return [];
    return becomes(
      operation.type === 'reject'
        ? changed(state, { status: 'rejected', adjuster, reason: operation.reason })
        : changed(state, { status: 'accepted', adjuster, reason: null }),
    );
  },
};

/**
 * A request without a response, with all its attempts, may still take effect for this long: its deadline is 5 s, a
 * statement's 4 s, and processes are frozen for 3.5 s. Otherwise each that was to leave, and each offer, would concern all
 * that happens from then on, and an hour has too much of it.
 */
const LATEST_EFFECT_MS = 120_000;

/** The request may have been executed, now or later. */
export const isUnknown = ({ status }: Call): boolean => status === null || status >= 500;
export const changesClaim = ({ operation }: Call): boolean => operation === 'send' || operation === 'offer';

const ENDING_ERRORS = ['claim_already_accepted', 'offer_not_pending', 'claim_changed'];
const OFFER_ERRORS = ['claim_already_accepted', 'claim_closed', 'claim_changed'];

/** Every request on each claim and everything that responses showed of it. */
export function registerEntries(history: History): RegisterEntry[] {
  const { calls, final, autoResponding } = history;
  const entries: RegisterEntry[] = [];
  const add = (
    key: string,
    { actor, startedAt }: Pick<Call, 'actor' | 'startedAt'>,
    operation: RegisterOperation,
    endedAt: number | null,
    result?: RegisterResult,
  ): void => {
    const base = { process: actor, key, operation, invocation: startedAt };
    entries.push(
      endedAt === null || result === undefined
        ? { ...base, completion: null }
        : { ...base, completion: endedAt, result },
    );
  };
  const idOf = claimIds(history);

  /** The calls whose response shows the state that they wrote. */
  const writes = new Set<Call>();
  for (const attempts of idempotentRequests(calls)) {
    const [first] = attempts;
    if (first === undefined) continue;
    const { operation, intent } = first;
    const done = attempts.filter(succeeded).sort((a, b) => a.endedAt - b.endedAt);
    const key = done[0]?.seen[0]?.id ?? intent.claimId ?? idOf.get(intent.externalId ?? '');
    const { adjuster } = intent;
    if (key === undefined || adjuster === undefined || !changesClaim(first)) continue;
    const change: RegisterOperation =
      operation === 'send'
        ? { type: 'send', adjuster }
        : { type: 'offer', adjuster, basedOn: intent.basedOn };
    const write = done.find(({ replayed }) => replayed !== true);
    if (write !== undefined) writes.add(write);
    const [claim] = write?.seen ?? [];
    if (done[0] !== undefined)
      add(key, first, change, done[0].endedAt, claim === undefined ? { unseen: true } : { claim });
    else if (attempts.some(isUnknown)) add(key, first, change, null);
    for (const attempt of attempts) {
      if (attempt.code !== undefined && OFFER_ERRORS.includes(attempt.code))
        add(key, attempt, change, attempt.endedAt, { error: attempt.code });
    }
    if (autoResponding.has(adjuster) && (done.length > 0 || attempts.some(isUnknown))) {
      const service = { actor: adjuster, startedAt: first.startedAt };
      add(key, service, { type: 'accept', adjuster }, null);
      add(key, service, { type: 'reject', adjuster, reason: undefined }, null);
    }
  }

  for (const call of calls) {
    const { operation, intent, endedAt, code } = call;
    const { claimId, adjuster, reason } = intent;
    if (
      (operation === 'accept' || operation === 'reject') &&
      claimId !== undefined &&
      adjuster !== undefined
    ) {
      const response: RegisterOperation =
        operation === 'accept' ? { type: 'accept', adjuster } : { type: 'reject', adjuster, reason };
      const [claim] = call.seen;
      if (isUnknown(call)) add(claimId, call, response, null);
      else if (succeeded(call) && claim !== undefined) {
        writes.add(call);
        add(claimId, call, response, endedAt, { claim });
      } else if (code === 'offer_not_pending' || code === 'not_found')
        add(claimId, call, response, endedAt, { error: code });
    }
    if ((operation === 'withdraw offer' || operation === 'close at desk') && claimId !== undefined) {
      const change: RegisterOperation = { type: operation, basedOn: intent.basedOn };
      const [claim] = call.seen;
      if (isUnknown(call)) add(claimId, call, change, null);
      else if (succeeded(call) && claim !== undefined) {
        writes.add(call);
        add(claimId, call, change, endedAt, { claim });
      } else if (code !== undefined && ENDING_ERRORS.includes(code))
        add(claimId, call, change, endedAt, { error: code });
    }
    if (operation === 'close' && claimId !== undefined && (succeeded(call) || isUnknown(call)))
      add(claimId, call, { type: 'close' }, succeeded(call) ? endedAt : null, { unseen: true });
  }

  for (const { row, claimId, first, done } of importedRows(history)) {
    const { adjuster } = row;
    add(claimId, first, { type: 'send', adjuster }, done?.endedAt ?? null, { unseen: true });
  }

  let end = 0;
  for (const call of calls) {
    end = Math.max(end, call.endedAt);
    if (writes.has(call)) continue;
    for (const claim of call.seen) add(claim.id, call, { type: 'read' }, call.endedAt, { claim });
  }
  for (const [firm, claims] of final) {
    for (const claim of claims)
      add(claim.id, { actor: `final list of ${firm}`, startedAt: end }, { type: 'read' }, end, { claim });
  }

  const open = openOffers(entries, calls);
  for (const call of calls) {
    const adjuster = leaverOf(call);
    if (adjuster === undefined || !(succeeded(call) || isUnknown(call))) continue;
    const endedAt = succeeded(call) ? call.endedAt : null;
    for (const { key, intervals } of open.get(adjuster) ?? []) {
      const matters = intervals.some(
        (interval) =>
          interval.from <= (endedAt ?? call.startedAt + LATEST_EFFECT_MS) && call.startedAt <= interval.to,
      );
      if (matters) add(key, call, { type: 'leave', adjuster }, endedAt, { unseen: true });
    }
  }
  return entries;
}

/** The adjuster whose pending offers the request withdraws. */
const leaverOf = ({ operation, intent }: Call): string | undefined =>
  operation === 'leave' || operation === 'suspend' || operation === 'disable' ? intent.adjuster : undefined;

interface OpenOffers {
  readonly key: string;
  readonly intervals: readonly { readonly from: number; readonly to: number }[];
}

/**
 * When each claim may have been pending with these adjusters: from each offer until the first response that was requested
 * after it and shows otherwise, or until the end of the first request to leave that was made after it and succeeded. At
 * other times leaving the firm changes nothing, and an hour has too many such pairs.
 */
function openOffers(entries: readonly RegisterEntry[], calls: readonly Call[]): Map<string, OpenOffers[]> {
  const leaves = grouped(calls, leaverOf);
  const hasLeft = (adjuster: string, after: number): number =>
    Math.min(
      Number.POSITIVE_INFINITY,
      ...(leaves.get(adjuster) ?? [])
        .filter((call) => succeeded(call) && call.startedAt > after)
        .map(({ endedAt }) => endedAt),
    );
  const ofClaims = grouped(entries, ({ key }) => key);
  const open = new Map([...leaves.keys()].map((adjuster) => [adjuster, [] as OpenOffers[]]));
  for (const [key, ofClaim] of ofClaims) {
    for (const [adjuster, claims] of open) {
      const intervals = ofClaim.flatMap(({ operation, invocation, completion }) => {
        const isOffer = operation.type === 'send' || operation.type === 'offer';
        if (!isOffer || operation.adjuster !== adjuster) return [];
        const after = completion ?? invocation + LATEST_EFFECT_MS;
        return [
          { from: invocation, to: Math.min(endOf(ofClaim, adjuster, after), hasLeft(adjuster, after)) },
        ];
      });
      if (intervals.length > 0) claims.push({ key, intervals });
    }
  }
  return open;
}

/** The completion of the first response requested after a time that shows the claim not pending with the adjuster. */
function endOf(ofClaim: readonly RegisterEntry[], adjuster: string, after: number): number {
  let end = Number.POSITIVE_INFINITY;
  for (const { invocation, completion, result } of ofClaim) {
    if (invocation <= after || completion === null || result === undefined || !('claim' in result)) continue;
    const { claim } = result;
    if (claim.status !== 'pending_acceptance' || claim.adjuster !== adjuster) end = Math.min(end, completion);
  }
  return end;
}

interface ImportedRow {
  readonly row: NonNullable<Call['intent']['rows']>[number];
  readonly claimId: string;
  /** The first request that may have sent it. */
  readonly first: Call;
  /** The first whose response says so. */
  readonly done: Call | undefined;
}

/** The rows of files that became claims. */
export function importedRows(history: History): ImportedRow[] {
  const idOf = claimIds(history);
  const rows = new Map<string, ImportedRow>();
  const imports = history.calls.filter(({ operation }) => operation === 'import');
  for (const call of imports.toSorted((a, b) => a.startedAt - b.startedAt)) {
    for (const row of call.intent.rows ?? []) {
      const claimId = idOf.get(row.externalId);
      if (claimId === undefined || rows.has(row.externalId)) continue;
      rows.set(row.externalId, { row, claimId, first: call, done: undefined });
    }
  }
  for (const call of imports.toSorted((a, b) => a.endedAt - b.endedAt)) {
    for (const { externalId, outcome } of call.rows ?? []) {
      const known = rows.get(externalId);
      if (known !== undefined && known.done === undefined && outcome.endsWith('sent'))
        rows.set(externalId, { ...known, done: call });
    }
  }
  return [...rows.values()];
}

/** The claims that were seen, by `external_id`. */
export function claimIds({ calls, final }: History): Map<string, string> {
  const views = [...calls.flatMap(({ seen }) => seen), ...[...final.values()].flat()];
  return new Map(views.map(({ externalId, id }) => [externalId, id]));
}

/** The Idempotency-Key of one firm. */
export const keyOf = ({ firm, idempotencyKey }: Call): string | undefined =>
  idempotencyKey === undefined ? undefined : `${firm} ${idempotencyKey}`;

/** The attempts at each request with an Idempotency-Key, in order. */
export function idempotentRequests(calls: readonly Call[]): Call[][] {
  const valid = calls.filter(({ intent }) => intent.expectedError === undefined);
  return [...grouped(valid, keyOf).values()].map((group) => group.sort((a, b) => a.startedAt - b.startedAt));
}
