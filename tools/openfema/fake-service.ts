// For tests: POST /v1/claims with injected network and server faults.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endpoints, makeProblem, parseRequest, type SendClaimBody } from '@svc/contract';

export interface ReceivedClaim {
  readonly key: string;
  readonly externalId: string;
  readonly authorization: string;
  readonly at: number;
}

/** A fault for a request; null handles it normally, `done` has written the response. */
export type InjectedFault = 'lost before' | 'lost after' | 'cut off' | 'done' | null;

export interface FakeService {
  readonly url: string;
  readonly received: readonly ReceivedClaim[];
  /** Created claims by external id. */
  readonly claims: ReadonlyMap<string, SendClaimBody>;
  readonly maxConcurrent: () => number;
  close(): Promise<void>;
}

export type FaultInjector = (
  received: ReceivedClaim,
  response: ServerResponse,
  times: number,
) => InjectedFault;

export async function startFakeService(injectFault: FaultInjector = () => null): Promise<FakeService> {
  const received: ReceivedClaim[] = [];
  const claims = new Map<string, SendClaimBody>();
  const textByKey = new Map<string, string>();
  let concurrent = 0;
  let maxConcurrent = 0;

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = '';
    for await (const chunk of request) text += chunk;
    // Long enough for requests to overlap.
    await new Promise((resolve) => setTimeout(resolve, 3));
    const body = JSON.parse(text) as SendClaimBody;
    const entry: ReceivedClaim = {
      key: String(request.headers['idempotency-key']),
      externalId: body.external_id,
      authorization: String(request.headers.authorization),
      at: performance.now(),
    };
    received.push(entry);
    const fault = injectFault(entry, response, received.filter(({ key }) => key === entry.key).length);
    if (fault === 'done') return;
    if (fault === 'lost before') return void request.socket.destroy();

    const problem = (code: 'validation_failed' | 'idempotency_key_reused' | 'duplicate_claim', errors = {}) =>
      sendProblem(response, code, errors);
    const parsed = parseRequest(endpoints.sendClaim, { headers: request.headers, body });
    if (!parsed.ok) return problem('validation_failed', { errors: parsed.errors });
    const before = textByKey.get(entry.key);
    if (before !== undefined && before !== text) return problem('idempotency_key_reused');
    if (before === undefined && claims.has(body.external_id)) return problem('duplicate_claim');
    claims.set(body.external_id, body);
    textByKey.set(entry.key, text);
    if (fault === 'lost after') return void request.socket.destroy();
    response.writeHead(201, {
      'content-type': 'application/json',
      ...(before !== undefined && { 'idempotent-replayed': 'true' }),
    });
    if (fault === 'cut off') {
      response.write('{"id":"');
      return void setTimeout(() => request.socket.destroy(), 5);
    }
    response.end(JSON.stringify({ id: '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10' }));
  };

  const server = createServer((request, response) => {
    concurrent += 1;
    maxConcurrent = Math.max(maxConcurrent, concurrent);
    response.once('close', () => {
      concurrent -= 1;
    });
    handle(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    claims,
    maxConcurrent: () => maxConcurrent,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export function sendProblem(
  response: ServerResponse,
  code: Parameters<typeof makeProblem>[0],
  more: object = {},
  headers: Record<string, string> = {},
): void {
  const problem = makeProblem(code, { docsUrl: 'https://example.com/docs', requestId: 'r', ...more });
  response.writeHead(problem.status, { 'content-type': 'application/problem+json', ...headers });
  response.end(JSON.stringify(problem));
}
