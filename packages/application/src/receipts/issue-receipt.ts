import { type ClaimId, decidingRule, existing, type Instant, offerStatus, type StepTime } from '@svc/domain';
import type { AdjusterActor, FirmActor } from '../actors.ts';
import { auditEntriesFrom } from '../audit/chain.ts';
import { claimObject } from '../audit/events.ts';
import type { AuditEntry } from '../model/audit.ts';
import { toDateTime, toDateTimeOrNull } from '../model/date-time.ts';
import type { Needs } from '../ports/needs.ts';
import type { OfferRecord } from '../ports/offer-history.ts';

type Deps = Needs<'offerHistory' | 'receiptSigner' | 'addresses' | 'clock'>;

/** The version of the payload: members may be added to it, never changed. */
const VERSION = 1;

/**
 * A receipt of the claim's latest offer for its firm; for an adjuster, of the latest one to them, or of the one of
 * `offeredAt`.
 */
export const makeIssueReceipt =
  ({ offerHistory, receiptSigner, addresses, clock }: Deps) =>
  async (reader: FirmActor | AdjusterActor, id: ClaimId, offeredAt?: Instant) => {
    const found =
      'firmId' in reader
        ? await offerHistory.latestOfFirm(reader.firmId, reader.environment, id)
        : await offerHistory.toAdjuster(reader.svcId, id, offeredAt);
    const record = existing(found, 'No such claim.');
    /** A JWS in compact form. */
    const receipt = await receiptSigner.sign({
      iss: addresses.baseUrl,
      iat: Math.floor(clock.now() / 1000),
      version: VERSION,
      ...contentOf(record),
    });
    return { receipt, firmId: record.firmId, claimId: record.claimId };
  };

/** Ids and times only: no personal data, and not the reason of a rejection. */
function contentOf({ claimId, firmId, externalId, environment, closedAt, offer, steps, audit }: OfferRecord) {
  const { respondedAt } = offer;
  const answer = audit === null ? undefined : answerIn(audit.text, claimId);
  const onDevice = {
    device_at: toDateTimeOrNull(answer?.device?.answeredAt ?? null),
    kept_offline_since: toDateTimeOrNull(answer?.device?.keptOfflineSince ?? null),
  };
  return {
    claim_id: claimId,
    external_id: externalId,
    firm_id: firmId,
    environment,
    adjuster_svc_id: offer.adjuster,
    offered_at: toDateTime(offer.offeredAt),
    pushes: offer.pushes.map(({ channel, outcome, at }) => ({ channel, outcome, at: toDateTime(at) })),
    first_seen_at: toDateTimeOrNull(offer.firstSeenAt),
    status: offerStatus(offer),
    answered: respondedAt === null ? null : { at: toDateTime(respondedAt), ...onDevice },
    late_answer:
      respondedAt !== null || answer === undefined
        ? null
        : {
            answer: answer.action === 'claim.accept' ? 'accept' : 'reject',
            at: toDateTime(answer.at),
            ...onDevice,
          },
    clocks: steps && { first_contact: stepOf(steps.contact), inspection: stepOf(steps.inspection) },
    closed_at: toDateTimeOrNull(closedAt),
    decided_by: decidingRule(offer, closedAt),
    audit: audit === null ? null : { seq: audit.seq, hash: audit.hash },
  };
}

const stepOf = (step: StepTime | null) =>
  step && {
    at: toDateTimeOrNull(step.at),
    device_at: toDateTimeOrNull(step.deviceAt),
    date: step.date,
  };

/** A row has the events of several claims. */
export const answerIn = (text: string, id: ClaimId): AuditEntry | undefined =>
  auditEntriesFrom(text).find(
    ({ object, action }) =>
      object === claimObject(id) && (action === 'claim.accept' || action === 'claim.reject'),
  );
