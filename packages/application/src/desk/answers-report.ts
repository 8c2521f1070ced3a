import { bySpecificity, carrierNameKey, DEADLINE_RULES, type FirmId, type Svcid, weeksOf } from '@svc/domain';
import type { AnswersFilter, AnswersGroup, ContactHours } from '../ports/board-reads.ts';
import type { Needs } from '../ports/needs.ts';
import { adjusterNames } from './board.ts';
import { type ClockReads, type ClockSettings, clockSettings } from './claim-clocks.ts';

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

/** As `deadlinesOf` has them: the rules of the firm, of events, and the general one. */
function contactHoursOf({ clocks, overrides }: ClockSettings): ContactHours[] {
  const ofFirm = bySpecificity(clocks.rules).flatMap(({ carrier, catCode = null, contactHours: hours }) =>
    hours === undefined
      ? []
      : [{ carrierKey: carrier === undefined ? null : carrierNameKey(carrier), catCode, hours }],
  );
  const isContact = ({ kind }: { kind: string }): boolean => kind === 'first_contact';
  const ofEvents = overrides
    .filter(isContact)
    .map(({ event, hours }) => ({ carrierKey: null, catCode: event, hours }));
  const general = DEADLINE_RULES.filter(isContact).map(({ hours }) => ({
    ...{ carrierKey: null, catCode: null, hours },
  }));
  return [...ofFirm, ...ofEvents, ...general];
}

/** Offers by outcome, with the time to answer; the first row has all offers. */
export const makeReportAnswers =
  (deps: ClockReads & Needs<'boardReads'>) =>
  async (
    firmId: FirmId,
    { timeZone, ...filter }: AnswersReportFilter,
    signal?: AbortSignal,
  ): Promise<{ total: AnswersGroup; rows: AnswersReportRow[] }> => {
    const { boardReads } = deps;
    const { since, until, by } = filter;
    const weeks = weeksOf(since, until, timeZone);
    const weekStarts = weeks.map(({ start }) => start);
    const settings = await clockSettings(deps, firmId);
    const clocks = {
      contactHours: contactHoursOf(settings),
      firmTimeZone: settings.clocks.timeZone,
      now: settings.now,
    };
    const { total, groups } = await boardReads.answers(firmId, { ...filter, ...clocks, weekStarts }, signal);
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
