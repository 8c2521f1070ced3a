import { type Assignment, DomainError, type FirmId } from '@svc/domain';
import type { FirmActor } from '../actors.ts';
import type { IdempotentResult } from '../firm/execute-idempotently.ts';
import { ClaimChanged, type OfferClaimCommand } from '../firm/offer-claim.ts';
import type { BoardReads } from '../ports/board-reads.ts';
import { adjusterNames } from './board.ts';
import { type OffererReads, offererName, offerersOf } from './offerers.ts';

interface NameReads extends OffererReads {
  readonly boardReads: Pick<BoardReads, 'members'>;
}

const ENDINGS: Readonly<Record<Assignment['status'], string>> = {
  pending_acceptance: '',
  accepted: ' The offer was accepted.',
  rejected: ' The offer was rejected.',
  unassigned: ' The adjuster left, or may not accept claims now.',
};

/** Offers a claim as its staff see it: when it has changed since, the error says who offered it to whom. */
export const makeOfferBoardClaim =
  (
    deps: NameReads & {
      readonly firmUseCases: {
        offerClaim(actor: FirmActor, command: OfferClaimCommand): Promise<IdempotentResult>;
      };
    },
  ) =>
  async (actor: FirmActor, command: OfferClaimCommand): Promise<IdempotentResult> => {
    try {
      return await deps.firmUseCases.offerClaim(actor, command);
    } catch (error) {
      if (!(error instanceof ClaimChanged)) throw error;
      throw new DomainError('claim_changed', await describe(deps, actor.firmId, error.assignment));
    }
  };

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
