import type { FirmId, Svcid } from '@svc/domain';
import type { AnswersFilter, AnswersGroup, BoardReads } from '../ports/board-reads.ts';
import { adjusterNames } from './board.ts';

export interface AnswersReportRow extends AnswersGroup {
  readonly label: string;
}

/** Offers by outcome, with the time to answer; the first row has all offers. */
export const makeReportAnswers =
  ({ boardReads }: { boardReads: BoardReads }) =>
  async (
    firmId: FirmId,
    filter: AnswersFilter,
  ): Promise<{ total: AnswersGroup; rows: AnswersReportRow[] }> => {
    const { total, groups } = await boardReads.answers(firmId, filter);
    const svcIds = filter.by === 'adjuster' ? groups.map(({ group }) => group as Svcid) : [];
    const names: ReadonlyMap<string, string | null> = await adjusterNames(boardReads, firmId, svcIds);
    return { total, rows: groups.map((row) => ({ ...row, label: names.get(row.group) ?? row.group })) };
  };
