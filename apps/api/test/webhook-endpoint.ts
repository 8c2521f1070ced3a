import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly at: number;
}

/** A firm's server with an endpoint on each path. */
export async function startWebhookEndpoint() {
  const received: ReceivedWebhook[] = [];
  const responses = new Map<string, (response: ServerResponse) => void>();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const { url: path = '', headers } = request;
      received.push({ path, headers: headers as Record<string, string>, body, at: Date.now() });
      const respond = responses.get(path) ?? ((to) => to.writeHead(204).end());
      respond(response);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    /** How a path answers; default: 204. */
    responses,
    received,
    at: (path: string) => received.filter((each) => each.path === path),
    stop(): Promise<void> {
      server.closeAllConnections();
      return new Promise((closed) => server.close(() => closed()));
    },
  };
}
