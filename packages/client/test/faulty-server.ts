import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { listening } from '../../../tools/services/local-server.ts';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Behavior = (response: ServerResponse, socket: Socket, received: Received) => void;

/** Reads each request and applies the next behavior; the last one repeats. */
export async function startFaultyServer(behaviors: readonly Behavior[]) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const one = { method, path: url, headers, body: await text(request) };
    const behave = behaviors[Math.min(received.length, behaviors.length - 1)];
    received.push(one);
    behave?.(response, request.socket, one);
  });
  return { ...(await listening(server)), received };
}

export const respondsWith =
  (status: number, body: unknown, headers: Record<string, string> = {}): Behavior =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
