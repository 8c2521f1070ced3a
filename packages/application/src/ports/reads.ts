import type {
  Adjuster,
  Assignment,
  AssignmentStatus,
  ClaimAsSent,
  ClaimId,
  ClaimWork,
  DeadlineOverride,
  Environment,
  FirmId,
  Instant,
  KeyId,
  LimitOverrides,
  Membership,
  Plan,
  Purpose,
  Svcid,
} from '@svc/domain';
import type { JobKind } from './jobs.ts';
import type { RegisteredDevice } from './notifications.ts';
import type { Passkey } from './passkeys.ts';
import type { IdempotencySlot } from './single-flight.ts';
import type { ApiKey, FeedRestamp, Firm, FormDetails, Session } from './unit-of-work.ts';

/** A claim as the firm sees it. */
export interface ClaimView {
  readonly id: ClaimId;
  readonly environment: Environment;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly assignment: Assignment;
  readonly asSent: ClaimAsSent;
}

/** Position of a row in a list: its sort value, and the id as tie-breaker. */
export interface KeysetPosition {
  readonly at: Instant;
  readonly id: string;
}

export interface Page<T> {
  readonly rows: readonly T[];
  /** Position for the next page; null on the last page. */
  readonly next: KeysetPosition | null;
}

export interface PageRequest {
  /** Only rows after this position; null: from the start. */
  readonly after: KeysetPosition | null;
  readonly limit: number;
  /** About the size of the rows as JSON. A page ends there, but has at least one row. Absent: no limit. */
  readonly maxBytes?: number | undefined;
}

export interface ClaimFilter {
  /** Inclusive. */
  readonly updatedSince?: Instant | undefined;
  readonly assignmentStatus?: AssignmentStatus | undefined;
  /** Searches the key's own environment only. */
  readonly externalId?: string | undefined;
}

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

export interface AdjusterView {
  readonly membership: Membership;
  readonly adjuster: Adjuster;
}

/** A claim as the adjuster sees it. */
export interface AppClaimView extends ClaimView, FormDetails {
  readonly work: ClaimWork;
  readonly closedAt: Instant | null;
}

export interface InvitationView {
  readonly firmId: FirmId;
  readonly firmName: string;
  readonly invitedAs: string | null;
  readonly invitedAt: Instant;
  readonly expiresAt: Instant;
}

export interface FirmMembershipView {
  readonly firmId: FirmId;
  readonly firmName: string;
  readonly canAcceptClaims: boolean;
  readonly acceptingAssignments: boolean;
}

export const APP_CLAIM_LISTS = ['pending_acceptance', 'accepted', 'closed'] as const;
/** `pending_acceptance` and `accepted`: not closed. `closed`: accepted and closed. */
export type AppClaimList = (typeof APP_CLAIM_LISTS)[number];

/** Reads for the adjuster's app, each for one adjuster. */
export interface AppReads {
  adjuster(svcId: Svcid): Promise<Adjuster | null>;
  /** Oldest first. */
  passkeys(svcId: Svcid): Promise<Passkey[]>;
  /** Sessions that have not ended at `now`, latest use first. */
  sessions(svcId: Svcid, now: Instant): Promise<Session[]>;
  /** Active memberships, ordered by `firstKnownAt`. */
  memberships(svcId: Svcid): Promise<FirmMembershipView[]>;
  /** Pending at `now`; ordered by `invitedAt`, then firm id. */
  invitations(svcId: Svcid, now: Instant, page: PageRequest): Promise<Page<InvitationView>>;
  /** Ordered by `offeredAt`, oldest first, then id. With `since`: only those that the firm or the adjuster changed then or later. */
  claims(svcId: Svcid, list: AppClaimList, page: PageRequest, since?: Instant): Promise<Page<AppClaimView>>;
  /** Ids of all claims in the list, in its order. */
  claimIds(svcId: Svcid, list: AppClaimList): Promise<ClaimId[]>;
  /** Null unless the adjuster may read it, by `isReadableBy`. */
  claim(svcId: Svcid, id: ClaimId): Promise<AppClaimView | null>;
  /**
   * For each adjuster a string that changes with every change to their lists, and with their own edits of claims, profile
   * and availability. Cheap: called every few seconds for all adjusters with the app open.
   */
  revisions(svcIds: readonly Svcid[]): Promise<ReadonlyMap<Svcid, string>>;
}

/** The current permissions and limits of a key. */
export interface KeyGrant {
  readonly keyId: KeyId;
  readonly firmId: FirmId;
  readonly firmName: string;
  readonly environment: Environment;
  readonly purpose: Purpose;
  readonly plan: Plan;
  readonly limits: LimitOverrides;
  readonly expiresAt: Instant | null;
  readonly revokedAt: Instant | null;
}

export interface CredentialStore {
  /** Null when no key of a firm that is not erased has this hash. Also returns revoked and expired keys, which the caller must check. */
  keyByHash(secretHash: string): Promise<KeyGrant | null>;
  sessionByHash(tokenHash: string): Promise<Omit<Session, 'tokenHash' | 'deviceName' | 'createdAt'> | null>;
  /** Those of the tokens whose sessions have not ended; one statement for all open streams of a process. */
  openSessions(tokenHashes: readonly string[], now: Instant): Promise<ReadonlySet<string>>;
  /** A number that changes with every change to a key, a plan or a firm's limits. */
  version(): Promise<string>;
  /** Stores when keys and sessions were last used; in batches, outside of requests. */
  recordUse(use: {
    keys: ReadonlyMap<KeyId, Instant>;
    sessions: ReadonlyMap<string, Instant>;
  }): Promise<void>;
}

/** Reads for the operator. */
/** A job about a claim that has not succeeded yet. */
export interface ClaimJob {
  readonly kind: JobKind;
  readonly runAt: Instant;
  readonly attempts: number;
  /** No attempt is left. */
  readonly failed: boolean;
}

export interface OperatorReads {
  latestRestamp(): Promise<FeedRestamp | null>;
  firms(): Promise<Firm[]>;
  firm(id: FirmId): Promise<Firm | null>;
  testAccounts(firmId: FirmId): Promise<Adjuster[]>;
  keys(firmId: FirmId): Promise<ApiKey[]>;
  claim(
    id: ClaimId,
  ): Promise<(AppClaimView & { readonly externalId: string; readonly claimNumber: string }) | null>;
  /** By the time of their next attempt. */
  jobsOfClaim(id: ClaimId): Promise<ClaimJob[]>;
}

/** What a notification of an offer names and depends on. */
export interface AssignmentState {
  readonly firmName: string;
  readonly status: AssignmentStatus;
  readonly adjuster: Svcid | null;
}

/** Reads for jobs. */
export interface JobReads {
  firmName(firmId: FirmId): Promise<string | null>;
  assignment(firmId: FirmId, claimId: ClaimId): Promise<AssignmentState | null>;
  /** Those whose session has not ended at `now`; ordered by id. */
  devices(svcId: Svcid, now: Instant): Promise<RegisteredDevice[]>;
  /** Ordered by event, then kind. */
  deadlineOverrides(): Promise<DeadlineOverride[]>;
}
