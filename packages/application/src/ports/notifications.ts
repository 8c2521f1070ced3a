import type { ClaimId, FirmId, Svcid } from '@svc/domain';

/**
 * Content of a notification. It appears on lock screens, so it names the firm but never the policyholder, the address
 * or the policy.
 */
export type Notification =
  | { readonly kind: 'offer'; readonly firmName: string; readonly claimId: ClaimId }
  | { readonly kind: 'offer_withdrawn'; readonly firmName: string; readonly claimId: ClaimId }
  | { readonly kind: 'invitation'; readonly firmName: string; readonly firmId: FirmId };

/** Email, or one device by its id. */
export type Channel = 'mail' | `device:${string}`;

export interface Notifier {
  /**
   * Sends the notification over every channel, or only over the given one. Returns the channels to retry later.
   */
  notify(svcId: Svcid, notification: Notification, only?: Channel): Promise<readonly Channel[]>;
}
