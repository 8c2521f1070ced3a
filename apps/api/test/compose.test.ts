import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, jest, test } from '@jest/globals';
import { createSecrets } from '@svc/adapter-credentials';
import type { Mail } from '@svc/adapter-notifications';
import { EncryptionKeyError, type PostgresStores } from '@svc/adapter-postgres';
import { sendClaimBody } from '@svc/contract';
import type { ClaimId, FirmId, Svcid } from '@svc/domain';
import { testClaim } from '@svc/testkit';
import { startNameServer } from '../../../packages/adapter-notifications/test/name-server.ts';
import { operatorOf } from '../../../tools/services/operator.ts';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { receiptKeyOf } from '../src/composition/claims.ts';
import { compose, createMetrics } from '../src/composition/compose.ts';
import { createVapidKeys } from '../src/composition/notifications.ts';
import { type Tracing, tracedLog, tracedPorts } from '../src/composition/tracing.ts';
import { ConfigError, readConfig } from '../src/config.ts';
import { createDemo, walkThrough } from '../src/demo.ts';
import { createCursors } from '../src/http/serialization/cursor.ts';
import { exchange } from './exchange.ts';
import { memoryConnection } from './memory-service.ts';

const DAY = 86_400_000;
const ADDRESSES = {
  baseUrl: 'https://claims.example',
  docsUrl: 'https://docs.example',
  supportEmail: 'a@b.example',
};

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

function recorded() {
  const lines: unknown[] = [];
  const at = (level: string) => (message: string, fields?: object) =>
    void lines.push([level, message, fields]);
  return { lines, log: { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') } };
}

/** The service on stores in memory. */
async function composed(
  env: Readonly<Record<string, string>> = {},
  {
    stores = {},
    ...options
  }: Partial<Parameters<typeof compose>[0]> & { stores?: Partial<PostgresStores> } = {},
) {
  const { log, lines } = recorded();
  const connection = memoryConnection(stores);
  const { connectTo } = connection;
  const config = { ...readConfig({ DATA_DIR: temporaryFolder(), ...env }, false) };
  const application = await compose({
    ...{ config, databaseUrl: 'postgres://h/db', log, addresses: ADDRESSES, connectTo },
    ...options,
  });
  return { ...connection, ...application, application, log, lines, config };
}

test('the configuration is what the stores are opened with', async () => {
  const key = randomBytes(32);
  const metrics = createMetrics();
  const env = { DB_POOL_MAX: '7', CLOSED_CLAIM_RETENTION_DAYS: '30', ENCRYPTION_KEY: key.toString('base64') };
  const { opened, log, clock, config } = await composed(env, { metrics });
  const timeouts = { statementTimeoutMs: 4000, lockTimeoutMs: 3000, idleInTransactionTimeoutMs: 4000 };
  expect(opened).toEqual([
    {
      ...{ url: 'postgres://h/db', poolMax: 7, log, metrics, encryption: config.encryption, ...timeouts },
      closedClaimRetentionMs: 30 * DAY,
    },
  ]);
  expect(opened[0]?.encryption?.read()).toEqual([key]);
  const without = await composed({}, { clock });
  expect(without.opened).toEqual([
    {
      ...{ url: 'postgres://h/db', poolMax: 10, log: without.log, clock, encryption: null, ...timeouts },
      closedClaimRetentionMs: null,
    },
  ]);
});

test('the configuration is what the services get', async () => {
  const env = { PASSKEYS: 'required', BASE_URL: ADDRESSES.baseUrl, SESSION_MAX_DAYS: '5', TRUST_PROXY: '2' };
  const { services } = await composed({ ...env, SESSION_LIMIT_PER_MINUTE: '3' });
  const { passkeysRequired, sessionMaxAgeMs, trustProxy, operator, addresses, sessionLimiter } = services;
  expect({ passkeysRequired, sessionMaxAgeMs, trustProxy, addresses, operator: operator.actor }).toEqual({
    ...{ passkeysRequired: true, sessionMaxAgeMs: 5 * DAY, trustProxy: 2, addresses: ADDRESSES },
    operator: 'operator:service',
  });
  expect([await sessionLimiter('s'), await sessionLimiter('s')]).toEqual([
    { allowed: true },
    { allowed: false, retryAfterMs: 20_000 },
  ]);
  const late = { ...ADDRESSES, baseUrl: '' };
  const other = await composed({}, { isDraining: () => true, maxConnections: 2, addresses: late });
  late.baseUrl = 'https://late.example:8443';
  expect(await other.services.passkeyVerifier.signInOptions('c')).toMatchObject({ rpId: 'late.example' });
  expect([other.services.passkeysRequired, other.services.sessionMaxAgeMs]).toEqual([false, 180 * DAY]);
  await expect(other.services.checkHealth()).rejects.toThrow('shutting down');
  await expect(services.checkHealth()).resolves.toBeUndefined();
  const { cursors, secrets, streamLimit } = other.services;
  const secret = (name: string) => Buffer.from(name.padEnd(32));
  const scope = { list: 'claims', reader: 'f', filters: {} };
  const cursor = cursors.write({ at: 5, id: 'c' }, scope);
  expect(createCursors(secret('cursor_signing')).read(cursor, scope)).toEqual({ at: 5, id: 'c' });
  const ofCodes = createSecrets(secret('sign_in_code_hashing'));
  expect(secrets.hashOfCode('a@x.example', '1')).toBe(ofCodes.hashOfCode('a@x.example', '1'));
  const full = ['warn', 'no further live updates are opened: pages poll', { max_streams: 1 }];
  expect([streamLimit.add(), streamLimit.add(), other.lines]).toEqual([true, false, [full]]);
  const ids = [services.ids.next(), services.ids.next()];
  expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  expect(ids.toSorted()).toEqual(ids);
});

test('what an address sends beyond its limit is counted, and the metrics read the stores', async () => {
  const metrics = createMetrics();
  const [limited, watch] = [jest.spyOn(metrics, 'addressLimited'), jest.spyOn(metrics, 'watch')];
  const failed = jest.spyOn(metrics, 'signInFailed');
  const { services, stores, clock } = await composed(
    { EDGE_LIMIT_PER_MINUTE: '2' },
    {
      ...{ metrics, stores: { clockAheadMs: () => 2500 } },
    },
  );
  const allowed = ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2'].map(services.edgeLimiter.allow);
  expect([allowed, limited.mock.calls.length]).toEqual([[true, true, false, true], 1]);
  services.signInMonitor.count('refused');
  expect(failed.mock.calls).toEqual([['refused']]);
  const sources = watch.mock.calls[0]?.[0];
  expect(sources).toMatchObject(stores.metricSources);
  expect(await sources?.dependencies()).toEqual([{ name: 'database', up: true, since: clock.now() }]);
  expect([sources?.redis(), sources?.clockAheadSeconds(), services.metrics]).toEqual([null, 2.5, metrics]);
  const unmeasured = await composed({ EDGE_LIMIT_PER_MINUTE: '1' });
  expect(['192.0.2.1', '192.0.2.1'].map(unmeasured.services.edgeLimiter.allow)).toEqual([true, false]);
});

test.each([
  ['reads', 'readLimit', 40],
  ['writes', 'writeLimit', 12],
] as const)(
  'of %s beyond the permits and a queue some are rejected, which the log says',
  async (requests, name, permits) => {
    jest.useFakeTimers();
    const { services, lines } = await composed({ DB_POOL_MAX: '3' });
    const acquired = Array.from({ length: 11 * permits }, () => services[name].acquire());
    expect(acquired.filter((one) => 'release' in one)).toHaveLength(permits);
    expect(() => services[name].acquire()).toThrow();
    const message = 'more requests arrive than can be processed: some are rejected';
    expect(lines).toEqual([['warn', message, { requests }]]);
    for (const waiting of acquired)
      if ('cancel' in waiting) {
        waiting.permit.catch(() => {});
        waiting.cancel();
      }
    jest.advanceTimersByTime(2000);
    expect(lines.slice(1)).toEqual([['warn', 'overload ended', { requests, rejected: 1 }]]);
  },
);

test('without the key of stored data the service does not start, and its connections are closed', async () => {
  const failing = async (error: Error) => {
    const connection = memoryConnection({ checkEncryptionKeys: () => Promise.reject(error) });
    const { connectTo, steps } = connection;
    const options = {
      config: readConfig({}, false),
      databaseUrl: '',
      addresses: ADDRESSES,
      log: recorded().log,
    };
    const thrown: unknown = await compose({ ...options, connectTo }).catch((reason) => reason);
    expect(steps).toEqual(['close']);
    return thrown;
  };
  expect(await failing(new EncryptionKeyError('no key'))).toStrictEqual(new ConfigError('no key'));
  expect(await failing(new Error('lost'))).not.toBeInstanceOf(ConfigError);
});

test('what waits to be written is written before the stores are closed, the log says how much was dropped, and nothing runs on', async () => {
  jest.useFakeTimers();
  const { services, stores, steps, application, clock, lines } = await composed();
  const firmId = 'f' as FirmId;
  for (const [name, store] of [
    ['audit', stores.audit],
    ['offers', stores.offerHistory],
  ] as const)
    jest.spyOn(store, 'append').mockImplementation(async () => void steps.push(name));
  const caller = { actor: 'service', address: null, requestId: null };
  for (let n = 0; n <= 100_000; n += 1)
    services.auditBuffer.add({
      chain: firmId,
      entry: { ...caller, at: clock.now(), action: 'claim.read', object: null, outcome: 'ok' },
    });
  const offer = {
    claimId: 'c' as ClaimId,
    environment: 'live',
    offeredAt: 0,
    adjuster: 's' as Svcid,
  } as const;
  for (let n = 0; n <= 20_000; n += 1) services.offerBuffer.add({ firmId, ...offer, seenAt: 1 });
  await application.close();
  expect([...new Set(steps)]).toEqual(['audit', 'offers', 'close']);
  expect(lines).toEqual([
    ['error', 'events were dropped from the audit trail', { dropped: 1 }],
    ['error', 'pushes and first reads of offers were dropped', { dropped: 1 }],
  ]);
  expect(jest.getTimerCount()).toBe(0);
});

/** Names what it traces. */
const tracing: Tracing = {
  request: (_, handle) => handle(),
  requestEnded() {},
  bind: (listener) => listener,
  tracePort: (name, port, system) => Object.assign(Object.create(port), { tracedAs: `${name} ${system}` }),
  unitOfWork: (uow) => Object.assign(Object.create(uow), { tracedAs: 'unit of work' }),
  claimWrites: (writes) => Object.assign(Object.create(writes), { tracedAs: 'claim writes' }),
  jobs: (run) => (job) => run(job),
  traceId: () => 't1',
  stop: async () => {},
};

test('with tracing the calls of ports and the jobs are traced, and lines of the log name their trace', async () => {
  const startJobs = jest.fn<PostgresStores['startJobs']>();
  const jobs = jest.spyOn(tracing, 'jobs');
  const { services, stores, application } = await composed({}, { tracing, stores: { startJobs } });
  const traced = Object.entries(services).flatMap(([name, service]) =>
    typeof service === 'object' && service !== null && 'tracedAs' in service
      ? [[name, service.tracedAs]]
      : [],
  );
  const onDatabase = 'firmReads accountReads appReads boardReads jobReads credentials faults'.split(' ');
  expect(Object.fromEntries(traced)).toEqual({
    ...Object.fromEntries(onDatabase.map((name) => [name, `${name} postgresql`])),
    ...Object.fromEntries(['rateLimiter', 'notifier', 'mailer'].map((name) => [name, `${name} undefined`])),
    claimWrites: 'claim writes',
  });
  const { rateLimiter, usedKeys } = tracedPorts(
    tracing,
    { ...services, unitOfWork: stores.unitOfWork },
    true,
  );
  expect([rateLimiter, usedKeys]).toMatchObject(
    ['rateLimiter', 'usedKeys'].map((name) => ({ tracedAs: `${name} redis` })),
  );
  const [handled, bound] = [jest.spyOn(tracing, 'request'), jest.spyOn(tracing, 'bind')];
  const { request, response } = exchange();
  services.httpApplication(request, response);
  expect([handled.mock.calls[0]?.[0], bound.mock.calls.length]).toEqual([request, 1]);
  application.startJobs();
  expect(jobs).toHaveBeenCalledWith(services.runJob);
  expect(startJobs.mock.calls).toEqual([[jobs.mock.results[0]?.value]]);
  const untraced = await composed({}, { stores: { startJobs } });
  untraced.application.startJobs();
  expect(startJobs).toHaveBeenLastCalledWith(untraced.services.runJob);

  const { log, lines } = recorded();
  let id: string | undefined = 't1';
  const withTrace = tracedLog(log, { ...tracing, traceId: () => id });
  withTrace.error('e', { a: 1 });
  withTrace.warn('w');
  id = undefined;
  withTrace.info('i', { a: 1 });
  withTrace.debug('d');
  expect(lines).toEqual([
    ['error', 'e', { a: 1, trace_id: 't1' }],
    ['warn', 'w', { trace_id: 't1' }],
    ['info', 'i', { a: 1 }],
    ['debug', 'd', undefined],
  ]);
});

test.each([
  [{}, null],
  [{ HOST: '::1' }, null],
  [{ HOST: 'localhost', BASE_URL: 'http://[::1]:3000' }, null],
  [{ BASE_URL: 'http://localhost:3000' }, null],
  [{ BASE_URL: 'https://claims.example' }, 'The URL must start with https://.'],
  [{ HOST: '0.0.0.0' }, 'The URL must start with https://.'],
  [{ HOST: '0.0.0.0', BASE_URL: 'http://localhost:3000' }, 'The URL must start with https://.'],
])('signals go to this machine only where nothing else reaches the service: %j', async (env, problem) => {
  const { services } = await composed(env);
  expect(services.webhookSender.problemOf('http://127.0.0.1:8080/')).toBe(problem);
});

test('keys for push and receipts are those of the configuration, or generated once and kept', async () => {
  const dataDir = temporaryFolder();
  const env = { DATA_DIR: dataDir };
  const keys = createVapidKeys();
  const given = { VAPID_PUBLIC_KEY: keys.publicKey, VAPID_PRIVATE_KEY: keys.privateKey };
  const configured = await composed({ ...env, ...given, VAPID_SUBJECT: 'mailto:a@b.example' });
  expect(configured.services.pushKey()).toBe(keys.publicKey);
  expect(existsSync(join(dataDir, 'vapid.json'))).toBe(false);
  const pushKeys = [];
  for (const _ of [1, 2]) pushKeys.push((await composed(env)).services.pushKey());
  const { publicKey } = JSON.parse(readFileSync(join(dataDir, 'vapid.json'), 'utf8'));
  expect(pushKeys).toEqual([publicKey, publicKey]);
  writeFileSync(join(dataDir, 'vapid.json'), 'broken');
  const { services, lines, config } = await composed(env);
  expect(() => services.pushKey()).toThrow('No VAPID keys are available.');
  expect(lines).toEqual([
    [
      'error',
      'push messages need the VAPID_… variables or a writable DATA_DIR',
      { error: expect.stringContaining('vapid.json in DATA_DIR contains no VAPID keys') },
    ],
  ]);

  const { log, lines: written } = recorded();
  const receiptKey = randomBytes(32);
  expect(receiptKeyOf({ ...config, receiptKey }, log)()).toBe(receiptKey);
  const kept = receiptKeyOf(config, log);
  expect([kept(), receiptKeyOf(config, log)()]).toEqual([kept(), kept()]);
  expect(Buffer.from(readFileSync(join(dataDir, 'receipt-key'), 'utf8'), 'base64')).toEqual(kept());
  writeFileSync(join(dataDir, 'receipt-key'), 'broken');
  expect(kept).toThrow('No key for receipts is available.');
  const error = expect.stringContaining(
    'receipt-key in DATA_DIR holds a value that is not shown; allowed: 32',
  );
  expect(written).toEqual([['error', 'receipts need RECEIPT_KEY or a writable DATA_DIR', { error }]]);
});

test('mail goes to adjusters but test accounts, and of a paused endpoint to the admins of its firm', async () => {
  const names = await startNameServer(new Map());
  const { services, stores, lines } = await composed({ DNS_SERVERS: names.address });
  const operator = operatorOf(services);
  const [firm, other] = [await operator.firm(), await operator.firm()];
  const { svcId } = await operator.adjuster({ email: 'ana@x.example' });
  const mail = services.mailer as Mail;
  const invited = jest.spyOn(mail, 'sendInvitation');
  const notification = { kind: 'invitation', firmId: firm.id, firmName: 'Gulf', isReminder: false } as const;
  for (const one of [svcId, firm.account.manual, 'nobody' as Svcid])
    await services.notifier.notify({ svcId: one, devices: [] }, notification, { only: 'mail' });
  expect(invited.mock.calls).toEqual([['ana@x.example', 'Gulf', false]]);

  const admins = [await operator.staff(firm.id), await operator.staff(firm.id)];
  for (const role of ['auditor', 'developer'] as const) await operator.staff(firm.id, role);
  await operator.staff(other.id);
  const paused = jest.spyOn(mail, 'sendWebhookPaused');
  const url = 'https://hooks.example:8443/path?secret';
  const hook = { firmId: firm.id, url, environment: 'live' } as const;
  const { webhook } = await services.createWebhook(services.operator, hook);
  await services.manualDeliveries.testWebhook(services.operator, firm.id, webhook.id);
  expect(names.asked).toContain('hooks.example');
  const mailed = async (reason: 'gone' | 'failing' | null) => {
    paused.mockClear();
    await stores.unitOfWork.run((tx) => tx.webhooks.save({ ...webhook, paused: reason }));
    lines.length = 0;
    await services.webhookNotices.paused(firm.id, webhook.id);
    return [paused.mock.calls, lines.slice(0, 1)];
  };
  const fields = { firm_id: firm.id, webhook_id: webhook.id };
  for (const reason of ['gone', 'failing'] as const)
    expect(await mailed(reason)).toEqual([
      admins.map(({ email }) => [email, 'hooks.example:8443', reason === 'gone']),
      [['warn', 'a webhook endpoint was paused', { ...fields, reason }]],
    ]);
  paused.mockRejectedValueOnce(new Error('no server'));
  await expect(mailed('failing')).rejects.toThrow('no server');
  expect(await mailed(null)).toEqual([[], []]);
  await services.webhookNotices.paused(other.id, webhook.id);
  expect(paused).not.toHaveBeenCalled();
});

test('a device with a subscription that is of no use is removed and counted, and one in a private network is not called; sessions end at once', async () => {
  const metrics = createMetrics();
  const ended = jest.spyOn(metrics, 'pushEnded');
  const { services, stores, clock, lines } = await composed({ BASE_URL: ADDRESSES.baseUrl }, { metrics });
  const { svcId, token } = await operatorOf(services).adjuster();
  const { tokenHash = '' } = (await services.sessionAuthenticator.authenticate(token)) ?? {};
  const keys = { p256dh: createVapidKeys().publicKey, auth: randomBytes(16).toString('base64url') };
  for (const [deviceId, host, auth] of [
    ['broken', 'push.example', 'x'],
    ['inside', '127.0.0.1', keys.auth],
  ] as const) {
    const subscription = { endpoint: `https://${host}/${deviceId}`, keys: { ...keys, auth } };
    await services.putDevice({ svcId }, tokenHash, deviceId, subscription);
  }
  const registered = () => stores.jobReads.devices(svcId, clock.now());
  lines.length = 0;
  await services.notifier.notify({ svcId, devices: await registered() }, { kind: 'test' });
  expect((await registered()).map(({ deviceId }) => deviceId)).toEqual(['inside']);
  expect(ended.mock.calls.flat().toSorted()).toEqual(['gone', 'rejected']);
  expect(lines).toContainEqual(['info', 'pushed', { notice: 'test', gone: 1, rejected: 1 }]);
  await services.endSessions(svcId);
  expect(await services.sessionAuthenticator.authenticate(token)).toBeNull();
});

test('the log has why a signal failed, and that one could not be recorded', async () => {
  const results = [{ error: 'timeout' } as const, { status: 503, retryAfterMs: null, body: '' }];
  const send = async () => results.shift() ?? { status: 204, retryAfterMs: null, body: '' };
  const replacePorts = () => ({ webhookSender: { problemOf: () => null, send } });
  const { services, stores, lines, clock } = await composed({}, { replacePorts });
  const { id: firmId, account } = await operatorOf(services).firm();
  const url = 'https://hooks.example/';
  const { webhook } = await services.createWebhook(services.operator, {
    ...{ firmId: firmId as FirmId, url, environment: 'test' },
  });
  const keys = { idempotencyKey: 'k', fingerprint: 'f', adjuster: account.manual };
  await services.sendClaim({ firmId: firmId as FirmId, environment: 'test' }, { ...testClaim(1), ...keys });
  lines.length = 0;
  jest.spyOn(Math, 'random').mockReturnValue(0.5);
  const nextAttempts: unknown[] = [];
  for (const recordRetry of [stores.webhookQueue.recordRetry, () => Promise.reject(new TypeError('lost'))]) {
    jest.spyOn(stores.webhookQueue, 'recordRetry').mockImplementation(recordRetry);
    await services.webhookDeliveries.start();
    await services.webhookDeliveries.settled();
    const [delivery] = await stores.webhookReads.deliveries(firmId as FirmId, webhook.id, null, 1);
    nextAttempts.push((delivery?.nextAttemptAt ?? 0) - clock.now());
    clock.advance(60_000);
  }
  expect(nextAttempts).toEqual([2250, 20_000]);
  const failed = { firm_id: firmId, webhook_id: webhook.id };
  expect(lines).toEqual([
    ['info', 'a webhook attempt failed', { ...failed, attempt: 1, error: 'timeout' }],
    ['info', 'a webhook attempt failed', { ...failed, attempt: 2, status: 503 }],
    ['warn', 'a webhook delivery could not be recorded and will be repeated', { error: 'TypeError' }],
  ]);
});

test('a distance is in whole miles between ZIP codes, and unknown where a code is', async () => {
  const { zipDistance: miles } = (await composed()).services;
  expect([miles('70458', '70458'), miles('00000', '70458'), miles('70458', '00000')]).toEqual([
    ...[0, null, null],
  ]);
  expect([miles('70458', '33931'), miles('33931', '70458')]).toEqual([547, 547]);
});

test('the first firm of a new database is one to try the service with, and how to is printed', async () => {
  const { services } = await composed();
  const demo = await createDemo(services);
  if (demo === null) throw new Error('There was a firm.');
  const firms = await services.operatorReads.firms();
  expect(firms).toMatchObject([{ id: demo.firmId, name: 'Demo Adjusting Firm', plan: 'standard' }]);
  const accounts = await services.operatorReads.testAccounts(demo.firmId as FirmId);
  const svcIdOf = (behavior: string) => accounts.find(({ testOf }) => testOf?.behavior === behavior)?.svcId;
  expect([demo.adjuster, demo.manual.svcId]).toEqual([svcIdOf('accepts'), svcIdOf('manual')]);
  for (const [secret, environment] of [
    [demo.testKey, 'test'],
    [demo.liveKey, 'live'],
  ] as const)
    expect(await services.apiKeyAuthenticator.authenticate(secret)).toMatchObject({
      environment,
      purpose: 'full_access',
      expiresAt: null,
    });
  expect(await createDemo(services)).toBeNull();

  const text = walkThrough('http://h:1', demo, '/srv/data');
  const [body = ''] = /(?<=-d '){.*}(?=')/s.exec(text) ?? [];
  expect(sendClaimBody.parse(JSON.parse(body)).external_id).toBe('WALK-1');
  for (const line of [
    `  test key  ${demo.testKey}\n  live key  ${demo.liveKey}\n  firm id   ${demo.firmId}\n`,
    'Documentation: http://h:1/docs\n',
    `at http://h:1/app; sign in as ${demo.manual.svcId} with the secret\n${demo.manual.signInSecret}\n`,
    `at http://h:1/firm; `,
    `DATA_DIR='/srv/data' npx pnpm svc staff invite --firm ${demo.firmId} --email you@example.com --name You --role admin`,
    `  URL=http://h:1\n  KEY=${demo.testKey}\n`,
    `"adjuster_svc_id": "${demo.adjuster}"`,
  ])
    expect(text).toContain(line);
  expect(walkThrough('http://h:1', demo)).toContain('\n  npx pnpm svc staff invite');
});
