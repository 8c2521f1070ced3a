import type { ClaimId, FirmId, Svcid } from '@svc/domain';

/**
 * What an adjuster's devices are told. It shows on lock screens, so it names the firm and nothing of the
 * policyholder, the address or the policy.
 */
export type Notice =
  | { readonly kind: 'offer'; readonly firmName: string; readonly claimId: ClaimId }
  | { readonly kind: 'offer_withdrawn'; readonly firmName: string; readonly claimId: ClaimId }
  | { readonly kind: 'invitation'; readonly firmName: string; readonly firmId: FirmId };

export interface Notifier {
  /** Hands the notice to every device of the adjuster. Throws when trying again later may help. */
  notify(svcId: Svcid, notice: Notice): Promise<void>;
}
