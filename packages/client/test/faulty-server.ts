import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { listening } from '../../../tools/services/local-server.ts';

export type Behavior = (response: ServerResponse, socket: Socket) => void;

/** Reads each request and applies the next behavior; the last one repeats. */
export async function startFaultyServer(behaviors: readonly Behavior[]) {
  const received: { headers: IncomingMessage['headers']; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const behave = behaviors[Math.min(received.length, behaviors.length - 1)];
    received.push({ headers: request.headers, body });
    behave?.(response, request.socket);
  });
  return { ...(await listening(server)), received };
}

export const respondsWith =
  (status: number, body: unknown, headers: Record<string, string> = {}): Behavior =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
