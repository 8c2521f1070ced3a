import type { IncomingMessage } from 'node:http';
import { LIMITS } from '@svc/contract';
import express, { type Request, type Response } from 'express';
import { HttpProblem } from './problem-answers.ts';

const raw = express.raw({ type: () => true, limit: LIMITS.bodyBytes });
const utf8 = new TextDecoder('utf-8', { fatal: true });

const JSON_TYPE = /^application\/(json|[\w!#$&^.+-]+\+json)\s*(;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)"?/i;

/** From this size on a body takes milliseconds to read and to judge; a usual claim is a hundredth of it. */
const LARGE_BYTES = 100_000;
let lastLarge: Promise<void> = Promise.resolve();

/** Lets one large piece of work a turn of the event loop begin: a burst of them must not keep all others waiting. */
const turnOfItsOwn = (): Promise<void> => {
  lastLarge = lastLarge.then(() => new Promise((resolve) => setImmediate(resolve)));
  return lastLarge;
};

const malformed = (detail: string): HttpProblem => new HttpProblem('malformed_request', { detail });

/**
 * Reads a request's body as one JSON document in UTF-8.
 *
 * @param mayBeEmpty an empty body then counts as `{}`: for actions whose every field is optional.
 * @throws HttpProblem `payload_too_large` or `malformed_request`.
 */
export async function readJsonBody(
  request: Request,
  response: Response,
  mayBeEmpty: boolean,
): Promise<unknown> {
  if (mayBeEmpty && isEmpty(request)) return {};
  // Said at once: the reader would first let all of it arrive. Where the connection ends with the answer it has to,
  // or the client would fail to write before it reads.
  const tooLarge = Number(request.headers['content-length'] ?? 0) > LIMITS.bodyBytes;
  if (tooLarge && response.shouldKeepAlive) throw new HttpProblem('payload_too_large');
  const type = request.headers['content-type'];
  if (type === undefined || !JSON_TYPE.test(type)) {
    throw malformed('The Content-Type must be application/json.');
  }
  const charset = CHARSET.exec(type)?.[1]?.toLowerCase();
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') {
    throw malformed('The body must be UTF-8.');
  }
  const bytes = await readBytes(request, response);
  if (bytes.length === 0) {
    if (mayBeEmpty) return {};
    throw malformed('The body is empty; it must be a JSON document.');
  }
  if (bytes.length < LARGE_BYTES) return parsed(bytes);
  await turnOfItsOwn();
  const body = parsed(bytes);
  await turnOfItsOwn();
  return body;
}

function parsed(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw malformed('The body is not valid UTF-8.');
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The parser's own message quotes the input, which may hold personal data.
    throw malformed('The body is not valid JSON.');
  }
}

const unreadable = (): HttpProblem =>
  malformed('The body could not be read to its end, or its Content-Encoding is not supported.');

const isEmpty = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] === undefined && Number(request.headers['content-length'] ?? 0) === 0;

const readBytes = (request: Request, response: Response): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    raw(request, response, (error?: unknown) => {
      if (error === undefined || error === null) {
        if (request.body instanceof Uint8Array) resolve(request.body);
        else if (isEmpty(request)) resolve(new Uint8Array());
        // A client that has hung up by now is passed over without a word: half a body must not count as none.
        else reject(unreadable());
      } else if ((error as { type?: unknown }).type === 'entity.too.large') {
        reject(new HttpProblem('payload_too_large'));
      } else {
        reject(unreadable());
      }
    });
  });
