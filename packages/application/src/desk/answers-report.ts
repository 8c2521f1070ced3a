import { type FirmId, type Svcid, weeksOf } from '@svc/domain';
import type { AnswersFilter, AnswersGroup, BoardReads } from '../ports/board-reads.ts';
import { adjusterNames } from './board.ts';

export interface AnswersReportFilter extends AnswersFilter {
  /** IANA name of the zone on whose calendar weeks begin. */
  readonly timeZone: string;
}

/** The group of a week is its Monday. */
export interface AnswersReportRow extends AnswersGroup {
  readonly label: string;
  /** A week that begins before the period or ends after it; undefined: no week. */
  readonly partial?: boolean;
}

/** Offers by outcome, with the time to answer; the first row has all offers. */
export const makeReportAnswers =
  ({ boardReads }: { boardReads: BoardReads }) =>
  async (
    firmId: FirmId,
    { timeZone, ...filter }: AnswersReportFilter,
    signal?: AbortSignal,
  ): Promise<{ total: AnswersGroup; rows: AnswersReportRow[] }> => {
    const { since, until, by } = filter;
    const weeks = weeksOf(since, until, timeZone);
    const weekStarts = weeks.map(({ start }) => start);
    const { total, groups } = await boardReads.answers(firmId, { ...filter, weekStarts }, signal);
    if (by === 'week') {
      const rows = groups.flatMap((row) => {
        const week = weeks[Number(row.group) - 1];
        if (week === undefined) return [];
        const { monday, start, end } = week;
        return [{ ...row, group: monday, label: monday, partial: start < since || until < end }];
      });
      return { total, rows };
    }
    const svcIds = by === 'adjuster' ? groups.map(({ group }) => group as Svcid) : [];
    const names: ReadonlyMap<string, string | null> = await adjusterNames(boardReads, firmId, svcIds);
    return { total, rows: groups.map((row) => ({ ...row, label: names.get(row.group) ?? row.group })) };
  };
