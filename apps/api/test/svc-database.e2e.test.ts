import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { atEnd } from '../../../tools/services/at-end.ts';
import { createDatabase, withClient } from '../../../tools/services/postgres.ts';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { claimBody, sendClaim, startServiceUnderTest } from './service-under-test.ts';
import { svcInProcess } from './svc-here.ts';

const folder = temporaryFolder();
const service = await startServiceUnderTest();
const firm = await service.firm();
for (const instructions of ['Tab\t, newline\n, backslash \\. and "quotes"', '\\.', 'ñ 🌊 \u2028'])
  expect(
    (await sendClaim(service, firm.test, { ...claimBody(firm.account.manual), instructions })).status,
  ).toBe(201);

const emptyDatabase = async (): Promise<string> => (await createDatabase()).url;
/** Where no restore has an effect. */
const untouched = await emptyDatabase();

const query = (url: string, sql: string) => withClient(url, async (client) => (await client.query(sql)).rows);

/** A hash of all rows by table. */
function contentOf(url: string): Promise<Record<string, unknown>> {
  return withClient(url, async (client) => {
    const tables = await client.query(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname !~ '^(pg_|information_schema)'`,
    );
    const hashes = tables.rows.map(
      ({ name }) =>
        `SELECT '${name}' AS name, count(*), md5(string_agg(t::text, '|' ORDER BY t::text)) AS rows FROM ${name} t`,
    );
    const { rows } = await client.query(hashes.join(' UNION ALL '));
    return Object.fromEntries(rows.map(({ name, ...content }) => [name, content]));
  });
}

const svc = (url: string, ...args: string[]) => svcInProcess(args, { DATABASE_URL: url });
const backup = (name: string) => join(folder, name);

test('a backup beside the running service, restored into an empty database, has every row', async () => {
  const file = backup('whole.gz');
  const made = await svc(service.databaseUrl, 'database', 'backup', file, '--json');
  expect(made).toMatchObject({ code: 0 });
  expect(JSON.parse(made.stdout)).toMatchObject({
    bytes: statSync(file).size,
    rows: { 'public.firms': 1, 'public.claims': 3 },
  });

  const url = await emptyDatabase();
  const restored = await svc(url, 'database', 'restore', file, '--json');
  expect(restored).toMatchObject({ code: 0 });
  expect(JSON.parse(restored.stdout).rows).toEqual(JSON.parse(made.stdout).rows);
  const trailOfCopy = await svc(url, 'audit', 'list', '--service', '--limit', '2', '--json');
  expect(JSON.parse(trailOfCopy.stdout).audit).toMatchObject([
    { action: 'database.restore', outcome: 'ok', actor: expect.stringMatching(/^operator:/) },
  ]);
});

test('a restore into a database with a firm is refused', async () => {
  const file = backup('whole.gz');
  const url = await emptyDatabase();
  await svc(url, 'firm', 'create', '--name', 'Other Firm');
  const content = await contentOf(url);
  const refused = await svc(url, 'database', 'restore', file);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('firm Other Firm') });
  expect(await contentOf(url)).toEqual(content);
});

test.each([
  ['that ends too early', (text: string) => text.slice(0, text.length / 2), /ends too early|damaged/],
  ['that lost a row', (text: string) => text.replace(/(\{"table":"public.claims".*\n).*\n/, '$1'), /damaged/],
  [
    'with SQL in a list of columns',
    (text: string) => text.replace(/("columns":"[^"]*)"/, `$1) FROM PROGRAM 'false' --"`),
    /damaged/,
  ],
  [
    'of another release',
    (text: string) => text.replace(/"schema":"\w{4}/, '"schema":"0000'),
    /another release/,
  ],
  ['that is something else', () => 'CREATE TABLE x ();\n', /no backup/],
])('a backup %s changes nothing', async (_, damage, message) => {
  const text = gunzipSync(readFileSync(backup('whole.gz'))).toString();
  const damaged = backup('damaged.gz');
  writeFileSync(damaged, gzipSync(damage(text)));
  const url = untouched;
  const content = await contentOf(url);
  const refused = await svc(url, 'database', 'restore', damaged);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
  expect(await contentOf(url)).toEqual(content);
});

test('a move is refused while the service runs, and afterwards copies every row and sequence', async () => {
  const to = await emptyDatabase();
  const variables = { DATABASE_URL: service.databaseUrl };
  const refused = await svcInProcess(['database', 'move', '--to', to], variables);
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/other connections?: .*claim-assignment.* as \w+.*Stop the service first/),
  });
  expect(await query(to, 'SELECT * FROM firms')).toEqual([]);

  const [from, file] = [await emptyDatabase(), backup('plain.gz')];
  const made = await svc(service.databaseUrl, 'database', 'backup', file);
  expect(made).toEqual({ code: 0, stderr: '', stdout: `Wrote ${statSync(file).size} bytes to ${file}.\n` });
  const restored = await svc(from, 'database', 'restore', file);
  const { at } = JSON.parse(gunzipSync(readFileSync(file)).toString().split('\n', 1)[0] ?? '');
  expect(restored.stdout).toContain(`run svc feed restamp --since ${at}; `);
  const moved = await svc(from, 'database', 'move', '--to', to);
  for (const { code, stdout, stderr } of [restored, moved]) {
    // On a slow machine also how far it is.
    expect([code, stderr.replaceAll(/^\d+ rows?\n/gm, '')]).toEqual([0, '']);
    expect(stdout.replaceAll(/ +/g, ' ')).toContain('\npublic.claims 3\n');
  }
  expect(await contentOf(to)).toEqual(await contentOf(from));
});

test('a move that is refused leaves the old database as usable as before', async () => {
  const [from, to] = [await emptyDatabase(), await emptyDatabase()];
  await svc(from, 'database', 'restore', backup('whole.gz'));
  await svc(to, 'firm', 'create', '--name', 'Other Firm');
  const refused = await svc(from, 'database', 'move', '--to', to);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Other Firm') });
  const locks = "SELECT 1 FROM pg_locks WHERE relation = 'claims'::regclass AND mode = 'ShareLock'";
  expect(await query(from, locks)).toEqual([]);
});

test('the owner of the new database need not be a superuser, and who migrates it is recorded', async () => {
  const url = new URL(await emptyDatabase());
  const owner = `move_owner_${process.pid}`;
  await query(url.href, `CREATE ROLE ${owner} LOGIN PASSWORD 'x'`);
  await query(url.href, `CREATE DATABASE ${owner} OWNER ${owner}`);
  const admin = url.href;
  atEnd(async () => {
    await query(admin, `DROP DATABASE ${owner} WITH (FORCE)`);
    await query(admin, `DROP ROLE ${owner}`);
  });
  [url.username, url.password, url.pathname] = [owner, 'x', `/${owner}`];
  const migrated = await svc(url.href, '--as', 'kim', 'migrate');
  expect(migrated.stdout).toMatch(/^Applied: 1 \(.+\)\.\nThe schema is up to date \(\d+ migrations?\)\.\n$/);
  const trail = await svc(url.href, 'audit', 'list', '--service');
  expect(trail.stdout).toMatch(/ operator:kim +- +database\.migrate +migration:1 +ok/);
  const restored = await svc(url.href, 'database', 'restore', backup('whole.gz'));
  expect(restored).toMatchObject({ code: 0 });
  // A session of another role counts too.
  const other = new URL(admin);
  other.pathname = url.pathname;
  await withClient(other.href, async () => {
    const refused = await svc(url.href, 'database', 'move', '--to', admin);
    expect(refused.stderr).toContain('Stop the service first');
  });
});
