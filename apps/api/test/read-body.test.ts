import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, expect, jest, test } from '@jest/globals';
import { LIMITS } from '@svc/contract';
import { createBodyMemory } from '../src/http/limits/body-memory.ts';
import { readJsonBody } from '../src/http/pipeline/read-body.ts';
import { exchange } from './exchange.ts';

const UNSENT = { type: 'application/json', coding: '', declared: 0, cut: '', keepsAlive: true };
const ASKING = { expects: '100-Continue', httpVersion: '1.1' };
const MANY = { mayBeEmpty: false, maxBytes: 2000, maxSmallChunks: 2000, memoryBytes: 9000 };
const DEFAULTS = {
  isCostly: false,
  ...MANY,
  ...ASKING,
  ...UNSENT,
  maxBytes: 100,
  maxSmallChunks: 4,
  memoryBytes: 300,
  expects: '',
};
afterEach(() => void jest.useRealTimers());

/** Reads a body of at most 20 values, whose client pauses for numbers: what of it, what is held then, and whether before its end. */
async function read(chunks: readonly (string | Buffer | number)[], given: Partial<typeof DEFAULTS> = {}) {
  const { type, coding, declared, cut, expects, ...all } = { ...DEFAULTS, ...given };
  const { httpVersion, memoryBytes, keepsAlive, ...limited } = all;
  const size = declared > 0 ? { 'content-length': `${declared}` } : { 'transfer-encoding': 'chunked' };
  const client = { 'content-type': type, 'content-encoding': coding, expect: expects };
  const { request, response } = exchange({ ...client, ...size });
  const asked = jest.fn();
  Object.assign(request, { httpVersion });
  response.writeContinue = asked;
  response.shouldKeepAlive = keepsAlive;
  const limits = { totalBytes: memoryBytes, perCallerBytes: memoryBytes, reservedForSmallBytes: 0 };
  const memory = createBodyMemory({ ...limits, smallBodyBytes: 0, smallChunksPerSecond: 1023 });
  const held = memory.hold();
  const freeBytes = () => {
    let free = memoryBytes;
    while (!memory.hold().add(free)) free -= 1;
    return free;
  };
  let isEarly = false;
  if (cut === 'before') await new Promise((closed) => request.destroy().once('close', closed));
  const rules = { ...limited, maxValues: 20, held };
  const reading = readJsonBody(request, response, rules)
    .catch(({ code, extra: { detail, headers = {}, unavailable } }) =>
      [code, detail, headers['Retry-After'], unavailable].filter(Boolean),
    )
    .finally(() => {
      isEarly = !request.readableEnded && !request.destroyed;
    });
  for (const chunk of chunks) {
    if (typeof chunk === 'number') jest.advanceTimersByTime(chunk);
    else request.push(chunk);
    await new Promise(setImmediate);
  }
  if (cut === 'response') response.emit('close');
  else if (cut !== '') request.destroy();
  else request.push(null);
  let [ticks, isRead] = [0, false];
  void reading.then(() => {
    isRead = true;
  });
  for (; !isRead; ticks += 1) await new Promise(setImmediate);
  const outcome = await reading;
  const isAskedFor = asked.mock.calls.length > 0;
  return { outcome, held: memoryBytes - freeBytes(), isEarly, isAskedFor, request, response, ticks };
}

const text = (length: number) => `"${'x'.repeat(length - 2)}"`;
const halves = (whole: string) => [whole.slice(0, 60), whole.slice(60)];
const malformed = (detail: string) => ['malformed_request', expect.stringContaining(detail)];
const TOO_LARGE = ['payload_too_large', expect.stringContaining('larger than')];
const full = (what: string) => ['service_unavailable', `The service is receiving ${what}.`, '1', 'memory'];
const CUT = malformed('incomplete, or its Content-Encoding');
const UNTYPED = malformed('must be application/json');

test.each<[string, unknown, number, Parameters<typeof read>[0], Parameters<typeof read>[1]?]>([
  ['of one chunk, which is held once', [1], 3, ['[1]']],
  ['of several chunks, with room for more', ['xy'], 42, ['["x', `y"${' '.repeat(16)}`, ']']],
  ['of the longest size', 'x'.repeat(98), 100, [text(100)]],
  ['of the longest size in two chunks', 'x'.repeat(98), 100, halves(text(100))],
  ['but none that is longer', TOO_LARGE, 0, [text(101)]],
  ['but none that is longer in two chunks', TOO_LARGE, 0, halves(text(101))],
  ['of four small chunks', [12], 4, [...'[12]']],
  ['but of no more', malformed('too many small chunks'), 0, [...'[123]']],
  ['but no more in a second', full('too many small chunks from this client'), 0, [...' '.repeat(1024)], MANY],
  ['unless they have 16 bytes each', [], 100, ['[', ' '.repeat(91), ...'   ]']],
  ['but none that is longer inside', TOO_LARGE, 0, [gzipSync(text(101))], { coding: 'gzip' }],
  ['but none that is compressed twice', CUT, 0, [gzipSync('[]')], { coding: 'gzip, br' }],
  ['but none in another coding', CUT, 0, ['[]'], { coding: 'zstd' }],
  ['but none that is no gzip', CUT, 0, ['[]'], { coding: 'gzip' }],
  ['but none whose gzip is cut', CUT, 0, [gzipSync('[]').subarray(0, -3)], { coding: 'gzip' }],
  ['after a byte order mark', [], 5, ['\ufeff[]']],
  ['but none that is cut, also after a whole document', CUT, 0, ['[1]'], { cut: 'request' }],
  ['but none whose connection has its response', CUT, 0, ['[1]'], { cut: 'response' }],
  ['but none whose connection was closed before', CUT, 0, [], { cut: 'before' }],
  ['but none beyond the memory', full('more data than it can hold'), 0, [text(90)], { memoryBytes: 89 }],
  ['but none that is empty', malformed('empty; it must'), 0, []],
  ['that may be empty', {}, 0, [], { type: '', mayBeEmpty: true }],
  ['that may be empty and is not, with its type alone', UNTYPED, 2, ['{}'], { type: '', mayBeEmpty: true }],
  ['but none of another type', UNTYPED, 0, ['{}'], { type: 'application/jsonl' }],
  ['but none of two types', UNTYPED, 0, ['{}'], { type: 'application/json, text/plain' }],
  ['but none in another charset', malformed('UTF-8'), 0, ['{}'], { type: 'application/json;charset=utf-16' }],
  ['but none in Latin-1', malformed('UTF-8'), 9, [Buffer.from('{"a":"é"}', 'latin1')]],
  ['in a quoted charset', {}, 2, ['{}'], { type: 'Application/JSON ; charset="UTF8"' }],
  ['but none of too many values', ['validation_failed', expect.any(String)], 61, [`[${'1,'.repeat(29)}1]`]],
])('a request has a body %s', async (_, expected, expectedHeld, ...sent) => {
  const { outcome, held } = await read(...sent);
  expect([outcome, held]).toEqual([expected, expectedHeld]);
});

test.each([
  ['GZIP', gzipSync],
  ['identity, x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const)('a body in the coding %s is held as it was sent and as it is read', async (coding, compress) => {
  const sent = compress(`[${' '.repeat(30)}]`);
  expect(await read([sent], { coding })).toMatchObject({ outcome: [], held: sent.length + 32 });
});

test.each<[isEarly: boolean, ...Parameters<typeof read>]>([
  [false, ['x', 999, 'x', 999, 'x', 999]],
  [true, ['x', 1000]],
  [false, [Buffer.alloc(8 * LIMITS.bodyBytes)]],
  [true, [Buffer.alloc(8 * LIMITS.bodyBytes + 1)]],
  [true, [], ASKING],
  [false, [], { ...ASKING, httpVersion: '1.0' }],
  [false, ['x'], { cut: 'request' }],
  [true, [], { keepsAlive: true }],
])('a rejection is before the end of a body, if it is long, pauses or may be left: %s', async (...row) => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
  const [isEarly, chunks, given] = row;
  const end = await read(chunks, { declared: 101, keepsAlive: false, ...given });
  expect(end).toMatchObject({ outcome: TOO_LARGE, isEarly, isAskedFor: false });
  expect(jest.getTimerCount()).toBe(0);
});

test('a rejection inside of a body waits for its end only if the connection closes, and for none of a flood', async () => {
  for (const keepsAlive of [true, false]) {
    const { outcome, isEarly } = await read([text(101), 'x'], { keepsAlive });
    expect([outcome, isEarly]).toEqual([TOO_LARGE, keepsAlive]);
  }
  expect(await read(['[]'], ASKING)).toMatchObject({ outcome: [], isAskedFor: true });
  const { request, response, isEarly } = await read([...'[12345]']);
  expect([isEarly, request.isPaused(), response.shouldKeepAlive]).toEqual([true, true, false]);
});

test('of large and of costly bodies one is processed in each tick, a large one in three of them', async () => {
  const ticksOf = (size: number, isCostly = false) =>
    read([text(size)], { isCostly, maxBytes: size, memoryBytes: size }).then(({ ticks }) => ticks);
  expect([await ticksOf(99_999), await ticksOf(9, true), await ticksOf(100_000)]).toEqual([1, 2, 4]);
  const burst = await Promise.all([1, 2, 3, 4, 5, 6].map(() => ticksOf(9, true)));
  expect(burst.at(-1)).toBeGreaterThan(4);
});
