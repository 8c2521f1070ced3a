import type { ClaimId, FirmId, Instant, Svcid } from '@svc/domain';
import type { Channel } from './notifications.ts';

/** Left out: over every channel. A channel that failed is tried again by a job of its own, so that the others stay quiet. */
interface Over {
  readonly only?: Channel;
}

/** What happens after a commit. Written in the same transaction as its cause, run at least once after it. */
export type Job =
  /** Tell the adjuster that a claim waits for an answer. */
  | (Over & {
      readonly kind: 'notify_offer';
      readonly firmId: FirmId;
      readonly claimId: ClaimId;
      readonly svcId: Svcid;
    })
  /** Tell the adjuster that an offer went to somebody else. */
  | (Over & {
      readonly kind: 'notify_offer_withdrawn';
      readonly firmId: FirmId;
      readonly claimId: ClaimId;
      readonly svcId: Svcid;
    })
  /** Tell the adjuster that a firm invites them. */
  | (Over & {
      readonly kind: 'notify_invitation';
      readonly firmId: FirmId;
      readonly svcId: Svcid;
      readonly invitedAt: Instant;
    })
  /** A test account answers an offer by itself; only this very offer. */
  | {
      readonly kind: 'rehearse_offer_answer';
      readonly firmId: FirmId;
      readonly claimId: ClaimId;
      readonly svcId: Svcid;
      readonly offeredAt: Instant;
    }
  /** A test account answers an invitation by itself; only this very invitation. */
  | {
      readonly kind: 'rehearse_invitation_answer';
      readonly firmId: FirmId;
      readonly svcId: Svcid;
      readonly invitedAt: Instant;
    };

export type JobKind = Job['kind'];

/** The outbox. */
export interface Outbox {
  /** @param runAt not before this time; at once when left out. */
  add(job: Job, runAt?: Instant): Promise<void>;
}
