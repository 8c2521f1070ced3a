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

test('on a terminal a line has its time, level, message and fields, and lines of one tick are written at once', async () => {
  const writes: string[] = [];
  const terminal = new Writable({
    write(chunk, _encoding, done) {
      writes.push(String(chunk));
      done();
    },
  });
  const log = createLog({ level: 'info', format: 'pretty', stream: terminal });
  log.info('said', { firm_id: 'f', count: 2, of: ['a'] });
  log.error('failed');
  log.debug('not said');
  await new Promise((resolve) => setImmediate(resolve));
  log.warn('later');
  await new Promise((resolve) => setImmediate(resolve));
  const shown = writes.map((text) =>
    text
      .replaceAll('\u001b[', '<')
      .replaceAll(/<(\d+)m/g, '<$1>')
      .replaceAll(/\d\d:\d\d:\d\d\.\d{3}/g, 'TIME'),
  );
  expect(shown).toEqual([
    '<90>TIME<39> <36>info <39> said <90>firm_id=f count=2 of=["a"]<39>\n<90>TIME<39> <31>error<39> failed <90><39>\n',
    '<90>TIME<39> <33>warn <39> later <90><39>\n',
  ]);
});

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
  const [error, message, code] = ['DeprecationWarning', 'It will be removed.', 'DEP0001'];
  process.emit('warning', Object.assign(new Error(message), { name: error, code }));
  expect(await logged()).toEqual([{ level: 'warn', error, message, code, timestamp: expect.any(String) }]);
});
