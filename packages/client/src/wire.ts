import type {
  AdjusterRecord,
  ClaimResponse,
  AssignmentStatus as ContractAssignmentStatus,
  ErrorCode as ContractErrorCode,
  Page as ContractPage,
  InviteAdjusterBody,
  KeyInfo as KeyInfoResponse,
  Open,
  SendClaimBody,
} from '@svc/contract';

// Only types come from the contract: its schemas, and the library they are written in, stay out of this package.

/** A claim as it was sent, with its id and where the latest offer stands. */
export type Claim = ClaimResponse;
/** What `claims.send` takes. */
export type NewClaim = SendClaimBody;
export type Adjuster = AdjusterRecord;
/** What `adjusters.invite` takes. */
export type Invitation = InviteAdjusterBody;
export type KeyInfo = KeyInfoResponse;
export type Page<Item> = ContractPage<Item>;
/** The codes of today; tomorrow's are text as well. */
export type ErrorCode = Open<ContractErrorCode>;
export type AssignmentStatus = Open<ContractAssignmentStatus>;

export interface PageOptions {
  /** Items a page, 1 to 200. A list is read to its end whatever the size of its pages. */
  readonly limit?: number | undefined;
  /** Where to begin: a `next_cursor` of earlier, which goes with the filters of earlier. */
  readonly cursor?: string | undefined;
}

export interface ClaimFilters extends PageOptions {
  /** Only claims that changed at or after this time. */
  readonly updated_since?: string | Date | undefined;
  readonly assignment_status?: AssignmentStatus | undefined;
  readonly external_id?: string | undefined;
}
