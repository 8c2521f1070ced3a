import type {
  ClaimId,
  DeliveryOutcome,
  Environment,
  FirmId,
  Instant,
  OfferStatus,
  StepTimes,
  Svcid,
} from '@svc/domain';
import type { AuditRow } from '../model/audit.ts';

/** The latest outcome of notifying over one channel. */
export interface PushOutcome {
  /** `mail`, or a short hash of the id of a device: {@link pushChannel}. */
  readonly channel: string;
  readonly outcome: DeliveryOutcome;
  readonly at: Instant;
}

export interface OfferKey {
  readonly firmId: FirmId;
  readonly claimId: ClaimId;
  readonly environment: Environment;
  readonly offeredAt: Instant;
  readonly adjuster: Svcid;
}

/** `remindedAt`: a device got the notification. */
export type ReminderStep = 'reminderQueuedAt' | 'remindedAt';

/** What happened to an offer outside of the transactions that change the claim. */
export interface OfferEvent extends OfferKey {
  /** When the offer was sent to the adjuster's app. */
  readonly seenAt?: Instant;
  readonly push?: PushOutcome;
}

/** How an earlier offer ended. */
export interface OfferEnd {
  readonly status: OfferStatus;
  readonly respondedAt: Instant | null;
  readonly rejectionReason: string | null;
  /** Whom the audit trail names for its withdrawal; absent: it was not withdrawn, but may have been replaced. */
  readonly withdrawnBy?: string;
  readonly endedAt: Instant;
}

/** An offer as it is stored beside the claims. */
export interface StoredOffer {
  readonly claimId: ClaimId;
  readonly offeredAt: Instant;
  /** Whom the audit trail names for it. Null: not recorded; of the latest offer, only its claim has it. */
  readonly offeredBy: string | null;
  readonly adjuster: Svcid;
  readonly firstSeenAt: Instant | null;
  readonly remindedAt: Instant | null;
  /** In the order of the channels. */
  readonly pushes: readonly PushOutcome[];
  /** Null: it is the latest of its claim. */
  readonly end: OfferEnd | null;
}

/** One offer from the push to its end. */
export interface OfferHistoryEntry extends Omit<OfferEnd, 'endedAt'>, Omit<StoredOffer, 'claimId' | 'end'> {
  /** Of an earlier offer; null: it is the latest one. */
  readonly endedAt: Instant | null;
}

/** An offer of a claim, for its receipt. */
export interface OfferRecord {
  readonly claimId: ClaimId;
  readonly firmId: FirmId;
  readonly externalId: string;
  readonly environment: Environment;
  /** Null: the claim is open, or the offer is an earlier one. */
  readonly closedAt: Instant | null;
  readonly offer: OfferHistoryEntry;
  /** Of the latest offer, while its adjuster lets the firm see them; else null. */
  readonly steps: StepTimes | null;
  /**
   * Of the audit trail: the row of the offer, or of the response or other change that ended it, or of a response to an offer
   * that had ended. Null: retention deleted it.
   */
  readonly audit: AuditRow | null;
}

/** The offers of claims with what followed them. */
export interface OfferHistory {
  append(events: readonly OfferEvent[]): Promise<void>;
  /** The latest {@link MAX_OFFERS_READ}, oldest first. Empty: the firm has no such claim. */
  ofClaim(firmId: FirmId, claimId: ClaimId): Promise<OfferHistoryEntry[]>;
  /** Null: the firm or environment has no such claim (`isClaimVisible`). */
  latestOfFirm(firmId: FirmId, environment: Environment, claimId: ClaimId): Promise<OfferRecord | null>;
  /** The adjuster's latest offer of the claim, or the one of `offeredAt`. Null: there is none. */
  toAdjuster(svcId: Svcid, claimId: ClaimId, offeredAt?: Instant): Promise<OfferRecord | null>;
}
