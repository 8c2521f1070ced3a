import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createLog, redirectConsoleToLog } from '../src/logging.ts';

const lines: string[] = [];
const logged = async (): Promise<unknown[]> => {
  // Lines are written at the end of the tick.
  await new Promise((resolve) => setImmediate(resolve));
  return lines.splice(0).map((line) => JSON.parse(line));
};

const stream = new Writable({
  write(chunk, _encoding, done) {
    lines.push(...String(chunk).trim().split('\n'));
    done();
  },
});
const LEVELS = ['error', 'warn', 'info', 'debug'] as const;

test.each([...LEVELS.entries()])(
  'of the levels, the first %d and %s are written, and fields that JSON cannot express are left out',
  async (n, level) => {
    const log = createLog({ level, format: 'json', stream });
    for (const each of LEVELS) log[each]('said', { claim_id: each });
    log.error('said', { count: 1n });
    const line = { message: 'said', timestamp: expect.any(String) };
    expect(await logged()).toEqual([
      ...LEVELS.slice(0, n + 1).map((each) => ({ level: each, claim_id: each, ...line })),
      { level: 'error', ...line },
    ]);
  },
);

const before = { console: { ...console }, warnings: process.listeners('warning') };
beforeAll(() => {
  redirectConsoleToLog(createLog({ level: 'info', format: 'json', stream }));
});
afterAll(() => {
  Object.assign(console, before.console);
  process.removeAllListeners('warning');
  for (const listener of before.warnings) process.on('warning', listener);
});

test.each(['trace', 'debug', 'log', 'info', 'warn', 'error'] as const)(
  'output of console.%s becomes a log line with its source, but without its text',
  async (method) => {
    console[method]('the claim of', Object.assign(new TypeError('Marisol Delgado'), { code: 'E_CLAIM' }));
    const [line, ...more] = await logged();
    expect(more).toEqual([]);
    expect(line).toMatchObject({ level: 'warn', error: 'TypeError', code: 'E_CLAIM' });
    expect((line as { by: string }).by).toContain('logging.test.ts');
    expect(JSON.stringify(line)).not.toContain('Marisol');
  },
);

test('a Node.js warning becomes a log line', async () => {
  process.emit('warning', Object.assign(new Error('It will be removed.'), { name: 'DeprecationWarning' }));
  expect(await logged()).toEqual([
    expect.objectContaining({ level: 'warn', error: 'DeprecationWarning', message: 'It will be removed.' }),
  ]);
});
