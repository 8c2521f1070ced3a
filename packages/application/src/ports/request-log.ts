import type { FirmId, Instant } from '@svc/domain';
import type {
  KeyTraffic,
  LimitedRequests,
  LoggedRequest,
  LoggedRequests,
  RequestPosition,
} from '../model/logged-request.ts';
import type { NextPiece } from '../model/next-piece.ts';

export interface RequestLogStore {
  /** Stores nothing twice if exactly the same requests are appended again. */
  append(requests: readonly LoggedRequest[]): Promise<void>;
  /** A firm's requests, latest first. */
  requestsOf(
    firmId: FirmId,
    query: { readonly requestId?: string | undefined; readonly limit: number },
  ): Promise<LoggedRequest[]>;
  /** The latest requests with a behavior since a time, latest first. Read in pieces. */
  behaviorOf(firmId: FirmId, since: Instant, limit: number, nextPiece?: NextPiece): Promise<LoggedRequest[]>;
  /** A firm's responses with 429 since a time, or of the latest `maxElements` elements with one. */
  limitedOf(firmId: FirmId, since: Instant, maxElements: number): Promise<LimitedRequests>;
  /** A firm's whole log in pages of `limit` elements. `after` is the first request of the last element read. */
  pageOf(firmId: FirmId, after: RequestPosition | null, limit: number): Promise<LoggedRequests[]>;
  /** The keys of all firms with the most requests since a time, in this order. */
  busiestKeys(since: Instant, limit: number): Promise<KeyTraffic[]>;
}
