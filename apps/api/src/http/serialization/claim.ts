import { type AppClaimView, type ClaimView, toDateTime, toDateTimeOrNull } from '@svc/application';
import type { OfferClaimBody, SendClaimBody } from '@svc/contract';
import {
  type Assignment,
  type CarrierDetails,
  type ClaimAsSent,
  type ClaimFacts,
  type ClaimWork,
  carrierForForms,
  clocksFor,
  type FirmClocks,
  HOUR,
  type Svcid,
} from '@svc/domain';
import { type AsciiJson, asciiJson, inAscii } from './ascii-json.ts';
import { versionOf } from './version.ts';

/** Splits a claim into the facts that rules need and the content that is stored and returned as sent. */
export function claimFromWire(body: SendClaimBody): {
  adjuster: Svcid;
  facts: ClaimFacts;
  asSent: ClaimAsSent;
} {
  const { adjuster_svc_id, ...content } = body;
  // The peril is optional in requests and part of every response.
  const asSent = { ...content, loss: { ...content.loss, peril: 'flood' } };
  return {
    adjuster: adjuster_svc_id as Svcid,
    facts: {
      externalId: body.external_id,
      claimNumber: body.claim_number,
      carrier: body.carrier,
      occupancyType: body.building?.occupancy_type,
      buildingType: body.building?.building_type,
      policyEffective: body.policy.effective_date,
      policyExpiration: body.policy.expiration_date,
    },
    asSent: asciiJson(asSent) as string as ClaimAsSent,
  };
}

export const adjusterFromWire = (body: OfferClaimBody): Svcid => body.adjuster_svc_id as Svcid;

const assignmentToWire = (assignment: Assignment) => ({
  status: assignment.status,
  adjuster_svc_id: assignment.adjuster,
  responded_at: toDateTimeOrNull(assignment.respondedAt),
  rejection_reason: assignment.rejectionReason,
});

/**
 * A claim as JSON text: the changing members, followed by the stored text as sent. Parsing and serializing the stored
 * text would cost more than the rest of a read.
 */
export function claimToWire({
  id,
  environment,
  createdAt,
  updatedAt,
  assignment,
  asSent,
}: ClaimView): AsciiJson {
  const { status, adjuster, respondedAt, rejectionReason } = assignment;
  const responded = respondedAt === null ? 'null' : `"${toDateTime(respondedAt)}"`;
  const reason = rejectionReason === null ? 'null' : asciiJson(rejectionReason);
  const json =
    `{"id":"${id}","test":${environment === 'test'},"created_at":"${toDateTime(createdAt)}",` +
    `"updated_at":"${toDateTime(updatedAt)}","assignment":{"status":"${status}",` +
    `"adjuster_svc_id":${asciiJson(adjuster)},"responded_at":${responded},"rejection_reason":${reason}},` +
    inAscii(asSent).slice(1);
  return json as AsciiJson;
}

/** Dollars. Printed on the forms for jewelry, furs and similar items when the firm sent no cap. */
const DEFAULT_SPECIAL_LIMITS_CAP = 2500;

/**
 * Equal for equal entries: an edit that finds what it was made from loses nothing, whatever came in between. Contacts have
 * ids and are not part of it.
 */
export function workVersion({ contactDate, inspectionDate, notes, details = {} }: ClaimWork): string {
  const { plannedVisitDate, plannedVisitTime, preliminaryReportDate, proofOfLossDate } = details;
  const dates = [plannedVisitDate, plannedVisitTime, preliminaryReportDate, proofOfLossDate];
  const entries = [contactDate, inspectionDate, notes, ...dates.map((date) => date ?? null)];
  return versionOf(entries);
}

/** Fields that were never entered are absent. */
export function workToWire(work: ClaimWork): object {
  const { contactDate, inspectionDate, notes, details = {} } = work;
  const fields = {
    version: workVersion(work),
    contact_date: contactDate,
    inspection_date: inspectionDate,
    planned_visit_date: details.plannedVisitDate,
    planned_visit_time: details.plannedVisitTime,
    preliminary_report_date: details.preliminaryReportDate,
    proof_of_loss_date: details.proofOfLossDate,
    notes,
    contacts: details.contacts?.map(({ id, at, receivedAt, result, note }) => ({
      id,
      at: toDateTime(at),
      ...(receivedAt !== undefined && { received_at: toDateTime(receivedAt) }),
      result,
      note,
    })),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
}

function appClocksToWire({ rules, timeZone }: FirmClocks, carrier: string, catCode: string | undefined) {
  const { contactHours, inspectionHours, reportDays } = clocksFor(rules, carrier, catCode ?? null);
  return {
    contact_hours: contactHours,
    inspection_hours: inspectionHours,
    report_days: reportDays,
    time_zone: timeZone,
  };
}

/** A claim as the adjuster app shows it: with the adjuster's work, and with carrier and coverages as on the forms. */
export function appClaimToWire(claim: AppClaimView): AsciiJson {
  const sent = JSON.parse(claim.asSent) as {
    carrier: CarrierDetails;
    coverages?: object;
    loss: { cat_code?: string };
  };
  return asciiJson({
    id: claim.id,
    test: claim.environment === 'test',
    created_at: toDateTime(claim.createdAt),
    updated_at: toDateTime(claim.updatedAt),
    firm: claim.firm,
    offered_at: toDateTime(claim.assignment.offeredAt),
    ...(claim.offerWaitHours !== null && {
      respond_by: toDateTime(claim.assignment.offeredAt + claim.offerWaitHours * HOUR),
    }),
    ...(claim.clocks !== null && {
      clocks: appClocksToWire(claim.clocks, sent.carrier.name, sent.loss.cat_code),
    }),
    assignment: assignmentToWire(claim.assignment),
    work: workToWire(claim.work),
    closed_at: toDateTimeOrNull(claim.closedAt),
    ...sent,
    carrier: carrierForForms(sent.carrier, claim.bookCarrier),
    coverages: { special_limits_cap: DEFAULT_SPECIAL_LIMITS_CAP, ...sent.coverages },
  });
}
