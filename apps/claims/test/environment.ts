import { EXAMPLES, smallestClaim } from '@svc/contract';
import type { Environment, Output } from '../src/environment.ts';
import { run } from '../src/run.ts';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  readonly body: any;
}

export type Service = (request: Request) => Response | Promise<Response>;

export const jsonResponse = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers });

export const problemResponse = (status: number, code: string, more: Record<string, unknown> = {}): Response =>
  jsonResponse(status, {
    type: 'x',
    title: 'T',
    status,
    detail: `It is ${code}.`,
    code,
    request_id: 'req-1',
    ...more,
  });

/** Records its requests. */
export function recording(reply: Service) {
  const requests: Request[] = [];
  const service: Service = (request) => {
    requests.push(request);
    return reply(request);
  };
  return { service, requests };
}

/** Returns the responses in order, then simulates Ctrl-C. */
export function untilAnswered(pages: readonly (() => Response)[]) {
  const controller = new AbortController();
  const { service, requests } = recording(() => {
    const reply = pages[requests.length - 1];
    if (requests.length >= pages.length) setImmediate(() => controller.abort());
    return reply?.() ?? jsonResponse(200, { data: [], next_cursor: null });
  });
  return { service, requests, signal: controller.signal };
}

export const page =
  (...data: readonly unknown[]) =>
  () =>
    jsonResponse(200, { data, next_cursor: null });

export const meResponse = (environment: string, id = 'k'): Response =>
  jsonResponse(200, { key: { id, environment }, firm: { id: idOf(0), name: 'F' }, scopes: [] });

export const fetchOf =
  (service: Service): typeof globalThis.fetch =>
  async (input, init) => {
    init?.signal?.throwIfAborted();
    const url = new URL(String(input));
    return service({
      method: init?.method ?? 'GET',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: new Headers(init?.headers),
      body: typeof init?.body === 'string' ? JSON.parse(init.body) : undefined,
    });
  };

const NOW = Date.UTC(2026, 7, 29, 15, 0, 0);

interface ClaimsOptions extends Partial<Omit<Environment, 'stdin'>> {
  readonly service?: Service;
  readonly stdin?: string | AsyncIterable<string | Uint8Array>;
  readonly terminal?: boolean;
}

/** Runs the command line without disk, network or clock. */
export async function claims(args: readonly string[], options: ClaimsOptions = {}) {
  const {
    service = () => problemResponse(500, 'internal_error'),
    stdin = '',
    terminal = false,
    ...rest
  } = options;
  let [stdout, stderr] = ['', ''];
  const sink = (write: (text: string) => void): Output => ({
    write,
    isTTY: terminal,
    columns: 100,
    rows: 20,
  });
  const code = await run(args, {
    env: { CLAIMS_URL: 'http://service.test', CLAIMS_API_KEY: 'svc_test_secret' },
    home: '/nowhere',
    stdin:
      typeof stdin === 'string'
        ? (async function* () {
            yield stdin;
          })()
        : stdin,
    stdout: sink((text) => {
      stdout += text;
    }),
    stderr: sink((text) => {
      stderr += text;
    }),
    signal: new AbortController().signal,
    now: () => NOW,
    fetch: fetchOf(service),
    ...rest,
  });
  return { code, stdout, stderr };
}

const { adjuster_svc_id: _, ...sentFields } = smallestClaim;

export const claimJson = (fields: Record<string, unknown> = {}, assignment: Record<string, unknown> = {}) => {
  const example = EXAMPLES.getClaim.response as { readonly id: string; readonly assignment: object };
  return {
    id: example.id,
    test: true,
    created_at: '2026-08-29T14:52:07.113Z',
    updated_at: '2026-08-29T15:04:11.208Z',
    ...sentFields,
    ...fields,
    assignment: { ...example.assignment, ...assignment },
  };
};

export const idOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** A fake service with idempotency keys, duplicates and stored claims. */
export function createFakeService() {
  const byKey = new Map<string, string>();
  const held = new Map<string, Record<string, unknown>>();
  const { service, requests } = recording(({ method, path, headers, body }) => {
    if (path === '/v1/me') return meResponse('test');
    if (method === 'GET') {
      const claim = held.get(path.split('/').at(-1) ?? '');
      return claim === undefined ? problemResponse(404, 'not_found') : jsonResponse(200, claim);
    }
    const key = headers.get('idempotency-key') ?? '';
    const known = byKey.get(key);
    if (known !== undefined) return jsonResponse(201, held.get(known), { 'Idempotent-Replayed': 'true' });
    if (typeof body.claim_number !== 'string') {
      const errors = [{ detail: 'This field is required.', pointer: '/claim_number' }];
      return problemResponse(422, 'validation_failed', { errors });
    }
    const existing = [...held.values()].find(({ external_id }) => external_id === body.external_id);
    if (existing) return problemResponse(409, 'duplicate_claim', { existing_claim_id: existing.id });
    const { adjuster_svc_id, ...fields } = body;
    const id = idOf(held.size + 1);
    const claim = claimJson({ ...fields, id }, { adjuster_svc_id });
    byKey.set(key, id);
    held.set(id, claim);
    return jsonResponse(201, claim);
  });
  return { service, held, requests };
}

export const claimLine = (number: number, more: Record<string, unknown> = {}): string =>
  JSON.stringify({ ...smallestClaim, external_id: `EXT-${number}`, claim_number: `CN-${number}`, ...more });

export const jsonLines = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
