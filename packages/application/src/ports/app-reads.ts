import type { Adjuster, ClaimId, Instant, Svcid } from '@svc/domain';
import type { AppClaimList, AppClaimView } from '../model/claim-views.ts';
import type { FirmMembershipView, InvitationView } from '../model/member-views.ts';
import type { NextPiece } from '../model/next-piece.ts';
import type { Page, PageRequest } from '../model/page.ts';

/** Reads for the adjuster's app, each for one adjuster. */
export interface AppReads {
  adjuster(svcId: Svcid): Promise<Adjuster | null>;
  /** Active memberships, ordered by `firstKnownAt`. */
  memberships(svcId: Svcid): Promise<FirmMembershipView[]>;
  /** Pending at `now`; ordered by `invitedAt`, then firm id. */
  invitations(svcId: Svcid, now: Instant, page: PageRequest): Promise<Page<InvitationView>>;
  /** Ordered by `offeredAt`, oldest first, then id. With `since`: only those that the firm or the adjuster changed then or later. */
  claims(svcId: Svcid, list: AppClaimList, page: PageRequest, since?: Instant): Promise<Page<AppClaimView>>;
  /** Ids of all claims in the list, in its order. */
  claimIds(svcId: Svcid, list: AppClaimList, nextPiece?: NextPiece): Promise<ClaimId[]>;
  /** Null unless the adjuster may read it, by `isReadableBy`. */
  claim(svcId: Svcid, id: ClaimId): Promise<AppClaimView | null>;
  /**
   * For each adjuster a string that changes with every change to their lists, and with their own edits of claims, profile
   * and availability. Cheap: called every few seconds for all adjusters with the app open.
   */
  revisions(svcIds: readonly Svcid[]): Promise<ReadonlyMap<Svcid, string>>;
}
