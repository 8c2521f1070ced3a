import type { ClaimId, FirmId, Instant, Svcid } from '@svc/domain';
import type { Channel } from './notifications.ts';

/** Without `only`: every channel. A failed channel is retried by a separate job, so others are not notified twice. */
interface ChannelOption {
  readonly only?: Channel;
}

/** Work after a commit. Written in the same transaction as its cause; runs at least once. */
export type Job =
  /** Notifies the adjuster of an offer. */
  | (ChannelOption & {
      readonly kind: 'notify_offer';
      readonly firmId: FirmId;
      readonly claimId: ClaimId;
      readonly svcId: Svcid;
    })
  /** Notifies the adjuster that an offer went to another adjuster. */
  | (ChannelOption & {
      readonly kind: 'notify_offer_withdrawn';
      readonly firmId: FirmId;
      readonly claimId: ClaimId;
      readonly svcId: Svcid;
    })
  /** Notifies the adjuster of an invitation. */
  | (ChannelOption & {
      readonly kind: 'notify_invitation';
      readonly firmId: FirmId;
      readonly svcId: Svcid;
      readonly invitedAt: Instant;
    })
  /** Simulates the response of a test account to this offer. */
  | {
      readonly kind: 'simulate_offer_response';
      readonly firmId: FirmId;
      readonly claimId: ClaimId;
      readonly svcId: Svcid;
      readonly offeredAt: Instant;
    }
  /** Simulates the response of a test account to this invitation. */
  | {
      readonly kind: 'simulate_invitation_response';
      readonly firmId: FirmId;
      readonly svcId: Svcid;
      readonly invitedAt: Instant;
    };

export type JobKind = Job['kind'];

export interface Outbox {
  /** @param runAt earliest time; default: immediately. */
  add(job: Job, runAt?: Instant): Promise<void>;
}
