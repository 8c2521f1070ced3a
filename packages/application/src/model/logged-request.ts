import { DAY, type FirmId, type Instant, type KeyId } from '@svc/domain';

/** What support can see of a request: route and result, no content. */
export interface LoggedRequest {
  readonly requestId: string;
  readonly at: Instant;
  readonly firmId: FirmId;
  readonly keyId: KeyId;
  /** Method and path template. */
  readonly route: string;
  /** Null: the client disconnected before the response. */
  readonly status: number | null;
  readonly code: string | null;
  /** Locations of validation errors: names of fields, parameters and headers, never their values. */
  readonly places: readonly string[];
  readonly durationMs: number;
}

/** Requests of a firm that are stored together. The first is the latest. */
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

/** For sorting; requests of the same time by id. */
export function latestRequestFirst(one: LoggedRequest, other: LoggedRequest): number {
  if (one.at !== other.at) return other.at - one.at;
  return Number(one.requestId < other.requestId) - Number(one.requestId > other.requestId);
}

/** Retention in milliseconds. */
export const REQUEST_LOG_RETENTION_MS = 14 * DAY;
