import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { LIMITS, makeProblem } from '@svc/contract';
import type { Log } from '../logging.ts';
import type { HttpApplication } from './http-application.ts';
import { createUnsentResponses } from './limits/unsent-responses.ts';
import { createWaitingRequests } from './limits/waiting-requests.ts';
import { SMALL_CHUNK_BYTES } from './pipeline/read-body.ts';
import { HttpProblem, type ProblemAddresses, sendProblem } from './problems/http-problem.ts';
import type { RequestTrace } from './request-log.ts';
import { commonHeaders, setHeaders } from './response-headers.ts';

interface ServerOptions {
  /** How long a client may take to send the headers. */
  readonly headersTimeoutMs: number;
  /** How long a client may take to send the whole request. */
  readonly requestTimeoutMs: number;
  /** How long a client may take to read a response. */
  readonly responseTimeoutMs: number;
  /** Further connections are closed, so that files remain for the database; undefined: unlimited. */
  readonly maxConnections?: number | undefined;
  readonly addresses: ProblemAddresses;
  readonly log: Log;
}

interface ReceivedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Null while it waits for an earlier request of its connection, or when it was rejected at once. */
  trace: RequestTrace | null;
}

/** A connection without traffic is closed after this time, also in the middle of a response. */
const IDLE_TIMEOUT_MS = 60_000;
const DROP_LOG_INTERVAL_MS = 60_000;
/** Time for a rejected client to read the response: closing at once can discard it. */
const CLOSE_DELAY_MS = 1000;

/**
 * Creates the HTTP server. Input that never becomes a request (invalid HTTP, oversized headers, slow clients) gets a problem
 * document here.
 */
export function createHttpServer(app: HttpApplication, options: ServerOptions): Server {
  /** The latest request of each connection. */
  const latest = new WeakMap<Duplex, ReceivedRequest>();
  const waiting = createWaitingRequests<Socket>();
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    const previous = latest.get(socket)?.response;
    const received: ReceivedRequest = { request, response, trace: null };
    latest.set(socket, received);
    if (previous === undefined || previous.closed) {
      dispatch(received);
    } else if (waiting.add(socket)) {
      previous.once('close', () => {
        waiting.remove(socket);
        dispatch(received);
      });
    } else {
      socket.destroy();
    }
  };
  /** Pipelined requests run one after the other, so that a connection holds one response at most. */
  const dispatch = (received: ReceivedRequest): void => {
    const { request, response } = received;
    if (request.socket.destroyed || response.headersSent) return;
    const url = request.url ?? '/';
    if (url.charCodeAt(0) !== SLASH || url.includes('#')) request.url = originForm(url);
    if (url.includes('%')) request.url = withoutNeedlessEscapes(request.url ?? '/');
    if (request.headers['transfer-encoding'] !== undefined) endFloods(request, response);
    received.trace = app(request, response);
  };

  const server = createServer(
    {
      headersTimeout: options.headersTimeoutMs,
      requestTimeout: options.requestTimeoutMs,
      connectionsCheckingInterval: Math.min(1000, options.headersTimeoutMs),
      // Longer than the idle timeout of common load balancers, so that the balancer closes first.
      keepAliveTimeout: 75_000,
      maxHeaderSize: 16_384,
      // Checked in admission.ts, which responds with a problem document.
      requireHostHeader: false,
    },
    listener,
  );
  server.timeout = IDLE_TIMEOUT_MS;
  if (options.maxConnections !== undefined) {
    server.maxConnections = options.maxConnections;
    let loggedAt = Number.NEGATIVE_INFINITY;
    server.on('drop', () => {
      if (performance.now() - loggedAt < DROP_LOG_INTERVAL_MS) return;
      loggedAt = performance.now();
      options.log.error('connections are closed: the limit of open files is reached', {
        max_connections: options.maxConnections,
      });
    });
  }
  // An unknown `Expect` header is ignored; node would respond 417 without a request id.
  server.on('checkExpectation', listener);
  // A request that is rejected without its body gets no `100 Continue`; `readJsonBody` sends it.
  server.on('checkContinue', listener);
  server.on('connect', (_request, socket: Duplex) => {
    // Node has removed its own listeners from this socket: without one, a reset connection would end the process.
    socket.on('error', () => socket.destroy());
    rejectInOrder(
      socket,
      new HttpProblem('method_not_allowed', { headers: { Allow: 'GET, POST, PUT, PATCH, DELETE' } }),
    );
  });

  const unsent = createUnsentResponses<Socket>({
    withinMs: options.responseTimeoutMs,
    latest: { get: (connection) => latest.get(connection)?.response },
  });
  server.on('connection', (socket) => {
    unsent.connections.add(socket);
    socket.once('close', () => {
      unsent.connections.delete(socket);
      waiting.removeAll(socket);
    });
  });
  const checks = unsent.start();
  server.once('close', () => checks.stop());

  const rejected = new WeakSet<Duplex>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // Data that arrives after the first error raises further errors.
    if (rejected.has(socket)) return;
    rejected.add(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const problem = problemOf(error);
    const { response, trace } = latest.get(socket) ?? {};
    if (response === undefined || response.req.complete) return rejectInOrder(socket, problem);
    // The error is in the body of this request, which may have its response already.
    if (!response.headersSent) {
      if (trace) trace.code = problem.code;
      const requestId = trace?.requestId ?? randomUUID();
      setHeaders(response, [...commonHeaders(requestId, options.addresses), 'Connection', 'close']);
      sendProblem(response, requestId, problem, options.addresses);
    }
    closeSoon(socket);
  });

  /** Responses are sent in the order of their requests. */
  function rejectInOrder(socket: Duplex, problem: HttpProblem): void {
    const response = latest.get(socket)?.response;
    if (response === undefined || response.closed) reject(socket, problem);
    else response.once('close', () => reject(socket, problem));
  }

  /** Sends a problem document on a connection without a parsed request. */
  function reject(socket: Duplex, problem: HttpProblem): void {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const requestId = randomUUID();
    const { detail, headers } = problem.extra;
    const body = makeProblem(problem.code, {
      docsUrl: options.addresses.docsUrl,
      requestId,
      ...(detail !== undefined && { detail }),
    });
    const json = JSON.stringify(body);
    const fields = [
      ...['Date', new Date().toUTCString(), ...commonHeaders(requestId, options.addresses)],
      ...Object.entries(headers ?? {}).flat(),
      ...['Content-Type', 'application/problem+json', 'Content-Length', String(Buffer.byteLength(json))],
      ...['Connection', 'close'],
    ];
    const head = fields.map((field, at) => `${field}${at % 2 === 0 ? ': ' : '\r\n'}`).join('');
    socket.end(`HTTP/1.1 ${body.status} ${STATUS_CODES[body.status]}\r\n${head}\r\n${json}`);
    closeSoon(socket);
    options.log.info('request', {
      request_id: requestId,
      method: 'none',
      route: 'none',
      status: body.status,
      code: body.code,
    });
  }

  return server;
}

const SLASH = 47;

/** Path and query of a request target in absolute form, which also names the host; without a fragment. */
const originForm = (target: string): string => {
  const [, rest = target] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^#]*)/i.exec(target) ?? [];
  const plain = rest.replace(/#.*$/s, '');
  return plain.startsWith('/') || plain === '*' ? plain : `/${plain}`;
};

/** RFC 3986, 6.2.2.2: an escaped letter, digit, hyphen, period, underscore or tilde of a path is the character. */
const withoutNeedlessEscapes = (target: string): string =>
  target.replace(/^[^?]*/, (path) =>
    path.replace(/%([2-7][0-9a-f])/gi, (escaped, code: string) => {
      const character = String.fromCharCode(Number.parseInt(code, 16));
      return /[\w.~-]/.test(character) ? character : escaped;
    }),
  );

/** Node receives the rest of a body that nobody has read, and each chunk of it costs processor time. */
function endFloods(request: IncomingMessage, response: ServerResponse): void {
  // Before node's own listener: what nobody reads by then, it drops without an event.
  response.prependOnceListener('finish', () => {
    if (request.complete) return;
    if (request.readableFlowing === null) request.read(0);
    let [chunks, bytes] = [0, 0];
    request.on('data', (chunk: Buffer) => {
      chunks += 1;
      bytes += chunk.length;
      if (chunks <= LIMITS.openSmallChunks || bytes >= chunks * SMALL_CHUNK_BYTES) return;
      request.socket.destroy();
    });
  });
}

/** Destroys the connection if it is still open after the delay. */
function closeSoon(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), CLOSE_DELAY_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}

function problemOf({ code }: NodeJS.ErrnoException): HttpProblem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new HttpProblem('request_timeout');
  if (code === 'HPE_HEADER_OVERFLOW') return new HttpProblem('headers_too_large');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return new HttpProblem('payload_too_large');
  return new HttpProblem('malformed_request', { detail: 'The request is not valid HTTP.' });
}
