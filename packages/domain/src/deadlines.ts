import type { Clocks } from './clocks.ts';
import type { CalendarDate, Instant } from './ids.ts';
import { DAY, HOUR } from './ids.ts';
import type { DEADLINE_STARTS, DeadlineKind } from './vocabulary.ts';

/** Other hours for one event, where FEMA has extended the time. */
export interface DeadlineOverride {
  /** Catastrophe code of the event, as in the claim. */
  readonly event: string;
  readonly kind: DeadlineKind;
  readonly hours: number;
  /** Where it is written, such as the number of a bulletin. */
  readonly source: string;
}

export interface DeadlineRule {
  readonly kind: DeadlineKind;
  readonly from: (typeof DEADLINE_STARTS)[number];
  readonly hours: number;
  /** Whole days are counted on the calendar, since a day may have 23 or 25 hours; 24 hours are not. */
  readonly inDays: boolean;
  readonly source: string;
}

export const DEADLINE_RULES: readonly DeadlineRule[] = [
  {
    kind: 'first_contact',
    from: 'assignment',
    hours: 24,
    inDays: false,
    source: 'NFIP Claims Manual: contact with the policyholder within 24 hours of the assignment',
  },
  {
    kind: 'inspection',
    from: 'contact',
    hours: 48,
    inDays: false,
    source: 'Usual in the program: inspection within 48 hours of the first contact',
  },
  {
    kind: 'preliminary_report',
    from: 'assignment',
    hours: 15 * 24,
    inDays: true,
    source: 'NFIP Claims Manual: preliminary report within 15 days of the assignment',
  },
  {
    kind: 'proof_of_loss',
    from: 'loss',
    hours: 60 * 24,
    inDays: true,
    source: 'Standard Flood Insurance Policy, VII.G: proof of loss within 60 days after the date of loss',
  },
];

/** What the deadlines of an accepted, open claim depend on. */
export interface DeadlineFacts {
  readonly acceptedAt: Instant;
  /** Null: not yet. */
  readonly contactedAt: Instant | null;
  /** What the firm has set for the claim. */
  readonly clocks: Clocks;
  /** Null: without what counts from it. */
  readonly lossDate: CalendarDate | null;
  readonly event: string | null;
  /** Ended by an entry of the adjuster or the firm. */
  readonly done: readonly DeadlineKind[];
}

export interface Deadline {
  readonly kind: DeadlineKind;
  readonly at: Instant;
  readonly source: string;
}

/** Days on the clock of whoever has the deadlines. */
export interface LocalDays {
  readonly endOfDay: (date: CalendarDate) => Instant;
  /** The same time of day so many days later. */
  readonly daysLater: (at: Instant, days: number) => Instant;
}

/** Of a time that the firm has set. */
export const FIRM_SOURCE = 'A rule of the firm';

function firmHours({ contactHours, inspectionHours, reportDays }: Clocks, kind: DeadlineKind) {
  if (kind === 'first_contact') return contactHours;
  if (kind === 'inspection') return inspectionHours;
  return kind === 'preliminary_report' && reportDays !== undefined ? reportDays * 24 : undefined;
}

/**
 * What is due on an accepted claim, earliest first: `DEADLINE_RULES`, or other hours for the event of the claim, or
 * those of the firm. Counted from the acceptance, the first contact or the end of the date of loss, those of days on
 * the calendar; an entry ends it. The firm's rules count before those of the event, and these before the general ones.
 */
export function deadlinesOf(
  facts: DeadlineFacts,
  overrides: readonly DeadlineOverride[],
  { endOfDay, daysLater }: LocalDays,
): Deadline[] {
  return DEADLINE_RULES.filter(({ kind }) => !facts.done.includes(kind))
    .flatMap((rule) => {
      const { kind, from } = rule;
      const ofFirm = firmHours(facts.clocks, kind);
      const own = overrides.find((each) => each.event === facts.event && each.kind === kind);
      const { hours, source } = ofFirm === undefined ? (own ?? rule) : { hours: ofFirm, source: FIRM_SOURCE };
      const days = rule.inDays ? Math.floor(hours / 24) : 0;
      const at = (start: Instant): Deadline => ({ kind, at: start + (hours - days * 24) * HOUR, source });
      if (from === 'loss')
        return facts.lossDate === null ? [] : [at(endOfDay(daysAfter(facts.lossDate, days)))];
      const start = from === 'contact' ? facts.contactedAt : facts.acceptedAt;
      return start === null ? [] : [at(daysLater(start, days))];
    })
    .sort((a, b) => a.at - b.at);
}

/** The date so many days later. */
export const daysAfter = (date: CalendarDate, days: number): CalendarDate =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10);
