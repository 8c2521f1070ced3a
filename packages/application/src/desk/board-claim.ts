import { type ClaimId, existing, type FirmId, type Instant, type OfferOutcome } from '@svc/domain';
import type { BoardReads } from '../ports/board-reads.ts';
import type { Clock } from '../ports/clock.ts';
import type { OfferHistory, OfferHistoryEntry } from '../ports/offer-history.ts';
import { adjusterNames, isLate, waitingSince } from './board.ts';
import { type Offerer, type OffererReads, offerersOf } from './offerers.ts';

export interface BoardOffer extends Omit<OfferHistoryEntry, 'status' | 'offeredBy'> {
  /** Null: not recorded. */
  readonly offeredBy: Offerer | null;
  readonly adjusterName: string | null;
  readonly outcome: OfferOutcome;
}

/** How an offer ended; `closed`: without a response, since the claim was closed. */
export function outcomeOf(status: OfferHistoryEntry['status'], closedAt: Instant | null): OfferOutcome {
  if (status !== 'pending_acceptance') return status;
  return closedAt === null ? 'pending' : 'closed';
}

/** A claim with its offers, the latest first. */
export const makeReadBoardClaim =
  (
    deps: OffererReads & {
      boardReads: BoardReads;
      offerHistory: Pick<OfferHistory, 'ofClaim'>;
      clock: Clock;
    },
  ) =>
  async (firmId: FirmId, id: ClaimId) => {
    const { boardReads, clock } = deps;
    const [found, offers, offerWaitHours] = await Promise.all([
      boardReads.claim(firmId, id),
      deps.offerHistory.ofClaim(firmId, id),
      boardReads.offerWaitHours(firmId),
    ]);
    const claim = existing(found, 'No claim of your firm has this id.');
    const { closedAt, updatedAt } = claim;
    const [names, offerers] = await Promise.all([
      adjusterNames(
        boardReads,
        firmId,
        offers.map(({ adjuster }) => adjuster),
      ),
      offerersOf(
        deps,
        firmId,
        offers.map(({ offeredBy }) => offeredBy),
      ),
    ]);
    /** The latest offer has no end of its own. */
    const endOf = ({ status, respondedAt }: OfferHistoryEntry): Instant | null =>
      status === 'pending_acceptance' ? closedAt : (respondedAt ?? updatedAt);
    const history = offers.toReversed().map(
      ({ status, offeredBy, ...offer }): BoardOffer => ({
        ...offer,
        offeredBy: offeredBy === null ? null : (offerers.get(offeredBy) ?? null),
        adjusterName: names.get(offer.adjuster) ?? null,
        outcome: outcomeOf(status, closedAt),
        endedAt: offer.endedAt ?? endOf({ status, offeredBy, ...offer }),
      }),
    );
    const current = { ...claim.assignment, updatedAt, closedAt };
    return {
      claim,
      history,
      waitingSince: waitingSince(current),
      late: isLate(current, offerWaitHours, clock.now()),
    };
  };
