/** Where the host has put the app: the page is at `/app`, all else of it below. */
export const ROOT = `${location.pathname.replace(/\/app(\/.*)?$/, '')}/app/`;

/** There is no network, or nobody at its other end: the same request may be made again later. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** The service has answered, and the answer is no. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  constructor(
    readonly status: number,
    readonly code: string,
    /** The fields of the body that are wrong. */
    readonly fields: readonly string[] = [],
  ) {
    super(code);
  }
}

const PATIENCE_MS = 20_000;

/** How much later it is at the service than here, in milliseconds: phones' clocks are set by hand. */
let ahead = 0;
export const serviceNow = (): number => Date.now() + ahead;

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
      // No other site can make a browser send this, which is how the service knows the page from a forgery.
      headers: {
        'X-Claims-Page': '1',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      cache: 'no-store',
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    text = await response.text();
  } catch {
    throw new Unreachable();
  }
  const date = Date.parse(response.headers.get('date') ?? '');
  if (!Number.isNaN(date) && Math.abs(date - Date.now()) > 5000) ahead = date - Date.now();
  else if (!Number.isNaN(date)) ahead = 0;
  if (response.ok) {
    try {
      return (text === '' ? undefined : JSON.parse(text)) as T;
    } catch {
      throw new Unreachable(); // a hotel's own page, with everybody's best wishes
    }
  }
  if (response.status === 429 || response.status >= 500) throw new Unreachable();
  throw refusalIn(response.status, text);
}

function refusalIn(status: number, text: string): Refusal {
  try {
    const { code, errors = [] } = JSON.parse(text) as { code?: unknown; errors?: { pointer?: string }[] };
    return new Refusal(
      status,
      String(code),
      errors.flatMap(({ pointer }) => pointer?.slice(1) ?? []),
    );
  } catch {
    return new Refusal(status, 'unknown');
  }
}

/** A whole list, page by page. */
export async function listAll<T>(path: string): Promise<T[]> {
  const found: T[] = [];
  let cursor: string | null = null;
  do {
    const after = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: { data: T[]; next_cursor: string | null } = await call('GET', `${path}limit=100${after}`);
    found.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return found;
}
