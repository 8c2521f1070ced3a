import type { AppClaim, Deadline as EventDeadlines } from '@svc/contract';
import {
  DEADLINE_KINDS,
  type Deadline,
  type DeadlineKind,
  type DeadlineOverride,
  deadlinesOf as deadlinesFrom,
  type LocalDays,
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
  const isDone: Readonly<Record<DeadlineKind, boolean>> = {
    first_contact: work.contact_date !== undefined || claim.contact_date !== undefined,
    preliminary_report: work.preliminary_report_date !== undefined,
    proof_of_loss: work.proof_of_loss_date !== undefined,
  };
  const facts = {
    acceptedAt: Date.parse(assignment.responded_at),
    lossDate: loss.date,
    event: loss.cat_code ?? null,
    done: DEADLINE_KINDS.filter((kind) => isDone[kind]),
  };
  return deadlinesFrom(facts, overrides, DAYS);
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
