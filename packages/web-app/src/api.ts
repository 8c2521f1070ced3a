import { ApiError, NetworkError } from './api-error.ts';
import type { KeyValue } from './choices.ts';
import { isResponseOf, type RequestParts, requestOf } from './endpoints.ts';

const TIMEOUT_MS = 20_000;
/** Smaller differences of the clocks are due to the network. */
const MIN_CLOCK_OFFSET_MS = 5000;
const CLOCK_OFFSET = 'clockOffsetMs';
/** Far above any response of the service. */
const MAX_RESPONSE_CHARACTERS = 32 * 1024 * 1024;

export interface Api<SendCall> {
  readonly call: SendCall;
  /** The service's time, from its last response. */
  now(): number;
  /** False before the first response: the device's clock may have been set since the last visit. */
  isTimeKnown(): boolean;
}

/**
 * @param root the base path of the app's files and API
 * @param routes the operations below it, by id, as `routesOf` has them
 * @param stored keeps the offset of the device's clock for starts without a network
 * @param shownFirm the firm that the page shows, which the service compares with that of the session
 */
export function createApi<SendCall>(
  root: string,
  routes: Readonly<Record<string, string>>,
  shownFirm: () => string | undefined = () => undefined,
  stored?: KeyValue,
): Api<SendCall> & { pageHeader(): Readonly<Record<'X-Claims-Page', string>> } {
  /** How far the device's clock is behind the service's. */
  let clockOffsetMs = Number(stored?.read(CLOCK_OFFSET) ?? 0) || 0;
  const now = (): number => Date.now() + clockOffsetMs;
  let isTimeKnown = false;

  /** Protects against cross-site request forgery: other sites cannot set it. */
  const pageHeader = () => ({ 'X-Claims-Page': shownFirm() ?? '1' });

  async function send(id: string, parts: RequestParts = {}): Promise<unknown> {
    const route = routes[id] ?? '';
    const { method, path, body } = requestOf(route, parts);
    let response: Response;
    let text: string;
    try {
      response = await fetch(root + path, {
        method,
        headers: {
          ...parts.headers,
          ...pageHeader(),
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        cache: 'no-store',
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      text = await textOf(response);
    } catch (error) {
      throw new NetworkError(
        error instanceof DOMException && error.name === 'TimeoutError' ? 'timeout' : 'connection',
      );
    }
    const { status, headers } = response;
    const date = Date.parse(headers.get('date') ?? '');
    if (status === 429 || status >= 500) {
      const serviceNow = Number.isNaN(date) ? now() : date;
      throw new NetworkError('service', retryAfterMs(headers.get('retry-after'), serviceNow));
    }
    const found = parsed(text);
    const problem = response.ok ? undefined : problemIn(status, found);
    if (response.ok ? !isResponseOf(route, parts, status, found) : problem === undefined) {
      if (status === 401) throw new ApiError(status, 'unknown');
      // From a proxy, or the sign-in page of a network.
      throw new NetworkError(response.ok ? 'connection' : 'service');
    }
    if (!Number.isNaN(date)) {
      const offsetMs = date - Date.now();
      const knownMs = Math.abs(offsetMs) > MIN_CLOCK_OFFSET_MS ? offsetMs : 0;
      if (Math.abs(knownMs - clockOffsetMs) > MIN_CLOCK_OFFSET_MS)
        stored?.write(CLOCK_OFFSET, String(knownMs));
      clockOffsetMs = knownMs;
      isTimeKnown = true;
    }
    if (problem !== undefined) throw problem;
    return found;
  }

  // Beyond that, responses are not validated: a claim of another shape is found by `isClaim`.
  return { call: send as SendCall, pageHeader, now, isTimeKnown: () => isTimeKnown };
}

/** A page in place of JSON is not read: it may be long. */
async function textOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const isPage = /html/.test(response.headers.get('content-type') ?? '');
  const decoder = new TextDecoder();
  let text = '';
  while (!isPage && text.length <= MAX_RESPONSE_CHARACTERS) {
    const { done, value } = await reader.read();
    text += decoder.decode(value, { stream: !done });
    if (done) return text;
  }
  void reader.cancel().catch(() => {});
  return NOT_JSON;
}

const NOT_JSON = '<';

/** Undefined where there is no body; null where it is no JSON. */
function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return null;
  }
}

/** Seconds, or an HTTP date. */
function retryAfterMs(header: string | null, now: number): number | undefined {
  const ms = /^\d+$/.test(header ?? '') ? Number(header) * 1000 : Date.parse(header ?? '') - now;
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0);
}

/** The error that the service has sent; undefined where something else has. */
function problemIn(status: number, body: unknown): ApiError | undefined {
  const problem = (body ?? {}) as {
    readonly status?: unknown;
    readonly code?: unknown;
    readonly detail?: string;
    readonly errors?: readonly { readonly pointer?: string; readonly detail?: string }[];
  };
  const { code, detail, errors = [] } = problem;
  if (typeof code !== 'string' || problem.status !== status || !Array.isArray(errors)) return undefined;
  return new ApiError(
    status,
    code,
    errors.flatMap(({ pointer }) => pointer?.slice(1) ?? []),
    errors[0]?.detail ?? detail,
  );
}

/** All pages of a list, and the ids of all its items where it is read by difference. */
export async function readPages<T>(
  read: (cursor: string | undefined) => Promise<{
    readonly data: readonly T[];
    readonly next_cursor: string | null;
    readonly ids?: readonly string[] | undefined;
  }>,
): Promise<{ items: T[]; ids: readonly string[] }> {
  const items: T[] = [];
  let ids: readonly string[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await read(cursor ?? undefined);
    items.push(...page.data);
    ids = page.ids ?? ids;
    cursor = page.next_cursor;
  } while (cursor !== null);
  return { items, ids };
}
