import {
  type ClaimId,
  existing,
  type FirmId,
  type Instant,
  type OfferOutcome,
  offerStatus,
} from '@svc/domain';
import { summaryOf } from '../model/claim-summary.ts';
import type { Needs } from '../ports/needs.ts';
import type { OfferHistoryEntry } from '../ports/offer-history.ts';
import { isLate, waitingSince } from './board.ts';
import { type ClockReads, clockSettings, seenAdjusters, sharedClocks } from './claim-clocks.ts';
import { type Offerer, type OffererReads, offerersOf } from './offerers.ts';

export interface BoardOffer extends Omit<OfferHistoryEntry, 'status' | 'offeredBy' | 'withdrawnBy'> {
  /** Null: not recorded. */
  readonly offeredBy: Offerer | null;
  /** Null: the firm did not withdraw it. */
  readonly withdrawnBy: Offerer | null;
  readonly adjusterName: string | null;
  readonly outcome: OfferOutcome;
}

/** How an offer ended; `closed`: without a response, since the claim was closed. */
function outcomeOf(offer: OfferHistoryEntry, closedAt: Instant | null): OfferOutcome {
  const status = offerStatus(offer);
  if (status !== 'pending_acceptance') return status;
  return closedAt === null ? 'pending' : 'closed';
}

/** A claim with its offers, the latest first. */
export const makeReadBoardClaim =
  (deps: OffererReads & ClockReads & Needs<'boardReads' | 'offerHistory'>) =>
  async (firmId: FirmId, id: ClaimId) => {
    const { boardReads } = deps;
    const [found, offers, offerWaitHours, settings] = await Promise.all([
      boardReads.claim(firmId, id),
      deps.offerHistory.ofClaim(firmId, id),
      boardReads.offerWaitHours(firmId),
      clockSettings(deps, firmId),
    ]);
    const { steps, ...claim } = existing(found, 'No claim of your firm has this id.');
    const { closedAt, closure, updatedAt } = claim;
    const [adjusters, offerers] = await Promise.all([
      seenAdjusters(
        boardReads,
        firmId,
        offers.map(({ adjuster }) => adjuster),
      ),
      offerersOf(deps, firmId, [
        closure?.by ?? null,
        ...offers.flatMap(({ offeredBy, withdrawnBy }) => [offeredBy, withdrawnBy ?? null]),
      ]),
    ]);
    const personOf = (by: string | null | undefined): Offerer | null => offerers.get(by ?? '') ?? null;
    /** The latest offer has no end of its own. */
    const endOf = ({ status, respondedAt }: OfferHistoryEntry): Instant | null =>
      status === 'pending_acceptance' ? closedAt : (respondedAt ?? updatedAt);
    const history = offers.toReversed().map(
      ({ status, ...offer }): BoardOffer => ({
        ...offer,
        offeredBy: personOf(offer.offeredBy),
        withdrawnBy: personOf(offer.withdrawnBy),
        adjusterName: adjusters.get(offer.adjuster)?.name ?? null,
        outcome: outcomeOf({ status, ...offer }, closedAt),
        endedAt: offer.endedAt ?? endOf({ status, ...offer }),
      }),
    );
    const current = { ...claim.assignment, updatedAt, closedAt, steps };
    return {
      claim,
      history,
      closedBy: personOf(closure?.by),
      waitingSince: waitingSince(current),
      late: isLate(current, offerWaitHours, settings.now),
      clocks: sharedClocks(current, summaryOf(claim.asSent), adjusters.get(current.adjuster), settings),
    };
  };
