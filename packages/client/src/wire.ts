import type {
  AdjusterResponse,
  ClaimResponse,
  AssignmentStatus as ContractAssignmentStatus,
  ErrorCode as ContractErrorCode,
  Page as ContractPage,
  InviteAdjusterBody,
  KeyInfo as KeyInfoResponse,
  OpenEnum,
  SendClaimBody,
} from '@svc/contract';

// Only types are imported from the contract, so that its schemas and zod are not loaded.

/** A claim as it was sent, with its id and current assignment. */
export type Claim = ClaimResponse;
/** The argument of `claims.send`. */
export type NewClaim = SendClaimBody;
export type Adjuster = AdjusterResponse;
/** The argument of `adjusters.invite`. */
export type Invitation = InviteAdjusterBody;
export type KeyInfo = KeyInfoResponse;
export type Page<Item> = ContractPage<Item>;
/** Known codes; the service may add others. */
export type ErrorCode = OpenEnum<ContractErrorCode>;
export type AssignmentStatus = OpenEnum<ContractAssignmentStatus>;

export interface PageOptions {
  /** Items per page, 1 to 200. Iteration fetches all pages whatever their size. */
  readonly limit?: number | undefined;
  /** A `next_cursor` to continue from, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ClaimFilters extends PageOptions {
  /** Only claims that changed at or after this time. */
  readonly updated_since?: string | Date | undefined;
  readonly assignment_status?: AssignmentStatus | undefined;
  readonly external_id?: string | undefined;
}
