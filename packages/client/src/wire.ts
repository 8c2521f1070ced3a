import type { ApiPromise } from './api-promise.ts';
import type { AssignmentStatus, InviteAdjusterRequest, SendClaimRequest } from './generated.ts';

export type * from './generated.ts';

/** The argument of `claims.send`. */
export type NewClaim = SendClaimRequest;
/** The argument of `adjusters.invite`. */
export type Invitation = InviteAdjusterRequest;

/** A page of a list. */
export interface ListPage<Item> {
  /** The items of this page, in order. */
  readonly items: readonly Item[];
  /** Send it as cursor to get the next page; null on the last page. */
  readonly next_cursor: string | null;
  readonly hasNextPage: boolean;
  /** The next page, with the same filters and options. @throws TypeError on the last page. */
  getNextPage(): ApiPromise<ListPage<Item>>;
}

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
