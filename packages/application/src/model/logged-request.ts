import { type ClaimId, DAY, type Environment, type FirmId, type Instant, type KeyId } from '@svc/domain';

/** The page of changes in a successful response. */
export interface ReadPage {
  /** `updated_since` of the request; null without one. */
  readonly since: Instant | null;
  /** Null: from the first change. */
  readonly from: Instant | null;
  /** Of the last claim; null for an empty page. */
  readonly to: Instant | null;
  /** Hash of `next_cursor`; null on the last page. */
  readonly next: string | null;
  /** By status or external id, so it does not have all changes. */
  readonly isFiltered: boolean;
}

/** How the program behaves that sends a request with a test key: short hashes, ids and times, nothing that was sent. */
export interface ClientBehavior {
  /** Method and path template, also where `route` says that a fault was simulated. */
  readonly operation: string;
  /** Hash of the Idempotency-Key. */
  readonly idempotencyKey?: string;
  /** Hash of what a write is about: the external id, or the claim and its adjuster. Absent if no body was read. */
  readonly subject?: string;
  readonly claimId?: ClaimId;
  /** In the response. */
  readonly retryAfterMs?: number;
  /** Hash of the cursor in the request. */
  readonly cursor?: string;
  readonly page?: ReadPage;
  /** A simulated value that clients do not know: in the response, or sent back in a later request. */
  readonly unknownValue?: 'received' | 'sent';
}

/** Without anything that was sent: texts that repeat a value have a mark in its place. */
export interface LoggedProblem {
  /** Absent: that of the code. */
  readonly detail?: string;
  /** Of each place, in their order; the first ones alone where there are many. */
  readonly ofPlaces?: readonly string[];
  /** Of `duplicate_claim`. */
  readonly existingClaimId?: string;
}

/** What support can see of a request: route and result, no content. */
export interface LoggedRequest {
  readonly requestId: string;
  readonly at: Instant;
  readonly firmId: FirmId;
  readonly keyId: KeyId;
  /** Of the key. */
  readonly environment: Environment;
  /** Method and path template. */
  readonly route: string;
  /** Null: the client disconnected before the response. */
  readonly status: number | null;
  readonly code: string | null;
  /** Locations of validation errors: names of fields, parameters and headers, never their values. */
  readonly places: readonly string[];
  readonly durationMs: number;
  /** What the error said besides its code; absent where that is what every such error says. */
  readonly problem?: LoggedProblem;
  /** With test keys only, outside the sandbox. */
  readonly behavior?: ClientBehavior;
}

/** Requests are sorted by time, then id. */
export type RequestPosition = Pick<LoggedRequest, 'at' | 'requestId'>;

/** Requests of a firm and environment that are stored together. The first is the latest. */
export type LoggedRequests = readonly [LoggedRequest, ...LoggedRequest[]];

/** What one key has sent in a period. */
export interface KeyTraffic {
  readonly firmId: FirmId;
  readonly keyId: KeyId;
  readonly requests: number;
  /** With 429. */
  readonly limited: number;
  /** With 5xx. */
  readonly failed: number;
}

/** Responses with 429, by key and day. */
export interface LimitedRequests {
  /** `day`: number of the UTC day since 1970. */
  readonly counts: readonly (Pick<LoggedRequest, 'keyId' | 'environment'> & {
    readonly day: number;
    readonly count: number;
  })[];
  /** Since when they are counted. */
  readonly since: Instant;
}

/** For sorting; requests of the same time by id. */
export function latestRequestFirst(one: RequestPosition, other: RequestPosition): number {
  if (one.at !== other.at) return other.at - one.at;
  return Number(one.requestId < other.requestId) - Number(one.requestId > other.requestId);
}

/** Retention in milliseconds. */
export const REQUEST_LOG_RETENTION_MS = 14 * DAY;
