import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Behavior = (response: ServerResponse, socket: Socket, received: Received) => void;

export interface FaultyServer {
  readonly url: string;
  readonly received: readonly Received[];
  close(): Promise<void>;
}

/** Reads each request and applies the next behavior; the last one repeats. */
export async function startFaultyServer(behaviors: readonly Behavior[]): Promise<FaultyServer> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const behave = behaviors[Math.min(received.length, behaviors.length - 1)];
      const { method = '', url = '', headers } = request;
      const one = { method, path: url, headers, body };
      received.push(one);
      behave?.(response, request.socket, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const respondsWith =
  (status: number, body: unknown, headers: Record<string, string> = {}): Behavior =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
