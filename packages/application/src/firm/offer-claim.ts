import {
  type Assignment,
  type Claim,
  type ClaimId,
  checkAddressee,
  checkOfferable,
  DomainError,
  existing,
  type FirmId,
  type Instant,
  isClaimVisible,
  offerClaim,
  type Svcid,
} from '@svc/domain';
import type { FirmActor } from '../actors.ts';
import { auditEvent, byFirm, claimObject } from '../audit/events.ts';
import { adjusterNames } from '../desk/board.ts';
import { type OffererReads, offererName, offerersOf } from '../desk/offerers.ts';
import type { QueuedJob } from '../model/job.ts';
import type { BoardReads } from '../ports/board-reads.ts';
import type { ClaimWrites } from '../ports/claim-writes.ts';
import {
  executeIdempotently,
  type IdempotentDeps,
  type IdempotentRequest,
  type IdempotentResult,
} from './execute-idempotently.ts';
import { jobsOfOffer } from './jobs-of-offer.ts';

export interface OfferClaimCommand extends IdempotentRequest {
  readonly claimId: ClaimId;
  readonly adjuster: Svcid;
  /** The `updatedAt` of the claim that was seen: a claim that has changed since is not offered. */
  readonly seenUpdatedAt?: Instant | undefined;
}

interface NameReads extends OffererReads {
  readonly boardReads: Pick<BoardReads, 'members'>;
}

const ENDINGS: Readonly<Record<Assignment['status'], string>> = {
  pending_acceptance: '',
  accepted: ' The offer was accepted.',
  rejected: ' The offer was rejected.',
  unassigned: ' The adjuster left, or may not accept claims now.',
};

/** The claim was offered, answered or unassigned after it was seen. */
class ClaimChanged extends DomainError {
  readonly assignment: Assignment;
  constructor({ assignment }: Pick<Claim, 'assignment'>) {
    super('claim_changed', 'The claim has changed since it was read.');
    this.assignment = assignment;
  }
}

/**
 * Offers a claim to another adjuster. Safe to repeat with the same Idempotency-Key. Where the claim has changed since it
 * was seen, the error says who offered it to whom.
 */
export const makeOfferClaim =
  (deps: IdempotentDeps & NameReads & { claimWrites: ClaimWrites }) =>
  (actor: FirmActor, command: OfferClaimCommand): Promise<IdempotentResult> =>
    executeIdempotently(deps, actor, command, async (request) => {
      const { firmId, environment } = actor;
      const { adjuster, claimId, seenUpdatedAt } = command;
      const { at } = request;
      const caller = byFirm(actor);
      const saved = await deps.claimWrites.offer({ ...request, adjuster, claimId }, ({ claim, ...known }) => {
        if (!isClaimVisible(claim, environment)) throw new DomainError('not_found', NO_CLAIM);
        if (seenUpdatedAt !== undefined && seenUpdatedAt !== claim.updatedAt) throw new ClaimChanged(claim);
        checkOfferable(claim, environment);
        const before = claim.assignment;
        const isPending = before.status === 'pending_acceptance';
        // An offer that is repeated to the same adjuster does not add one.
        const pendingOffers = isPending && before.adjuster === adjuster ? 0 : known.pendingOffers;
        const addressee = checkAddressee({ ...known, pendingOffers, firmId, environment, at });
        const offered = offerClaim(claim, { adjuster, at, by: caller.actor });
        const withdrawn: QueuedJob[] =
          isPending && before.adjuster !== adjuster
            ? [{ job: { kind: 'notify_offer_withdrawn', firmId, claimId: claim.id, svcId: before.adjuster } }]
            : [];
        return {
          assignment: offered.assignment,
          jobs: [...withdrawn, ...jobsOfOffer(offered, addressee)],
          event: auditEvent(firmId, caller, {
            at,
            action: 'claim.offer',
            object: claimObject(claim.id),
          }),
        };
      });
      return existing(saved, NO_CLAIM);
    }).catch(async (error: unknown) => {
      if (!(error instanceof ClaimChanged)) throw error;
      throw new DomainError('claim_changed', await describe(deps, actor.firmId, error.assignment));
    });

const NO_CLAIM = 'No such claim.';

async function describe(deps: NameReads, firmId: FirmId, latest: Assignment): Promise<string> {
  const { adjuster, offeredBy, status } = latest;
  const [names, offerers] = await Promise.all([
    adjusterNames(deps.boardReads, firmId, [adjuster]),
    offerersOf(deps, firmId, [offeredBy]),
  ]);
  const name = names.get(adjuster);
  const to = name == null ? adjuster : `${name} (${adjuster})`;
  const by = offererName(offeredBy === null ? null : (offerers.get(offeredBy) ?? null));
  return `The claim has changed since it was read: ${by} offered it to ${to}.${ENDINGS[status]}`;
}
