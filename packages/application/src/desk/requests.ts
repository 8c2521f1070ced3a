import type { FirmId, Instant, KeyId } from '@svc/domain';
import type { LoggedRequest } from '../model/logged-request.ts';
import type { KeysetPosition, Page, PageRequest } from '../model/page.ts';
import type { RequestLogStore } from '../ports/request-log.ts';

export interface RequestFilter {
  readonly keyId?: KeyId | undefined;
  /** Of the error. */
  readonly code?: string | undefined;
  /** The start of the path template. */
  readonly path?: string | undefined;
  readonly since?: Instant | undefined;
  readonly requestId?: string | undefined;
}

/** Elements of the log that one page may read: each has up to twenty requests, and takes some microseconds. */
const MAX_ELEMENTS = 1000;
const ELEMENTS_AT_ONCE = 100;
/** Of what the position in the log does not depend on. */
const UNKNOWN = { keyId: '' as KeyId, route: '', status: null, code: null, places: [], durationMs: 0 };

const matches = (
  { keyId, code, route, at }: LoggedRequest,
  { keyId: key, code: wanted, path, since }: RequestFilter,
): boolean =>
  (key === undefined || keyId === key) &&
  (wanted === undefined || code === wanted) &&
  (path === undefined || route.slice(route.indexOf(' ') + 1).startsWith(path)) &&
  (since === undefined || at >= since);

/**
 * A firm's requests of the last two weeks, latest first within each second or so. A page ends after a number of requests
 * were read, so one without a match can have a next page.
 */
export const makeListRequests =
  ({ requestLog }: { readonly requestLog: Pick<RequestLogStore, 'pageOf' | 'requestsOf'> }) =>
  async (firmId: FirmId, filter: RequestFilter, page: PageRequest): Promise<Page<LoggedRequest>> => {
    if (filter.requestId !== undefined) {
      const found = await requestLog.requestsOf(firmId, { requestId: filter.requestId, limit: 1 });
      return { rows: found.filter((request) => matches(request, filter)), next: null };
    }
    const rows: LoggedRequest[] = [];
    const pageOf = (next: KeysetPosition | null): Page<LoggedRequest> => ({ rows, next });
    let after: KeysetPosition | null = page.after;
    for (let read = 0; read < MAX_ELEMENTS; read += ELEMENTS_AT_ONCE) {
      const from: LoggedRequest | null = after && { ...UNKNOWN, firmId, at: after.at, requestId: after.id };
      const elements = await requestLog.pageOf(firmId, from, ELEMENTS_AT_ONCE);
      for (const requests of elements) {
        const [latest] = requests;
        if (filter.since !== undefined && latest.at < filter.since) return pageOf(null);
        const found = requests.filter((request) => matches(request, filter));
        if (rows.length + found.length > page.limit) return pageOf(after);
        rows.push(...found);
        after = { at: latest.at, id: latest.requestId };
      }
      if (elements.length < ELEMENTS_AT_ONCE) return pageOf(null);
    }
    return pageOf(after);
  };
