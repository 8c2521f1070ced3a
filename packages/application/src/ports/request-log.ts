import { DAY, type FirmId, type Instant, type KeyId } from '@svc/domain';

/** What support may know of a request: what was asked and how it ended, nothing of what was sent. */
export interface LoggedRequest {
  readonly requestId: string;
  readonly at: Instant;
  readonly firmId: FirmId;
  readonly keyId: KeyId;
  /** Method and template of the path. */
  readonly route: string;
  /** Null: the client hung up before it was answered. */
  readonly status: number | null;
  readonly code: string | null;
  /** Where a refused request was wrong: names of fields, parameters and headers, never their values. */
  readonly places: readonly string[];
  readonly durationMs: number;
}

export interface RequestLogQuery {
  readonly requestId?: string | undefined;
  readonly limit: number;
}

export interface RequestLogStore {
  /** What is there already, by firm and request id, is left as it is: a batch may be written again. */
  append(requests: readonly LoggedRequest[]): Promise<void>;
  /** A firm's own requests, latest first. */
  requestsOf(firmId: FirmId, query: RequestLogQuery): Promise<LoggedRequest[]>;
}

/** How long support can look back, in milliseconds. */
export const REQUEST_LOG_KEPT = 14 * DAY;
