import { type ClaimId, DomainError, type Environment, type FirmId, type Instant } from '@svc/domain';
import type { AdjusterView } from '../model/member-views.ts';
import type { Page, PageRequest } from '../model/page.ts';
import type { AdjusterWork, BoardReads } from '../ports/board-reads.ts';
import type { FirmReads } from '../ports/firm-reads.ts';
import type { OfferHistory } from '../ports/offer-history.ts';

const NO_WORK: AdjusterWork = { openOffers: 0, openClaims: 0, medianAnswerMs: null };

export interface BoardAdjuster extends AdjusterView {
  readonly work: AdjusterWork;
  /** When they rejected an offer of the claim that the list is for. */
  readonly rejectedAt: Instant | null;
}

/** The members of a firm and its invitations, with the work at hand; those who have rejected `forClaim` last in a page. */
export const makeListBoardAdjusters =
  ({
    firmReads,
    boardReads,
    offerHistory,
  }: {
    firmReads: FirmReads;
    boardReads: BoardReads;
    offerHistory: Pick<OfferHistory, 'ofClaim'>;
  }) =>
  async (
    firmId: FirmId,
    environment: Environment,
    request: PageRequest,
    forClaim?: ClaimId,
  ): Promise<Page<BoardAdjuster>> => {
    const offers = forClaim === undefined ? undefined : await offerHistory.ofClaim(firmId, forClaim);
    if (offers?.length === 0) throw new DomainError('not_found', 'No claim of your firm has this id.');
    const rejected = new Map<string, Instant | null>(
      offers
        ?.filter(({ status }) => status === 'rejected')
        .map((offer) => [offer.adjuster, offer.respondedAt]),
    );
    const { rows, next } = await firmReads.adjusters(firmId, environment, request);
    const work =
      rows.length === 0
        ? new Map<string, AdjusterWork>()
        : await boardReads.work(
            firmId,
            rows.map(({ adjuster }) => adjuster.svcId),
          );
    const views = rows.map((view) => ({
      ...view,
      work: work.get(view.adjuster.svcId) ?? NO_WORK,
      rejectedAt: rejected.get(view.adjuster.svcId) ?? null,
    }));
    const hasRejected = ({ rejectedAt }: BoardAdjuster): number => Number(rejectedAt !== null);
    return { rows: views.sort((one, other) => hasRejected(one) - hasRejected(other)), next };
  };
