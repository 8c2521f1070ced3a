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
  /** Only those that come after this one, latest first. */
  readonly after?: Pick<LoggedRequest, 'at' | 'requestId'> | undefined;
}

export interface RequestLogStore {
  /** Skips entries already stored (by firm and request id), so that a batch can be retried. */
  append(requests: readonly LoggedRequest[]): Promise<void>;
  /** A firm's requests, latest first. */
  requestsOf(firmId: FirmId, query: RequestLogQuery): Promise<LoggedRequest[]>;
}

/** Retention in milliseconds. */
export const REQUEST_LOG_RETENTION_MS = 14 * DAY;
