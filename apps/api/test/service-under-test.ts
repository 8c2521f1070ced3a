import { Agent, type RequestOptions, request } from 'node:http';
import { Writable } from 'node:stream';
import type { Clock } from '@svc/application';
import type { StaffRole } from '@svc/domain';
import { atEnd } from '../../../tools/services/at-end.ts';
import { expectDocumented } from '../../../tools/services/documented-responses.ts';
import { operatorOf, type TestFirm } from '../../../tools/services/operator.ts';
import { createDatabase } from '../../../tools/services/postgres.ts';
import { readConfig } from '../src/config.ts';
import { createLog } from '../src/logging.ts';
import { startService } from '../src/service.ts';

export type { TestFirm } from '../../../tools/services/operator.ts';

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined when there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read untyped responses
  readonly json: any;
}

export interface Call {
  /** An API key or a session token. */
  readonly as?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged, instead of `body`. */
  readonly raw?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** Aborts the request. */
  readonly signal?: AbortSignal;
}

export type ServiceUnderTest = Awaited<ReturnType<typeof startServiceUnderTest>>;

/** The whole service on a separate database, called over HTTP; until the end of the test or file. */
export async function startServiceUnderTest(
  options: { env?: Record<string, string>; clock?: Clock; databaseUrl?: string } = {},
) {
  const databaseUrl = options.databaseUrl ?? (await createDatabase()).url;
  const logged: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      logged.push(...String(chunk).split(/(?<=\n)/));
      done();
    },
  });
  const env = { PORT: '0', EDGE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'debug', ...options.env };
  const log = createLog({ level: 'debug', format: 'json', stream: sink });
  const service = await startService(readConfig(env, false), databaseUrl, log, options.clock);
  const operator = operatorOf(service.services);
  let stopped: Promise<void> | undefined;
  const stop = (lingerMs?: number): Promise<void> => {
    stopped ??= service.stop(lingerMs);
    return stopped;
  };
  atEnd(stop);
  return {
    url: service.url,
    ...{ service, databaseUrl },
    /** Every line that the service has logged. */
    logged,
    call: (method: string, path: string, call?: Call) => callHttp(service.url, method, path, call),
    firm: operator.firm,
    key: async (firm: TestFirm, options?: Parameters<typeof operator.key>[1]) =>
      (await operator.key(firm.id, options)).secret,
    adjuster: operator.adjuster,
    member: (firm: TestFirm) => operator.member(firm.id),
    session: operator.session,
    /** A session of a staff member of the firm. */
    staff: async (firm: TestFirm, role?: StaffRole) => (await operator.staff(firm.id, role)).token,
    /** Earlier; with that `lingerMs`. */
    stop,
  };
}

/** Sends a request and validates the response against the interface document. */
export async function callHttp(
  base: string,
  method: string,
  path: string,
  call: Call = {},
): Promise<ApiResponse> {
  const body = call.raw ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
  const { status, headers, text } = await send(new URL(base + path), body, {
    agent,
    method,
    headers: {
      ...(call.as !== undefined && { Authorization: `Bearer ${call.as}` }),
      ...(body !== undefined && {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
      }),
      ...call.headers,
    },
    ...(call.signal !== undefined && { signal: call.signal }),
  });
  expectDocumented({ method, path, status, header: (name) => headers.get(name), text });
  const isJson = /json/.test(headers.get('content-type') ?? '');
  return {
    status,
    headers,
    text,
    json: isJson ? JSON.parse(text) : undefined,
  };
}

const agent = new Agent({ keepAlive: true });

/** Takes a third of the processor time of fetch, which counts with tens of thousands of requests. */
function send(
  url: URL,
  body: string | Uint8Array | undefined,
  options: RequestOptions,
): Promise<{ status: number; headers: Headers; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      const headers = new Headers();
      for (const [name, values = []] of Object.entries(response.headersDistinct))
        for (const value of values) headers.append(name, value);
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.once('error', reject);
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers, text }));
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Of a service without a mail server, which logs them. */
export const signInCodesIn = (logged: readonly string[]): string[] =>
  logged.flatMap((line) => /"sign_in_code":"(\d{6})"/.exec(line)?.[1] ?? []);

let claims = 0;

/** A valid claim with a unique external id and claim number. */
export function claimBody(
  adjuster: string,
  changes: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  claims += 1;
  const unique = `${claims}-${Math.random().toString(36).slice(2, 8)}`;
  return {
    external_id: `EXT-${unique}`,
    claim_number: `CLM-${unique}`,
    adjuster_svc_id: adjuster,
    loss: { date: '2024-09-26' },
    policy: { number: '8704421973', effective_date: '2024-01-01', expiration_date: '2025-01-01' },
    carrier: { name: 'Gulf Mutual Flood' },
    loss_location: { street: '114 Bayshore Dr', city: 'Cedar Key', state: 'FL', zip: '32625' },
    policyholder: { first_name: 'Ana', last_name: 'Reyes', phone: '352-555-0142' },
    ...changes,
  };
}

/** Sends a claim; the Idempotency-Key is new unless one is given. */
export const sendClaim = (
  service: Pick<ServiceUnderTest, 'call'>,
  key: string,
  body: unknown,
  idempotencyKey: string = `key-${Math.random().toString(36).slice(2)}`,
): Promise<ApiResponse> =>
  service.call('POST', '/v1/claims', { as: key, body, headers: { 'Idempotency-Key': idempotencyKey } });
