import { DAY, type FirmId, type Instant, type KeyId } from '@svc/domain';
import { type LoggedRequest, REQUEST_LOG_RETENTION_MS } from '../../model/logged-request.ts';
import { AT_ONCE, type NextPiece } from '../../model/next-piece.ts';
import type { Clock } from '../../ports/clock.ts';
import type { FirmReads } from '../../ports/firm-reads.ts';
import type { RequestLogStore } from '../../ports/request-log.ts';
import { type GradedClaim, hasFailed, isSuccess, OFFER, SEND } from './evidence.ts';
import { gradeInPieces, isReady } from './grade.ts';

interface Deps {
  readonly requestLog: Pick<RequestLogStore, 'behaviorOf'>;
  readonly firmReads: Pick<FirmReads, 'claims'>;
  readonly clock: Clock;
}

/** An hour at the request limit of a test key. */
const MAX_REQUESTS = 3600;
const MAX_CLAIMS = 1000;
const PAGE = { limit: 200, maxBytes: 500_000 };

/** Checks a firm's integration by what its test keys did. */
export const makeCheckReadiness =
  ({ requestLog, firmReads, clock }: Deps) =>
  async (
    firmId: FirmId,
    options: { readonly since: Instant | undefined; readonly keyId?: KeyId | undefined },
    nextPiece: NextPiece = AT_ONCE,
  ) => {
    const until = clock.now();
    const { since: asked = until - DAY, keyId } = options;
    // Earlier requests are deleted.
    const earliest = until - REQUEST_LOG_RETENTION_MS;
    const since = Math.max(asked, earliest);
    const kept = await requestLog.behaviorOf(firmId, earliest, MAX_REQUESTS, nextPiece);
    await nextPiece();
    const logged = kept.filter(({ at }) => at >= since);
    const isFull = logged.length === MAX_REQUESTS;
    // An outcome from before the earliest request would look unread.
    const from = isFull ? (logged.at(-1)?.at ?? since) : since;
    const requests = keyId === undefined ? logged : logged.filter((request) => request.keyId === keyId);
    const { claims, complete } = await claimsSince({ firmReads, nextPiece }, firmId, from);
    // Not those that were sent at the desk.
    const own = new Set(kept.filter(isWrite).map(({ behavior }) => behavior?.claimId));
    const knownSince = kept.length === MAX_REQUESTS ? (kept.at(-1)?.at ?? until) : 0;
    const mayMiss = claims.some(({ id, createdAt }) => !own.has(id) && createdAt < knownSince);
    const isWhole = complete && !isFull && !mayMiss;
    // Of a program that has sent nothing, nothing is known.
    const graded = requests.length === 0 ? [] : claims.filter(({ id }) => own.has(id));
    await nextPiece();
    const grading = gradeInPieces({ requests, reads: logged, claims: graded, now: until });
    let step = grading.next();
    for (; step.done !== true; step = grading.next()) await nextPiece();
    const checks = step.value;
    return {
      /** Every check passed, with all requests and claims since `since`. */
      ready: isWhole && isReady(checks),
      since: from,
      until,
      /** How many were graded. */
      requests: requests.length,
      claims: graded.length,
      /** Whether these are all since `since`. */
      complete: isWhole && since === asked,
      checks,
    };
  };

export type ReadinessState = Awaited<ReturnType<ReturnType<typeof makeCheckReadiness>>>;

/** A failed one may have been processed. */
const isWrite = (request: LoggedRequest): boolean =>
  [SEND, OFFER].includes(request.behavior?.operation ?? '') && (isSuccess(request) || hasFailed(request));

async function claimsSince(
  { firmReads, nextPiece }: Pick<Deps, 'firmReads'> & { readonly nextPiece: NextPiece },
  firmId: FirmId,
  updatedSince: Instant,
) {
  const claims: (GradedClaim & { readonly createdAt: Instant })[] = [];
  for (let after = null; ; ) {
    await nextPiece();
    const page = await firmReads.claims(firmId, 'test', { updatedSince }, { after, ...PAGE });
    for (const { id, assignment, createdAt, updatedAt } of page.rows)
      claims.push({ id, status: assignment.status, createdAt, updatedAt });
    if (page.next === null) return { claims, complete: true };
    if (claims.length >= MAX_CLAIMS) return { claims, complete: false };
    after = page.next;
  }
}
