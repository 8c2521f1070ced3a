import { randomUUID } from 'node:crypto';
import { createServer, IncomingMessage, type Server, ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { makeProblem } from '@svc/contract';
import type { Express, Response } from 'express';
import type { Log } from '../logging.ts';
import type { RequestTrace } from './pipeline/request-pipeline.ts';
import { createUnsentResponses } from './pipeline/unsent-responses.ts';
import { HttpProblem, type ProblemAddresses, sendProblem } from './problems/http-problem.ts';

interface ServerOptions {
  /** How long a client may take to send the headers. */
  readonly headersTimeoutMs: number;
  /** How long a client may take to send the whole request. */
  readonly requestTimeoutMs: number;
  /** How long a client may take to read a response. */
  readonly responseTimeoutMs: number;
  readonly addresses: ProblemAddresses;
  readonly log: Log;
}

type PlainConstructor = (this: object, ...args: unknown[]) => void;

/** A connection on which nothing moves is given up, also in the middle of an answer that nobody reads. */
const IDLE_TIMEOUT_MS = 60_000;
/** How long a refused client may go on sending: closing at once would make it lose the answer. */
const CLOSE_DELAY_MS = 1000;

/**
 * An HTTP server whose requests and responses are born with the prototypes that Express is about to give them.
 *
 * Express replaces the prototype of every request and response it handles. Changing the prototype of a live object
 * throws away what the engine has learned about its shape, and costs more than the whole routing. Here there is
 * nothing left to change: the constructors below make plain node objects that already have Express' prototypes.
 *
 * What never becomes a request (broken HTTP, headers without end, a client too slow) is answered here, as a problem
 * like any other.
 */
export function createHttpServer(app: Express, options: ServerOptions): Server {
  // Node's constructors are plain functions and may be called on an object of another kind. Reflect.construct would
  // do the same, but leaves the engine no way to learn the shape of what it makes.
  function ExpressRequest(this: IncomingMessage, socket: Socket) {
    (IncomingMessage as unknown as PlainConstructor).call(this, socket);
  }
  ExpressRequest.prototype = app.request;
  function ExpressResponse(this: ServerResponse, request: IncomingMessage, options: unknown) {
    (ServerResponse as unknown as PlainConstructor).call(this, request, options);
  }
  ExpressResponse.prototype = app.response;

  /** The last request of each connection, to which a failure of the connection may belong. */
  const latest = new WeakMap<Duplex, ServerResponse>();
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    latest.set(request.socket, response);
    const url = request.url ?? '/';
    if (url.charCodeAt(0) !== SLASH || url.includes('#')) request.url = originForm(url);
    (app as (request: IncomingMessage, response: ServerResponse) => void)(request, response);
  };

  const server = createServer(
    {
      IncomingMessage: ExpressRequest as unknown as typeof IncomingMessage,
      ServerResponse: ExpressResponse as unknown as typeof ServerResponse,
      headersTimeout: options.headersTimeoutMs,
      requestTimeout: options.requestTimeoutMs,
      connectionsCheckingInterval: Math.min(1000, options.headersTimeoutMs),
      // Longer than the idle time of the usual balancers, so that they are the ones to close.
      keepAliveTimeout: 75_000,
      maxHeaderSize: 16_384,
      // A request without one is refused further in, where it gets a problem.
      requireHostHeader: false,
    },
    listener,
  );
  server.timeout = IDLE_TIMEOUT_MS;
  // An expectation nobody knows may be ignored; refusing it here would leave the answer without a request id.
  server.on('checkExpectation', listener);
  server.on('connect', (_request, socket: Duplex) => {
    refuse(
      socket,
      new HttpProblem('method_not_allowed', { headers: { Allow: 'GET, POST, PUT, PATCH, DELETE' } }),
    );
  });

  const unsent = createUnsentResponses<Socket>({ withinMs: options.responseTimeoutMs, latest });
  server.on('connection', (socket) => {
    unsent.connections.add(socket);
    socket.once('close', () => unsent.connections.delete(socket));
  });
  const checks = unsent.start();
  server.once('close', () => checks.stop());

  const refused = new WeakSet<Duplex>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // What is still coming in after the first failure fails again.
    if (refused.has(socket)) return;
    refused.add(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const problem = problemOf(error);
    const response = latest.get(socket);
    if (response === undefined) return refuse(socket, problem);
    if (response.req.complete) {
      // Answers leave in the order of their requests.
      if (response.closed) refuse(socket, problem);
      else response.once('close', () => refuse(socket, problem));
      return;
    }
    // The failure is in the body of this very request, which may have its answer already.
    if (!response.headersSent) {
      const { trace } = (response as Response).locals as { trace?: RequestTrace };
      if (trace !== undefined) trace.code = problem.code;
      response.setHeader('Connection', 'close');
      sendProblem(response, String(response.getHeader('X-Request-Id')), problem, options.addresses);
    }
    leave(socket);
  });

  /** Answers a client that has not come as far as a request. */
  function refuse(socket: Duplex, problem: HttpProblem): void {
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
    const fields: Record<string, string> = {
      Date: new Date().toUTCString(),
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      'X-Content-Type-Options': 'nosniff',
      ...headers,
      'Content-Type': 'application/problem+json',
      'Content-Length': String(Buffer.byteLength(json)),
      Connection: 'close',
    };
    const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${body.status} ${STATUS_CODES[body.status]}\r\n${head.join('')}\r\n${json}`);
    leave(socket);
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

/** The path and query of a target that names the host as well, as requests to a proxy do; never a fragment. */
const originForm = (target: string): string => {
  const [, rest = target] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^#]*)/i.exec(target) ?? [];
  const plain = rest.replace(/#.*$/s, '');
  return plain.startsWith('/') || plain === '*' ? plain : `/${plain}`;
};

/** Says goodbye: the answer goes out, and the connection ends with it or soon after. */
function leave(socket: Duplex): void {
  const late = setTimeout(() => socket.destroy(), CLOSE_DELAY_MS).unref();
  socket.once('close', () => clearTimeout(late));
}

function problemOf({ code }: NodeJS.ErrnoException): HttpProblem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new HttpProblem('request_timeout');
  if (code === 'HPE_HEADER_OVERFLOW') return new HttpProblem('headers_too_large');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return new HttpProblem('payload_too_large');
  return new HttpProblem('malformed_request', { detail: 'This is not HTTP as the service understands it.' });
}
