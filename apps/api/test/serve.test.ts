import { EventEmitter, once } from 'node:events';
import { Writable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { compose } from '../src/composition/compose.ts';
import { serve } from '../src/serve.ts';
import { startService } from '../src/service.ts';
import { memoryConnection } from './memory-service.ts';

const SERVER = { DATABASE_URL: 'postgres://h/db', MIGRATION_DATABASE_URL: 'postgres://owner@h/db' };
const SHOWN = [
  'shutting down',
  'SMTP_URL',
  'No SMTP_URL',
  'Listening',
  'Metrics',
  'The database',
  'A demo',
  'invite --firm',
];

/** A server on stores in memory, what it says in order, and what it does. */
function servers() {
  const pool = () => ({ name: 'jobs', max: 1, open: 0, idle: 0, waiting: 0 }) as const;
  const connection = memoryConnection({ startJobs: () => ({ stop: async () => {}, pool }) });
  return (given: Readonly<Record<string, string>>, fault: { start?: Error; signal?: boolean } = {}) => {
    const [said, steps, signals]: [string[], string[], EventEmitter] = [[], [], new EventEmitter()];
    const output = new Writable({
      write(chunk, _encoding, done) {
        for (const line of String(chunk).split('\n')) {
          const text = line.startsWith('{') ? `${JSON.parse(line).level}: ${JSON.parse(line).message}` : line;
          if (SHOWN.some((start) => text.includes(start))) said.push(text);
        }
        done();
      },
    });
    const errors = new Writable({ write: (chunk, _, done) => done(void said.push(String(chunk))) });
    const env = { PORT: '0', SHUTDOWN_GRACE_MS: '0', DATA_DIR: temporaryFolder(), ...given };
    const ended = once(signals, 'end');
    const exit = (code: number) => void signals.emit('end', steps.push(`exit ${code}`));
    const served = serve(
      { env, stdout: output, stderr: errors, signals, exit },
      {
        redirectConsoleToLog: () => void steps.push('redirect'),
        async openDatabase({ databaseUrl }, print) {
          print('The database starts');
          if (fault.signal) signals.emit('SIGINT');
          const release = async () => void steps.push('release');
          const embeddedIn = databaseUrl === null ? 'DIR' : null;
          return { url: 'postgres://h/db', migrationUrl: 'postgres://owner@h/db', embeddedIn, release };
        },
        async startService(config, url, log) {
          steps.push(`start ${url} ${config.migrationDatabaseUrl}`);
          if (fault.start) throw fault.start;
          const service = await startService(config, url, log, connection.clock, {
            migrateDatabase: async () => [],
            compose: (options) => compose({ ...options, connectTo: connection.connectTo }),
          });
          const stop = async (ms?: number) => service.stop(steps.push(`stop ${ms}`) && ms);
          return { ...service, stop };
        },
      },
    );
    return { said, steps, signals, ended, served, env };
  };
}

const STARTED = ['redirect', 'start postgres://h/db postgres://owner@h/db'];
const STOPPED = ['stop 1000', 'release', 'exit 0'];

test('a server says where it listens and what is in the log, and stops once, at either signal', async () => {
  const run = servers();
  for (const [signal, more, warning] of [
    ['SIGTERM', {}, 'warn: SMTP_URL is unset: sign-in codes are written to this log'],
    ['SIGINT', { SMTP_URL: 'smtp://h', METRICS_PORT: '0' }, /^warn: SMTP_URL starts with smtp:\/\/ /],
  ] as const) {
    const { said, steps, signals, served, ended } = run({ ...SERVER, ...more });
    await served;
    signals.emit(signal);
    signals.emit(signal);
    await ended;
    await eventually(async () => said.some((line) => line === 'info: shutting down'));
    expect(steps).toEqual([...STARTED, ...STOPPED]);
    expect(said.toSorted()).toEqual([
      expect.stringMatching(/^Listening on http:\/\/127\.0\.0\.1:\d+$/),
      ...('METRICS_PORT' in more ? [expect.stringMatching(/^Metrics are at .*\/metrics$/)] : []),
      ...['The database starts', 'info: shutting down', expect.stringMatching(warning)],
    ]);
  }
});

test('an embedded database is named, and gets a demo firm where it has none, except in production', async () => {
  const run = servers();
  const embedded = ['The database is embedded; its data is in DIR'];
  const production = { NODE_ENV: 'production', DATABASE_URL: 'embedded' };
  for (const [env, isCreated] of [
    [production, false],
    [{}, true],
    [{}, false],
  ] as const) {
    const { said, steps, signals, served, ended, env: used } = run(env);
    await served;
    signals.emit('SIGTERM');
    await ended;
    const demo = ['A demo firm was created', `  DATA_DIR='${used.DATA_DIR}' npx pnpm svc staff invite`];
    expect(said.filter((line) => !line.startsWith('info: '))).toEqual([
      'No SMTP_URL is set: sign-in codes are logged instead of emailed.',
      ...['The database starts', expect.stringMatching(/^Listening/), ...embedded],
      ...(isCreated ? demo.map((text) => expect.stringContaining(text)) : []),
    ]);
    expect(steps).toEqual([...STARTED, ...STOPPED]);
  }
});

test('a signal during the start stops the server after it, and a start that fails releases the database', async () => {
  const run = servers();
  const interrupted = run(SERVER, { signal: true });
  await Promise.all([interrupted.served, interrupted.ended]);
  expect(interrupted.steps).toEqual([...STARTED, ...STOPPED]);
  for (const [env, steps, error] of [
    [{ PORT: 'x' }, [], 'PORT holds "x"; allowed: a whole number from 0 to 65535\n'],
    [SERVER, [...STARTED, 'release'], 'The service did not start: lost\n'],
  ] as const) {
    const failed = run(env, { start: new Error('lost') });
    await failed.served;
    expect([failed.steps, failed.said.at(-1)]).toEqual([[...steps, 'exit 1'], error]);
  }
});
