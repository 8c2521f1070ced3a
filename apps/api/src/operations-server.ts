import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Unavailable } from '@svc/application';
import { listen } from './listen.ts';

interface OperationsServer {
  readonly port: number;
  close(): Promise<void>;
}

interface Operations {
  /** Rejects while the service cannot process requests: starting, shutting down, or without its database. */
  checkReady(): Promise<void>;
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly contentType?: string;
}

const PATHS: Readonly<Record<string, (operations: Operations) => Promise<Reply>>> = {
  '/metrics': async ({ metrics }) => ({
    status: 200,
    text: await metrics.text(),
    contentType: metrics.contentType,
  }),
  // A restart does not help against a database that is down, so only a process that does not respond is not alive.
  '/live': async () => ({ status: 200, text: 'alive\n' }),
  '/ready': ({ checkReady }) =>
    checkReady().then(
      () => ({ status: 200, text: 'ready\n' }),
      (error: unknown) => ({
        status: 503,
        text: error instanceof Unavailable ? `not ready: ${error.message}\n` : 'not ready\n',
      }),
    ),
};

/** Metrics and probes, on a separate port that can stay private. */
export async function startOperationsServer(
  operations: Operations,
  port: number,
  host: string,
): Promise<OperationsServer> {
  const server = createServer((request, response) => {
    const reply =
      request.method === 'GET' || request.method === 'HEAD' ? PATHS[request.url ?? ''] : undefined;
    const notFound: Reply = { status: 404, text: `See ${Object.keys(PATHS).join(', ')}\n` };
    (reply?.(operations) ?? Promise.resolve(notFound)).then(
      ({ status, text, contentType = 'text/plain; charset=utf-8' }) =>
        response.writeHead(status, { 'Content-Type': contentType, 'Cache-Control': 'no-store' }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await listen(server, port, host);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
