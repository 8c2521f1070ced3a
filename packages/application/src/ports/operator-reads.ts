import type { Adjuster, ClaimId, FirmId, Instant } from '@svc/domain';
import type { ApiKey } from '../model/api-key.ts';
import type { AppClaimView, ClaimJob } from '../model/claim-views.ts';
import type { FeedRestamp } from '../model/feed-restamp.ts';
import type { Firm } from '../model/firm.ts';
import type { Page, PageRequest } from '../model/page.ts';

/** Reads for the operator. */
export interface OperatorReads {
  latestRestamp(): Promise<FeedRestamp | null>;
  firms(): Promise<Firm[]>;
  firm(id: FirmId): Promise<Firm | null>;
  testAccounts(firmId: FirmId): Promise<Adjuster[]>;
  keys(firmId: FirmId): Promise<ApiKey[]>;
  /** Those that work at this time, the latest first. */
  workingKeys(firmId: FirmId, now: Instant): Promise<ApiKey[]>;
  /** The latest first. */
  keyPage(firmId: FirmId, page: PageRequest): Promise<Page<ApiKey>>;
  claim(
    id: ClaimId,
  ): Promise<(AppClaimView & { readonly externalId: string; readonly claimNumber: string }) | null>;
  /** By the time of their next attempt. */
  jobsOfClaim(id: ClaimId): Promise<ClaimJob[]>;
}
