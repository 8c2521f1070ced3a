import type { CalendarDate, ClaimId, Environment, FirmId, Instant, StaffId, Svcid } from '@svc/domain';
import type { Channel } from './notification.ts';
import type { KeysetPosition } from './page.ts';

export interface QueuedJob {
  readonly job: Job;
  /** Absent: as soon as possible. */
  readonly runAt?: Instant | undefined;
}

/** Without `only`: every channel. A failed channel is retried by a separate job, so others are not notified twice. */
interface ChannelOption {
  readonly only?: Channel;
}

interface OfClaim {
  readonly firmId: FirmId;
  readonly claimId: ClaimId;
  readonly svcId: Svcid;
}

interface OfOffer extends OfClaim {
  readonly offeredAt: Instant;
}

interface OfInvitation {
  readonly firmId: FirmId;
  readonly svcId: Svcid;
  readonly invitedAt: Instant;
}

/** Work after a commit. Written in the same transaction as its cause; runs at least once. */
export type Job =
  /** Notifies the adjuster of an offer. */
  | (ChannelOption & OfClaim & { readonly kind: 'notify_offer' })
  /** Notifies the adjuster of an offer that has waited as long as the firm waits. */
  | (ChannelOption & OfOffer & { readonly kind: 'notify_offer_late' })
  /** Due when an offer has waited as long as the firm waits; once per offer, it queues the notification. */
  | (OfOffer & {
      readonly kind: 'remind_of_offer';
      /** How long the firm waited when the job was added. */
      readonly hours: number;
    })
  /** Queues the reminders of offers that were open when the firm's wait changed, and the next run of this job. */
  | {
      readonly kind: 'remind_of_open_offers';
      readonly firmId: FirmId;
      readonly environment: Environment;
      readonly hours: number;
      /** Null: from the first one. */
      readonly after: KeysetPosition | null;
      readonly svcId?: undefined;
    }
  /** Notifies the adjuster that the firm has withdrawn an offer, or offered the claim to another adjuster. */
  | (ChannelOption & OfClaim & { readonly kind: 'notify_offer_withdrawn' })
  /** Notifies the adjuster of an invitation, or reminds them of one that their app has not got. */
  | (ChannelOption & OfInvitation & { readonly kind: 'notify_invitation'; readonly isReminder?: true })
  /** Due when an invitation has waited; once per invitation, it queues the reminder. */
  | (OfInvitation & { readonly kind: 'remind_of_invitation' })
  /** Sends a notification that the adjuster asked for, to check the phone's settings. */
  | { readonly kind: 'notify_test'; readonly svcId: Svcid; readonly only: Channel }
  /** Reminds the adjuster of what is due until the next reminder. */
  | {
      readonly kind: 'notify_deadlines';
      readonly svcId: Svcid;
      readonly only: Channel;
      readonly count: number;
    }
  /** Finds which credentials end soon since `at`, and queues the next run of this job. */
  | { readonly kind: 'remind_credentials'; readonly svcId: Svcid; readonly at: Instant }
  /** Reminds the adjuster of a license or an authorization that ends. */
  | (ChannelOption & {
      readonly kind: 'notify_credentials';
      readonly svcId: Svcid;
      readonly expiresOn: CalendarDate;
    })
  /** Mails the firm's admins that the service has paused an endpoint. */
  | {
      readonly kind: 'mail_webhook_paused';
      readonly firmId: FirmId;
      readonly endpointId: string;
      readonly svcId?: undefined;
    }
  /** Mails a staff member, who wishes it, how many offers are late, and queues the next run of this job. */
  | {
      readonly kind: 'mail_late_offers';
      readonly firmId: FirmId;
      readonly staffId: StaffId;
      readonly at: Instant;
      readonly svcId?: undefined;
    }
  /** Finds what is due since `at`, and queues the next run of this job. */
  | {
      readonly kind: 'remind_deadlines';
      readonly svcId: Svcid;
      readonly deviceId: string;
      readonly at: Instant;
    }
  /** Simulates the response of a test account to this offer. */
  | (OfOffer & { readonly kind: 'simulate_offer_response' })
  /** Simulates the response of a test account to this invitation. */
  | (OfInvitation & { readonly kind: 'simulate_invitation_response' });

export type JobKind = Job['kind'];
