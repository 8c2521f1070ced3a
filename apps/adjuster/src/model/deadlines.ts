import type { AppClaim } from '@svc/contract';

export type DeadlineKind = 'first_contact' | 'preliminary_report' | 'proof_of_loss';

export interface DeadlineRule {
  readonly kind: DeadlineKind;
  /** `assignment`: the adjuster's acceptance. `loss`: the date of loss. */
  readonly from: 'assignment' | 'loss';
  readonly hours: number;
  /** Where the rule is written. */
  readonly source: string;
  /** Hours for single events by their catastrophe code, where FEMA has extended the time. */
  readonly byEvent?: Readonly<Record<string, number>>;
}

const DAY = 24;

/** The times that apply unless the operator has changed them. */
export const DEFAULT_DEADLINES: readonly DeadlineRule[] = [
  {
    kind: 'first_contact',
    from: 'assignment',
    hours: DAY,
    source: 'NFIP Claims Manual: contact with the policyholder within 24 hours of the assignment',
  },
  {
    kind: 'preliminary_report',
    from: 'assignment',
    hours: 15 * DAY,
    source: 'NFIP Claims Manual: preliminary report within 15 days of the assignment',
  },
  {
    kind: 'proof_of_loss',
    from: 'loss',
    hours: 60 * DAY,
    source: 'Standard Flood Insurance Policy, VII.G: proof of loss within 60 days after the date of loss',
  },
];

export interface Deadline {
  readonly kind: DeadlineKind;
  readonly at: number;
  readonly source: string;
}

const HOUR_MS = 3_600_000;

/** The end of a calendar day and some hours, on the clock of the device, so that a change of that clock counts for nothing. */
function afterDay(date: string, hours: number): number {
  const end = new Date(`${date}T23:59:59`);
  end.setHours(end.getHours() + hours);
  return end.getTime();
}

/** What is due on an own open claim, earliest first. Only an entry of the adjuster ends a deadline. */
export function deadlinesOf(claim: AppClaim, rules: readonly DeadlineRule[]): Deadline[] {
  const { assignment, work, loss, closed_at } = claim;
  if (assignment.status !== 'accepted' || assignment.responded_at === null || closed_at !== null) return [];
  const assignedAt = Date.parse(assignment.responded_at);
  const isDone: Readonly<Record<DeadlineKind, boolean>> = {
    first_contact: work.contact_date !== undefined || claim.contact_date !== undefined,
    preliminary_report: work.preliminary_report_date !== undefined,
    proof_of_loss: work.proof_of_loss_date !== undefined,
  };
  return rules
    .filter(({ kind }) => !isDone[kind])
    .map(({ kind, from, hours, byEvent = {}, source }) => {
      const event = loss.cat_code;
      const allowed =
        (event !== undefined && Object.hasOwn(byEvent, event) ? byEvent[event] : undefined) ?? hours;
      const at = from === 'assignment' ? assignedAt + allowed * HOUR_MS : afterDay(loss.date, allowed);
      return { kind, at, source };
    })
    .sort((a, b) => a.at - b.at);
}

/** Own claims with the next deadline first; claims without one come last. */
export function dueFirst(claims: readonly AppClaim[], rules: readonly DeadlineRule[]): AppClaim[] {
  return claims
    .map((claim) => ({ claim, at: deadlinesOf(claim, rules)[0]?.at ?? Number.MAX_VALUE }))
    .sort((a, b) => a.at - b.at)
    .map(({ claim }) => claim);
}
