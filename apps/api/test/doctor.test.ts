import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { FirmId } from '@svc/domain';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { createVapidKeys } from '../src/composition/notifications.ts';
import { readConfig } from '../src/config.ts';
import {
  checkClock,
  checkConnections,
  checkFirms,
  checkNode,
  checkPush,
  checkRights,
  checkSchema,
  checkStandbys,
  diagnose,
  notesOn,
} from '../src/svc/doctor.ts';

test('doctor requires Node 20.19', () => {
  const checked = ['18.20.0', '20.18.3', '20.19.0', '21.0.0', '22.0.0'].map(checkNode);
  expect(checked.map(({ state }) => state)).toEqual(['wrong', 'wrong', 'note', 'note', 'ok']);
  expect(checked.slice(-2).map(({ detail }) => detail)).toEqual([
    ...[expect.stringMatching(/^Node 21\.0\.0 gets no /), '22.0.0; 20.19 or later is required'],
  ]);
});

test('doctor names a missing synchronous standby, and the grant without which it sees none', () => {
  const standbysWith = (seesStandbys: boolean, synchronousStandbys: number, required: number) => {
    const counts = { standbys: 1, synchronousStandbys, requiredSynchronousStandbys: required };
    const role = { role: 'claims_service', seesStandbys };
    const { state, detail } = checkStandbys(role, { ...counts, maxLagSeconds: null });
    return `${state}: ${detail}`;
  };
  expect(standbysWith(true, 0, 0)).toBe('ok: 1 connected, 0 of them synchronous');
  expect(standbysWith(true, 1, 1)).toBe('ok: 1 connected, 1 of them synchronous');
  expect(standbysWith(true, 1, 2)).toMatch(/^wrong: .* synchronous_standby_names requires 2: every write/);
  expect(standbysWith(false, 0, 0)).toMatch(/^note: .* run GRANT pg_monitor TO claims_service$/);
  expect(checkStandbys({ role: 'claims_service', seesStandbys: true }, null).state).toBe('note');
});

test('doctor counts the processes that PostgreSQL accepts, and behind a pooler names the limits that count there', () => {
  const plain = readConfig({ DB_POOL_MAX: '10' }, false);
  const ENCRYPTION_KEY = randomBytes(32).toString('base64');
  const encrypted = readConfig({ DB_POOL_MAX: '10', ENCRYPTION_KEY }, false);
  const detail = (maxConnections: number, behindPooler: boolean, config = plain) => {
    const { state, detail } = checkConnections(config, { maxConnections, behindPooler });
    return `${state}: ${detail}`;
  };
  expect(detail(97, false)).toMatch(/^ok: max_connections allows 8 processes of 12 connections each/);
  expect(detail(12, false)).toMatch(/^ok: max_connections allows 1 process of 12/);
  expect(detail(28, false, encrypted)).toMatch(/^ok: max_connections allows 2 processes of 14/);
  expect(detail(11, false)).toMatch(/^wrong: max_connections allows 0 processes/);
  expect(detail(5, true)).toMatch(
    /^ok: a pooler in transaction mode is in front of PostgreSQL: max_client_conn must allow 12 .* the 5 that PostgreSQL accepts$/,
  );
});

test('doctor names VAPID keys that are no pair, and a subject that Apple refuses, also that of generated keys', () => {
  const { publicKey, privateKey } = createVapidKeys();
  const keys = { VAPID_PUBLIC_KEY: publicKey, VAPID_PRIVATE_KEY: privateKey };
  const stateWith = (VAPID_SUBJECT: string) => checkPush(readConfig({ ...keys, VAPID_SUBJECT }, false)).state;
  const accepted =
    'mailto:push@example.com|https://claims.example.com/contact|MAILTO:a.b+c@mail.example'.split('|');
  const refused =
    'mailto:operator@localhost|mailto:operator@localhost.localdomain|mailto:push@claims.local|mailto:push@claims.invalid|mailto:push@claims.test|mailto:push@nas.home.arpa|mailto:push@LOCAL.|mailto:push@10.0.0.1|mailto:<push@example.com>|mailto: push@example.com|mailto:push|https://localhost:3000|https://127.0.0.1/|https://claims.internal/'.split(
      '|',
    );
  expect(accepted.filter((subject) => stateWith(subject) !== 'ok')).toEqual([]);
  expect(refused.filter((subject) => stateWith(subject) !== 'wrong')).toEqual([]);
  const other = { publicKey: createVapidKeys().publicKey, privateKey, subject: 'mailto:push@example.com' };
  // No number of the curve is zero.
  const zero = { ...other, privateKey: Buffer.alloc(32).toString('base64url') };
  for (const vapid of [other, zero])
    expect(checkPush({ ...readConfig({}, false), vapid })).toMatchObject({
      state: 'wrong',
      detail: expect.stringContaining('VAPID_PUBLIC_KEY is not the public key of VAPID_PRIVATE_KEY'),
    });
  const generated = (env: Record<string, string>) =>
    Object.values(checkPush(readConfig(env, false))).join(' ');
  expect(generated({})).toMatch(/^push note .* Apple answers 403 .* set BASE_URL or SUPPORT_EMAIL$/);
  expect(generated({ BASE_URL: 'https://claims.example.com' })).not.toMatch(/Apple/);
  expect(generated({ SUPPORT_EMAIL: 'help@example.com' })).not.toMatch(/Apple/);
});

const SITE = { BASE_URL: 'https://claims.example.com' };
const PROXIES = { ...SITE, TRUST_PROXY: '10.0.0.5' };
const UNREACHED = 'proxies: HOST is 127.0.0.1: the proxies of TRUST_PROXY (10.0.0.5) reach the service only';

test.each<[note: string | null, env: Record<string, string>]>([
  [null, {}],
  [null, { BASE_URL: 'http://localhost:3000' }],
  [null, { BASE_URL: 'http://[::1]:3000' }],
  ['public address: BASE_URL starts with http://', { BASE_URL: 'http://claims.example.com' }],
  [
    'mail: SMTP_URL starts with smtp:// and does not require TLS',
    { SMTP_URL: 'smtp://mail.example?requireTLS=false' },
  ],
  [null, { SMTP_URL: 'smtp://mail.example?requireTLS=true' }],
  [null, { SMTP_URL: 'smtps://mail.example' }],
  ['database: DATABASE_URL has sslmode=require', { DATABASE_URL: 'postgres://h/db?sslmode=require' }],
  ['proxies: TRUST_PROXY is true', { TRUST_PROXY: 'true' }],
  [UNREACHED, { ...PROXIES, HOST: '127.0.0.1' }],
  [UNREACHED.replace('127.0.0.1', '::1'), { ...PROXIES, HOST: '::1' }],
  [UNREACHED.replace('127.0.0.1', 'localhost'), { ...PROXIES, HOST: 'localhost' }],
  [null, { ...PROXIES, HOST: '10.0.0.11' }],
  [null, { ...SITE, TRUST_PROXY: 'loopback,10.0.0.5' }],
  [null, { ...SITE, TRUST_PROXY: '127.0.0.1' }],
  [null, { ...SITE, TRUST_PROXY: '10.0.0.5,::1' }],
  [null, { ...SITE, TRUST_PROXY: '::ffff:127.0.0.1' }],
  ['edge limit: EDGE_LIMIT_PER_MINUTE is 0 and TRUST_PROXY is none', { EDGE_LIMIT_PER_MINUTE: '0' }],
  [null, { EDGE_LIMIT_PER_MINUTE: '0', TRUST_PROXY: '1' }],
])('doctor notes %j of %j', (expected, env) => {
  const notes = notesOn(readConfig(env, false));
  expect(notes.map(({ state, what, detail }) => [state, `${what}: ${detail}`])).toEqual(
    expected === null ? [] : [['note', expect.stringContaining(expected)]],
  );
});

test('doctor asks all that the service depends on, goes on where something is wrong, and closes what it opened', async () => {
  const DATA_DIR = temporaryFolder();
  const used = { DATABASE_URL: 'postgres://h/db', REDIS_URL: 'redis://a', SMTP_URL: 'smtps://mail.example' };
  const production = { ...used, NODE_ENV: 'production' };
  const ENCRYPTION_KEY = randomBytes(32).toString('base64');
  const asked: unknown[] = [];
  const says =
    <Answer>(answer: Answer) =>
    async (of: unknown): Promise<Answer> => {
      asked.push(of);
      return answer;
    };
  const fails = async (of: unknown) => Promise.reject(new Error(`lost ${asked.push(of)}`));
  const release = async () => void asked.push('end');
  const opened = { url: 'service', migrationUrl: 'owner', embeddedIn: null, release };
  const schema = { server: '18.4', applied: [{ id: 1, name: 'one', at: 0 }], unknown: [], changed: [] };
  const state = { ...schema, current: true, pending: [] };
  const standby = { server: 'two', problem: 'standby', isStandby: true };
  const servers = (problem: string | null) => says([{ server: 'one', problem, isStandby: false }, standby]);
  const rights = { role: 'r', ownsTables: false, maxConnections: 97, changesAudit: false };
  const replication = { standbys: 2, synchronousStandbys: 1, requiredSynchronousStandbys: 1 };
  const probes: NonNullable<Parameters<typeof diagnose>[1]> = {
    ...{ openDatabase: async () => opened, reportServers: servers(null), probeDatabase: says(undefined) },
    ...{ readSchemaState: says(state), readClockAheadMs: says(250), readFirms: says([]) },
    readRoleRights: says({ ...rights, seesStandbys: true, behindPooler: false }),
    readReplication: says({ ...replication, maxLagSeconds: null }),
    probeEncryption: (_, url) => says(undefined)(url),
    reportNodes: says([{ node: 'a', problem: null }]),
    probeRedis: ({ redisUrls }) => says(true)(redisUrls),
    mailProblem: says(null),
  };
  const nodes = ['a', 'b', 'c'].map((node) => ({ node, problem: node === 'b' ? null : `no ${node}` }));
  const faults = { reportServers: servers('refused'), mailProblem: says('wrong password') };
  const openDatabase = async () => ({ ...opened, embeddedIn: 'DIR' });
  const lines: string[] = [];
  for (const [env, changes] of [
    [{}, { openDatabase, readSchemaState: says({ ...state, current: false }) }],
    [{ ...production, ...SITE, REDIS_URL: 'redis://a,redis://b', ENCRYPTION_KEY }, {}],
    [used, { reportServers: says([{ server: 'one', problem: null, isStandby: false }]) }],
    [used, { ...faults, probeEncryption: (_, url) => fails(url), probeRedis: async () => false }],
    [production, { probeDatabase: fails, reportNodes: says(nodes) }],
    [{ PORT: 'x' }, {}],
  ] satisfies [Record<string, string>, Partial<typeof probes>][]) {
    const { ok, checks } = await diagnose({ DATA_DIR, ...env }, { ...probes, ...changes });
    const [node, ...others] = checks.map((check) => Object.values(check).join(' '));
    expect(node).toMatch(/^node /);
    lines.push(`${ok}: ${asked.splice(0).join(' ')}: ${others.join(' | ')}`.replaceAll(DATA_DIR, 'DIR'));
    writeFileSync(join(DATA_DIR, 'vapid.json'), '');
  }
  const transcript = readFileSync(new URL('doctor.txt', import.meta.url), 'utf8');
  expect(lines).toEqual(transcript.trimEnd().split('\n'));
});

test('doctor counts firms, and names those whose erasure may have been interrupted', () => {
  const firms = ([null, 'started', 'finished', 'started'] as const).map((erasure, n) => ({
    ...{ id: `f${n}` as FirmId, erasure },
  }));
  const told = (count: number) => Object.values(checkFirms(firms.slice(0, count))).join(' ');
  const advice = '(if that was interrupted, repeat svc firm erase)';
  expect([0, 1, 2, 4].map(told)).toEqual([
    'firms ok 0 firms, 0 of them erased',
    'firms ok 1 firm, 0 of them erased',
    `firms note 2 firms, 0 of them erased; being erased: f1 ${advice}`,
    `firms note 4 firms, 1 of them erased; being erased: f1, f3 ${advice}`,
  ]);
});

test('doctor notes a role that owns tables, or else one that may change the audit trail', () => {
  const told = (ownsTables: boolean, changesAudit: boolean) =>
    Object.values(checkRights({ role: 'r', ownsTables, changesAudit })).join(' ');
  expect(told(false, false)).toBe("rights ok the service's role r owns no table");
  const owner = /^rights note the service's role r owns tables: it can change and drop them, /;
  for (const changesAudit of [true, false]) expect(told(true, changesAudit)).toMatch(owner);
  expect(told(false, true)).toMatch(
    /^rights note the service's role r may change rows of the audit trail: revoke UPDATE, DELETE and /,
  );
});

test.each([
  ['ok', 'up to date (2 migrations)', {}],
  ['note', 'has migrations of a newer release: 3 (change 3)', { unknown: [3] }],
  ['wrong', 'not up to date: run svc migrate', { unknown: [3], current: false }],
  [
    'wrong',
    'applied with SQL that differs from this release: 2 (change 2), 3 (change 3)',
    { changed: [2, 3] },
  ],
])('doctor says %s of a schema that is %s', (state, detail, changes) => {
  const applied = [2, 3].map((id) => ({ id, name: `change ${id}`, at: 0 }));
  const schema = { server: '18', current: true, applied, pending: [], unknown: [], changed: [], ...changes };
  expect(checkSchema(schema)).toEqual({ what: 'schema', state, detail });
});

test.each([
  [40, 'ok', '0.0 s ahead of'],
  [-1000, 'ok', '1.0 s behind'],
  [1001, 'note', '1.0 s ahead of'],
  [-60_000, 'note', '60.0 s behind'],
  [60_001, 'wrong', '60.0 s ahead of'],
  [-61_000, 'wrong', '61.0 s behind'],
])('a clock that is %d ms ahead of that of the database is %s', (aheadMs, state, difference) => {
  expect(checkClock(aheadMs)).toMatchObject({ state, detail: expect.stringContaining(difference) });
});
