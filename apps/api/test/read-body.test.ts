import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { createBodyMemory } from '../src/http/limits/body-memory.ts';
import { readJsonBody } from '../src/http/pipeline/read-body.ts';
import { exchange } from './exchange.ts';

const UNSENT = { type: 'application/json', coding: '', declared: 0, isCut: false };
const DEFAULTS = { ...UNSENT, mayBeEmpty: false, memoryBytes: 300, keepsAlive: true };

/** Reads a body of at most 100 bytes, 4 small chunks and 20 values: what of it, what is held then, and whether before its end. */
async function read(chunks: readonly (string | Buffer)[], given: Partial<typeof DEFAULTS> = {}) {
  const { type, coding, declared, isCut, mayBeEmpty, memoryBytes, keepsAlive } = { ...DEFAULTS, ...given };
  const size = declared > 0 ? { 'content-length': `${declared}` } : { 'transfer-encoding': 'chunked' };
  const { request, response } = exchange({ 'content-type': type, 'content-encoding': coding, ...size });
  response.shouldKeepAlive = keepsAlive;
  const limits = { totalBytes: memoryBytes, perCallerBytes: memoryBytes, reservedForSmallBytes: 0 };
  const memory = createBodyMemory({ ...limits, smallBodyBytes: 0, smallChunksPerSecond: 0 });
  const held = memory.hold();
  const freeBytes = () => {
    let free = memoryBytes;
    while (!memory.hold().add(free)) free -= 1;
    return free;
  };
  let isEarly = false;
  const rules = { maxBytes: 100, maxSmallChunks: 4, maxValues: 20, isCostly: false, mayBeEmpty, held };
  const reading = readJsonBody(request, response, rules)
    .catch(({ code, extra }) => [code, extra.detail])
    .finally(() => {
      isEarly = !request.readableEnded && !request.destroyed;
    });
  for (const chunk of chunks) {
    request.push(chunk);
    await new Promise(setImmediate);
  }
  if (isCut) request.destroy();
  else request.push(null);
  const outcome = await reading;
  return { outcome, held: memoryBytes - freeBytes(), isEarly, isPaused: request.isPaused(), response };
}

const text = (length: number) => `"${'x'.repeat(length - 2)}"`;
const halves = (whole: string) => [whole.slice(0, 60), whole.slice(60)];
const malformed = (detail: string) => ['malformed_request', expect.stringContaining(detail)];
const TOO_LARGE = ['payload_too_large', expect.stringContaining('larger than')];
const FULL = ['service_unavailable', expect.any(String)];
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
  ['unless they have 16 bytes each', [], 100, ['[', ' '.repeat(91), ...'   ]']],
  ['but none that is longer inside', TOO_LARGE, 0, [gzipSync(text(101))], { coding: 'gzip' }],
  ['but none that is compressed twice', CUT, 0, [gzipSync('[]')], { coding: 'gzip, br' }],
  ['but none in another coding', CUT, 0, ['[]'], { coding: 'zstd' }],
  ['but none that is no gzip', CUT, 0, ['[]'], { coding: 'gzip' }],
  ['but none whose gzip is cut', CUT, 0, [gzipSync('[]').subarray(0, -3)], { coding: 'gzip' }],
  ['after a byte order mark', [], 5, ['\ufeff[]']],
  ['but none that is cut, also after a whole document', CUT, 0, ['[1]'], { isCut: true }],
  ['but none beyond the memory', FULL, 0, [text(90)], { memoryBytes: 89 }],
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

test('a rejection waits for the rest of a body only if the connection closes after it, and for none of a flood', async () => {
  for (const keepsAlive of [true, false])
    for (const end of [read([], { declared: 101, keepsAlive }), read([text(101), 'x'], { keepsAlive })])
      expect(await end).toMatchObject({ outcome: TOO_LARGE, isEarly: keepsAlive });
  const flood = await read([...'[12345]']);
  expect(flood).toMatchObject({ isEarly: true, isPaused: true, response: { shouldKeepAlive: false } });
});
