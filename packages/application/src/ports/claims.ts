import type { Claim, ClaimId, FirmId, Instant, Svcid } from '@svc/domain';
import type { OfferedClaim } from '../model/claim-views.ts';
import type { OfferKey, ReminderStep } from './offer-history.ts';

export interface Claims {
  /** Locks the claim until the transaction ends. */
  lock(firmId: FirmId, id: ClaimId): Promise<Claim | null>;
  /**
   * Locks a claim of any firm, after a shared lock on the adjuster's membership in that firm: the lock order of
   * operations that end a membership or its permission. Null unless the latest offer is to this adjuster.
   */
  lockOfferedTo(svcId: Svcid, id: ClaimId): Promise<OfferedClaim | null>;
  /** Locks a claim of any firm, for the operator. */
  lockAny(id: ClaimId): Promise<Claim | null>;
  /** Locks the claims with a pending offer to this adjuster. */
  lockPendingOf(firmId: FirmId, svcId: Svcid): Promise<Claim[]>;
  /**
   * Saves a change the firm can see, at the later of the clock and the firm's last timestamp plus 1 ms, so that timestamps
   * are unique and become visible in order. Call it last: the lock on the feed is held until the commit. An offer that is
   * no longer pending was ended by the event of the same transaction, as in `saveWithoutTimestamp`.
   */
  save(claim: Claim): Promise<Claim>;
  /** Saves a change the firm cannot see (the adjuster's work, closing); `updatedAt` is unchanged. */
  saveWithoutTimestamp(claim: Claim): Promise<void>;
  /** The next event that the same transaction records for the firm is a response to this offer, which had ended. */
  recordLateAnswer(offer: Pick<OfferKey, 'firmId' | 'claimId' | 'offeredAt'>): Promise<void>;
  /** Records a step of the reminder of an offer. False: it was recorded before. */
  recordReminder(offer: OfferKey, step: ReminderStep, at: Instant): Promise<boolean>;
}
