import {
  type ClaimId,
  type Instant,
  MINUTE,
  READINESS_CHECKS,
  type ReadinessCheckId,
  SECOND,
} from '@svc/domain';
import { type LoggedRequest, latestRequestFirst } from '../../model/logged-request.ts';
import {
  attemptsOf,
  endOf,
  type GradedClaim,
  type GradedRequest,
  groupBy,
  hasFailed,
  isRead,
  isSuccess,
  LIST,
  OFFER,
  type Poll,
  pollsOf,
} from './evidence.ts';

/** Something that the program did wrong, with the requests that show it. */
export interface ReadinessFinding {
  readonly detail: string;
  readonly requests: readonly LoggedRequest[];
  readonly claimId: ClaimId | null;
}

export interface ReadinessCheck {
  readonly check: ReadinessCheckId;
  /** Passed only with evidence. */
  readonly state: 'passed' | 'failed' | 'not_exercised';
  /** How often the program did it right. */
  readonly passed: number;
  readonly findings: readonly ReadinessFinding[];
}

export interface Evidence {
  /** What is graded, in any order. */
  readonly requests: readonly LoggedRequest[];
  /** Of all test keys of the firm: one program may send, and another one poll. The same by default. */
  readonly reads?: readonly LoggedRequest[];
  readonly claims: readonly GradedClaim[];
  readonly now: Instant;
}

/** What is missing for so long is taken for missed: firms poll every one to five minutes. */
const GRACE_MS = 10 * MINUTE;
/** Clocks and timers are not exact. */
const RETRY_AFTER_TOLERANCE_MS = 100;
/** A request that arrives so soon after a 429 may have been sent before it. */
const MAX_IN_FLIGHT_MS = 250;
/** Another program with the same key may send a few. */
const FEWEST_OTHERS = 3;

interface Facts {
  readonly requests: readonly GradedRequest[];
  /** The first successful response, of any key, with the present state of a claim. */
  readonly readOf: (claim: GradedClaim) => GradedRequest | undefined;
  readonly claims: readonly GradedClaim[];
  readonly writes: readonly GradedRequest[][];
  readonly reads: readonly GradedRequest[][];
  /** By key. */
  readonly polls: readonly (readonly PollInSequence[])[];
  readonly isLate: (at: Instant) => boolean;
}

interface Result {
  passed: number;
  readonly findings: ReadinessFinding[];
}

type Check = (facts: Facts, result: Result) => void;

const CHECKS: Readonly<Record<ReadinessCheckId, Check>> = {
  idempotency_keys,
  lost_writes,
  duplicates,
  retry_after,
  back_off,
  cursors,
  poll_gaps,
  poll_overlap,
  unread_changes,
  second_outcomes,
  unknown_values,
  rejected_requests,
};

const CLAIMS_OF_PIECE = 50;

/** Grades a firm's integration by what its test keys did, in pieces: each step of the generator takes milliseconds. */
export function* gradeInPieces({
  claims,
  now,
  ...logged
}: Evidence): Generator<undefined, ReadinessCheck[], undefined> {
  const requests = inOrder(logged.requests);
  yield;
  const reads = logged.reads === undefined ? requests : inOrder(logged.reads);
  yield;
  const readOf = readerOf(reads.filter(isSuccess));
  for (const [n, claim] of claims.entries()) {
    if (n % CLAIMS_OF_PIECE === 0) yield;
    readOf(claim);
  }
  yield;
  const attempts = attemptsOf(requests);
  yield;
  const facts: Facts = {
    requests,
    readOf,
    claims,
    ...attempts,
    polls: [...groupBy(pollsOf(requests), ({ keyId }) => keyId).values()].map(inSequence),
    isLate: (at) => at + GRACE_MS < now,
  };
  const checks: ReadinessCheck[] = [];
  for (const check of READINESS_CHECKS) {
    yield;
    const result: Result = { passed: 0, findings: [] };
    CHECKS[check](facts, result);
    const { passed, findings } = result;
    const state = findings.length > 0 ? 'failed' : passed > 0 ? 'passed' : 'not_exercised';
    checks.push({ check, state, passed, findings });
  }
  return checks;
}

const inOrder = (logged: readonly LoggedRequest[]): GradedRequest[] =>
  logged
    .filter((request): request is GradedRequest => request.behavior !== undefined)
    .toSorted((one, other) => latestRequestFirst(other, one));

export const isReady = (checks: readonly ReadinessCheck[]): boolean =>
  checks.every(({ state }) => state === 'passed');

function find(
  { findings }: Result,
  detail: string,
  requests: readonly (LoggedRequest | undefined)[],
  claimId?: ClaimId,
): void {
  const known = requests.filter((request) => request !== undefined);
  const named = claimId ?? known.find(({ behavior }) => behavior?.claimId)?.behavior?.claimId;
  findings.push({ detail, requests: known, claimId: named ?? null });
}

function idempotency_keys({ requests, writes }: Facts, result: Result): void {
  for (const attempts of writes) {
    for (const [at, failed] of attempts.entries()) {
      const retry = attempts[at + 1];
      if (!hasFailed(failed) || retry === undefined) continue;
      if (retry.behavior.idempotencyKey === failed.behavior.idempotencyKey) result.passed += 1;
      else find(result, 'A write that failed was sent again with another Idempotency-Key.', [failed, retry]);
    }
  }
  for (const request of requests) {
    if (request.code === 'idempotency_key_reused')
      find(result, 'An Idempotency-Key was sent again with another request.', [request]);
    if (request.places.includes('Idempotency-Key:'))
      find(result, 'A write had no valid Idempotency-Key.', [request]);
  }
}

function lost_writes({ writes, isLate }: Facts, result: Result): void {
  for (const attempts of writes) {
    for (const [at, failed] of attempts.entries()) {
      if (!hasFailed(failed) && failed.status !== 429) continue;
      if (attempts[at + 1] !== undefined) result.passed += 1;
      // Without its body, it may have been sent again under another key.
      else if (failed.behavior.subject !== undefined && isLate(endOf(failed)))
        find(result, 'A write that failed was never sent again, so a claim or an offer is lost.', [failed]);
    }
  }
}

function duplicates({ writes }: Facts, result: Result): void {
  for (const attempts of writes) {
    const sent = attempts.find(isSuccess);
    const repeated = attempts.filter(({ code }) => code === 'duplicate_claim');
    for (const request of repeated)
      find(result, 'A claim was sent that exists already.', [sent ?? attempts[0], request].filter(isOther));
    if (repeated.length === 0 && attempts.some(hasFailed) && sent !== undefined) result.passed += 1;
  }
}

const isOther = (
  request: LoggedRequest | undefined,
  at: number,
  all: readonly (LoggedRequest | undefined)[],
): boolean => all.indexOf(request) === at;

function retry_after({ requests, writes, reads }: Facts, result: Result): void {
  const ignored = new Set<GradedRequest>();
  for (const attempts of [...writes, ...reads]) {
    for (const [n, rejected] of attempts.entries()) {
      const { retryAfterMs } = rejected.behavior;
      if (retryAfterMs === undefined) continue;
      // Requests that were sent before the response arrived do not count.
      const next = attempts.slice(n + 1, n + 100).find(({ at }) => at >= endOf(rejected) - 1);
      if (next === undefined) continue;
      const waitedMs = Math.max(0, next.at - endOf(rejected));
      if (waitedMs >= retryAfterMs - RETRY_AFTER_TOLERANCE_MS) {
        result.passed += 1;
        continue;
      }
      ignored.add(rejected);
      find(
        result,
        `Retry-After was ${retryAfterMs / 1000} s; the next request came after ${Math.round(waitedMs) / 1000} s.`,
        [rejected, next],
      );
    }
  }
  // Reads and writes have a limit each.
  for (const ofKey of groupBy(requests, (request) => `${request.keyId} ${isRead(request)}`).values())
    findOthers(ofKey, ignored, result);
}

/** A 429 is the limit of the key, so its other requests have to wait too. */
function findOthers(
  ofKey: readonly GradedRequest[],
  known: ReadonlySet<GradedRequest>,
  result: Result,
): void {
  let waitUntil = 0;
  for (const [n, rejected] of ofKey.entries()) {
    const { retryAfterMs } = rejected.behavior;
    const end = endOf(rejected);
    // Several 429s for requests that were sent together are one pause.
    if (rejected.status !== 429 || retryAfterMs === undefined || end < waitUntil) continue;
    waitUntil = end + retryAfterMs - RETRY_AFTER_TOLERANCE_MS;
    const others = ofKey
      .slice(n + 1, n + 1000)
      .filter(({ at }) => at >= end + MAX_IN_FLIGHT_MS && at < waitUntil);
    if (others.length < FEWEST_OTHERS || known.has(rejected)) continue;
    const detail = `Retry-After was ${retryAfterMs / 1000} s; the key sent ${others.length} other requests before that time had passed.`;
    find(result, detail, [rejected, ...others]);
  }
}

/** A request that was not retried for so long is no retry. */
const LONGEST_BACK_OFF_MS = 2 * MINUTE;
const FEWEST_GAPS = 4;
/** With jitter, a few growing waits can look like constant ones; so many cannot. */
const CERTAIN_GAPS = 6;
const SHORT_MEAN_MS = 125;
const LONG_MEAN_MS = 10_000;
/** Many clients repeat a request once without a wait. */
const SHORTEST_WAIT_MS = 50;
/** More than a jitter of 20 % in each direction makes of a constant wait, and less than a few doublings do. */
const LEAST_GROWTH = 1.5;

const mean = (some: readonly number[]): number => some.reduce((total, one) => total + one, 0) / some.length;

function back_off({ writes, reads }: Facts, result: Result): void {
  for (const attempts of [...writes, ...reads]) {
    let run: GradedRequest[] = [];
    const judge = (): void => {
      const gaps = run.flatMap(({ at }, n) => {
        const failed = run[n - 1];
        return failed === undefined ? [] : [Math.max(0, at - endOf(failed))];
      });
      if (gaps.length >= FEWEST_GAPS) {
        const meanMs = mean(gaps);
        const firstMs = gaps.find((gap) => gap >= SHORTEST_WAIT_MS) ?? Number.POSITIVE_INFINITY;
        // Compared with the first wait alone: most waits may be at the cap.
        const grows = mean(gaps.slice(-Math.floor(gaps.length / 2))) > LEAST_GROWTH * firstMs;
        const isCertain = gaps.length >= CERTAIN_GAPS;
        const isShort = meanMs < SHORT_MEAN_MS;
        // Among so many short waits, a growth is an accident.
        if ((isShort && (isCertain || !grows)) || (isCertain && !grows && meanMs < LONG_MEAN_MS))
          find(
            result,
            `A request that failed was sent ${gaps.length} more times, ${Math.round(meanMs)} ms apart on average, without back-off.`,
            run,
          );
        else if ((grows && !isShort) || meanMs >= LONG_MEAN_MS) result.passed += 1;
      }
      run = [];
    };
    for (const request of attempts) {
      const last = run.at(-1);
      if (last !== undefined && request.at - endOf(last) > LONGEST_BACK_OFF_MS) judge();
      run.push(request);
      // Retry-After is another check.
      if (!hasFailed(request) || request.behavior.retryAfterMs !== undefined) judge();
    }
    judge();
  }
}

function cursors({ requests, polls, isLate }: Facts, result: Result): void {
  const following = groupBy(
    requests.filter(({ behavior: { cursor } }) => cursor !== undefined),
    ({ keyId, behavior: { cursor } }) => `${keyId} ${cursor}`,
  );
  for (const ofKey of polls) {
    for (const { poll, nextFirst: next } of ofKey) {
      if (poll.page.next === null) continue;
      const attempts = following.get(`${poll.keyId} ${poll.page.next}`) ?? [];
      const refused = attempts.find(isRejected);
      if (attempts.some(isSuccess)) result.passed += 1;
      else if (refused !== undefined)
        find(
          result,
          `The next page was requested and rejected with ${refused.code ?? refused.status}: a cursor needs the same filters as the first page.`,
          [poll, refused],
        );
      // What failed without the program's fault is another check.
      else if (attempts.length === 0 && (next !== undefined || isLate(endOf(poll))))
        find(result, 'A page had a next_cursor, and the next page was never requested.', [poll, next]);
    }
  }
}

/** By a rule, so that the same request is rejected again. */
const isRejected = (request: LoggedRequest): boolean =>
  (request.status ?? 0) >= 400 && request.status !== 429 && !hasFailed(request);

interface PollInSequence {
  readonly poll: Poll;
  /** The next one without a cursor. */
  readonly nextFirst: Poll | undefined;
  /** That one, or the next page before it. */
  readonly next: Poll | undefined;
  readonly previous: Poll | undefined;
  /** How far the earlier ones have read. */
  readonly latestBefore: Instant;
}

/** Of one key, earliest first, each with what follows. */
function inSequence(ofKey: readonly Poll[]): PollInSequence[] {
  const isLater = new Map<string, number>();
  let first = ofKey.length;
  const following: Record<'nextFirst' | 'next', number>[] = [];
  for (let n = ofKey.length - 1; n >= 0; n -= 1) {
    const { page, behavior } = ofKey[n] as Poll;
    const nextPage = page.next === null ? first : (isLater.get(page.next) ?? first);
    following[n] = { nextFirst: first, next: Math.min(first, nextPage) };
    if (behavior.cursor === undefined) first = n;
    else isLater.set(behavior.cursor, n);
  }
  let latest = 0;
  return ofKey.map((poll, n) => {
    const { nextFirst = ofKey.length, next = ofKey.length } = following[n] ?? {};
    const latestBefore = latest;
    latest = Math.max(latest, poll.page.to ?? 0);
    return { poll, nextFirst: ofKey[nextFirst], next: ofKey[next], previous: ofKey[n - 1], latestBefore };
  });
}

function poll_gaps({ polls }: Facts, result: Result): void {
  for (const ofKey of polls) {
    let readTo = Number.NEGATIVE_INFINITY;
    let last: Poll | undefined;
    for (const { poll } of ofKey) {
      const { since, from, to, next } = poll.page;
      // Nothing is known of what was read before a further page.
      if (poll.behavior.cursor === undefined && Number.isFinite(readTo)) {
        if (since <= readTo) result.passed += 1;
        else
          find(
            result,
            `No poll covers the changes between ${time(readTo)} and ${time(since)}, the next updated_since.`,
            [last, poll],
          );
      }
      // A last page is up to date when it is requested.
      const end = next === null ? Math.max(to ?? since, poll.at) : (to ?? since);
      if (poll.behavior.cursor === undefined || (from ?? since) <= readTo) readTo = Math.max(readTo, end);
      last = poll;
    }
  }
}

/** Half of the minute that the interface recommends. */
const LEAST_OVERLAP_MS = 30 * SECOND;

function poll_overlap({ polls }: Facts, result: Result): void {
  for (const ofKey of polls) {
    const first = ofKey.filter(({ poll }) => poll.behavior.cursor === undefined);
    const start = first[0]?.poll.page.since ?? 0;
    for (const [n, { poll, latestBefore }] of first.entries()) {
      const { since } = poll.page;
      const [before, earlier] = [first[n - 1], first[n - 2]];
      // Twice, since a claim that was sent in between may have moved the position.
      const movesByClock =
        earlier !== undefined &&
        before !== undefined &&
        latestBefore === earlier.latestBefore &&
        before.poll.page.since > earlier.poll.page.since &&
        since > before.poll.page.since;
      if (movesByClock)
        find(result, 'updated_since moved on although nothing new was read: it comes from a clock.', [
          ...[earlier.poll, before.poll, poll],
        ]);
      else if (latestBefore === 0) continue;
      else if (since <= latestBefore - LEAST_OVERLAP_MS) result.passed += 1;
      // A program that has just started has nothing to overlap with.
      else if (since > start)
        find(
          result,
          since > latestBefore
            ? `updated_since was ${time(since)}, later than the latest updated_at that was read, ${time(latestBefore)}.`
            : `updated_since was ${(latestBefore - since) / SECOND} s before the latest updated_at that was read.`,
          [before?.poll, poll],
        );
    }
  }
}

const time = (at: Instant): string => new Date(at).toISOString();

/** Finds the first response with the present state of a claim. Thousands of claims and requests are compared. */
function readerOf(successes: readonly GradedRequest[]): Facts['readOf'] {
  const lists = successes.flatMap((request) => {
    const { page, operation } = request.behavior;
    if (operation !== LIST || page === undefined || page.isFiltered) return [];
    const upToDateAt = page.next === null ? request.at : Number.NEGATIVE_INFINITY;
    return [{ request, from: page.from ?? 0, to: page.to ?? 0, upToDateAt }];
  });
  const ofClaim = groupBy(
    successes.filter(({ behavior }) => behavior.operation !== LIST),
    ({ behavior }) => behavior.claimId,
  );
  const found = new Map<GradedClaim, GradedRequest | undefined>();
  return (claim) => {
    if (found.has(claim)) return found.get(claim);
    const { id, updatedAt } = claim;
    const list = lists.find(
      ({ from, to, upToDateAt }) => from <= updatedAt && (to >= updatedAt || upToDateAt > updatedAt),
    )?.request;
    const single = ofClaim.get(id)?.find(({ at }) => at >= updatedAt);
    const isList = list !== undefined && (single === undefined || latestRequestFirst(list, single) > 0);
    found.set(claim, isList ? list : single);
    return isList ? list : single;
  };
}

function unread_changes(facts: Facts, result: Result): void {
  const polls = facts.requests.filter(({ behavior }) => behavior.operation === LIST);
  for (const claim of facts.claims) {
    const { id, status, updatedAt } = claim;
    if (status === 'pending_acceptance') continue;
    if (facts.readOf(claim) !== undefined) result.passed += 1;
    else if (facts.isLate(updatedAt)) {
      const last = polls.findLastIndex(({ at }) => at <= updatedAt);
      const around = [polls[last], polls[last + 1]];
      find(
        result,
        `The claim became ${status} at ${time(updatedAt)}; no unfiltered poll and no read of the claim since has it.`,
        around,
        id,
      );
    }
  }
}

function second_outcomes(facts: Facts, result: Result): void {
  const offersOf = groupBy(
    facts.requests.filter(({ behavior }) => behavior.operation === OFFER),
    ({ behavior }) => behavior.claimId,
  );
  const ignored: (() => void)[] = [];
  let reactions = 0;
  for (const claim of facts.claims) {
    const { id, status, updatedAt } = claim;
    const offers = offersOf.get(id) ?? [];
    const earlier = offers.filter((offer) => isSuccess(offer) && offer.at <= updatedAt);
    if (new Set(offers.map(({ behavior }) => behavior.idempotencyKey)).size > 1) reactions += 1;
    if (status === 'pending_acceptance' || earlier.length === 0) continue;
    const read = facts.readOf(claim);
    if (read === undefined) {
      const detail = `The claim was offered again and became ${status} at ${time(updatedAt)}; no unfiltered poll and no read of the claim since has it.`;
      if (facts.isLate(updatedAt)) find(result, detail, earlier, id);
    } else if (status === 'accepted') {
      result.passed += 1;
    } else if (offers.some(({ at }) => at > updatedAt)) {
      result.passed += 1;
    } else if (facts.isLate(endOf(read))) {
      const detail = `The claim was offered again and became ${status} at ${time(updatedAt)}. That was read, and nothing followed.`;
      ignored.push(() => find(result, detail, [...earlier.slice(-1), read], id));
    }
  }
  // Somewhere a person decides after the second outcome. A program that ignores all of them has missed them.
  if (reactions === 0) for (const report of ignored) report();
}

function unknown_values({ requests, polls, writes, isLate }: Facts, result: Result): void {
  const sentAgain = new Map(
    writes.flatMap((attempts) => attempts.map((request, n) => [request, attempts[n + 1]] as const)),
  );
  const pollOf = new Map(
    polls.flatMap((ofKey) => {
      const moves = new Set(ofKey.map(({ poll }) => poll.page.since)).size > 1;
      return ofKey.map((one) => [one.poll.requestId, { ...one, moves }] as const);
    }),
  );
  for (const request of requests) {
    const { unknownValue } = request.behavior;
    if (unknownValue === 'sent') find(result, 'The unknown value was sent back.', [request]);
    if (unknownValue !== 'received' || !isSuccess(request)) continue;
    if (sentAgain.has(request)) {
      const again = sentAgain.get(request);
      const isRepeated =
        again !== undefined && again.behavior.idempotencyKey === request.behavior.idempotencyKey;
      const detail = 'A write succeeded, with an unknown value in the response, and was sent again.';
      if (isRepeated) find(result, detail, [request, again]);
      continue;
    }
    const received = pollOf.get(request.requestId);
    if (received !== undefined) judgeReceived(received, isLate, result);
  }
}

/** Some clients save their position in whole seconds. */
const POSITION_PRECISION_MS = 1000;

function judgeReceived(
  { poll, next, previous, latestBefore, moves }: PollInSequence & { readonly moves: boolean },
  isLate: Facts['isLate'],
  result: Result,
): void {
  if (next === undefined) {
    if (isLate(endOf(poll)))
      find(result, 'A page had an unknown value, and no successful poll followed.', [poll]);
    return;
  }
  const hasNews = previous !== undefined && (poll.page.to ?? 0) > latestBefore + POSITION_PRECISION_MS;
  const isFirst = next.behavior.cursor === undefined;
  if (isFirst && hasNews && moves && next.page.since === poll.page.since)
    find(
      result,
      'A page had an unknown value, and the next poll started at the same updated_since, as if the page had not been processed.',
      [poll, next],
    );
  else if (hasNews) result.passed += 1;
}

/** Codes after which only another request can succeed: nothing that happens later changes them. */
const FINAL_CODES: ReadonlySet<string | null> = new Set([
  'malformed_request',
  'validation_failed',
  'unknown_osaid',
  'environment_mismatch',
  'insufficient_scope',
  'claim_closed',
  'claim_already_accepted',
]);
/** A person who tries something out repeats a request once or twice. */
const MOST_REPETITIONS = 2;

function rejected_requests({ requests, writes }: Facts, result: Result): void {
  const repeated = groupBy(
    requests.filter(({ code }) => FINAL_CODES.has(code)),
    ({ keyId, code, places, behavior }) => {
      const { operation, subject, idempotencyKey, claimId, cursor } = behavior;
      // Whoever it is offered to, the claim cannot be offered.
      const what = code?.startsWith('claim_') ? claimId : (subject ?? idempotencyKey ?? cursor);
      return [keyId, operation, code, what, ...places].join(' ');
    },
  );
  for (const same of repeated.values())
    if (same.length > 1 + MOST_REPETITIONS)
      find(
        result,
        `A request that was rejected with ${same[0]?.code} was sent ${same.length - 1} more times.`,
        same,
      );
  result.passed += writes.filter((attempts) => attempts.some(isSuccess)).length;
}
