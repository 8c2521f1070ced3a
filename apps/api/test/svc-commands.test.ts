import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import {
  type AuditEvent,
  type AuditReads,
  type AuditRow,
  byAccount,
  claimObject,
  SERVICE_CHAIN,
} from '@svc/application';
import type { AuditAction, ClaimId, FirmId, KeyId, StaffMember, Svcid } from '@svc/domain';
import { aLoggedRequest, testClaim } from '@svc/testkit';
import { atEnd } from '../../../tools/services/at-end.ts';
import { operatorOf } from '../../../tools/services/operator.ts';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { compose } from '../src/composition/compose.ts';
import { readConfig } from '../src/config.ts';
import { createLog } from '../src/logging.ts';
import { checkPush } from '../src/svc/doctor.ts';
import { createProgram } from '../src/svc/program.ts';
import { createSessions } from '../src/svc/session.ts';
import { memoryConnection } from './memory-service.ts';
import { svcInProcess } from './svc-here.ts';

const UNKNOWN = '01890000-0000-7000-8000-000000000000';
const MINUTE = 60_000;
const DATABASE = { url: 'postgres://service@db/claims', migrationUrl: 'postgres://owner@db/claims' };

/** The command line on stores in memory, and a firm. Each command runs a minute after the one before. */
async function commandLine() {
  const connection = memoryConnection({
    encryption: {
      status: async () => ({
        wrappingKeyId: 'k2',
        dataKeys: ['k1', 'k2'].map((wrappingKeyId, n) => ({ wrappingKeyId, count: 3 + n })),
        plainRows: { claims: 5, staff: 0 },
        rejectsPlainText: false,
      }),
      async rewrap(onProgress) {
        onProgress(6);
        return 6;
      },
      async encryptExisting(onProgress) {
        onProgress(7);
        return 7;
      },
    },
  });
  const { clock, steps, stores } = connection;
  /** With what the log of requests was read. */
  const asked: unknown[] = [];
  const webhook = { status: 503, retryAfterMs: null, body: 'later' };
  const send = async () => (webhook.status === 0 ? ({ error: 'timeout' } as const) : webhook);
  const webhookSender = { problemOf: () => null, send };
  const composed: Parameters<typeof compose>[0][] = [];
  const parts = {
    openDatabase: async () => ({
      ...DATABASE,
      embeddedIn: null,
      release: async () => void steps.push('release'),
    }),
    async migrateDatabase(
      ...[url, , options]: Parameters<typeof import('../src/composition/database.ts').migrateDatabase>
    ) {
      steps.push(`migrate ${url} ${options?.migrationUrl} ${options?.caller?.actor}`);
      return [];
    },
    async recordDatabaseAction(
      ...[url, , { actor }, action]: Parameters<
        typeof import('../src/composition/database.ts').recordDatabaseAction
      >
    ) {
      steps.push(`${action} ${url} ${actor}`);
    },
    compose(options: Parameters<typeof compose>[0]) {
      composed.push(options);
      const { connectTo } = connection;
      return compose({ ...options, connectTo, replacePorts: () => ({ webhookSender }) });
    },
  };
  const log = createLog({ level: 'error', format: 'json' });
  const addresses = { baseUrl: '', docsUrl: '', supportEmail: '' };
  const config = readConfig({}, false);
  const { services, close } = await compose({
    ...{ config, databaseUrl: DATABASE.url, log, addresses, connectTo: connection.connectTo },
  });
  atEnd(close);
  const operator = operatorOf(services);
  const firm = await operator.firm({ name: 'Plain' });
  const firmId = firm.id as FirmId;
  const traffic = { keyId: 'key_9' as KeyId, requests: 45, limited: 4, failed: 3 };
  Object.assign(stores.requestLog, {
    async requestsOf(...given: unknown[]) {
      asked.push(given);
      const named = (await stores.operatorReads.keys(firmId)).find(({ name }) => name === 'Mine');
      return given[0] === firmId ? [aLoggedRequest({ firmId, keyId: named?.id ?? traffic.keyId })] : [];
    },
    async busiestKeys(...given: unknown[]) {
      asked.push(given);
      return [firmId, 'removed'].map((id) => ({ ...traffic, firmId: id }));
    },
    pageOf: async (_: FirmId, after: unknown) => (after === null ? [[aLoggedRequest({ firmId })]] : []),
  });
  const sessions = createSessions(parts);
  return {
    ...{ ...connection, asked, composed, operator, services, sessions, firm, firmId, webhook },
    run(...args: string[]) {
      clock.advance(MINUTE);
      return svcInProcess(args, { DATABASE_URL: DATABASE.url, SVC_OPERATOR: 'dana' }, sessions);
    },
  };
}

let svc: Awaited<ReturnType<typeof commandLine>>;
beforeAll(async () => {
  svc = await commandLine();
});

afterEach(() => void jest.restoreAllMocks());

/** Names ids in the order in which they appear, and hides what is random. */
function masking(names: Map<string, string>) {
  const counts = { key: 0, id: 0 };
  return (text: string): string => {
    for (const [kind, pattern] of [
      ['key', /key_[\w-]{20,}/g],
      ['id', /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g],
    ] as const)
      for (const [found] of text.matchAll(pattern)) {
        if ([...names.keys()].some((known) => known.includes(found))) continue;
        counts[kind] += 1;
        names.set(found, `${kind}${counts[kind]}`);
      }
    let shown = text;
    for (const [value, name] of names) shown = shown.replaceAll(value, name);
    return shown
      .replaceAll(/(svc_[a-z]+_|whsec_)[\w+/=]{12,}/g, '$1SECRET')
      .replaceAll(/test_[A-Za-z0-9]+_([a-z]+)/g, 'test_$1')
      .replaceAll(/@\w+\.test\b/g, '@TAG.test')
      .replaceAll(/[0-9a-f]{64}/g, 'HASH')
      .replaceAll(/2026-09-01T(\d\d:\d\d):00.000Z/g, '$1');
  };
}

test('every command prints what people read, with --json what programs read, and fails with one line', async () => {
  const { operator, services, firm, firmId, stores } = svc;
  const [other, gone] = [await operator.firm({ name: 'Other' }), await operator.firm({ name: 'Gone' })];
  await operator.adjuster({ svcId: 'Adj-1' });
  const url = 'https://gone.example/';
  await services.createWebhook(services.operator, { firmId: gone.id, url, environment: 'live' });
  const carrier = { name: 'Gulf', phone: '985-555-0142' };
  const sent = await services.sendClaim(
    { firmId, environment: 'test' },
    { ...testClaim(1, { carrier }), adjuster: firm.account.manual, idempotencyKey: 'k', fingerprint: 'f' },
  );
  const { id } = sent.claim;
  // With a row of every kind.
  const ofOther = { firmId: other.id, environment: 'live' } as const;
  const { svcId: member } = await operator.adjuster({ svcId: 'Adj-0' });
  await operator.addMember(other.id, member);
  const first = await services.sendClaim(ofOther, {
    ...{ ...testClaim(2), adjuster: member, idempotencyKey: 'k', fingerprint: 'f' },
  });
  const claimId = first.claim.id;
  await services.answerOffers.rejectClaim({ svcId: member }, claimId, 'Far.');
  await services.offerClaim(ofOther, { claimId, adjuster: member, idempotencyKey: 'o', fingerprint: 'g' });
  const file = {
    id: UNKNOWN,
    name: 'Storm',
    fileName: 'a.csv',
    columns: { 'Claim No': 'claim_number', x: null },
  };
  const progress = { totalRows: 9, nextRow: 3, nextUncounted: 4, sent: 5, alreadySent: 6, failed: 7 };
  const times = { createdAt: svc.clock.now() + 1, updatedAt: svc.clock.now() + 2 };
  await stores.unitOfWork.run((tx) => tx.imports.add({ ...ofOther, ...file, ...progress, ...times }));
  const saveOther = (changes: object) =>
    stores.unitOfWork.run(async (tx) => {
      const found = await tx.firms.lock(other.id);
      if (found !== null) await tx.firms.save({ ...found, ...changes });
    });
  await saveOther({
    clocks: { rules: [{ carrier: 'Bayou', contactHours: 2 }], timeZone: 'UTC', changedAt: 0 },
  });
  const names = new Map([
    ...([
      [firmId, 'FIRM'],
      [other.id, 'OTHER'],
      [gone.id, 'GONE'],
      [id, 'CLAIM'],
    ] as const),
    [firm.account.manual as string, 'MANUAL'],
  ]);
  const masked = masking(names);
  const changes: Readonly<Record<string, () => unknown>> = {
    200: () => Object.assign(svc.webhook, { status: 200, body: 'fine' }),
    503: () => Object.assign(svc.webhook, { status: 503, body: 'later' }),
    timeout: () => Object.assign(svc.webhook, { status: 0 }),
    pause: () =>
      stores.unitOfWork.run(async (tx) => {
        for (const endpoint of await tx.webhooks.of(other.id))
          await tx.webhooks.save({ ...endpoint, paused: 'failing' });
      }),
    async retried() {
      const [endpoint] = await stores.webhookReads.endpoints(other.id);
      const [latest] = await stores.webhookReads.deliveries(other.id, endpoint?.id ?? '', null, 1);
      const [attempt] = latest?.attempts ?? [];
      const times = { createdAt: svc.clock.now(), changesAfter: 1000, changesUntil: 2000 };
      const pending = { ...times, id: UNKNOWN, status: 'pending', attempts: [] } as const;
      if (latest === undefined || attempt === undefined) return;
      await stores.unitOfWork.run((tx) => tx.webhooks.recordAttempt({ ...latest, ...pending }, attempt));
    },
    queued: () => stores.webhookQueue.signalChanges(svc.clock.now()),
    erasing: () => saveOther({ erasure: 'started' }),
    passkey: () =>
      stores.unitOfWork.run((tx) =>
        tx.passkeys.add({
          ...{ id: UNKNOWN, credentialId: 'c', account: { svcId: 'Adj-2' as Svcid }, name: 'Phone' },
          ...{ publicKey: 'p', signCount: 0, transports: [], createdAt: svc.clock.now(), lastUsedAt: null },
        }),
      ),
    unencrypted: () =>
      Object.assign(stores.encryption, {
        status: async () => ({ wrappingKeyId: null, dataKeys: [], plainRows: {}, rejectsPlainText: true }),
      }),
    // As PostgreSQL stores those that are written together.
    rows() {
      const [at, by] = ['AT', { actor: 'key:1', address: null, outcome: 'ok', request_id: null }];
      const text = JSON.stringify([
        { at, action: 'claim.read', object: 'claim:1', ...by },
        { at, action: 'claims.read', object: null, ...by, claims: [id, claimId] },
        { at, action: 'claim.accept', object: 'claim:1', ...by, device: { answered_at: at } },
      ]);
      const rows = [9, 8].map((seq) => ({ seq, at: 0, text, hash: 'HASH' }));
      for (const name of ['latest', 'rows'] as const)
        jest
          .spyOn(stores.auditReads, name)
          .mockImplementation(async (...given) => (svc.asked.push(given) > 0 ? rows : []));
    },
    async key() {
      const staff = await services.staffReads.ofFirm(firmId);
      const priya = staff.find(({ name }) => name === 'Priya') as StaffMember;
      const key = { firmId, environment: 'test', purpose: 'claims', lifetimeMs: null, name: 'Mine' } as const;
      await services.createKey(byAccount(priya), key, priya);
      await services.createKey(byAccount(priya), { ...key, lifetimeMs: 1 }, priya);
    },
  };
  const transcript = readFileSync(new URL('svc-commands.txt', import.meta.url), 'utf8');
  const expected = transcript.trimEnd().split('\n');
  const shown: string[] = [];
  for (const line of expected) {
    const [given = ''] = line.split(/ >(?: |$)/);
    const named = (word: string) =>
      [...names].find(([, name]) => name === word)?.[0] ?? word.replaceAll('+', ' ');
    if (given.startsWith('= ')) {
      await changes[given.slice(2)]?.();
      shown.push(line);
      continue;
    }
    const { code, stdout, stderr } = await svc.run(...given.split(' ').map(named));
    const isJson = given.endsWith('--json') && stdout !== '';
    const text = isJson
      ? JSON.stringify(JSON.parse(stdout))
      : stdout.trimEnd().replaceAll('\n', ', ').replaceAll(/ +/g, ' ');
    const failure = stderr === '' ? '' : ` ! ${masked(stderr.trimEnd().replaceAll('\n', ', '))}`;
    shown.push(`${given} > ${masked(text)}${failure}${code === 0 ? '' : ` (${code})`}`.trimEnd());
  }
  expect(shown).toEqual(expected);
  const from = Date.parse('2026-09-01T12:20:00.000Z');
  expect(svc.asked).toEqual([
    [from - 20 * MINUTE, 3],
    [from + MINUTE - 10 * MINUTE, 20],
    [firmId, { firm: firmId, limit: 50 }],
    [firmId, { firm: firmId, limit: 2, json: true }],
    [other.id, { firm: other.id, limit: 50 }],
    [firmId, { firm: firmId, limit: 50, requestId: UNKNOWN }],
    [firmId, { firm: firmId, limit: 4 }],
    [firmId, { firm: firmId, limit: 1, json: true }],
    [SERVICE_CHAIN, { after: 0, limit: 1000, service: true }],
    [SERVICE_CHAIN, { limit: 100, service: true }],
  ]);
});

/** As if seconds had passed each time. */
function showAllProgress(): void {
  let now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => {
    now += 3000;
    return now;
  });
}

test('a command that may take long says how far it is', async () => {
  const { operator, services, stores } = svc;
  const dataKeys = [{ wrappingKeyId: 'j', count: 6 }];
  const status = { wrappingKeyId: 'k', dataKeys, plainRows: {}, rejectsPlainText: false };
  jest.spyOn(stores.encryption, 'status').mockResolvedValue(status);
  const { id } = await operator.firm({ name: 'Long' });
  const { svcId } = await operator.member(id);
  const keys = { idempotencyKey: 'k', fingerprint: 'f' };
  await services.sendClaim(
    { firmId: id, environment: 'live' },
    { ...testClaim(3), adjuster: svcId, ...keys },
  );
  showAllProgress();
  for (const [command, said] of [
    ['encryption rotate', /^6 data keys\n$/],
    ['encryption apply', /^7 rows\n$/],
    ['feed restamp --since 2026-09-01T00:00:00Z', /^\d+ claims\n/],
    [`firm export ${id}`, /^1 rows\n2 rows\n/],
  ] as const)
    expect((await svc.run(...command.split(' '))).stderr).toMatch(said);
});

/** Of what the firm's system has read, many rows. */
const fillers = (chain: FirmId, count: number): AuditEvent[] =>
  Array.from({ length: count }, () => ({ chain, entry: anEntry('claims.read', null) }));
const anEntry = (action: AuditAction, object: string | null, at = svc.clock.now()) => ({
  ...{ at, action, object, actor: 'key:key_1', address: null, outcome: 'ok', requestId: null },
});

test('a trace has what happened to its claim in the order of time, but no reads, and an export has every row', async () => {
  const { operator, services, stores, clock } = svc;
  const { id: firmId } = await operator.firm();
  const { svcId, token } = await operator.member(firmId);
  const push = { endpoint: 'https://push.example/1', keys: { p256dh: 'p', auth: 'a' } };
  const hash = services.secrets.hashOf(token, 'app_session') ?? '';
  await services.putDevice({ svcId }, hash, 'phone', push);
  const keys = { idempotencyKey: 'k', fingerprint: 'f' };
  const actor = { firmId, environment: 'live' } as const;
  const sentAt = clock.now();
  const { claim } = await services.sendClaim(actor, { ...testClaim(2), adjuster: svcId, ...keys });
  const object = claimObject(claim.id);
  clock.advance(MINUTE);
  await services.answerOffers.acceptClaim({ svcId }, claim.id);
  const about = [
    anEntry('claim.read', object),
    anEntry('claim.close', claimObject(UNKNOWN as ClaimId)),
    anEntry('claim.withdraw', object, sentAt + 2),
    anEntry('claim.offer', object, sentAt - 10_000),
    anEntry('claim.offer', object, sentAt - 10_001),
  ];
  await stores.audit.append([...fillers(firmId, 2000), ...about.map((entry) => ({ chain: firmId, entry }))]);
  showAllProgress();
  const { stdout, stderr } = await svc.run('claim', 'trace', claim.id, '--json');
  expect(stderr).toBe('2000 rows of the audit trail searched\n');
  const { events, jobs, devices, claim: shown } = JSON.parse(stdout);
  expect(
    events.map(({ action, at }: { action: string; at: string }) => [action, Date.parse(at) - sentAt]),
  ).toEqual([
    ['claim.offer', -10_000],
    ['claim.send', 0],
    ['claim.withdraw', 2],
    ['claim.accept', MINUTE],
  ]);
  const { updated_at, assignment } = shown;
  expect([devices, jobs.length, Date.parse(updated_at) - sentAt]).toEqual([1, 1, MINUTE]);
  expect(Date.parse(assignment.responded_at) - Date.parse(assignment.offered_at)).toBe(MINUTE);

  const exported = async (...period: string[]): Promise<{ seq: number; at: string }[]> => {
    const { stdout } = await svc.run('audit', 'export', '--firm', firmId, ...period);
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  const all = await exported();
  expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: all.length }, (_, n) => n + 1));
  expect(all.at(-1)).toMatchObject({ action: 'audit.export' });
  const [since, until] = [sentAt + 1, sentAt + MINUTE + 1].map((at) => new Date(at).toISOString());
  const within = all.filter(
    ({ at }) => since !== undefined && until !== undefined && at >= since && at < until,
  );
  const period = ['--since', String(since), '--until', String(until)];
  expect(await exported(...period)).toEqual(within);
  const verify = async (...options: string[]) =>
    svc.run('audit', 'verify', '--firm', firmId, '--json', ...options);
  const rows = new Set(within.map(({ seq }) => seq)).size;
  expect(rows).toBeGreaterThan(2000);
  const { last } = JSON.parse((await verify()).stdout);
  const known = [`${last.seq}:${last.hash}`, `${last.seq}:${'0'.repeat(64)}`];
  for (const options of [period, [...period, '--known', known[0] ?? '']])
    expect(JSON.parse((await verify(...options)).stdout)).toMatchObject({ intact: true, rows });
  expect((await Promise.all(known.map((row) => verify('--known', row)))).map(({ code }) => code)).toEqual([
    ...[0, 1],
  ]);
});

test.each<[string, change: (reads: AuditReads) => unknown, problem: string]>([
  [
    'outside',
    (reads) => jest.spyOn(reads, 'outside').mockResolvedValue(7),
    'row 7 is not part of the chain, so the service did not write it',
  ],
  [
    'changed',
    (reads) => changeRows(reads, ([first, ...rows]) => (first ? [{ ...first, text: '{}' }, ...rows] : [])),
    'row 1 is changed',
  ],
  ['missing', (reads) => changeRows(reads, ([, ...rows]) => rows), 'row 1 is missing'],
  [
    'purged',
    async (reads) => {
      const [found, [row]] = [
        await reads.chain(svc.firmId),
        await reads.rows(svc.firmId, { after: 2, limit: 1 }),
      ];
      if (found !== null && row !== undefined)
        jest.spyOn(reads, 'chain').mockResolvedValue({ ...found, purged: row });
    },
    'the rows up to 3 were deleted, but not by a purge that the retention allows',
  ],
])('a chain with a row that is %s is broken, which is recorded too', async (outcome, change, problem) => {
  const { auditReads } = svc.stores;
  const firm = ['--firm', svc.firmId];
  await change(auditReads);
  const { code, stdout, stderr } = await svc.run('audit', 'verify', ...firm, '--json');
  expect([code, stderr]).toEqual([1, `svc: the audit chain is broken: ${problem}\n`]);
  expect(JSON.parse(stdout)).toMatchObject({ intact: false, problem: outcome });
  const listed = await svc.run('audit', 'list', ...firm, '--limit', '1', '--json');
  expect(JSON.parse(listed.stdout).audit).toMatchObject([
    { action: 'audit.verify', outcome, actor: 'operator:dana' },
  ]);
  expect(listed.stderr).toBe(outcome === 'outside' ? `svc: left out: ${problem}\n` : '');
  const broken = 'the audit chain is broken: ';
  for (const [seq, error] of [
    [2, outcome === 'purged' ? 'row 2 was deleted by retention; name a row from 3 on' : broken],
    [3, broken],
  ])
    expect(
      (await svc.run('audit', 'verify', ...firm, '--known', `${seq}:${'0'.repeat(64)}`)).stderr,
    ).toContain(error);
});

function changeRows(reads: AuditReads, change: (rows: AuditRow[]) => AuditRow[]): void {
  const rows = reads.rows;
  jest.spyOn(reads, 'rows').mockImplementation(async (...given) => change(await rows(...given)));
}

test('a chain that is missing is no intact one', async () => {
  const missing = 'has no audit chain: it was removed, or nothing was recorded since an upgrade';
  jest.spyOn(svc.stores.auditReads, 'chain').mockResolvedValue(null);
  const errors = [];
  for (const chain of [['--firm', svc.firmId], ['--service'], ['--firm', UNKNOWN]])
    errors.push((await svc.run('audit', 'verify', ...chain)).stderr);
  for (const name of ['list', 'export'])
    errors.push((await svc.run('audit', name, '--firm', svc.firmId)).stderr);
  // Nothing was recorded for the service yet.
  errors.push((await svc.run('audit', 'list', '--service')).stderr);
  expect(errors).toEqual([
    ...[
      `svc: the firm ${missing}\n`,
      `svc: the service ${missing}\n`,
      `svc: no firm has the id ${UNKNOWN}\n`,
    ],
    ...Array(2).fill(`svc: no firm has the id ${svc.firmId}\n`),
    '',
  ]);
});

test('a command migrates as its operator, uses two connections and no Redis, and closes all, also when it fails', async () => {
  const { steps, composed, sessions, opened, clock } = svc;
  const run = (args: string[], env: Record<string, string>) => {
    clock.advance(MINUTE);
    steps.length = 0;
    return svcInProcess(args, env, sessions);
  };
  const env = { DATABASE_URL: DATABASE.url, REDIS_URL: 'redis://cache', SVC_OPERATOR: 'dana' };
  const [base, docs] = ['https://claims.example', 'https://docs.example'];
  for (const [args, more, operator, baseUrl, docsUrl] of [
    [[], {}, 'dana', 'http://127.0.0.1:3000', 'http://127.0.0.1:3000/docs'],
    [['--as', 'kim'], { BASE_URL: base, SVC_OPERATOR: ' ' }, 'kim', base, `${base}/docs`],
    [[], { SVC_OPERATOR: '', DOCS_URL: docs }, userInfo().username, 'http://127.0.0.1:3000', docs],
  ] as const) {
    expect((await run([...args, 'firm', 'list'], { ...env, ...more })).code).toBe(0);
    expect(steps).toEqual([
      `migrate ${DATABASE.url} ${DATABASE.migrationUrl} operator:${operator}`,
      'close',
      'release',
    ]);
    const used = composed.at(-1);
    expect([used?.operator?.actor, used?.addresses]).toEqual([
      `operator:${operator}`,
      { baseUrl, docsUrl, supportEmail: '' },
    ]);
    expect(used?.config).toMatchObject({ redisUrls: [], dbPoolMax: 2 });
    expect(opened.at(-1)).toMatchObject({ url: DATABASE.url, poolMax: 2 });
  }
  expect((await run(['firm', 'show', UNKNOWN], env)).code).toBe(1);
  expect(steps.slice(1)).toEqual(['close', 'release']);
  steps.length = 0;
  // Without the service: as the role that owns the schema.
  await sessions.withDatabase(async (url, _, record) => {
    steps.push(`work ${url}`);
    await record('database.move');
  });
  expect(steps.slice(1)).toEqual([
    `work ${DATABASE.migrationUrl}`,
    expect.stringMatching(`^database.move ${DATABASE.url} operator:`),
    'release',
  ]);
  jest.spyOn(svc.stores, 'checkEncryptionKeys').mockRejectedValue(new Error('no key'));
  expect(await run(['firm', 'list'], env)).toEqual({ code: 1, stdout: '', stderr: 'svc: no key\n' });
  expect(steps.slice(1)).toEqual(['close', 'release']);
  // The reader has closed the pipe.
  const withService = () => Promise.reject(Object.assign(new Error('write'), { code: 'EPIPE' }));
  expect((await svcInProcess(['firm', 'list'], env, { ...sessions, withService })).code).toBe(0);
  jest.restoreAllMocks();
  const notice = `DATABASE_URL is unset: using the embedded database in ${process.cwd()}/.data\n`;
  expect((await run(['firm', 'list'], {})).stderr).toBe(notice);
});

test('the database is copied whole by the role that owns the schema, as the operator, which is recorded', async () => {
  const { sessions, steps } = svc;
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'OTHER'), 'no gzip');
  const rows = { claims: 3, firms: 1 };
  const migrated = [1, 2].map((id) => ({ id, name: `m${id}` }));
  const applied = migrated.map((one) => ({ ...one, at: one.id * MINUTE }));
  /** A line of the transcript, which also says what goes wrong. */
  let now = '';
  const placements = ['reference', 'distributed', 'coordinator'] as const;
  showAllProgress();
  const copying = createSessions({
    ...sessions.parts,
    async migrateDatabase(url, _, { migrationUrl, variable, caller } = {}) {
      steps.push(`migrate ${url} ${migrationUrl ?? variable} ${caller?.actor}`);
      return now.includes('Nothing') ? [] : migrated;
    },
    async *backUpDatabase(url, { isMove = false, onProgress } = {}) {
      steps.push(`back up ${url} ${isMove}`);
      yield Buffer.from('header ');
      if (now.includes('lost')) throw new Error('lost');
      onProgress?.(3);
      yield Buffer.from(JSON.stringify({ rows }));
    },
    async restoreDatabase(url, backup, onProgress) {
      steps.push(`restore ${url}: ${await text(backup)}`);
      onProgress?.(4);
      return { rows, at: 'AT' };
    },
    readSchemaState: async (url) => ({
      ...{ server: String(url), current: true, applied, pending: [] },
      unknown: now.includes('newer') ? [1] : [],
      changed: now.includes('differs') ? [2] : [],
    }),
    async distributeDatabase(url) {
      steps.push(`distribute ${url}`);
      const tables = placements.map((placement, n) => ({ table: `t${n}`, placement, changed: n === 1 }));
      return { citus: '13.2', workers: 4, tables };
    },
    readRoleRights: async (url) => ({
      ...{ role: 'r', ownsTables: url === DATABASE.migrationUrl && !now.includes('needs the role') },
      ...{ maxConnections: 9, changesAudit: false, seesStandbys: true, behindPooler: false },
    }),
  });
  const transcript = readFileSync(new URL('svc-database.txt', import.meta.url), 'utf8');
  const expected = transcript.trimEnd().split('\n');
  const shown: string[] = [];
  for (now of expected) {
    const [given = ''] = now.split(' > ');
    steps.length = 0;
    const args = given.replace(/FILE|OTHER|MORE/, `${folder}/$&`).split(' ');
    const env = { DATABASE_URL: DATABASE.url, SVC_OPERATOR: 'kim' };
    const { code, stdout, stderr } = await svcInProcess(args, env, copying);
    const printed = `${stdout}${stderr}`.trimEnd().replaceAll(/\s+/g, ' ').replaceAll(`${folder}/`, '');
    shown.push([`${given} > ${printed} (${code})`, ...steps.slice(1, -1)].join('; '));
    if (shown.length === 1) expect(readdirSync(folder)).toEqual(['OTHER']);
  }
  expect(shown).toEqual(expected);
  const file = join(folder, 'FILE');
  expect([readdirSync(folder), statSync(file).mode & 0o777]).toEqual([['FILE', 'MORE', 'OTHER'], 0o600]);
  expect(gunzipSync(readFileSync(file)).toString()).toBe(`header ${JSON.stringify({ rows })}`);
});

test('new keys for push are a pair, each under its name', async () => {
  const { stdout } = await svc.run('push', 'create-keys');
  const [, publicKey, privateKey] = /^VAPID_PUBLIC_KEY=(.+)\nVAPID_PRIVATE_KEY=(.+)\n$/.exec(stdout) ?? [];
  const { public_key, private_key } = JSON.parse((await svc.run('push', 'create-keys', '--json')).stdout);
  const VAPID_SUBJECT = 'mailto:push@example.com';
  for (const [VAPID_PUBLIC_KEY = '', VAPID_PRIVATE_KEY = ''] of [
    [publicKey, privateKey],
    [public_key, private_key],
  ])
    expect(checkPush(readConfig({ VAPID_PUBLIC_KEY, VAPID_PRIVATE_KEY, VAPID_SUBJECT }, false)).state).toBe(
      'ok',
    );
});

test('doctor prints its checks, and fails where one of them is wrong', async () => {
  const [shown, json] = [['doctor'], ['doctor', '--json']].map((args) => svcInProcess(args, { PORT: 'x' }));
  const failed = { code: 1, stderr: 'svc: some checks failed; see above\n' };
  const stdout = /^what +state +detail\nnode .*\nenvironment +wrong +PORT holds "x"; .*\n$/;
  expect(await shown).toEqual({ ...failed, stdout: expect.stringMatching(stdout) });
  const report = await json;
  expect(report).toMatchObject(failed);
  const checks = [{ what: 'node' }, { what: 'environment', state: 'wrong' }];
  expect(JSON.parse(report?.stdout ?? '')).toMatchObject({ ok: false, checks });
});

test('incorrect usage exits with 2, and prints only an error', async () => {
  // Others are in the transcript.
  const wrong = [
    [],
    ['firm'],
    ['adjuster', 'create', '--svc-id', 'line\nbreak'],
    ['firm', 'create', '--name', 'Gulf\u0007'],
    ['firm', 'create', '--name', ' \u3000'],
  ];
  for (const args of wrong)
    expect({ args, ...(await svcInProcess(args, {})) }).toEqual({
      ...{ args, code: 2, stdout: '', stderr: expect.stringMatching(/./) },
    });
  const help = await svcInProcess(['--help'], {});
  expect([help.code, help.stderr]).toEqual([0, '']);
  expect(help.stdout).toContain('firm');
});

test.each(['x'.repeat(101), 'dana\nkim', ' '])('an unreadable SVC_OPERATOR is refused: %j', async (name) => {
  const { code, stdout, stderr } = await svcInProcess(['firm', 'list'], { SVC_OPERATOR: name });
  expect([code, stdout]).toEqual([1, '']);
  const shown = JSON.stringify(name.slice(0, 100)).replace('\\', '\\\\');
  expect(stderr).toMatch(
    new RegExp(`^svc: SVC_OPERATOR holds ${shown}; allowed: 1 to 100 characters, [^\\n]+\n$`),
  );
});

test('a value that is rejected reaches the terminal shortened and without control characters', async () => {
  const { stderr } = await svc.run('firm', 'show', `\u001b[2J${'x'.repeat(10_000)}end`);
  const lengths = [500, 501].map(async (length) => {
    const { stderr: shown } = await svc.run('firm', 'show', 'x'.repeat(length - 79));
    return [shown.split('\n')[0]?.length, shown.includes('…')];
  });
  expect(await Promise.all(lengths)).toEqual([
    [500, false],
    [501, true],
  ]);
  expect(stderr).toMatch(/^error: .* '\\u001b\[2Jx+…x+end' is invalid .* Allowed: a UUID\.\n/);
});

test('the commands and options of svc that pages for operators name exist', () => {
  const folder = new URL('../../../docs/operating/', import.meta.url);
  const pages = [
    ...readdirSync(folder).map((name) => new URL(name, folder)),
    new URL('../runbook.md', folder),
  ];
  const lines = pages.flatMap((page) => {
    const text = readFileSync(page, 'utf8');
    // In a line of prose between backticks, in a block anywhere; a command may continue in the next line.
    const [prose, blocks] = [text.replace(/```.*?```/gs, ''), (text.match(/```.*?```/gs) ?? []).join('\n')];
    return [...[...prose.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code), ...blocks.split('\n')];
  });
  const unknown = lines.flatMap((line) => {
    const [, named] = /(?:^|[\s=]|\$ )svc ([a-z].*)/s.exec(line) ?? [];
    if (named === undefined) return [];
    const noun = /^\S+/.exec(named)?.[0];
    return named.split(' | ').filter((part, index) => {
      const words = (index === 0 ? part : `${noun} ${part}`).split(/[.,;]?(?:\s+|$)/);
      const parent = createProgram().commands.find((command) => command.name() === words[0]);
      const children = parent?.commands ?? [];
      const command = children.length === 0 ? parent : children.find((child) => child.name() === words[1]);
      const options = ['--help', '--as', ...(command?.options ?? []).map(({ long }) => long)];
      const given = words.filter((word) => word.startsWith('--'));
      if (command === undefined) return words[1] !== undefined && words[1] !== '--help';
      return given.some((option) => !options.includes(option));
    });
  });
  expect(unknown).toEqual([]);
});
