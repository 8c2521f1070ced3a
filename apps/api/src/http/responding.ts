import type { IncomingMessage, ServerResponse } from 'node:http';
import { Unavailable } from '@svc/application';
import type { Log } from '../logging.ts';
import { LARGE_BYTES, type LargeResponses } from './limits/large-responses.ts';
import { asHttpProblem, type ProblemAddresses, sendProblem } from './problems/http-problem.ts';
import { type RequestTrace, recordProblem } from './request-log.ts';
import { commonHeaders, setHeaders } from './response-headers.ts';
import type { Route, RouteResponse } from './routes/route.ts';
import type { AsciiJson } from './serialization/ascii-json.ts';
import { compress, encodingOf } from './static/compression.ts';

/** Compression makes an adjuster's lists ten times smaller, which matters on a weak mobile network. */
const COMPRESS_FROM_BYTES = 4000;

/** Those whose pages people wait for. */
const COMPRESSED: ReadonlySet<Route['caller']> = new Set(['adjuster', 'staff']);

/** Sends what an operation returned. */
export async function sendResult(
  { result, route, trace }: { result: RouteResponse; route: Route; trace: RequestTrace },
  { responses, addresses }: { responses: LargeResponses; addresses: ProblemAddresses },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // The connection failed during the work and has its response already.
  if (response.headersSent) return;
  if (result.dropped === true) {
    response.destroy();
    return;
  }
  const headers = commonHeaders(trace.requestId, addresses);
  if (result.headers !== undefined) headers.push(...Object.entries(result.headers).flat());
  if (result.json === undefined && result.csv === undefined) {
    setHeaders(response, headers);
    response.statusCode = result.status;
    response.end();
    return;
  }
  headers.push('Content-Type', result.csv === undefined ? 'application/json' : 'text/csv; charset=utf-8');
  let body: AsciiJson | Buffer = result.json ?? Buffer.from(result.csv ?? '');
  if (COMPRESSED.has(route.caller) && body.length >= COMPRESS_FROM_BYTES && route.endpoint.method === 'GET') {
    headers.push('Vary', 'Accept-Encoding');
    const encoding = encodingOf(request);
    if (encoding !== null) {
      headers.push('Content-Encoding', encoding);
      body = await compress[encoding](body);
      // The connection may have failed during compression.
      if (response.headersSent) return;
    }
  }
  responses.count(response, trace.reader ?? null, body.length);
  headers.push('Content-Length', String(body.length));
  response.writeHead(result.status, headers);
  // Large text becomes a Buffer: its bytes are outside of V8's heap, and their size makes V8 free the text sooner.
  const isLargeText = typeof body === 'string' && body.length >= LARGE_BYTES;
  // ASCII as latin1 needs no encoding step: saves 28 µs of a page.
  response.end(isLargeText ? Buffer.from(body as string, 'latin1') : body, 'latin1');
}

/** Sends any error as a problem document, and logs it where the service has failed. */
export function sendError(
  error: unknown,
  { log, addresses }: { log: Log; addresses: ProblemAddresses },
  response: ServerResponse,
  trace: RequestTrace,
): void {
  if (response.writableEnded) return; // the connection failed and has its response already
  const problem = asHttpProblem(error);
  recordProblem(trace, problem);
  const isFailure = problem.code === 'internal_error' || problem.code === 'service_unavailable';
  // The log says when an overload begins and ends, and when the service shuts down.
  const { simulated, unavailable } = problem.extra;
  const isExpected = simulated === true || unavailable === 'overload' || unavailable === 'draining';
  if (isFailure && !isExpected) {
    log.error('request failed', { request_id: trace.requestId, code: problem.code, ...describe(error) });
  }
  if (response.headersSent) {
    // A partial response must not look complete.
    response.destroy();
    return;
  }
  setHeaders(response, commonHeaders(trace.requestId, addresses));
  sendProblem(response, trace.requestId, problem, addresses);
}

/** An error for the log. The message of a database error may quote a row, so only its code is logged. */
function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: typeof error };
  // Without a stack: where it was thrown says nothing more, and with source maps a stack costs a millisecond, which an
  // overloaded process lacks.
  if (error instanceof Unavailable) return { error: error.name, reason: error.message };
  const { code } = error as { code?: unknown };
  const isDriverError = typeof code === 'string';
  return {
    error: error.name,
    ...(isDriverError ? { error_code: code } : { reason: error.message }),
    stack: error.stack
      ?.split('\n')
      .slice(1, 8)
      .map((line) => line.trim()),
  };
}
