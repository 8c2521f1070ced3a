import { localDays } from './availability.ts';
import type { ClaimWork } from './claim.ts';
import { clocksFor, type FirmClocks } from './clocks.ts';
import { type DeadlineOverride, daysAfter, deadlinesOf, type LocalDays } from './deadlines.ts';
import type { CalendarDate, Instant } from './ids.ts';
import type { DeadlineKind } from './vocabulary.ts';

/** What an adjuster has recorded of a step. */
export interface StepTime {
  /** On the device. Null: only the date was entered. */
  readonly deviceAt: Instant | null;
  /** When the service received it. */
  readonly at: Instant | null;
  readonly date: CalendarDate | null;
}

/** Null: not yet. */
export interface StepTimes {
  readonly contact: StepTime | null;
  readonly inspection: StepTime | null;
}

/**
 * First contact and inspection of the work: the earliest entries of the contact log with both times, else the dates
 * that were entered.
 */
export function stepTimesOf({ contactDate, inspectionDate, details }: ClaimWork): StepTimes {
  const step = (result: 'reached' | 'inspected', date: CalendarDate | null): StepTime | null => {
    const entry = details?.contacts?.find((each) => each.result === result);
    if (entry !== undefined) return { deviceAt: entry.at, at: entry.receivedAt ?? null, date: null };
    return date === null ? null : { deviceAt: null, at: null, date };
  };
  return { contact: step('reached', contactDate), inspection: step('inspected', inspectionDate) };
}

/** When the step was done: by the device, but not after the service knew of it. Of a date alone, its end. */
export function doneAt({ deviceAt, at, date }: StepTime, { endOfDay }: LocalDays): Instant | null {
  if (deviceAt !== null) return at === null ? deviceAt : Math.min(deviceAt, at);
  return date === null ? null : endOfDay(date);
}

/** A step is late if it is or was not done when it was due. A date alone counts from its beginning. */
export function isStepLate(step: StepTime | null, dueAt: Instant, now: Instant, days: LocalDays): boolean {
  if (step === null) return dueAt < now;
  const { deviceAt, date } = step;
  const done = deviceAt === null && date !== null ? days.endOfDay(daysAfter(date, -1)) : doneAt(step, days);
  return done !== null && dueAt < done;
}

/** What the clocks of a claim depend on. */
export interface ClockFacts extends StepTimes {
  readonly acceptedAt: Instant;
  readonly closedAt: Instant | null;
  readonly carrier: string;
  readonly catCode: string | null;
}

/** A step of an accepted claim. */
export interface StepClock {
  readonly step: StepTime | null;
  /** Null: it counts from the first contact, and there was none. */
  readonly dueAt: Instant | null;
  readonly late: boolean;
}

export interface ClaimClocks {
  readonly contact: StepClock;
  readonly inspection: StepClock;
  readonly reportDueAt: Instant | null;
}

/**
 * What a firm sees of an accepted claim by consent: first contact, inspection, when they are due, whether they are
 * late.
 */
export function claimClocksOf(
  facts: ClockFacts,
  { rules, timeZone }: FirmClocks,
  overrides: readonly DeadlineOverride[],
  now: Instant,
): ClaimClocks {
  const { acceptedAt, carrier, catCode, contact, inspection } = facts;
  const days = localDays(timeZone);
  const due = deadlinesOf(
    {
      acceptedAt,
      contactedAt: contact && doneAt(contact, days),
      clocks: clocksFor(rules, carrier, catCode),
      lossDate: null,
      event: catCode,
      done: [],
    },
    overrides,
    days,
  );
  const dueAt = (kind: DeadlineKind): Instant | null => due.find((each) => each.kind === kind)?.at ?? null;
  // A claim that was closed in time is not late afterwards.
  const until = Math.min(facts.closedAt ?? now, now);
  const clock = (step: StepTime | null, at: Instant | null): StepClock => ({
    step,
    dueAt: at,
    late: at !== null && isStepLate(step, at, until, days),
  });
  return {
    contact: clock(contact, dueAt('first_contact')),
    inspection: clock(inspection, dueAt('inspection')),
    reportDueAt: dueAt('preliminary_report'),
  };
}
