import type { AppClaim, Deadline as EventDeadlines } from '@svc/contract';
import {
  DEADLINE_KINDS,
  type Deadline,
  type DeadlineKind,
  type DeadlineOverride,
  deadlinesOf as deadlinesFrom,
  type LocalDays,
  localDays,
} from '@svc/domain';

/** On the clock of the device. */
const DAYS: LocalDays = {
  endOfDay: (date) => new Date(`${date}T23:59:59`).getTime(),
  daysLater(at, days) {
    const later = new Date(at);
    later.setDate(later.getDate() + days);
    return later.getTime();
  },
};

/** What is due on an open claim that the adjuster has accepted, earliest first. */
export function deadlinesOf(claim: AppClaim, overrides: readonly DeadlineOverride[]): Deadline[] {
  const { assignment, work, loss, closed_at } = claim;
  if (assignment.status !== 'accepted' || assignment.responded_at === null || closed_at !== null) return [];
  const days = claim.clocks === undefined ? DAYS : localDays(claim.clocks.time_zone);
  const entryOf = (wanted: string) => work.contacts?.find(({ result }) => result === wanted);
  const reached = entryOf('reached');
  const contactDate = work.contact_date ?? claim.contact_date;
  const contactedAt = (): number | null => {
    if (reached !== undefined) return Date.parse(reached.at);
    return contactDate === undefined ? null : days.endOfDay(contactDate);
  };
  const isDone: Readonly<Record<DeadlineKind, boolean>> = {
    first_contact: reached !== undefined || contactDate !== undefined,
    inspection: work.inspection_date !== undefined || entryOf('inspected') !== undefined,
    preliminary_report: work.preliminary_report_date !== undefined,
    proof_of_loss: work.proof_of_loss_date !== undefined,
  };
  const facts = {
    acceptedAt: Date.parse(assignment.responded_at),
    contactedAt: contactedAt(),
    clocks: {
      contactHours: claim.clocks?.contact_hours,
      inspectionHours: claim.clocks?.inspection_hours,
      reportDays: claim.clocks?.report_days,
    },
    lossDate: loss.date,
    event: loss.cat_code ?? null,
    done: DEADLINE_KINDS.filter((kind) => isDone[kind]),
  };
  return deadlinesFrom(facts, overrides, days);
}

/** The deadlines that the operator has set for individual events, without kinds that this release does not support. */
export const overridesFrom = (deadlines: readonly EventDeadlines[]): DeadlineOverride[] =>
  deadlines.flatMap(({ kind: sent, events }) =>
    DEADLINE_KINDS.filter((kind) => kind === sent).flatMap((kind) =>
      events.map(({ cat_code, hours, source }) => ({ event: cat_code, kind, hours, source })),
    ),
  );

/** Claims with the next deadline first; claims without one come last. */
export function dueFirst(claims: readonly AppClaim[], overrides: readonly DeadlineOverride[]): AppClaim[] {
  return claims
    .map((claim) => ({ claim, dueAt: deadlinesOf(claim, overrides)[0]?.at ?? Number.MAX_VALUE }))
    .sort((a, b) => a.dueAt - b.dueAt)
    .map(({ claim }) => claim);
}
