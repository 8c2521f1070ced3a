import { type Environment, existing, type FirmId, type Instant, type KeyId } from '@svc/domain';
import { type LoggedRequest, latestRequestFirst, type RequestPosition } from '../model/logged-request.ts';
import { AT_ONCE, mayReadOn, type NextPiece } from '../model/next-piece.ts';
import { FIRST_POSITION, type KeysetPosition, type Page, type PageRequest } from '../model/page.ts';
import { createPageFit } from '../model/page-size.ts';
import type { RequestLogStore } from '../ports/request-log.ts';

export interface RequestFilter {
  readonly keyId?: KeyId | undefined;
  readonly environment?: Environment | undefined;
  /** Of the error. */
  readonly code?: string | undefined;
  /** Only responses with a status of an error. */
  readonly errorsOnly?: boolean | undefined;
  /** The start of the path: a template or a real one, with or without the method. */
  readonly path?: string | undefined;
  readonly since?: Instant | undefined;
  readonly requestId?: string | undefined;
}

/** Elements of the log that one page may read: each has up to twenty requests, and takes some microseconds. */
const MAX_ELEMENTS = 1000;
/** A piece. */
const ELEMENTS_AT_ONCE = 25;

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether the route starts with a path as somebody has it: a template or a real path, after the method, or a whole URL. */
function startsWith({ route, behavior }: LoggedRequest, typed: string): boolean {
  const [method = '', template = ''] = route.split(' ');
  const [, wantedMethod, wanted = ''] =
    /^(?:([A-Za-z]+) +)?(?:https?:\/\/[^/]*)?([^?]*)/.exec(typed.trim()) ?? [];
  if (wantedMethod !== undefined && wantedMethod.toUpperCase() !== method) return false;
  const [parts, wantedParts] = [template.split('/'), wanted.split('/')];
  return (
    wantedParts.length <= parts.length &&
    wantedParts.every((part, n) => {
      const own = parts[n] ?? '';
      const isLast = n === wantedParts.length - 1;
      if (!own.startsWith('{')) return isLast ? own.startsWith(part) : own === part;
      // With a live key, the log does not have the claim.
      const claimId = own === '{id}' ? behavior?.claimId : undefined;
      return (
        (part !== '' || isLast) &&
        (claimId === undefined || !ID.test(part.toLowerCase()) || part.toLowerCase() === claimId)
      );
    })
  );
}

const matches = (
  request: LoggedRequest,
  { errorsOnly = false, path, since, ...only }: RequestFilter,
): boolean => {
  const { keyId, environment, code, status, at } = request;
  return (
    (only.keyId === undefined || keyId === only.keyId) &&
    (only.environment === undefined || environment === only.environment) &&
    (only.code === undefined || code === only.code) &&
    (!errorsOnly || (status !== null && status >= 400)) &&
    (path === undefined || startsWith(request, path)) &&
    (since === undefined || at >= since)
  );
};

/**
 * A firm's requests of the last two weeks, latest first within each second or so. A page ends after a number of requests
 * were read, so one without a match can have a next page. A position is an element, by its latest request, and how many of
 * its requests were read.
 */
export const makeListRequests =
  ({ requestLog }: { readonly requestLog: Pick<RequestLogStore, 'pageOf' | 'requestsOf'> }) =>
  async (
    firmId: FirmId,
    filter: RequestFilter,
    page: PageRequest,
    nextPiece: NextPiece = AT_ONCE,
  ): Promise<Page<LoggedRequest>> => {
    if (filter.requestId !== undefined) {
      const found = await requestLog.requestsOf(firmId, { requestId: filter.requestId, limit: 1 });
      return { rows: found.filter((request) => matches(request, filter)), next: null };
    }
    const rows: LoggedRequest[] = [];
    const fits = createPageFit(page);
    const [startId = '', startCount] = page.after?.id.split('_') ?? [];
    const start = page.after && { at: page.after.at, requestId: startId };
    // Before the element of the position, which may have more requests.
    let after: RequestPosition | null = start && { at: start.at + 1, requestId: FIRST_POSITION.id };
    let next: KeysetPosition | null = page.after;
    for (let read = 0; await mayReadOn(nextPiece, read, MAX_ELEMENTS); read += ELEMENTS_AT_ONCE) {
      const elements = await requestLog.pageOf(firmId, after, ELEMENTS_AT_ONCE);
      for (const requests of elements) {
        const [latest] = requests;
        after = latest;
        if (filter.since !== undefined && latest.at < filter.since) return { rows, next: null };
        const order = start === null ? 1 : latestRequestFirst(latest, start);
        if (order < 0) continue;
        for (const [index, request] of requests.entries()) {
          if ((order === 0 && index < Number(startCount)) || !matches(request, filter)) continue;
          if (!fits(JSON.stringify(request).length))
            return { rows, next: { at: latest.at, id: `${latest.requestId}_${index}` } };
          rows.push(request);
        }
        next = { at: latest.at, id: `${latest.requestId}_${requests.length}` };
      }
      if (elements.length < ELEMENTS_AT_ONCE) return { rows, next: null };
    }
    return { rows, next };
  };

export const makeReadRequest =
  ({ requestLog }: { readonly requestLog: Pick<RequestLogStore, 'requestsOf'> }) =>
  async (firmId: FirmId, requestId: string): Promise<LoggedRequest> => {
    const [request] = await requestLog.requestsOf(firmId, { requestId, limit: 1 });
    return existing(request, 'No request of your firm in the last 14 days has this id.');
  };
