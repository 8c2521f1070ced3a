import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { formatSize, LIMITS } from '@svc/contract';
import type { Request, Response } from 'express';
import { HttpProblem } from '../problems/http-problem.ts';
import type { HeldBytes } from './body-memory.ts';
import { parseJson } from './parse-json.ts';

const JSON_TYPE = /^application\/(json|[\w!#$&^.+-]+\+json)\s*(;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)"?/i;

/** Bodies of this size take milliseconds to parse and validate; a typical claim is a hundredth of it. */
const LARGE_BODY_BYTES = 100_000;
let lastTurn: Promise<void> = Promise.resolve();

/** One large body per turn of the event loop: a burst of them then delays other requests by 46 instead of 285 ms. */
const waitForTurn = (): Promise<void> => {
  lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)));
  return lastTurn;
};

const malformed = (detail: string): HttpProblem => new HttpProblem('malformed_request', { detail });
const tooLarge = (maxBytes: number): HttpProblem =>
  new HttpProblem('payload_too_large', { detail: `The body is larger than ${formatSize(maxBytes)}.` });
const unreadable = (): HttpProblem =>
  malformed('The body is incomplete, or its Content-Encoding is invalid or not supported.');

interface BodyRules {
  readonly maxBytes: number;
  /** An empty body is then read as `{}`. */
  readonly mayBeEmpty: boolean;
  /** Tracks the memory of the body; the caller releases it. */
  readonly held: HeldBytes;
}

/**
 * Reads a request's body as one JSON document in UTF-8.
 *
 * @throws HttpProblem `payload_too_large`, `malformed_request` or, when the body memory is full, `service_unavailable`.
 */
export async function readJsonBody(request: Request, response: Response, rules: BodyRules): Promise<unknown> {
  const { maxBytes, mayBeEmpty } = rules;
  if (mayBeEmpty && isEmpty(request)) return {};
  // Rejected before reading. If the connection closes after this response, what the client sends has to be received first:
  // otherwise the client fails on writing and never reads the response.
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > maxBytes) {
    if (!response.shouldKeepAlive) await discard(request);
    throw tooLarge(maxBytes);
  }
  const typeError = contentTypeError(request.headers['content-type']);
  // A chunked body may still turn out to be empty.
  if (typeError !== null && (!mayBeEmpty || declared > 0)) throw malformed(typeError);
  const bytes = await readBytes(request, response, rules);
  if (bytes.length === 0) {
    if (mayBeEmpty) return {};
    throw malformed('The body is empty; it must be a JSON document.');
  }
  if (typeError !== null) throw malformed(typeError);
  if (bytes.length < LARGE_BODY_BYTES) return parseJson(bytes);
  await waitForTurn();
  const body = parseJson(bytes);
  await waitForTurn();
  return body;
}

function contentTypeError(type: string | undefined): string | null {
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
/** A chunk costs as much as a hundred bytes, so a body may not come in thousands of small ones. */
const MAX_SMALL_CHUNKS = 128;
const SMALL_CHUNK_BYTES = 16;
/** Before the response on a closing connection, up to this much of a rejected body is received and dropped. */
const MAX_DISCARDED_BYTES = 8 * LIMITS.bodyBytes;
/** A client that sends nothing for this long may be waiting for the response. */
const MAX_QUIET_MS = 1_000;

function readBytes(request: Request, response: Response, { maxBytes, held }: BodyRules): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (isEmpty(request)) {
      resolve(NO_BYTES);
      return;
    }
    const coding = (request.headers['content-encoding'] ?? 'identity').toLowerCase();
    const decoder = coding === 'identity' ? null : DECODERS.get(coding)?.();
    // A closed connection emits no further events.
    if (decoder === undefined || request.destroyed) {
      reject(unreadable());
      return;
    }

    let bytes = NO_BYTES;
    let length = 0;
    let receivedBytes = 0;
    let chunks = 0;
    const source = decoder ?? request;

    const stop = (): void => {
      request.off('data', onReceived).off('close', onClose);
      response.off('close', onClose);
      source.off('data', append).off('end', onEnd);
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
        void discard(request).then(() => reject(problem));
      }
    };
    const onReceived = (chunk: Buffer): void => {
      receivedBytes += chunk.length;
      chunks += 1;
      if (receivedBytes > maxBytes) fail(tooLarge(maxBytes));
      else if (chunks > MAX_SMALL_CHUNKS && receivedBytes < chunks * SMALL_CHUNK_BYTES) {
        fail(malformed('The body arrives in too many small chunks.'));
      } else if (decoder === null) append(chunk);
    };
    /** Grows the buffer to `needed` bytes in total; a body in a single chunk is not copied. */
    const grow = (needed: number, chunk: Buffer): boolean => {
      const capacity = length === 0 ? needed : Math.min(maxBytes, Math.max(needed, 2 * bytes.length));
      if (!held.add(capacity - bytes.length)) return false;
      const grown = length === 0 ? chunk : Buffer.allocUnsafe(capacity);
      if (length > 0) bytes.copy(grown, 0, 0, length);
      bytes = grown;
      return true;
    };
    const append = (chunk: Buffer): void => {
      const needed = length + chunk.length;
      if (needed > maxBytes) {
        fail(tooLarge(maxBytes));
      } else if (needed > bytes.length && !grow(needed, chunk)) {
        fail(memoryFull());
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
    // After a failed connection was answered, the request emits no `close`; its response does.
    response.on('close', onClose);
    source.on('end', onEnd);
    if (decoder !== null) request.pipe(decoder.on('data', append).on('error', onError));
  });
}

const memoryFull = (): HttpProblem =>
  new HttpProblem('service_unavailable', {
    detail: 'The service is receiving more data than it can hold.',
    headers: { 'Retry-After': '1' },
    unavailable: 'memory',
  });

/** Receives the rest of a body and drops it, up to a limit or until the client sends nothing more. */
function discard(request: Request): Promise<void> {
  if (request.destroyed || request.readableEnded) return Promise.resolve();
  return new Promise((resolve) => {
    let discardedBytes = 0;
    const finish = (): void => {
      clearTimeout(quiet);
      request.off('data', count).off('end', finish).off('close', finish).resume();
      resolve();
    };
    const count = (chunk: Buffer): void => {
      quiet.refresh();
      discardedBytes += chunk.length;
      if (discardedBytes > MAX_DISCARDED_BYTES) finish();
    };
    const quiet = setTimeout(finish, MAX_QUIET_MS);
    request.on('data', count).on('end', finish).on('close', finish).resume();
  });
}
