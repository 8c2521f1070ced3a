import {
  type AuditAction,
  acceptOrUnassign,
  type Claim,
  type ClaimAccess,
  type ClaimId,
  type ClaimWork,
  type ContactAttempt,
  closeAcceptedClaim,
  DomainError,
  existing,
  type FirmId,
  type Instant,
  logContact,
  recordWork,
  rejectClaim,
} from '@svc/domain';
import type { AdjusterActor } from '../actors.ts';
import { auditEvent, byAccount, claimObject } from '../audit/events.ts';
import type { AnswerOnDevice, AuditCaller, AuditEvent } from '../model/audit.ts';
import type { AppClaimView } from '../model/claim-views.ts';
import { isSameContent } from '../model/same-content.ts';
import type { Clock } from '../ports/clock.ts';
import type { Needs } from '../ports/needs.ts';
import { answerIn } from '../receipts/issue-receipt.ts';

type Deps = Needs<'uow' | 'clock'>;

/** What the app says of an answer; older versions say nothing. */
export interface AppAnswer {
  /** When the offer was made that the adjuster saw. */
  readonly offeredAt?: Instant | undefined;
  readonly device?: AnswerOnDevice | undefined;
}

type RespondDeps = AuditDeps & Needs<'claimWrites'>;

/** Whom the audit trail names; default: the adjuster. */
type AuditDeps = { clock: Clock; callerOf?: (actor: AdjusterActor) => AuditCaller };

const NO_CLAIM = 'No such claim.';

type Apply = (claim: Claim, membership: ClaimAccess) => Claim;

const auditOf = (
  { clock, callerOf = byAccount }: AuditDeps,
  actor: AdjusterActor,
  claim: Pick<Claim, 'firmId' | 'id'>,
  action: AuditAction,
  outcome = 'ok',
  device?: AnswerOnDevice,
): AuditEvent => {
  const audited = { at: clock.now(), action, object: claimObject(claim.id), outcome, device };
  return auditEvent(claim.firmId, callerOf(actor), audited);
};

/** A response that does not count, for the audit trail. */
export class RejectedAnswer extends DomainError {
  constructor(
    { code, message }: DomainError,
    /** Of the claim; null: its latest offer is not to this adjuster. */
    readonly firmId: FirmId | null,
    readonly device: AnswerOnDevice | undefined,
    /** Whether the audit trail has it. */
    readonly isRecorded = false,
  ) {
    super(code, message);
  }
}

/** Responds to an offer. */
const respond = async (
  deps: RespondDeps,
  actor: AdjusterActor,
  id: ClaimId,
  action: 'claim.accept' | 'claim.reject',
  device: AnswerOnDevice | undefined,
  apply: Apply,
): Promise<AppClaimView> => {
  const view = await deps.claimWrites.respond(actor.svcId, id, ({ claim, membership }) => {
    try {
      const { assignment } = apply(claim, membership);
      const isUnassigned = assignment.status === 'unassigned';
      const event = auditOf(deps, actor, claim, action, isUnassigned ? 'offer_not_pending' : 'ok', device);
      return { assignment, event };
    } catch (error) {
      throw error instanceof DomainError ? new RejectedAnswer(error, claim.firmId, device) : error;
    }
  });
  if (view === null) throw new RejectedAnswer(new DomainError('not_found', NO_CLAIM), null, device);
  return view;
};

/** Changes what the firm does not see: the claim keeps its place in the firm's feed. */
const change = (
  deps: Deps,
  actor: AdjusterActor,
  id: ClaimId,
  action: AuditAction,
  apply: Apply,
): Promise<AppClaimView> =>
  deps.uow.run(async (tx) => {
    const offered = existing(await tx.claims.lockOfferedTo(actor.svcId, id), NO_CLAIM);
    const { work, closedAt, ...others } = apply(offered.claim, offered.membership);
    const isUnchanged = isSameContent([work, closedAt], [offered.claim.work, offered.claim.closedAt]);
    if (isUnchanged) return { ...offered.claim, ...offered.forms };
    const next = { work, closedAt, ...others };
    await tx.audit.record(auditOf(deps, actor, offered.claim, action));
    await tx.claims.saveWithoutTimestamp(next);
    return { ...next, ...offered.forms };
  });

export const makeReadAppClaim =
  (deps: Needs<'appReads'>) =>
  async (actor: AdjusterActor, id: ClaimId): Promise<AppClaimView> =>
    existing(await deps.appReads.claim(actor.svcId, id), NO_CLAIM);

export const makeAcceptClaim =
  (deps: RespondDeps) =>
  async (actor: AdjusterActor, id: ClaimId, { offeredAt, device }: AppAnswer = {}): Promise<AppClaimView> => {
    const accept: Apply = (claim, membership) =>
      acceptOrUnassign(claim, membership, { by: actor.svcId, at: deps.clock.now(), offeredAt });
    const view = await respond(deps, actor, id, 'claim.accept', device, accept);
    // Thrown after the commit, so that the offer stays `unassigned`.
    if (view.assignment.status !== 'accepted')
      throw new DomainError('offer_not_pending', 'The firm no longer lets you accept its claims.');
    return view;
  };

export const makeRejectClaim =
  (deps: RespondDeps) =>
  (
    actor: AdjusterActor,
    id: ClaimId,
    reason: string | null,
    { offeredAt, device }: AppAnswer = {},
  ): Promise<AppClaimView> => {
    const reject = (claim: Claim): Claim =>
      rejectClaim(claim, { by: actor.svcId, at: deps.clock.now(), offeredAt, reason });
    return respond(deps, actor, id, 'claim.reject', device, reject);
  };

/** The responses of the app: one to an offer that has ended is recorded in the firm's audit trail and in its receipt. */
export const makeAnswerOffers = (deps: RespondDeps & Needs<'uow' | 'offerHistory'>) => {
  const acceptClaim = makeAcceptClaim(deps);
  const rejectClaim = makeRejectClaim(deps);
  const orRecordLate = async (
    actor: AdjusterActor,
    id: ClaimId,
    action: 'claim.accept' | 'claim.reject',
    { offeredAt, device }: AppAnswer,
    response: Promise<AppClaimView>,
  ): Promise<AppClaimView> => {
    try {
      return await response;
    } catch (error) {
      if (!(error instanceof RejectedAnswer)) throw error;
      const found = await deps.offerHistory.toAdjuster(actor.svcId, id, offeredAt);
      const hasEnded = found?.offer.endedAt != null || found?.offer.status === 'unassigned';
      if (found === null || (!hasEnded && found.closedAt === null)) throw error;
      const { firmId, claimId, offer, audit } = found;
      // The first late answer counts; one after an answer that counted is none.
      const isAnswered = offer.respondedAt !== null || (audit !== null && answerIn(audit.text, claimId));
      if (isAnswered) throw new RejectedAnswer(error, firmId, device);
      await deps.uow.run(async (tx) => {
        await tx.claims.lock(firmId, claimId);
        await tx.claims.recordLateAnswer({ firmId, claimId, offeredAt: offer.offeredAt });
        await tx.audit.record(auditOf(deps, actor, { firmId, id: claimId }, action, error.code, device));
      });
      throw new RejectedAnswer(error, firmId, device, true);
    }
  };
  return {
    acceptClaim: (actor: AdjusterActor, id: ClaimId, answer: AppAnswer = {}) =>
      orRecordLate(actor, id, 'claim.accept', answer, acceptClaim(actor, id, answer)),
    rejectClaim: (actor: AdjusterActor, id: ClaimId, reason: string | null, answer: AppAnswer = {}) =>
      orRecordLate(actor, id, 'claim.reject', answer, rejectClaim(actor, id, reason, answer)),
  };
};

/** Records the adjuster's dates and notes; not visible to the firm. `isBase`: whether work is what they were made from. */
export const makeRecordWork =
  (deps: Deps) =>
  (
    actor: AdjusterActor,
    id: ClaimId,
    edits: Partial<ClaimWork>,
    isBase?: (work: ClaimWork) => boolean,
  ): Promise<AppClaimView> =>
    change(deps, actor, id, 'claim.work', (claim, membership) =>
      recordWork(claim, membership, {
        ...{ by: actor.svcId, at: deps.clock.now(), edits },
        ...(isBase !== undefined && { isBase }),
      }),
    );

/** Logs an attempt to reach the policyholder; not visible to the firm. */
export const makeLogContact =
  (deps: Deps) =>
  (actor: AdjusterActor, id: ClaimId, attempt: ContactAttempt): Promise<AppClaimView> =>
    change(deps, actor, id, 'claim.work', (claim, membership) =>
      logContact(claim, membership, { by: actor.svcId, at: deps.clock.now(), attempt }),
    );

export const makeCloseAcceptedClaim =
  (deps: Deps) =>
  (actor: AdjusterActor, id: ClaimId): Promise<AppClaimView> => {
    const close = (claim: Claim, membership: ClaimAccess): Claim =>
      closeAcceptedClaim(claim, membership, { by: actor.svcId, at: deps.clock.now() });
    return change(deps, actor, id, 'claim.close', close);
  };
