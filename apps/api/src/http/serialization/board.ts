import {
  type AnswersGroup,
  type AnswersReportFilter,
  type AnswersReportRow,
  type BoardAdjuster,
  type BoardOffer,
  type BoardRow,
  type ClaimUseCases,
  type ClaimView,
  type ProposedOffer,
  toDateTime,
  toDateTimeOrNull,
} from '@svc/application';
import { spreadsheetCsv } from '@svc/csv-import';
import { type ClaimClocks, type FirmClocks, type Instant, SECOND, type StepClock } from '@svc/domain';
import { adjusterToWire } from './adjuster.ts';
import { type AsciiJson, asciiJson } from './ascii-json.ts';
import { claimToWire } from './claim.ts';
import { versionOf } from './version.ts';

const stepToWire = ({ step, dueAt, late }: StepClock) => ({
  at: toDateTimeOrNull(step?.at ?? null),
  device_at: toDateTimeOrNull(step?.deviceAt ?? null),
  date: step?.date ?? null,
  due_at: toDateTimeOrNull(dueAt),
  late,
});

const clocksToWire = (clocks: ClaimClocks | null) =>
  clocks && {
    first_contact: stepToWire(clocks.contact),
    inspection: stepToWire(clocks.inspection),
    report_due_at: toDateTimeOrNull(clocks.reportDueAt),
  };

export const boardRowToWire = ({
  summary: { name, carrier, street, city, state, zip, formType },
  ...claim
}: BoardRow) => ({
  id: claim.id,
  test: claim.environment === 'test',
  external_id: claim.externalId,
  claim_number: claim.claimNumber,
  name,
  place: { street, city, state, zip },
  form_type: formType ?? null,
  carrier,
  status: claim.status,
  adjuster_svc_id: claim.adjuster,
  adjuster_name: claim.adjusterName,
  offered_at: toDateTime(claim.offeredAt),
  responded_at: toDateTimeOrNull(claim.respondedAt),
  waiting_since: toDateTimeOrNull(claim.waitingSince),
  late: claim.late,
  clocks: clocksToWire(claim.clocks),
  updated_at: toDateTime(claim.updatedAt),
  closed_at: toDateTimeOrNull(claim.closedAt),
});

const offerToWire = (offer: BoardOffer) => ({
  adjuster_svc_id: offer.adjuster,
  adjuster_name: offer.adjusterName,
  offered_at: toDateTime(offer.offeredAt),
  offered_by: offer.offeredBy,
  outcome: offer.outcome,
  pushes: offer.pushes.map((push) => ({ ...push, at: toDateTime(push.at) })),
  seen_at: toDateTimeOrNull(offer.firstSeenAt),
  reminded_at: toDateTimeOrNull(offer.remindedAt),
  responded_at: toDateTimeOrNull(offer.respondedAt),
  rejection_reason: offer.rejectionReason,
  withdrawn_by: offer.withdrawnBy,
  ended_at: toDateTimeOrNull(offer.endedAt),
});

/** The claim is text already. */
export function boardClaimToWire(details: Awaited<ReturnType<ClaimUseCases['readBoardClaim']>>): AsciiJson {
  const { claim, late, clocks, waitingSince, closedBy, history } = details;
  const others = asciiJson({
    late,
    clocks: clocksToWire(clocks),
    waiting_since: toDateTimeOrNull(waitingSince),
    closed_at: toDateTimeOrNull(claim.closedAt),
    closed_by: closedBy,
    closure_reason: claim.closure?.reason ?? null,
    history: history.map(offerToWire),
  });
  return `{"claim":${claimToWire(claim)},${others.slice(1)}` as AsciiJson;
}

export const closedClaimToWire = (claim: ClaimView & { readonly closedAt: Instant | null }): AsciiJson => {
  const others = asciiJson({ closed_at: toDateTimeOrNull(claim.closedAt) });
  return `${claimToWire(claim).slice(0, -1)},${others.slice(1)}` as AsciiJson;
};

/** Equal for equal rules. */
export const clocksVersion = (clocks: FirmClocks): string => versionOf(rulesToWire(clocks));

const rulesToWire = ({ rules, timeZone }: FirmClocks) => ({
  rules: rules.map(({ carrier, catCode, contactHours, inspectionHours, reportDays }) => ({
    carrier,
    cat_code: catCode,
    contact_hours: contactHours,
    inspection_hours: inspectionHours,
    report_days: reportDays,
  })),
  time_zone: timeZone,
});

export const firmClocksToWire = (clocks: FirmClocks) => ({
  ...rulesToWire(clocks),
  version: clocksVersion(clocks),
});

const toSeconds = (ms: number | null): number | null => (ms === null ? null : Math.round(ms) / SECOND);

export const boardAdjusterToWire = (
  { work, rejectedAt, distance, warnings, ...view }: BoardAdjuster,
  now: Instant,
) => ({
  ...adjusterToWire(view, now),
  can_accept_claims: view.membership.canAcceptClaims,
  accepting_assignments: view.membership.acceptingAssignments,
  seen_at: toDateTimeOrNull(view.membership.seenAt),
  reminded_at: toDateTimeOrNull(view.membership.remindedAt),
  shares_credentials: view.membership.sharing.credentials,
  open_offers: work.openOffers,
  open_claims: work.openClaims,
  rejected_at: toDateTimeOrNull(rejectedAt),
  median_answer_seconds: toSeconds(work.medianAnswerMs),
  ...{ distance, warnings },
});

export const proposedOfferToWire = ({ adjuster, ...offer }: ProposedOffer) => ({
  ...offer,
  adjuster_svc_id: adjuster,
});

const groupToWire = ({
  group,
  label,
  medianAnswerMs,
  p90AnswerMs,
  partial,
  ...counts
}: AnswersReportRow) => ({
  group,
  label,
  offers: counts.offers,
  accepted: counts.accepted,
  rejected: counts.rejected,
  unassigned: counts.unassigned,
  withdrawn: counts.withdrawn,
  closed: counts.closed,
  pending: counts.pending,
  median_answer_seconds: toSeconds(medianAnswerMs),
  p90_answer_seconds: toSeconds(p90AnswerMs),
  contacts_shared: counts.contactsShared,
  contacts_in_time: counts.contactsInTime,
  contacts_late: counts.contactsLate,
  ...(partial !== undefined && { partial }),
});

interface Report {
  readonly total: AnswersGroup;
  readonly rows: readonly AnswersReportRow[];
}

export const reportToWire = (
  { total, rows }: Report,
  { since, until, by, timeZone }: AnswersReportFilter,
) => ({
  since: toDateTime(since),
  until: toDateTime(until),
  by,
  ...(by === 'week' && { time_zone: timeZone }),
  total: groupToWire({ ...total, label: '' }),
  rows: rows.map(groupToWire),
});

/** Without the total. */
export const reportToCsv = ({ rows, total }: Report, { by }: AnswersReportFilter): string =>
  spreadsheetCsv([
    Object.keys(groupToWire({ ...total, label: '', ...(by === 'week' && { partial: false }) })),
    ...rows.map((row) =>
      Object.values(groupToWire(row)).map((value) => (typeof value === 'boolean' ? String(value) : value)),
    ),
  ]);
