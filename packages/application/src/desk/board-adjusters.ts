import {
  type AdjusterWarning,
  type ClaimId,
  DomainError,
  type Environment,
  type FirmId,
  type Instant,
} from '@svc/domain';
import type { AdjusterView } from '../model/member-views.ts';
import type { Page, PageRequest } from '../model/page.ts';
import type { AdjusterWork } from '../ports/board-reads.ts';
import type { Needs } from '../ports/needs.ts';
import { dayOf, distanceTo, placeOf, readCandidates, warningsOf } from './candidates.ts';

const NO_WORK: AdjusterWork = { openOffers: 0, openClaims: 0, medianAnswerMs: null };

export interface BoardAdjuster extends AdjusterView {
  readonly work: AdjusterWork;
  /** When they rejected an offer of the claim that the list is for. */
  readonly rejectedAt: Instant | null;
  /** From that claim, in miles; null: not known. */
  readonly distance: number | null;
  readonly warnings: readonly AdjusterWarning[];
}

/** The members of a firm and its invitations, with the work at hand; those who have rejected `forClaim` last in a page. */
export const makeListBoardAdjusters =
  ({
    firmReads,
    boardReads,
    offerHistory,
    zipDistance,
    clock,
  }: Needs<'firmReads' | 'boardReads' | 'offerHistory' | 'zipDistance' | 'clock'>) =>
  async (
    firmId: FirmId,
    environment: Environment,
    request: PageRequest,
    forClaim?: ClaimId,
  ): Promise<Page<BoardAdjuster>> => {
    const [offers, claim] =
      forClaim === undefined
        ? []
        : await Promise.all([offerHistory.ofClaim(firmId, forClaim), boardReads.claim(firmId, forClaim)]);
    if (claim === null) throw new DomainError('not_found', 'No claim of your firm has this id.');
    const place = claim && placeOf(claim.asSent);
    const rejected = new Map<string, Instant | null>(
      offers
        ?.filter(({ status }) => status === 'rejected')
        .map((offer) => [offer.adjuster, offer.respondedAt]),
    );
    const { rows, next } = await firmReads.adjusters(firmId, environment, request);
    const svcIds = rows.map(({ adjuster }) => adjuster.svcId);
    const [work, candidates] = await Promise.all([
      boardReads.work(firmId, svcIds),
      place && readCandidates(boardReads, firmId, rows),
    ]);
    const today = dayOf(clock.now());
    const views = rows.map((view, n) => {
      const { svcId } = view.adjuster;
      const candidate = candidates?.[n];
      return {
        ...view,
        work: work.get(svcId) ?? NO_WORK,
        rejectedAt: rejected.get(svcId) ?? null,
        distance: place && candidate ? distanceTo(place, candidate, zipDistance) : null,
        warnings: place && candidate ? warningsOf(place, candidate, today) : [],
      };
    });
    const hasRejected = ({ rejectedAt }: BoardAdjuster): number => Number(rejectedAt !== null);
    return { rows: views.sort((one, other) => hasRejected(one) - hasRejected(other)), next };
  };
