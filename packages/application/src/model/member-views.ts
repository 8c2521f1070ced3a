import type { Adjuster, FirmId, Instant, Membership, Sharing } from '@svc/domain';

export interface AdjusterView {
  readonly membership: Membership;
  readonly adjuster: Adjuster;
}

export interface InvitationView {
  readonly firmId: FirmId;
  readonly firmName: string;
  readonly invitedAs: string | null;
  readonly invitedAt: Instant;
  readonly expiresAt: Instant;
  /** When the adjuster's app first got it. */
  readonly seenAt: Instant | null;
}

export interface FirmMembershipView {
  readonly firmId: FirmId;
  readonly firmName: string;
  readonly canAcceptClaims: boolean;
  readonly acceptingAssignments: boolean;
  readonly sharing: Sharing;
}
