import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, expect, jest, test } from '@jest/globals';
import { SchemaError } from '@svc/adapter-postgres';
import { type AuditCaller, BY_SERVICE, byOperator, Unavailable } from '@svc/application';
import type { FirmId } from '@svc/domain';
import { testClaim } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { atEnd } from '../../../tools/services/at-end.ts';
import { operatorOf } from '../../../tools/services/operator.ts';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { compose } from '../src/composition/compose.ts';
import { migrateDatabase, openDatabase } from '../src/composition/database.ts';
import { ConfigError, readConfig } from '../src/config.ts';
import { listen } from '../src/listen.ts';
import { startOperationsServer } from '../src/operations-server.ts';
import { startService } from '../src/service.ts';
import { memoryConnection } from './memory-service.ts';
import { claimBody } from './service-under-test.ts';

const DATABASE = 'postgres://service@h/db';
const LOG = { error() {}, warn() {}, info() {}, debug() {} };

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

/** Nothing is written until a test advances them. */
const fakeIntervals = () =>
  jest.useFakeTimers({
    doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'setTimeout', 'clearTimeout'],
  });

/** The service on stores in memory. */
async function started(env: Readonly<Record<string, string>> = {}, log = LOG) {
  const migrations: unknown[] = [];
  const stopJobs = async () => void connection.steps.push('jobs');
  const pool = () => ({ name: 'jobs', max: 1, open: 0, idle: 0, waiting: 0 }) as const;
  let runJob: Parameters<typeof connection.stores.startJobs>[0] = async () => {};
  const connection = memoryConnection({
    startJobs(run) {
      runJob = run;
      return { stop: stopJobs, pool };
    },
  });
  const config = readConfig({ PORT: '0', EDGE_LIMIT_PER_MINUTE: '0', ...env }, false);
  const service = await startService(config, DATABASE, log, connection.clock, {
    async migrateDatabase(...given) {
      migrations.push(given);
      return [];
    },
    compose: (options) => compose({ ...options, connectTo: connection.connectTo }),
  }).catch((error: unknown) => {
    expect(connection.steps).toEqual(connection.opened.map(() => 'close'));
    throw error;
  });
  const runJobs = () => connection.memory.jobs.runDue(connection.clock.now(), runJob);
  return { ...connection, service, migrations, runJobs };
}

/** A port that is in use. */
async function takenPort(): Promise<string> {
  const server = createServer();
  await listen(server, 0, '127.0.0.1');
  atEnd(() => server.close());
  return String((server.address() as AddressInfo).port);
}

test('a service migrates, serves requests and metrics, and saves what it noted of them before it stops', async () => {
  fakeIntervals();
  const owner = 'postgres://owner@h/db';
  const { service, migrations, stores, steps, clock } = await started({
    METRICS_PORT: '0',
    MIGRATION_DATABASE_URL: owner,
  });
  const { url, port, services, metricsUrl } = service;
  expect(url).toBe(`http://127.0.0.1:${port}`);
  expect(migrations).toEqual([[DATABASE, LOG, { migrationUrl: owner }]]);
  expect(services.addresses).toEqual({
    baseUrl: url,
    docsUrl: `${url}/docs`,
    supportEmail: 'support@localhost.invalid',
  });
  const firm = await operatorOf(services).firm();
  const headers = { Authorization: `Bearer ${firm.live}` };
  const answer = await fetch(`${url}/v1/me`, { headers });
  expect(answer.status).toBe(200);
  await answer.text();
  await (await fetch(`${url}/metrics`)).text();
  const lost = new Unavailable('No connection is free.', 'database_pool');
  jest.spyOn(stores.firmReads, 'claims').mockRejectedValueOnce(lost);
  await (await fetch(`${url}/v1/claims`, { headers })).text();
  // A stream is a request too, but not a slow one.
  const { token } = await operatorOf(services).staff(firm.id as FirmId);
  const stream = get(`${url}/firm/v1/changes`, { headers: { Authorization: `Bearer ${token}` } });
  await once(stream, 'response');
  stream.destroy();
  const counted = await eventually(
    async () => (await (await fetch(metricsUrl ?? '')).text()).match(/^http_.*_(total|count)\{.*$/gm) ?? [],
    (lines) => lines.some((line) => line.includes('changes')),
  );
  expect(counted).toEqual([
    'http_requests_total{route="GET /v1/me",status="200"} 1',
    'http_requests_total{route="none",status="404"} 1',
    'http_requests_total{route="GET /v1/claims",status="503"} 1',
    'http_requests_total{route="GET /firm/v1/changes",status="aborted"} 1',
    'http_request_duration_seconds_count{route="GET /v1/me"} 1',
    'http_request_duration_seconds_count{route="none"} 1',
    'http_request_duration_seconds_count{route="GET /v1/claims"} 1',
    'http_errors_total{route="none",code="not_found"} 1',
    'http_errors_total{route="GET /v1/claims",code="service_unavailable"} 1',
    'http_unavailable_total{reason="database_pool"} 1',
  ]);
  expect((await fetch(String(metricsUrl?.replace('/metrics', '/ready')))).status).toBe(200);
  const saved = jest
    .spyOn(stores.requestLog, 'append')
    .mockImplementation(async () => void steps.push('requests'));
  jest.useRealTimers();
  await service.stop();
  expect(saved.mock.calls.flat(2)).toMatchObject([
    { firmId: firm.id, route: 'GET /v1/me', status: 200 },
    { firmId: firm.id, route: 'GET /v1/claims', status: 503 },
  ]);
  expect(steps).toEqual(['jobs', 'requests', 'close']);
  const keys = await stores.operatorReads.keys(firm.id as FirmId);
  expect(keys.map(({ environment, lastUsedAt }) => [environment, lastUsedAt])).toEqual([
    ['live', clock.now()],
    ['test', null],
  ]);
  for (const closed of [url, metricsUrl ?? '']) await expect(fetch(closed)).rejects.toThrow('fetch failed');
});

test('while it runs, a service saves what it noted: reads of claims, requests and offers each second, last uses twice a minute', async () => {
  fakeIntervals();
  const { service, stores, steps } = await started();
  const { url, services } = service;
  const operator = operatorOf(services);
  const firm = await operator.firm();
  const { svcId, token } = await operator.member(firm.id);
  const keys = { idempotencyKey: 'k', fingerprint: 'f' };
  const actor = { firmId: firm.id, environment: 'live' } as const;
  await services.sendClaim(actor, { ...testClaim(1), adjuster: svcId, ...keys });
  const ask = async (path: string, as: string) =>
    (await fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${as}` } })).text();
  await Promise.all([ask('/v1/me', firm.live), ask('/app/v1/claims', token)]);
  for (const name of ['requestLog', 'audit', 'offerHistory'] as const)
    jest.spyOn(stores[name], 'append').mockImplementation(async () => void steps.push(name));
  jest.spyOn(stores.credentials, 'recordUse').mockImplementation(async ({ keys, sessions }) => {
    steps.push(`${keys.size} key, ${sessions.size} session`);
  });
  const stepsOf = async (ms: number) => {
    jest.advanceTimersByTime(ms);
    await new Promise(setImmediate);
    return steps.splice(0);
  };
  expect([await stepsOf(500), await stepsOf(500), await stepsOf(28_999), await stepsOf(1)]).toEqual([
    ...[['audit'], ['requestLog', 'offerHistory'], [], ['1 key, 1 session']],
  ]);
  await ask('/v1/me', firm.live);
  expect((await stepsOf(30_000)).toSorted()).toEqual(['1 key, 0 session', 'requestLog']);
  await ask('/app/v1/claims', token);
  expect(await stepsOf(30_000)).toContain('0 key, 1 session');
  expect(await stepsOf(30_000)).toEqual([]);
  await ask('/v1/me', firm.live);
  jest.spyOn(stores.credentials, 'recordUse').mockRejectedValue(new Error('lost'));
  jest.useRealTimers();
  await service.stop();
  expect(steps).toEqual(['jobs', 'requestLog', 'close']);
});

/** The names of spans below one, each with those below it. */
interface Tree {
  readonly [name: string]: Tree;
}

test('a request is traced from its caller to the job that it causes, without ids and content, unless it is unsampled or blocked', async () => {
  const received: string[] = [];
  const receiver = createServer(async (request, response) => {
    if (request.url === '/v1/traces') received.push(await text(request));
    response.end('{}');
  });
  await listen(receiver, 0, '127.0.0.1');
  atEnd(() => receiver.close());
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
    // Of requests without a trace, none.
    ...{ OTEL_TRACES_SAMPLER_ARG: '0', EDGE_LIMIT_PER_MINUTE: '3' },
  };
  const lines: object[] = [];
  const info = (...[, fields]: unknown[]) => void lines.push(Object(fields));
  const { service, runJobs } = await started(env, { ...LOG, info });
  const operator = operatorOf(service.services);
  const firm = await operator.firm();
  const { svcId } = await operator.member(firm.id);
  const [trace, parent] = ['a0000000000000000000000000000001', 'b7ad6b7169203331'];
  const statuses = [];
  for (const [n, flags] of ['01', '00', null, '01'].entries()) {
    const traced = flags && { traceparent: `00-${trace}-${parent}-${flags}`, tracestate: 'vendor=Reyes' };
    const changes = { external_id: `FILE-${n}`, claim_number: `FILE-${n}` };
    const response = await fetch(`${service.url}/v1/claims`, {
      method: 'POST',
      headers: {
        ...{ Authorization: `Bearer ${firm.live}`, 'Content-Type': 'application/json' },
        ...{ 'Idempotency-Key': `key-${n}`, ...traced },
      },
      body: JSON.stringify(claimBody(svcId, changes)),
    });
    statuses.push(response.status);
    await response.text();
    await runJobs();
  }
  expect(statuses).toEqual([201, 201, 201, 429]);
  await service.stop();
  const sent = received.flatMap((body) => JSON.parse(body).resourceSpans);
  const spans = sent.flatMap(({ scopeSpans }) => scopeSpans).flatMap((scope) => scope.spans);
  const below = (id: string): Tree =>
    Object.fromEntries(
      spans.flatMap(({ parentSpanId, name, spanId }) => (parentSpanId === id ? [[name, below(spanId)]] : [])),
    );
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([trace]));
  expect(below(parent)).toEqual({
    'POST /v1/claims': {
      ...{ 'credentials.keyByHash': {}, 'credentials.version': {}, 'rateLimiter.consume': {} },
      'claimWrites.send': {
        'process notify_offer': { 'jobReads.assignment': {}, 'jobReads.devices': {}, 'notifier.notify': {} },
      },
    },
  });
  const attribute = (key: string, value: object) => ({ key, value });
  expect(spans.find(({ name }) => name === 'POST /v1/claims').attributes).toContainEqual(
    attribute('http.response.status_code', { intValue: 201 }),
  );
  expect(sent[0].resource.attributes).toContainEqual(
    attribute('service.name', { stringValue: 'claim-assignment-service' }),
  );
  const never = [firm.id, firm.live, svcId, 'FILE-', 'Reyes', 'Bayshore', '127.0.0.1'];
  expect(never.filter((part) => received.join().includes(part))).toEqual([]);
  const requests = lines.filter((line) => 'route' in line);
  expect(requests.map((line) => ('trace_id' in line ? line.trace_id : null))).toEqual([
    trace,
    trace,
    expect.any(String),
  ]);
});

test('the addresses are those of the configuration, and before it stops a service is not healthy', async () => {
  const [baseUrl, docsUrl, supportEmail] = ['https://claims.example', 'https://docs.example', 'h@x.example'];
  const env = { BASE_URL: baseUrl, SUPPORT_EMAIL: supportEmail };
  const patient = { SHUTDOWN_GRACE_MS: '1000', HEADERS_TIMEOUT_MS: '500000', REQUEST_TIMEOUT_MS: '600000' };
  const served: unknown[] = [];
  const note = (request: unknown) => void served.push(Object(request).server);
  subscribe('http.server.request.start', note);
  const other = await started({ ...env, ...patient, METRICS_PORT: '0' });
  const [, files] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  await (await fetch(`${other.service.url}/v1/health`)).text();
  unsubscribe('http.server.request.start', note);
  expect(served[0]).toMatchObject({
    ...{ headersTimeout: 500_000, requestTimeout: 600_000, maxConnections: Number(files) - 370 },
  });
  expect(other.service.services.addresses).toEqual({ baseUrl, docsUrl: `${baseUrl}/docs`, supportEmail });
  const probe = async (path: string) =>
    (await fetch(new URL(path, other.service.metricsUrl ?? undefined))).status;
  // A request that never ends.
  const held = connect(other.service.port, '127.0.0.1', () => held.write('GET / HTTP/1.1\r\n'));
  const stoppingOther = other.service.stop(1e9);
  const { status } = await fetch(`${other.service.url}/v1/health`);
  expect([status, await probe('/live'), await probe('/ready')]).toEqual([503, 200, 503]);
  await Promise.all([stoppingOther, once(held, 'close')]);
  const { service, migrations } = await started({ ...env, DOCS_URL: docsUrl });
  expect(service.services.addresses).toEqual({ baseUrl, docsUrl, supportEmail });
  expect([service.metricsUrl, migrations]).toEqual([null, [[DATABASE, LOG, { migrationUrl: DATABASE }]]]);
  const health = async () => (await fetch(`${service.url}/v1/health`)).status;
  expect(await health()).toBe(200);
  const stopping = service.stop(300);
  expect(await health()).toBe(503);
  await stopping;
});

test('an address on which it cannot listen is named with its variable, and nothing stays open', async () => {
  const taken = await takenPort();
  const inUse = (name: string) =>
    `${name} holds "${taken}", which is in use; allowed: a free port, or 0 for any free port`;
  const host = 'HOST holds "192.0.2.1"; allowed: an address of this machine';
  for (const [env, message] of [
    [{ PORT: taken }, inUse('PORT')],
    [{ PORT: taken, METRICS_PORT: '0' }, inUse('PORT')],
    [{ METRICS_PORT: taken }, inUse('METRICS_PORT')],
    [{ HOST: '192.0.2.1' }, host],
    [{ HOST: '192.0.2.1', METRICS_PORT: '0' }, host],
  ] as const) {
    const error: unknown = await started(env).catch((reason) => reason);
    expect(error).toEqual(new ConfigError(message));
    expect(error).toBeInstanceOf(ConfigError);
  }
});

test('the port of operations has metrics and probes, and nothing else', async () => {
  let ready = async (): Promise<void> => {};
  let text = async (): Promise<string> => 'up 1\n';
  const server = await startOperationsServer(
    { checkReady: () => ready(), metrics: { contentType: 'text/plain; version=1', text: () => text() } },
    ...([0, '127.0.0.1'] as const),
  );
  const ask = async (path: string, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
    expect(response.headers.get('cache-control')).toBe(response.status === 500 ? null : 'no-store');
    return [response.status, response.headers.get('content-type'), await response.text()];
  };
  const plain = 'text/plain; charset=utf-8';
  const nothing = [404, plain, 'See /metrics, /live, /ready\n'];
  expect([
    await ask('/metrics'),
    await ask('/live'),
    await ask('/ready'),
    await ask('/ready', 'HEAD'),
  ]).toEqual([
    ...[
      [200, 'text/plain; version=1', 'up 1\n'],
      [200, plain, 'alive\n'],
      [200, plain, 'ready\n'],
      [200, plain, ''],
    ],
  ]);
  expect([await ask('/'), await ask('/live', 'POST')]).toEqual([nothing, nothing]);
  ready = () => Promise.reject(new Unavailable('The service is starting.'));
  expect(await ask('/ready')).toEqual([503, plain, 'not ready: The service is starting.\n']);
  ready = () => Promise.reject(new Error('secret'));
  text = () => Promise.reject(new Error('secret'));
  expect([await ask('/ready'), await ask('/metrics')]).toEqual([
    [503, plain, 'not ready\n'],
    [500, null, ''],
  ]);
  await server.close();
  await expect(ask('/live')).rejects.toThrow('fetch failed');
});

test('a database in the environment is used as it is, with the role of migrations where there is one', async () => {
  const open = async (env: Record<string, string>) => {
    const { release, ...database } = await openDatabase(readConfig(env, false), () => {});
    await release();
    return database;
  };
  const owner = 'postgres://owner@h/db';
  expect([
    await open({ DATABASE_URL: DATABASE }),
    await open({ DATABASE_URL: DATABASE, MIGRATION_DATABASE_URL: owner }),
  ]).toEqual([
    { url: DATABASE, migrationUrl: DATABASE, embeddedIn: null },
    { url: DATABASE, migrationUrl: owner, embeddedIn: null },
  ]);
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  // Not even root can create a folder in /proc.
  for (const [dataDir = '', code] of [
    [`${file}/data`, 'ENOTDIR'],
    ['/proc/nowhere', 'ENOENT'],
    ['/proc', 'ENOENT'],
  ])
    await expect(open({ DATA_DIR: dataDir })).rejects.toThrow(
      new ConfigError(
        `DATA_DIR holds "${dataDir}"; allowed: a folder that exists or can be created (${code})`,
      ),
    );
});

test('migrations are made by the role that owns the schema and recorded one by one; an error names the server', async () => {
  const steps: unknown[] = [];
  const [owner, kim] = ['postgres://owner@h/db', byOperator('kim')] as const;
  const migrating = (given: Parameters<typeof migrateDatabase>[2] = {}, error?: Error) =>
    migrateDatabase(DATABASE, LOG, given, {
      async migrate(options) {
        if (error !== undefined) throw error;
        return steps.push(options) > 0 ? [2, 3].map((id) => ({ id, name: `m${id}` })) : [];
      },
      recordDatabaseAction: async (...call) => void steps.push(call),
    }).catch(({ message }) => message);
  expect(await migrating()).toMatchObject([{ id: 2 }, { id: 3 }]);
  await migrating({ migrationUrl: owner, caller: kim });
  const recorded = (by: AuditCaller) =>
    [2, 3].map((id) => [DATABASE, LOG, by, 'database.migrate', `migration:${id}`]);
  expect(steps).toEqual([
    ...[{ url: DATABASE, log: LOG }, ...recorded(BY_SERVICE)],
    ...[{ url: owner, log: LOG, serviceUrl: DATABASE }, ...recorded(kim)],
  ]);
  for (const [given, text] of [
    [{}, 'DATABASE_URL points to service@h/db.'],
    [{ migrationUrl: 'postgres://h/db', variable: '--to' }, '--to points to h/db.'],
    [{ migrationUrl: () => 'POSTGRES://o:p@s@a,b/db?c=/d@e' }, 'MIGRATION_DATABASE_URL points to o@a,b/db.'],
  ] as const)
    expect(await migrating(given, new Error('Lost.'))).toBe(`Lost. ${text}`);
  expect(await migrating({}, new SchemaError('Newer.'))).toBe('Newer.');
});
