/** The base path of the app's files and API; the page itself is at `/app`. */
export const ROOT = `${location.pathname.replace(/\/app(\/.*)?$/, '')}/app/`;

/**
 * There is no network, or the service is unavailable: the same request can be sent again later. It also stands for 429.
 */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
}

/** An error response of the service. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    readonly status: number,
    readonly code: string,
    /** The fields of the body that are invalid. */
    readonly fields: readonly string[] = [],
  ) {
    super(code);
  }
}

/** The session is over, or a passkey must verify it: after that, the same request can be sent again. */
export const needsSignIn = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.status === 401 || error.code === 'passkey_required');

const TIMEOUT_MS = 20_000;

/** How far the device's clock is behind the service's; smaller differences are due to the network. */
let clockOffsetMs = 0;
const MIN_CLOCK_OFFSET_MS = 5000;
export const serviceNow = (): number => Date.now() + clockOffsetMs;

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
  } catch {
    throw new NetworkError();
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
  if (response.status === 429 || response.status >= 500) throw new NetworkError();
  throw errorIn(response.status, text);
}

function errorIn(status: number, text: string): ApiError {
  try {
    const { code, errors = [] } = JSON.parse(text) as { code?: unknown; errors?: { pointer?: string }[] };
    return new ApiError(
      status,
      String(code),
      errors.flatMap(({ pointer }) => pointer?.slice(1) ?? []),
    );
  } catch {
    return new ApiError(status, 'unknown');
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
