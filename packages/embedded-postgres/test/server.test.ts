import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { SELF } from '../src/account.ts';
import { checkVersion, initialize, signalServer, start, waitUntilReady } from '../src/server.ts';

let folder: string;
beforeEach(() => {
  folder = join(realpathSync(temporaryFolder()), 'place');
  mkdirSync(folder);
});
/** A place whose programs are these scripts. */
function placeWith(script: string) {
  const program = join(folder, '../program');
  writeFileSync(program, `#!/bin/sh\n${script}`);
  chmodSync(program, 0o755);
  return { folder, account: SELF, link: undefined, binaries: { initdb: program, postgres: program } };
}
const linesOf = (name: string): string[] => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');

const INITDB = `data=\${1#--pgdata=}
password=\${3#--pwfile=}
printf '%s\\n' "$@" >"$data/arguments"
cp "$password" "$data/password"
env >"$data/environment"`;

test.each([true, false])('initdb makes a complete database with its own password; durable: %s', (durable) => {
  const draft = join(folder, 'data-new');
  mkdirSync(draft);
  for (const left of [join(draft, 'left'), join(folder, 'password-new')]) writeFileSync(left, '');
  process.env.PGHOST = 'elsewhere';
  initialize(placeWith(INITDB), { durable });
  delete process.env.PGHOST;
  expect(readdirSync(folder).toSorted()).toEqual(['data', 'password']);
  expect(readdirSync(join(folder, 'data')).toSorted()).toEqual(['arguments', 'environment', 'password']);
  expect(linesOf('data/arguments')).toEqual([
    ...[`--pgdata=${draft}`, '--username=postgres', `--pwfile=${join(folder, 'password-new')}`],
    ...['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-instructions'],
    ...(durable ? [] : ['--no-sync']),
  ]);
  expect(linesOf('password')).toEqual([expect.stringMatching(/^[0-9a-f]{48}$/)]);
  expect(linesOf('data/password')).toEqual(linesOf('password'));
  const modes = ['data', 'password'].map((name) => statSync(join(folder, name)).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600]);
  const variables = linesOf('data/environment').filter((line) => !/^(_|PWD|OLDPWD|SHLVL)=/.test(line));
  expect(variables.toSorted()).toEqual(['LC_ALL=C', `PATH=${process.env.PATH}`, 'TZ=UTC']);
});

test.each([
  [
    'for n in $(seq 10); do echo "line $n"; echo; done; seq 10 >&2; exit 3',
    'failed with exit code 3:\nline 6\n',
  ],
  ['kill -9 $$', 'was terminated by SIGKILL:\n'],
])('what stops a setup is reported, and nothing of it is left: %s', (script, reason) => {
  expect(() => initialize(placeWith(script), { durable: true })).toThrow(`initdb ${reason}`);
  const missing = { ...placeWith(''), binaries: { initdb: '/missing', postgres: '' } };
  expect(() => initialize(missing, { durable: true })).toThrow('initdb did not start: ');
  expect(readdirSync(folder)).toEqual([]);
});

test('data of another major version is refused, with the way to move it', () => {
  const check = (version: string, data: string) => {
    mkdirSync(join(folder, 'data'), { recursive: true });
    writeFileSync(join(folder, 'data/PG_VERSION'), `${data}\n`);
    checkVersion(placeWith(version));
  };
  check('echo "postgres (PostgreSQL) 18.4"', '18');
  check('exit 1', '17');
  expect(() => check('echo "postgres (PostgreSQL) 18.4"', '17')).toThrow(
    `${join(folder, 'data')} holds data of PostgreSQL 17, and this release has PostgreSQL 18. Run "svc database backup`,
  );
});

test('a start tries the port of before and five others, and says why the server did not start', async () => {
  writeFileSync(join(folder, 'server.json'), '{"pid":0,"start":"","port":5433}');
  const noPort = `echo "$@" >>'${folder}/starts'; echo 'could not bind IPv4 address: Address already in use'; exit 1`;
  await expect(start(placeWith(noPort), { work_mem: '8MB', timezone: 'X' })).rejects.toThrow(
    'in six attempts',
  );
  const starts = linesOf('starts');
  expect(starts[0]).toMatch(
    /^-D \S+\/place\/data -c listen_addresses=127.0.0.1 .* -c work_mem=8MB -c port=5433$/,
  );
  expect(starts[0]).toContain(' -c timezone=X -c log_timezone=UTC -c log_error_verbosity=terse ');
  expect([starts.length, starts.filter((line) => line.endsWith('=5433')).length]).toEqual([6, 1]);
  const log = join(folder, 'postgres.log');
  expect(statSync(log).mode & 0o777).toBe(0o600);
  await expect(start(placeWith('echo "FATAL: no memory"; exit 3'), {})).rejects.toThrow(
    /did not start \((exit code 3|it exited immediately)\). The last lines of \S+\/postgres.log:\nFATAL: no memory$/,
  );
  expect(readFileSync(`${log}.1`, 'utf8')).toMatch(/^could not bind/);
});

test('a server that has ended is neither waited for nor signaled', async () => {
  writeFileSync(join(folder, 'password'), 'x');
  const ended = { pid: 99_999_999, start: '1', port: 1 };
  expect([await waitUntilReady(placeWith(''), ended), signalServer(ended, 'SIGINT')]).toEqual([false, false]);
});
