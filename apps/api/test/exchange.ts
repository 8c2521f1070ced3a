import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** A request with these headers and its response, without a connection. */
export function exchange(headers: Readonly<Record<string, string | undefined>> = {}) {
  const request = new IncomingMessage(new Socket());
  Object.assign(request.headers, headers);
  const response = new ServerResponse(request);
  let body: Buffer | null = null;
  response.end = (chunk?: unknown) => {
    body = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk ?? ''), 'latin1');
    return response;
  };
  /** @returns what the response was ended with; null: it was not ended */
  return { request, response, body: (): Buffer | null => body };
}
