import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listening } from '../../../tools/services/local-server.ts';

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
  const server = createServer(async (request, response) => {
    const { url: path = '', headers } = request;
    const body = await text(request);
    received.push({ path, headers: headers as Record<string, string>, body, at: Date.now() });
    const respond = responses.get(path) ?? ((to) => to.writeHead(204).end());
    respond(response);
  });
  return {
    ...(await listening(server)),
    /** How a path answers; default: 204. */
    responses,
    received,
    at: (path: string) => received.filter((each) => each.path === path),
  };
}
