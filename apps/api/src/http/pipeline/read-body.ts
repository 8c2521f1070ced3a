import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { LIMITS, sizeInWords } from '@svc/contract';
import type { Request, Response } from 'express';
import { HttpProblem } from '../problems/http-problem.ts';
import type { HeldBytes } from './body-memory.ts';
import { parseJson } from './parse-json.ts';

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
const tooLarge = (maxBytes: number): HttpProblem =>
  new HttpProblem('payload_too_large', { detail: `The body is larger than ${sizeInWords(maxBytes)}.` });
const unreadable = (): HttpProblem =>
  malformed('The body could not be read to its end, or its Content-Encoding is not supported.');

interface BodyRules {
  readonly maxBytes: number;
  /** An empty body then counts as `{}`. */
  readonly mayBeEmpty: boolean;
  /** What is read is accounted for here; whoever made it releases it. */
  readonly held: HeldBytes;
}

/**
 * Reads a request's body as one JSON document in UTF-8.
 *
 * @throws HttpProblem `payload_too_large`, `malformed_request` or, without room for the body, `service_unavailable`.
 */
export async function readJsonBody(request: Request, response: Response, rules: BodyRules): Promise<unknown> {
  const { maxBytes, mayBeEmpty } = rules;
  if (mayBeEmpty && isEmpty(request)) return {};
  // Said at once: the reader would first let all of it arrive. Where the connection ends with the answer it has to,
  // or the client would fail to write before it reads.
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > maxBytes && response.shouldKeepAlive) throw tooLarge(maxBytes);
  const wrongType = typeFault(request.headers['content-type']);
  // Chunks may turn out to hold nothing.
  if (wrongType !== null && (!mayBeEmpty || declared > 0)) throw malformed(wrongType);
  const bytes = await readBytes(request, response, rules);
  if (bytes.length === 0) {
    if (mayBeEmpty) return {};
    throw malformed('The body is empty; it must be a JSON document.');
  }
  if (wrongType !== null) throw malformed(wrongType);
  if (bytes.length < LARGE_BYTES) return parseJson(bytes);
  await turnOfItsOwn();
  const body = parseJson(bytes);
  await turnOfItsOwn();
  return body;
}

function typeFault(type: string | undefined): string | null {
  if (type === undefined || !JSON_TYPE.test(type)) return 'The Content-Type must be application/json.';
  const charset = CHARSET.exec(type)?.[1]?.toLowerCase();
  const isUtf8 = charset === undefined || charset === 'utf-8' || charset === 'utf8';
  return isUtf8 ? null : 'The body must be UTF-8.';
}

const isEmpty = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] === undefined && Number(request.headers['content-length'] ?? 0) === 0;

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

const NO_BYTES: Buffer = Buffer.alloc(0);
/** A chunk costs a hundred times what a byte does: a body may come in this many small ones, but not in thousands. */
const MAX_SMALL_CHUNKS = 128;
const SMALL_CHUNK_BYTES = 16;
/** So much of a body that is not read is still let in before a connection that is to end is answered. */
const MAX_DISCARDED_BYTES = 8 * LIMITS.bodyBytes;

function readBytes(request: Request, response: Response, { maxBytes, held }: BodyRules): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (isEmpty(request)) {
      resolve(NO_BYTES);
      return;
    }
    const coding = (request.headers['content-encoding'] ?? 'identity').toLowerCase();
    const decoder = coding === 'identity' ? null : DECODERS.get(coding)?.();
    // A client that has hung up by now sends no further event.
    if (decoder === undefined || request.destroyed) {
      reject(unreadable());
      return;
    }

    let bytes = NO_BYTES;
    let length = 0;
    let received = 0;
    let chunks = 0;
    const source = decoder ?? request;

    const stop = (): void => {
      request.off('data', onReceived).off('close', onClose);
      response.off('close', onClose);
      source.off('data', keep).off('end', onEnd);
      if (decoder === null) return;
      request.unpipe(decoder);
      decoder.off('error', onError).on('error', () => {});
      decoder.destroy();
    };
    const fail = (problem: HttpProblem): void => {
      stop();
      held.release();
      if (response.shouldKeepAlive) {
        request.resume();
        reject(problem);
      } else {
        discard(request, () => reject(problem));
      }
    };
    const onReceived = (chunk: Buffer): void => {
      received += chunk.length;
      chunks += 1;
      if (received > maxBytes) fail(tooLarge(maxBytes));
      else if (chunks > MAX_SMALL_CHUNKS && received < chunks * SMALL_CHUNK_BYTES) {
        fail(malformed('The body arrives in too many small chunks.'));
      } else if (decoder === null) keep(chunk);
    };
    /** Makes room for so many bytes in all; a body that comes in one piece is not copied. */
    const grow = (needed: number, chunk: Buffer): boolean => {
      const capacity = length === 0 ? needed : Math.min(maxBytes, Math.max(needed, 2 * bytes.length));
      if (!held.add(capacity - bytes.length)) return false;
      const grown = length === 0 ? chunk : Buffer.allocUnsafe(capacity);
      if (length > 0) bytes.copy(grown, 0, 0, length);
      bytes = grown;
      return true;
    };
    const keep = (chunk: Buffer): void => {
      const needed = length + chunk.length;
      if (needed > maxBytes) {
        fail(tooLarge(maxBytes));
      } else if (needed > bytes.length && !grow(needed, chunk)) {
        fail(noRoom());
      } else {
        if (length > 0) chunk.copy(bytes, length);
        length = needed;
      }
    };
    const onEnd = (): void => {
      stop();
      resolve(length === bytes.length ? bytes : bytes.subarray(0, length));
    };
    const onError = (): void => fail(unreadable());
    const onClose = (): void => {
      if (request.readableEnded) return;
      stop();
      reject(unreadable());
    };

    request.on('data', onReceived).on('close', onClose);
    // A request whose connection failed and was answered for it closes no more; its response does.
    response.on('close', onClose);
    source.on('end', onEnd);
    if (decoder !== null) request.pipe(decoder.on('data', keep).on('error', onError));
  });
}

const noRoom = (): HttpProblem =>
  new HttpProblem('service_unavailable', {
    detail: 'The service is receiving more data than it can hold.',
    headers: { 'Retry-After': '1' },
  });

/** Lets the rest of a body arrive and keeps none of it. */
function discard(request: Request, done: () => void): void {
  let discarded = 0;
  const finish = (): void => {
    request.off('data', count).off('end', finish).off('close', finish).resume();
    done();
  };
  const count = (chunk: Buffer): void => {
    discarded += chunk.length;
    if (discarded > MAX_DISCARDED_BYTES) finish();
  };
  if (request.destroyed || request.readableEnded) done();
  else request.on('data', count).on('end', finish).on('close', finish).resume();
}
