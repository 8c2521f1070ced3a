import { ApiError, NetworkError } from './api-error.ts';
import { type RequestParts, requestOf } from './endpoints.ts';

const TIMEOUT_MS = 20_000;
/** Smaller differences of the clocks are due to the network. */
const MIN_CLOCK_OFFSET_MS = 5000;

export interface Api<SendCall> {
  readonly call: SendCall;
  /** The service's time, from its last response. */
  now(): number;
}

/**
 * @param root the base path of the app's files and API
 * @param routes the operations below it, by id, as `METHOD path`
 */
export function createApi<SendCall>(root: string, routes: Readonly<Record<string, string>>): Api<SendCall> {
  /** How far the device's clock is behind the service's. */
  let clockOffsetMs = 0;
  const now = (): number => Date.now() + clockOffsetMs;

  async function send(id: string, parts?: RequestParts): Promise<unknown> {
    const { method, path, body } = requestOf(routes[id] ?? '', parts);
    let response: Response;
    let text: string;
    try {
      response = await fetch(root + path, {
        method,
        // Protects against cross-site request forgery: other sites cannot set this header.
        headers: {
          ...parts?.headers,
          'X-Claims-Page': '1',
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        cache: 'no-store',
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      text = await response.text();
    } catch (error) {
      throw new NetworkError(
        error instanceof DOMException && error.name === 'TimeoutError' ? 'timeout' : 'connection',
      );
    }
    const date = Date.parse(response.headers.get('date') ?? '');
    if (!Number.isNaN(date)) {
      const offsetMs = date - Date.now();
      clockOffsetMs = Math.abs(offsetMs) > MIN_CLOCK_OFFSET_MS ? offsetMs : 0;
    }
    if (response.ok) {
      try {
        return text === '' ? undefined : JSON.parse(text);
      } catch {
        throw new NetworkError(); // the sign-in page of a captive portal
      }
    }
    if (response.status === 429 || response.status >= 500)
      throw new NetworkError('service', retryAfterMs(response.headers.get('retry-after')));
    throw errorIn(response.status, text);
  }

  /** Seconds, or an HTTP date. */
  function retryAfterMs(header: string | null): number | undefined {
    const ms = /^\d+$/.test(header ?? '') ? Number(header) * 1000 : Date.parse(header ?? '') - now();
    return Number.isNaN(ms) ? undefined : Math.max(ms, 0);
  }

  // Responses are not validated here: a claim of another shape is found by `isClaim`.
  return { call: send as SendCall, now };
}

function errorIn(status: number, text: string): Error {
  try {
    const {
      code,
      detail,
      errors = [],
    } = JSON.parse(text) as {
      code?: unknown;
      detail?: string;
      errors?: { pointer?: string; detail?: string }[];
    };
    return new ApiError(
      status,
      String(code),
      errors.flatMap(({ pointer }) => pointer?.slice(1) ?? []),
      errors[0]?.detail ?? detail,
    );
  } catch {
    // From a proxy: the service's errors are JSON.
    return status === 401 ? new ApiError(status, 'unknown') : new NetworkError('service');
  }
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
