import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { type Clock, type EdgeLimiter, requestIdAt } from '@svc/application';
import proxyAddr from 'proxy-addr';
import { isRepeated } from './pipeline/credentials.ts';
import { HttpProblem, type ProblemAddresses } from './problems/http-problem.ts';
import type { RequestTrace } from './request-log.ts';
import { commonHeaders, setHeaders } from './response-headers.ts';

export interface AdmissionDeps {
  readonly edgeLimiter: EdgeLimiter;
  /** All proxies or none, how many of them, or their addresses. */
  readonly trustProxy: boolean | number | string;
  readonly addresses: ProblemAddresses;
  /** The process is shutting down: each connection is closed after its current response. */
  readonly isDraining: () => boolean;
  readonly clock: Clock;
}

const TOO_MANY = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Too many requests</title></head>
<body><h1>Too many requests</h1><p>This address sends too many requests. Wait a minute, then try again.</p></body></html>
`;

/** Apps correct the times of their devices by the header Date, in seconds. */
const DATE_PRECISION_MS = 1000;

/**
 * The first step of every request, not traced.
 * @returns a function that returns null if it has rejected the request like a proxy in front of the service: with HTML, without a
 * request id.
 */
export function createAdmission({
  edgeLimiter,
  trustProxy,
  addresses,
  isDraining,
  clock,
}: AdmissionDeps): (request: IncomingMessage, response: ServerResponse) => RequestTrace | null {
  const addressOf = clientAddress(trustProxy);
  return (request, response) => {
    if (isDraining()) response.setHeader('Connection', 'close');
    const now = clock.now();
    // Otherwise node's own, from the clock of the process, costs less.
    if (Math.abs(now - Date.now()) > DATE_PRECISION_MS)
      response.setHeader('Date', new Date(now).toUTCString());
    const clientAddress = addressOf(request);
    if (edgeLimiter.allow(clientAddress)) return { requestId: requestIdAt(now, randomUUID()), clientAddress };
    setHeaders(response, commonHeaders(null, addresses));
    response.statusCode = 429;
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(TOO_MANY);
    return null;
  };
}

function clientAddress(trustProxy: AdmissionDeps['trustProxy']): (request: IncomingMessage) => string {
  const direct = ({ socket }: IncomingMessage): string => socket.remoteAddress ?? '';
  if (trustProxy === false) return direct;
  const isTrusted = trustOf(trustProxy);
  return (request) => forwardedAddress(proxyAddr(request, isTrusted)) ?? direct(request);
}

function trustOf(trustProxy: true | number | string): (address: string, hop: number) => boolean {
  if (trustProxy === true) return () => true;
  return typeof trustProxy === 'number'
    ? (_, hop) => hop < trustProxy
    : proxyAddr.compile(trustProxy.split(','));
}

/** The IP address in an `X-Forwarded-For` entry, which may have a port; undefined when there is none. */
function forwardedAddress(entry = ''): string | undefined {
  const withPort = /^\[([^\]]+)\](?::\d+)?$|^(\d+(?:\.\d+){3}):\d+$/.exec(entry);
  const address = withPort?.[1] ?? withPort?.[2] ?? entry;
  return isIP(address) === 0 ? undefined : address;
}

/**
 * Required by RFC 9112: rejects what a proxy before the service may read as another request, such as one for another host.
 * Checked here because node would respond without a problem document.
 * @throws HttpProblem `malformed_request`
 */
export function requireUnambiguous(request: IncomingMessage, response: ServerResponse): void {
  const { host, 'transfer-encoding': transferEncoding = 'chunked' } = request.headers;
  let detail: string;
  if (host === undefined && request.httpVersion === '1.1') detail = 'The Host header is missing.';
  else if (transferEncoding.toLowerCase() !== 'chunked') detail = 'The Transfer-Encoding must be chunked.';
  else if (isRepeated('host', request)) detail = 'The Host header was sent twice.';
  else return;
  // Nothing else is read from the connection.
  response.setHeader('Connection', 'close');
  throw new HttpProblem('malformed_request', { detail });
}
