import { ApiError, NetworkError } from '../model/api-error.ts';

export { ApiError, NetworkError, needsSignIn } from '../model/api-error.ts';

/** The base path of the app's files and API; the page itself is at `/app`. */
export const ROOT = `${location.pathname.replace(/\/app(\/.*)?$/, '')}/app/`;

const TIMEOUT_MS = 20_000;

/** How far the device's clock is behind the service's; smaller differences are due to the network. */
let clockOffsetMs = 0;
const MIN_CLOCK_OFFSET_MS = 5000;
export const serviceNow = (): number => Date.now() + clockOffsetMs;

export type Call = typeof call;

export async function call<T = void>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<T> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(ROOT + path, {
      method,
      // Protects against cross-site request forgery: other sites cannot set this header.
      headers: {
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
      return (text === '' ? undefined : JSON.parse(text)) as T;
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
  const ms = /^\d+$/.test(header ?? '') ? Number(header) * 1000 : Date.parse(header ?? '') - serviceNow();
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0);
}

function errorIn(status: number, text: string): Error {
  try {
    const { code, errors = [] } = JSON.parse(text) as { code?: unknown; errors?: { pointer?: string }[] };
    return new ApiError(
      status,
      String(code),
      errors.flatMap(({ pointer }) => pointer?.slice(1) ?? []),
    );
  } catch {
    // From a proxy: the service's errors are JSON.
    return status === 401 ? new ApiError(status, 'unknown') : new NetworkError('service');
  }
}

export interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
  /** All items of the list, on the first page of a request for its changes. */
  readonly ids?: readonly string[];
}

const PAGE_ITEMS = 200;

/** Reads all pages of the changes of a list, and the ids of all its items. `path` ends in `?` or `&`. */
export async function listChanges<T>(path: string): Promise<{ items: T[]; ids: readonly string[] }> {
  const items: T[] = [];
  let ids: readonly string[] = [];
  let cursor: string | null = null;
  do {
    const after = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Page<T> = await call('GET', `${path}limit=${PAGE_ITEMS}${after}`);
    items.push(...page.data);
    ids = page.ids ?? ids;
    cursor = page.next_cursor;
  } while (cursor !== null);
  return { items, ids };
}

/** Reads all pages of a list. */
export const listAll = async <T>(path: string): Promise<T[]> => (await listChanges<T>(path)).items;
