import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { formatSize, LIMITS } from '@svc/contract';
import type { HeldBytes } from '../limits/body-memory.ts';
import { HttpProblem } from '../problems/http-problem.ts';
import { parseScanned, scanJson } from './parse-json.ts';

/** No other type that ends in `+json`: a JSON Patch, for example, is not a document with the fields of the operation. */
const JSON_TYPE = /^application\/json\s*(;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)"?/i;

const LARGE_BODY_BYTES = 100_000;
let lastTick: Promise<void> = Promise.resolve();
/** One costly body is processed per tick: a burst of them then delays other requests by one body instead of by all. */
const nextTick = (): Promise<void> => {
  lastTick = lastTick.then(() => new Promise((resolve) => setImmediate(resolve)));
  return lastTick;
};

const malformed = (detail: string): HttpProblem => new HttpProblem('malformed_request', { detail });
const tooLarge = (maxBytes: number): HttpProblem =>
  new HttpProblem('payload_too_large', { detail: `The body is larger than ${formatSize(maxBytes)}.` });
const unreadable = (): HttpProblem =>
  malformed('The body is incomplete, or its Content-Encoding is invalid or not supported.');

interface BodyRules {
  readonly maxBytes: number;
  /** With less than 16 bytes each on average. */
  readonly maxSmallChunks: number;
  readonly maxValues: number;
  /** Also a small body takes about a millisecond, as the protocol of agents does. */
  readonly isCostly: boolean;
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
export async function readJsonBody(
  request: IncomingMessage,
  response: ServerResponse,
  rules: BodyRules,
): Promise<unknown> {
  const { maxBytes, maxValues, mayBeEmpty, isCostly } = rules;
  if (mayBeEmpty && isEmpty(request)) return {};
  // Rejected before reading. If the connection closes after this response, what the client sends has to be received first:
  // otherwise the client fails on writing and never reads the response.
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > maxBytes) {
    if (!response.shouldKeepAlive && !expectsContinue(request)) await discard(request);
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
  const isLarge = bytes.length >= LARGE_BODY_BYTES;
  if (isLarge) await nextTick();
  const scanned = scanJson(bytes, maxValues);
  if (isLarge) await nextTick();
  const json = parseScanned(bytes, scanned, maxValues);
  if (isLarge || isCostly) await nextTick();
  return json;
}

function contentTypeError(type: string | undefined): string | null {
  if (type === undefined || !JSON_TYPE.test(type)) return 'The Content-Type must be application/json.';
  const charset = CHARSET.exec(type)?.[1]?.toLowerCase();
  const isUtf8 = charset === undefined || charset === 'utf-8' || charset === 'utf8';
  return isUtf8 ? null : 'The body must be UTF-8.';
}

const isEmpty = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] === undefined && Number(request.headers['content-length'] ?? 0) === 0;

/** The client sends the body after `100 Continue`; node emits `checkContinue` for the same requests. */
const expectsContinue = ({ httpVersion, headers }: IncomingMessage): boolean =>
  httpVersion === '1.1' && /\b100-continue\b/i.test(headers.expect ?? '');

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

const NO_BYTES: Buffer = Buffer.alloc(0);
/** A chunk takes 1 µs, as much as a hundred bytes: beyond the allowed number, chunks must have this size on average. */
export const SMALL_CHUNK_BYTES = 16;
const COUNTED_CHUNKS = 1024;
/** Before the response on a closing connection, up to this much of a rejected body is received and dropped. */
const MAX_DISCARDED_BYTES = 8 * LIMITS.bodyBytes;
/** A client that sends nothing for this long may be waiting for the response. */
const MAX_QUIET_MS = 1_000;

/** The coding of the body; null: none. */
function codingOf(request: IncomingMessage): string | null {
  const codings = (request.headers['content-encoding'] ?? '').toLowerCase().split(',');
  const [coding = null, ...others] = codings
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  return others.length > 0 ? codings.join() : coding;
}

async function readBytes(
  request: IncomingMessage,
  response: ServerResponse,
  rules: BodyRules,
): Promise<Buffer> {
  if (isEmpty(request)) return NO_BYTES;
  const coding = codingOf(request);
  const decoder = coding === null ? null : DECODERS.get(coding)?.();
  // A closed connection emits no further events.
  if (decoder === undefined || request.destroyed) throw unreadable();
  if (expectsContinue(request)) response.writeContinue();
  let [receivedBytes, chunks] = [0, 0];
  let isFlooded = false;
  const countChunk = (chunk: Buffer): void => {
    receivedBytes += chunk.length;
    chunks += 1;
    if (receivedBytes >= chunks * SMALL_CHUNK_BYTES) return;
    const isTooMany = chunks > rules.maxSmallChunks;
    if (!isTooMany && (chunks % COUNTED_CHUNKS !== 0 || rules.held.addChunks(COUNTED_CHUNKS))) return;
    isFlooded = true;
    throw isTooMany
      ? malformed('The body arrives in too many small chunks.')
      : overloaded('The service is receiving too many small chunks from this client.');
  };
  try {
    const received = await collect(request, rules, countChunk, response);
    if (decoder === null) return received;
    // As one piece, however it arrived: each one is decoded in another thread.
    decoder.end(received);
    return await collect(decoder, rules);
  } catch (error) {
    rules.held.release();
    if (isFlooded) {
      // Receiving the rest would cost as much as what is rejected here.
      response.shouldKeepAlive = false;
      request.pause();
      request.socket.pause();
    } else if (response.shouldKeepAlive) request.resume();
    // Otherwise a client that still sends would never read the response.
    else await discard(request);
    throw error;
  } finally {
    decoder?.destroy();
  }
}

/**
 * All bytes of the source.
 *
 * @param onChunk throws to end it.
 * @param response after a failed connection was answered, the request emits no `close`; its response does.
 */
function collect(
  source: Readable,
  { maxBytes, held }: BodyRules,
  onChunk?: (chunk: Buffer) => void,
  response?: ServerResponse,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let bytes = NO_BYTES;
    let length = 0;

    const stop = (): void => {
      source.off('data', append).off('end', onEnd).off('close', onClose).off('error', onError);
      response?.off('close', onClose);
    };
    const fail = (problem: unknown): void => {
      stop();
      source.on('error', () => {});
      reject(problem);
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
      try {
        onChunk?.(chunk);
        if (needed > maxBytes) throw tooLarge(maxBytes);
        if (needed > bytes.length && !grow(needed, chunk)) throw memoryFull();
      } catch (error) {
        fail(error);
        return;
      }
      if (length > 0) chunk.copy(bytes, length);
      length = needed;
    };
    const onEnd = (): void => {
      stop();
      resolve(length === bytes.length ? bytes : bytes.subarray(0, length));
    };
    const onError = (): void => fail(unreadable());
    const onClose = (): void => {
      if (!source.readableEnded) fail(unreadable());
    };

    source.on('data', append).on('end', onEnd).on('close', onClose).on('error', onError);
    response?.on('close', onClose);
  });
}

const memoryFull = (): HttpProblem => overloaded('The service is receiving more data than it can hold.');

const overloaded = (detail: string): HttpProblem =>
  new HttpProblem('service_unavailable', {
    detail,
    headers: { 'Retry-After': '1' },
    unavailable: 'memory',
  });

/** Receives the rest of a body and drops it, up to a limit or until the client sends nothing more. */
function discard(request: IncomingMessage): Promise<void> {
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
