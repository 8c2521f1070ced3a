import type {
  AuditEvent,
  KeyedRequest,
  OfferEnd,
  OfferedClaim,
  OfferRequest,
  QueuedJob,
  SendFacts,
  SendRequest,
} from '@svc/application';
import type { Claim, ClaimId, Instant, Membership, Svcid } from '@svc/domain';
import type { WhenLocked } from './claims/groups.ts';
import type { TransactionExecutor } from './driver/executor.ts';
import type { NewAuditRow } from './stores/audit-rows.ts';

/** To send a claim, or to offer one that exists. */
export type FactsRequest = KeyedRequest & { readonly adjuster: Svcid } & Partial<
    Pick<SendRequest, 'externalId' | 'claimNumber'> & Pick<OfferRequest, 'claimId'>
  >;

export interface Facts extends Pick<SendFacts, 'duplicate' | 'adjuster'> {
  /** What the Idempotency-Key was used for. */
  readonly bound: { readonly fingerprint: string; readonly claimId: ClaimId } | null;
}

/** The claim before it is offered again. */
export interface EndedOffer {
  readonly claim: Claim;
  readonly end: OfferEnd;
}

/** What a request writes: the claim as it becomes, and the key that is bound to it. */
export interface Decided {
  readonly claim: Claim;
  readonly jobs: readonly QueuedJob[];
  readonly event: AuditEvent;
  readonly request?: KeyedRequest;
  /** The offer that this one follows. */
  readonly ended?: EndedOffer;
}

/** An adjuster and a claim. */
export interface ClaimResponse {
  readonly svcId: Svcid;
  readonly id: ClaimId;
}

/** What one transaction of `ClaimWrites` reads and writes, in the order of the calls. */
export interface ClaimStatements {
  /** Shared locks, in the order of the requests. */
  lockMemberships(requests: readonly FactsRequest[], whenLocked: WhenLocked): Promise<(Membership | null)[]>;
  /** Of requests that offer a claim, in their order. */
  lockClaims(requests: readonly FactsRequest[], whenLocked: WhenLocked): Promise<(Claim | null)[]>;
  /** In the order of the requests. */
  facts(requests: readonly FactsRequest[]): Promise<Facts[]>;
  /** The lock on the account lets one sender at a time count and add an offer. */
  lockAndCountPending(svcId: Svcid): Promise<number>;
  /** Those of the claims whose latest offer is to the adjuster, with a shared lock on the membership. */
  lockOffered(responses: readonly ClaimResponse[], whenLocked: WhenLocked): Promise<OfferedClaim[]>;
  /** Adds claims with all that is written with them, and commits. @returns the timestamp of each. */
  add(decided: readonly Decided[]): Promise<ReadonlyMap<ClaimId, Instant>>;
  /** As `add`, for the assignments of claims that are locked. */
  save(decided: readonly Decided[], whenLocked: WhenLocked): Promise<ReadonlyMap<ClaimId, Instant>>;
}

/** Statements that differ where the tables of firms are distributed over several servers. */
export interface FirmStatements extends ClaimStatements {
  /** Assignment and work of a claim that is locked, without a commit. @returns its timestamp; null: no such claim. */
  saveOne(claim: Claim): Promise<Instant | null>;
  /** Appends to the chain of a firm, whose lock is held until the commit. */
  appendRow(row: NewAuditRow): Promise<void>;
  /**
   * Appends to the chains that no other transaction has locked. Each chain occurs once in `rows`.
   *
   * @returns the rows not appended: chains locked by others, and firms without a row in firm_feeds.
   */
  appendToAvailableChains(rows: readonly NewAuditRow[]): Promise<NewAuditRow[]>;
}

export type StatementsOn = (executor: TransactionExecutor) => FirmStatements;
