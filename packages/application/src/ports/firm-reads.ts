import type { ClaimId, Environment, FirmId, Instant, Svcid } from '@svc/domain';
import type { ClaimFilter, ClaimView } from '../model/claim-views.ts';
import type { IdempotencySlot } from '../model/idempotency.ts';
import type { AdjusterView } from '../model/member-views.ts';
import type { Page, PageRequest } from '../model/page.ts';

/** Reads for firm systems; claims and adjusters by `isClaimVisible` and `isAdjusterVisible`. */
export interface FirmReads {
  claim(firmId: FirmId, environment: Environment, id: ClaimId): Promise<ClaimView | null>;
  /** The request that a key was used for less than 24 hours ago, and its claim as it is now. */
  boundClaim(
    slot: IdempotencySlot,
    now: Instant,
  ): Promise<{ readonly fingerprint: string; readonly claim: ClaimView } | null>;
  /** Ordered by `updatedAt`, then id: the firm's change feed. */
  claims(
    firmId: FirmId,
    environment: Environment,
    filter: ClaimFilter,
    page: PageRequest,
  ): Promise<Page<ClaimView>>;
  /** Ordered by `firstKnownAt`, then SVCID; without adjusters who left. */
  adjusters(firmId: FirmId, environment: Environment, page: PageRequest): Promise<Page<AdjusterView>>;
  /** One record with its account; null when there is none or the adjuster left. */
  adjuster(firmId: FirmId, svcId: Svcid): Promise<AdjusterView | null>;
}
