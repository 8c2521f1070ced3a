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

export interface RequestLogQuery {
  readonly requestId?: string | undefined;
  readonly limit: number;
}

/** Requests of a firm that share a row. The first is the latest. */
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

export interface RequestLogStore {
  /** Stores nothing twice if exactly the same rows are appended again. */
  append(rows: readonly LoggedRequests[]): Promise<void>;
  /** A firm's requests, latest first. */
  requestsOf(firmId: FirmId, query: RequestLogQuery): Promise<LoggedRequest[]>;
  /** A firm's whole log in pages of `limit` elements. `after` is the first request of the last element read. */
  pageOf(firmId: FirmId, after: LoggedRequest | null, limit: number): Promise<LoggedRequests[]>;
  /** The keys of all firms with the most requests since a time, in this order. */
  busiestKeys(since: Instant, limit: number): Promise<KeyTraffic[]>;
}

/** For sorting; requests of the same time by id. */
export function latestRequestFirst(one: LoggedRequest, other: LoggedRequest): number {
  if (one.at !== other.at) return other.at - one.at;
  return Number(one.requestId < other.requestId) - Number(one.requestId > other.requestId);
}

/** Retention in milliseconds. */
export const REQUEST_LOG_RETENTION_MS = 14 * DAY;
