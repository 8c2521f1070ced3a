import {
  Agent,
  createServer,
  request as dial,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** A minimal load balancer for tests and demonstrations. */
export interface LoadBalancer {
  readonly url: string;
  readonly port: number;
  /** Health of each target, in the given order. */
  healthy(): boolean[];
  close(): Promise<void>;
}

interface ProxyOptions {
  /** Where the service listens: `http://host:port`. */
  readonly targets: readonly string[];
  readonly port?: number;
  readonly checkEveryMs?: number;
}

interface Target {
  readonly url: URL;
  readonly agent: Agent;
  healthy: boolean;
  nextCheck?: NodeJS.Timeout;
}

const CHECK_TIMEOUT_MS = 1000;
const RESPONSE_TIMEOUT_MS = 30_000;

/** RFC 9110, section 7.6.1 */
const HOP_BY_HOP = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Distributes requests round-robin over the healthy targets. A request is retried only when no connection could be
 * made; after that only the client can know whether a retry is safe.
 */
export async function startProxy(options: ProxyOptions): Promise<LoadBalancer> {
  const { checkEveryMs = 200 } = options;
  const targets: Target[] = options.targets.map((target) => ({
    url: new URL(target),
    agent: new Agent({ keepAlive: true, maxFreeSockets: 64 }),
    healthy: true,
  }));
  let turn = 0;

  /** Healthy targets first. If there are none, an unhealthy one still returns its own error. */
  function roundRobin(): Target[] {
    turn = (turn + 1) % targets.length;
    const turned = [...targets.slice(turn), ...targets.slice(0, turn)];
    return [...turned.filter(({ healthy }) => healthy), ...turned.filter(({ healthy }) => !healthy)];
  }

  function forward(incoming: IncomingMessage, outgoing: ServerResponse, candidates: readonly Target[]): void {
    const [target, ...others] = candidates;
    if (target === undefined) {
      fail(outgoing, 503, 'No process of the service is reachable.');
      return;
    }
    const upstream = dial({
      host: target.url.hostname,
      port: target.url.port,
      agent: target.agent,
      method: incoming.method ?? 'GET',
      path: incoming.url ?? '/',
      headers: forwarded(incoming),
      setHost: false,
      timeout: RESPONSE_TIMEOUT_MS,
    });
    let connected = false;
    const abandoned = (): void => {
      upstream.destroy();
    };
    outgoing.once('close', abandoned);
    upstream.once('socket', (socket) => {
      const send = (): void => {
        connected = true;
        // A body that was piped before connecting could not be sent to another target.
        incoming.pipe(upstream);
      };
      if (socket.connecting) socket.once('connect', send);
      else send();
    });
    upstream.once('timeout', () => upstream.destroy(new Error('the response timed out')));
    upstream.once('error', (error: NodeJS.ErrnoException) => {
      outgoing.off('close', abandoned);
      if (!connected && !outgoing.destroyed) {
        target.healthy = false;
        forward(incoming, outgoing, others);
        return;
      }
      incoming.unpipe(upstream);
      // A partial response must not look complete.
      if (outgoing.headersSent) outgoing.destroy();
      else
        fail(
          outgoing,
          502,
          `The connection to the process of the service was lost (${error.code ?? error.message}).`,
        );
    });
    upstream.once('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.statusMessage, endToEnd(response));
      response.pipe(outgoing);
      response.once('error', () => outgoing.destroy());
      response.once('close', () => {
        if (!response.complete) outgoing.destroy();
      });
    });
  }

  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, outgoing) => {
    forward(incoming, outgoing, roundRobin());
  });

  const check = (target: Target): Promise<void> =>
    new Promise((resolve) => {
      const end = (healthy: boolean): void => {
        target.healthy = healthy;
        resolve();
      };
      const { hostname: host, port } = target.url;
      const path = '/v1/health';
      const asked = dial({ host, port, path, agent: target.agent, timeout: CHECK_TIMEOUT_MS });
      asked.once('timeout', () => asked.destroy(new Error('the check timed out')));
      asked.once('error', () => end(false));
      asked.once('response', (response) => {
        response.resume();
        response.once('error', () => end(false));
        response.once('end', () => end(response.statusCode === 200));
      });
      asked.end();
    });
  await Promise.all(targets.map(check));
  let closed = false;
  const checkAgain = (target: Target): void => {
    if (closed) return;
    target.nextCheck = setTimeout(() => void check(target).then(() => checkAgain(target)), checkEveryMs);
  };
  for (const target of targets) checkAgain(target);

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    healthy: () => targets.map(({ healthy }) => healthy),
    async close() {
      closed = true;
      for (const { nextCheck } of targets) clearTimeout(nextCheck);
      const ended = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await ended;
      for (const { agent } of targets) agent.destroy();
    },
  };
}

function fail(outgoing: ServerResponse, status: 502 | 503, reason: string): void {
  if (outgoing.destroyed) return;
  outgoing.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' });
  outgoing.end(`${reason}\n`);
}

/** Request headers for the target, with X-Forwarded-*. */
function forwarded(incoming: IncomingMessage): OutgoingHttpHeaders {
  const headers = endToEnd(incoming);
  const client = incoming.socket.remoteAddress ?? 'unknown';
  const before = incoming.headers['x-forwarded-for'];
  headers['x-forwarded-for'] = before === undefined ? client : `${before}, ${client}`;
  headers['x-forwarded-proto'] = 'http';
  return headers;
}

function endToEnd({ headersDistinct, headers }: IncomingMessage): OutgoingHttpHeaders {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const kept: OutgoingHttpHeaders = {};
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    if (HOP_BY_HOP.has(name) || named.includes(name)) continue;
    kept[name] = values.length === 1 ? values[0] : values;
  }
  return kept;
}
