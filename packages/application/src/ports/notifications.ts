import type { ClaimId, FirmId, Svcid } from '@svc/domain';

/**
 * What an adjuster's devices are told. It shows on lock screens, so it names the firm and nothing of the
 * policyholder, the address or the policy.
 */
export type Notification =
  | { readonly kind: 'offer'; readonly firmName: string; readonly claimId: ClaimId }
  | { readonly kind: 'offer_withdrawn'; readonly firmName: string; readonly claimId: ClaimId }
  | { readonly kind: 'invitation'; readonly firmName: string; readonly firmId: FirmId };

/** One way to an adjuster: the mailbox, or one device by its id. */
export type Channel = 'mail' | `device:${string}`;

export interface Notifier {
  /**
   * Hands the notice on over every channel, or over the one that is named. Returns the channels that have to be tried
   * again later; what reached the others stays there.
   */
  notify(svcId: Svcid, notice: Notification, only?: Channel): Promise<readonly Channel[]>;
}
