import type { AuditEvent, KeyGrant, SignedInStaff } from '@svc/application';
import { type Endpoint, EXAMPLES, endpoints } from '@svc/contract';
import type { FirmId, KeyId, StaffId } from '@svc/domain';
import { createHttpApplication } from '../src/http/http-application.ts';
import { createConcurrencyLimit } from '../src/http/limits/concurrency-limit.ts';
import type { CursorScope, Cursors } from '../src/http/serialization/cursor.ts';
import { exchange } from './exchange.ts';

export const NOW = Date.parse('2026-09-01T23:30:00.000Z');
export const FIRM = '00000000-0000-7000-8000-0000000000f1' as FirmId;
export const ADDRESSES = {
  ...{ baseUrl: 'https://claims.example/flood', docsUrl: 'https://docs.example' },
  supportEmail: 'help@claims.example',
};
export const GRANT: Omit<KeyGrant, 'environment'> = {
  ...{ keyId: 'key_1' as KeyId, firmId: FIRM, firmName: 'Gulf', expiresAt: null, revokedAt: null },
  ...{ purpose: 'full_access', plan: 'standard' },
  limits: { requestsPerMinute: 600, writesPerMinute: null, burst: 20 },
};
const STAFF: SignedInStaff['staff'] = {
  ...{ firmId: FIRM, firmName: 'Gulf', staffId: 'staff-1' as StaffId, role: 'admin', plan: 'standard' },
};

/** A cursor says what it is of. */
const cursors: Cursors = {
  write: ({ at, id }, { list, reader, filters }) => JSON.stringify([list, reader, filters, at, id]),
  read(cursor: string, { list, reader, filters }: CursorScope) {
    const [at, id] = JSON.parse(cursor).slice(3);
    return cursor === JSON.stringify([list, reader, filters, at, id]) ? { at, id } : null;
  },
};

export type Call = readonly [name: string, ...sent: readonly unknown[]];
/** What calls result in, by their names, such as `firmReads.claims`; a function has what is sent. */
export type Results = Readonly<Record<string, unknown>>;

const GROUPS =
  /^(\w+(Authenticator|Reads|Buffer|SignIn|Updates|Pace)|rateLimiter|edgeLimiter|faults|manualDeliveries|sandbox|answerOffers|secrets|receiptSigner|status)$/;

/** Services of any number, each of which records its calls, beside those that are known. */
function recorded<T extends object>(calls: Call[], results: Results, known: object, of = ''): T {
  const services: object = new Proxy(known, {
    get(_, name) {
      if (name in known) return Reflect.get(known, name);
      const path = of + String(name);
      if (GROUPS.test(path)) return recorded(calls, results, {}, `${path}.`);
      return (...sent: unknown[]) => {
        calls.push([path, ...sent]);
        const result = results[path];
        return typeof result === 'function' ? result(...sent) : result;
      };
    },
  });
  return services as T;
}

type Deps = Parameters<typeof createHttpApplication>[0];

/** The request of an operation, by default that of its example. */
export function requestOf(id: string, search?: string, sentBody?: unknown) {
  const endpoint: Endpoint = endpoints[id as keyof typeof endpoints];
  const { params = {}, search: query = '', headers = {}, body } = EXAMPLES[id as keyof typeof EXAMPLES];
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
  return { endpoint, params, path, query: search ?? query, headers, body: sentBody ?? body };
}

/** What a test changes of those who call. */
export interface Callers {
  readonly grant?: Partial<KeyGrant>;
  readonly staff?: Partial<SignedInStaff['staff']>;
  readonly session?: Partial<Omit<SignedInStaff, 'staff'>>;
}

interface Sent {
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly rawHeaders?: readonly string[];
  readonly body?: unknown;
  /** Of the body, which arrives by each of them, with spaces before it. */
  readonly characters?: number;
  /** Unless the client is slow. */
  readonly isComplete?: boolean;
}

/**
 * The HTTP layer on services that record their calls. The tokens `svc_live_1` and `svc_test_1` are keys of a firm,
 * `adjuster` and `staff` of sessions.
 */
export function application<Use extends object>(
  make: (use: Use) => Partial<Pick<Deps, 'routes' | 'pages'>>,
  given: Results = {},
  { grant, staff, session }: Callers = {},
) {
  const calls: Call[] = [];
  const audited: AuditEvent[] = [];
  const lines: object[] = [];
  const signedIn = { sessionId: 'session', tokenHash: 'hash', mayOnlyAddPasskey: false, ...session };
  const results: Results = {
    'apiKeyAuthenticator.check': (token: string) => {
      const environment = /^svc_(live|test)_1$/.exec(token)?.[1];
      if (environment === undefined) return { rejected: 'unknown' };
      return { grant: { ...GRANT, environment, ...grant } };
    },
    'sessionAuthenticator.authenticate': async (token: string) =>
      token === 'adjuster' ? { ...signedIn, svcId: 'SVC-1' } : null,
    'sessionAuthenticator.authenticateStaff': async (token: string) =>
      token === 'staff' ? { ...signedIn, staff: { ...STAFF, ...staff } } : null,
    'rateLimiter.consume': { allowed: true },
    sessionLimiter: { allowed: true },
    'faults.take': async () => null,
    'edgeLimiter.allow': true,
    isDraining: false,
    ...given,
  };
  const line = (message: string, fields?: object) => void lines.push({ message, ...fields });
  // What is made once must not keep the time.
  let now = 0;
  const known = {
    ...{ addresses: ADDRESSES, trustProxy: false, tracing: null, clock: { now: () => now }, cursors },
    log: { debug: line, info: line, warn: line, error: line },
    auditBuffer: { add: (event: AuditEvent) => void audited.push(event) },
    observe: () => {},
    readLimit: createConcurrencyLimit({ permits: 2 }),
    writeLimit: createConcurrencyLimit({ permits: 2 }),
  };
  const { routes = [], pages = [] } = make(recorded<Use>(calls, results, known));
  const app = createHttpApplication(recorded<Deps>(calls, results, { ...known, routes, pages }));
  now = NOW;

  return async function ask(
    method: string,
    path: string,
    { headers = {}, rawHeaders = [], body, characters = 0, isComplete = true }: Sent = {},
  ) {
    for (const list of [calls, audited, lines]) list.length = 0;
    const json = body === undefined ? undefined : JSON.stringify(body).padStart(characters);
    const length =
      json === undefined ? {} : { 'content-type': 'application/json', 'content-length': `${json.length}` };
    const { request, response, body: sent } = exchange({ ...length, ...headers });
    Object.assign(request, { method, url: path, rawHeaders });
    Object.defineProperty(request.socket, 'remoteAddress', { value: '192.0.2.1' });
    for (const chunk of characters > 0 && json !== undefined ? json : [json ?? null]) request.push(chunk);
    request.complete = isComplete;
    if (json !== undefined && isComplete) request.push(null);
    response.writeHead = (status: number, fields?: unknown) => {
      const given = fields as string[];
      for (let at = 0; at < given.length; at += 2) response.setHeader(given[at] ?? '', given[at + 1] ?? '');
      response.statusCode = status;
      return response;
    };
    const { end } = response;
    const trace = await new Promise<ReturnType<typeof app>>((resolve) => {
      response.end = (...chunks: readonly unknown[]) => {
        Reflect.apply(end, response, chunks);
        setImmediate(() => resolve(found));
        return response;
      };
      const found = app(request, response);
    });
    for (const event of ['finish', 'close']) response.emit(event);
    const text = String(sent());
    return {
      ...{ status: response.statusCode, text, json: /^[[{]/.test(text) ? JSON.parse(text) : null },
      ...{ calls: [...calls], trace, lines: [...lines] },
      audited: audited.map(({ chain, entry }) => ({ chain, ...entry })),
      header: (name: string) => response.getHeader(name),
    };
  };
}
