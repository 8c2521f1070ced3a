import type { Environment, FirmId } from '@svc/domain';
import type { AdjusterView } from '../model/member-views.ts';
import type { Page, PageRequest } from '../model/page.ts';
import type { AdjusterWork, BoardReads } from '../ports/board-reads.ts';
import type { FirmReads } from '../ports/firm-reads.ts';

const NO_WORK: AdjusterWork = { openOffers: 0, openClaims: 0, medianAnswerMs: null };

export interface BoardAdjuster extends AdjusterView {
  readonly work: AdjusterWork;
}

/** The members of a firm and its invitations, with the work at hand. */
export const makeListBoardAdjusters =
  ({ firmReads, boardReads }: { firmReads: FirmReads; boardReads: BoardReads }) =>
  async (firmId: FirmId, environment: Environment, request: PageRequest): Promise<Page<BoardAdjuster>> => {
    const { rows, next } = await firmReads.adjusters(firmId, environment, request);
    const work =
      rows.length === 0
        ? new Map<string, AdjusterWork>()
        : await boardReads.work(
            firmId,
            rows.map(({ adjuster }) => adjuster.svcId),
          );
    return { rows: rows.map((view) => ({ ...view, work: work.get(view.adjuster.svcId) ?? NO_WORK })), next };
  };
