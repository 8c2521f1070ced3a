import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { deskEndpoints, endpoints } from '@svc/contract';
import { eventually } from '@svc/testkit/eventually';
import { nodeOptionsOfClock } from '../../../tools/cluster/api-process.ts';
import { listening } from '../../../tools/services/local-server.ts';
import { withClient } from '../../../tools/services/postgres.ts';
import { runPromtool } from '../../../tools/services/promtool.ts';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { openDatabase } from '../src/composition/database.ts';
import { readConfig } from '../src/config.ts';
import { runFailingServer, startServer, withOpenFiles } from './child.ts';
import { expectProblem } from './problem-shape.ts';
import { request, sendBytes } from './raw-http.ts';
import {
  type ApiResponse,
  callHttp,
  claimBody,
  sendClaim,
  startServiceUnderTest,
} from './service-under-test.ts';

const MONITORING = fileURLToPath(new URL('../../../docker/monitoring/', import.meta.url));
/** Those of Redis exist only where it is used. */
const METRIC_NAME =
  /\b(http|postgres|push|offers|feed|jobs|job_queue|dependency|sign_in|clock|nodejs|process)_[a-z0-9_]+\b/g;

const service = await startServiceUnderTest({ env: { METRICS_PORT: '0' } });

/** Of this machine, against that of the database. */
const AHEAD_MS = 75_000;

test('a process whose clock is ahead stamps with the time of the database, is not ready, and says why', async () => {
  const firm = await service.firm();
  const adjuster = await service.member(firm);
  const dispatcher = await service.staff(firm, 'dispatcher');
  const server = await startServer({
    DATABASE_URL: service.databaseUrl,
    METRICS_PORT: '0',
    NODE_OPTIONS: nodeOptionsOfClock(AHEAD_MS),
  });
  const metrics = await eventually(async () => /^Metrics are at (\S+)$/m.exec(server.output()));
  const metricsUrl = metrics?.[1] ?? '';
  const difference = 'The clock of this machine is 75 s ahead of that of the database.';
  expect((await callHttp(server.url, 'GET', '/v1/health')).json).toMatchObject({
    ...{ status: 503, code: 'service_unavailable', detail: difference },
  });
  expect(await (await fetch(metricsUrl.replace('/metrics', '/ready'))).text()).toBe(
    `not ready: ${difference}\n`,
  );
  const ahead = /^clock_ahead_seconds (\S+)$/m.exec(await (await fetch(metricsUrl)).text())?.[1];
  expect(Number(ahead)).toBeCloseTo(AHEAD_MS / 1000, 0);
  expect(server.logged().map(({ message }) => message)).toContain(
    'not ready: the clock of this machine is wrong',
  );

  // Offered by the one process, accepted by the other.
  const startedAt = Date.now();
  const ids: string[] = [];
  for (const [offeredBy, acceptedBy] of [
    [server.url, service.url],
    [service.url, server.url],
  ] as const) {
    const sent = await callHttp(offeredBy, 'POST', '/v1/claims', {
      as: firm.live,
      body: claimBody(adjuster.svcId),
      headers: { 'Idempotency-Key': `clock ${offeredBy}` },
    });
    expect(sent.status).toBe(201);
    ids.push(sent.json.id);
    const accepted = await callHttp(acceptedBy, 'POST', `/app/v1/claims/${sent.json.id}/acceptance`, {
      as: adjuster.token,
      body: {},
    });
    expect(accepted.status).toBe(200);
  }
  const { headers } = await callHttp(server.url, 'GET', '/v1/claims', { as: firm.live });
  const claims = await callHttp(service.url, 'GET', '/v1/claims', { as: firm.live });
  const texts: string[] = JSON.stringify(claims.json.data).match(/"20\d\d-\d\d-\d\dT[^"]+Z"/g) ?? [];
  expect(texts.length).toBeGreaterThanOrEqual(3 * ids.length);
  for (const time of [
    ...texts.map((text) => Date.parse(JSON.parse(text))),
    Date.parse(headers.get('Date') ?? ''),
  ]) {
    expect(time).toBeGreaterThan(startedAt - 5000);
    expect(time).toBeLessThan(Date.now() + 5000);
  }
  const report = await callHttp(service.url, 'GET', '/firm/v1/reports/answers?by=week', { as: dispatcher });
  expect(report.json.total.accepted).toBe(ids.length);
  expect(report.json.total.median_answer_seconds).toBeGreaterThanOrEqual(0);
  expect(report.json.total.median_answer_seconds).toBeLessThan(60);
  await server.end('SIGKILL');
});

test('on SIGTERM health becomes 503, requests in flight are completed, and the process exits with 0', async () => {
  const firm = await service.firm();
  const { svcId } = await service.member(firm);
  const server = await startServer({ DATABASE_URL: service.databaseUrl });
  const { port, hostname } = new URL(server.url);
  const body = JSON.stringify(claimBody(svcId));
  const head = request('POST /v1/claims', {
    Authorization: `Bearer ${firm.live}`,
    'Idempotency-Key': 'in-flight',
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
  });
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.setEncoding('utf8').on('data', (text) => {
    received += text;
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(head + body.slice(0, 10));
  expect((await callHttp(server.url, 'GET', '/v1/health')).status).toBe(200);

  const ended = server.end('SIGTERM');
  const draining = async (): Promise<ApiResponse> => {
    for (;;) {
      const response = await callHttp(server.url, 'GET', '/v1/health');
      if (response.status !== 200) return response;
    }
  };
  const health = await draining();
  expectProblem(health, 503, 'service_unavailable');
  expect([health.headers.get('connection'), health.headers.get('retry-after')]).toEqual(['close', '1']);
  socket.write(body.slice(10));
  await closed;
  expect(received).toMatch(/^HTTP\/1\.1 201 /);
  expect(await ended).toBe(0);
  const [line] = server.logged().filter(({ route }) => route === 'POST /v1/claims');
  expect(line).toMatchObject({ status: 201 });
  // The probes of a load balancer, before and during the shutdown.
  const probes = server
    .logged()
    .filter(({ level, route }) => level === 'error' || route === 'GET /v1/health');
  expect(probes).toEqual([]);
  const plainLines = server
    .output()
    .split('\n')
    .filter((one) => one !== '' && !one.startsWith('{'));
  expect(plainLines).toEqual([`Listening on ${server.url}`]);
  const warnings = server.logged().filter(({ message }) => String(message).includes('SMTP_URL'));
  expect(warnings).toEqual([expect.objectContaining({ level: 'warn' })]);
});

test('at the limit of open files the log says so, connections that are open go on, and new ones follow later; a request that does not end is aborted at the end', async () => {
  const server = await startServer(
    { DATABASE_URL: service.databaseUrl, DB_POOL_MAX: '4', SHUTDOWN_GRACE_MS: '300' },
    { under: withOpenFiles(450) },
  );
  const { port, hostname } = new URL(server.url);
  const open = new Set<Socket>();
  for (let n = 0; n < 150; n++) {
    const socket = connect(Number(port), hostname);
    open.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => open.delete(socket));
  }
  const lines = () =>
    server.logged().filter(({ message }) => String(message).includes('limit of open files'));
  await eventually(() => lines().length === 1 && open.size === 92);
  expect(lines()).toMatchObject([{ level: 'error', max_connections: 92 }]);
  const [first] = open;
  const response = new Promise((resolve) => first?.once('data', (data) => resolve(String(data))));
  first?.write('GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(await response).toMatch(/^HTTP\/1\.1 200 /);
  for (const socket of open) socket.destroy();
  await eventually(async () =>
    callHttp(server.url, 'GET', '/v1/health').then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  const { live } = await service.firm();
  const stuck = sendBytes(
    server.url,
    request('POST /v1/claims', {
      Authorization: `Bearer ${live}`,
      'Idempotency-Key': 'stuck',
      'Content-Type': 'application/json',
      'Content-Length': '100',
    }),
  );
  await callHttp(server.url, 'GET', '/v1/health');
  expect(await server.end('SIGINT')).toBe(0);
  expect((await stuck).ended).toBe(true);
});

test('a failed start prints one line on standard error with the variable to change', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  const { port } = await listening(createServer());
  const DATABASE_URL = 'postgres://svc:hunter2@bay@127.0.0.1:1/claims';
  const { code, stdout, stderr } = await runFailingServer({ DATABASE_URL });
  expect([code, stderr]).toEqual([
    1,
    'The service did not start: PostgreSQL could not be reached (ECONNREFUSED, migrate). DATABASE_URL points to svc@127.0.0.1:1/claims.\n',
  ]);
  expect(stdout).not.toContain('hunter2');

  // The other cases, in this process.
  const { databaseUrl } = service;
  const start = (env: Record<string, string>) => startServiceUnderTest({ databaseUrl, env });
  const inUse = `holds "${port}", which is in use; allowed: `;
  await expect(start({ PORT: String(port) })).rejects.toThrow(`PORT ${inUse}`);
  await expect(start({ METRICS_PORT: String(port) })).rejects.toThrow(`METRICS_PORT ${inUse}`);
  await expect(start({ HOST: '192.0.2.1' })).rejects.toThrow('HOST holds "192.0.2.1"; allowed: ');
  // Not even root can create a folder in /proc.
  for (const dataDir of [join(file, 'data'), '/proc/nowhere', '/proc'])
    await expect(openDatabase(readConfig({ DATA_DIR: dataDir }, false), () => {})).rejects.toThrow(
      `DATA_DIR holds "${dataDir}"; allowed: a folder that `,
    );
});

const collect = async (): Promise<string[]> =>
  // A connection that was kept may be closed by the server at the moment it is used again.
  (await (await fetch(service.service.metricsUrl ?? '', { headers: { Connection: 'close' } })).text()).split(
    '\n',
  );

test('Prometheus metrics are served on a separate port, by route template and without personal data', async () => {
  const firm = await service.firm();
  await service.call('GET', '/v1/me', { as: firm.live });
  await service.call('GET', '/v1/me', { as: firm.live });
  await service.call('GET', '/v1/claims/0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10', { as: firm.live });
  await service.call('GET', '/no/such/path');
  await fetch(`${service.url}/docs/no-such-page`);
  await service.call('GET', '/v1/me?first_name=Ana', { as: firm.live });
  const url = service.service.metricsUrl ?? '';
  expect(new URL(url).port).not.toBe(new URL(service.url).port);
  const response = await fetch(url);
  const text = await response.text();
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  for (const line of [
    'http_requests_total{route="GET /v1/me",status="200"} 2',
    'http_requests_total{route="GET /v1/me",status="422"} 1',
    'http_requests_total{route="GET /v1/claims/{id}",status="404"} 1',
    'http_requests_total{route="GET /docs/{page}",status="404"} 1',
    'http_requests_total{route="none",status="404"} 1',
    'http_errors_total{route="GET /v1/me",code="validation_failed"} 1',
    'http_request_duration_seconds_count{route="GET /v1/me"} 3',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
  // The same in seconds as the log in milliseconds.
  const sum = Number(/^http_request_duration_seconds_sum\{route="GET \/v1\/me"\} (\S+)$/m.exec(text)?.[1]);
  const logged = service.logged.map((line) => JSON.parse(line)).filter(({ route }) => route === 'GET /v1/me');
  expect(Math.abs(logged.reduce((ms, line) => ms + line.ms, 0) - sum * 1000)).toBeLessThan(3 * 0.06);
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \S+$/m);
  expect(text).not.toMatch(/svc_live|Ana|0b9f6a52|no-such-page/);

  expect((await fetch(url.replace('/metrics', '/'))).status).toBe(404);
  expect((await fetch(url, { method: 'POST' })).status).toBe(404);
  expectProblem(await service.call('GET', '/metrics'), 404, 'not_found');
});

test('metrics show the feed, commits, connections, the job queue and failed sign-ins', async () => {
  const firm = await service.firm();
  expect((await sendClaim(service, firm.test, claimBody(firm.account.accepts))).status).toBe(201);
  await service.call('POST', '/app/v1/sessions', { body: { email: 'nobody@example.com', code: '123456' } });
  const readValue = (lines: readonly string[], sample: string): number =>
    Number(lines.find((line) => line.startsWith(`${sample} `))?.slice(sample.length));
  // The simulated adjuster accepts in a job.
  const lines = await eventually(collect, (found) =>
    found.some((line) => line.startsWith('jobs_total{kind="simulate_offer_response",outcome="completed"}')),
  );
  const shown = [
    'feed_changes_total{status="pending_acceptance"}',
    'feed_changes_total{status="accepted"}',
    'postgres_commit_duration_seconds_count',
    'postgres_connection_wait_seconds_count',
    'postgres_connections_max{pool="requests"}',
    'postgres_connections_max{pool="jobs"}',
    'http_errors_total{route="POST /app/v1/sessions",code="invalid_sign_in"}',
    'dependency_up{dependency="database"}',
  ];
  expect(shown.filter((sample) => !(readValue(lines, sample) > 0))).toEqual([]);
  const ages = ['transaction', 'multixact'].map((kind) => `postgres_transaction_id_age{kind="${kind}"}`);
  expect(ages.filter((sample) => !(readValue(lines, sample) >= 0))).toEqual([]);
  // Servers of tests archive nothing.
  expect(lines.filter((line) => /^postgres_archive\w+ /.test(line))).toEqual([]);
  const zero = [
    'webhook_endpoints{state="failing"}',
    'job_queue_jobs{state="failed"}',
    'postgres_standbys{synchronous="true"}',
  ];
  expect(zero.map((sample) => readValue(lines, sample))).toEqual([0, 0, 0]);
});

test('a stream counts as a request, and its duration does not count as a slow one', async () => {
  const firm = await service.firm();
  const { token } = await service.member(firm);
  const streams: readonly [string, Record<string, string>][] = [
    ['/firm/v1/changes', { Authorization: `Bearer ${await service.staff(firm, 'admin')}` }],
    ['/app/events', { Cookie: `svc-session=${token}` }],
  ];
  for (const [path, headers] of streams) {
    const stream = await fetch(`${service.url}${path}`, { headers });
    expect([path, stream.status]).toEqual([path, 200]);
    await stream.body?.cancel();
  }
  // What is rejected is a request as any other.
  await fetch(`${service.url}/app/events`);
  const lines = await eventually(collect, (found) =>
    streams.every(([path]) =>
      found.some((line) => line.startsWith(`http_requests_total{route="GET ${path}"`)),
    ),
  );
  const counted = lines.filter((line) => /^http_request_duration_seconds_count.*(changes|events)/.test(line));
  expect(counted).toEqual(['http_request_duration_seconds_count{route="GET /app/events"} 1']);
});

test('the panel of failed sign-ins has every route that signs in', () => {
  const dashboard = JSON.parse(readFileSync(`${MONITORING}dashboard.json`, 'utf8')) as {
    panels: { title: string; targets?: { expr: string }[] }[];
  };
  const [target] = dashboard.panels.find(({ title }) => title === 'Failed sign-ins')?.targets ?? [];
  const routes = new RegExp(`^(${/route=~"([^"]*)"/.exec(target?.expr ?? '')?.[1]})$`);
  const signIns = [
    `POST ${endpoints.signIn.path}`,
    `POST ${deskEndpoints.signInStaff.path}`,
    'POST /app/session',
    'POST /firm/session',
  ];
  expect(signIns.filter((route) => !routes.test(route))).toEqual([]);
});

test('promtool finds nothing wrong with the metrics, the alert rules and their tests', async () => {
  expect(await runPromtool(['check', 'metrics'], (await collect()).join('\n'))).toBe('');
  expect(await runPromtool(['test', 'rules', `${MONITORING}alerts.test.yaml`])).toBe('');
  expect(await runPromtool(['check', 'config', `${MONITORING}prometheus.yaml`])).toBe('');
});

test('alerts, dashboard and pages name metrics that exist, and each alert has a section in the runbook', async () => {
  const types = (await collect()).map((line) => /^# TYPE (\S+) (\S+)$/.exec(line) ?? []);
  const known = new Set(types.map(([, name, type]) => (type === 'histogram' ? `${name}_bucket` : name)));
  const inProse = new Set(types.map(([, name]) => name));
  const namesIn = (text: string): string[] => (text.match(METRIC_NAME) ?? []) as string[];
  const alerts = readFileSync(`${MONITORING}alerts.yaml`, 'utf8');
  const runbook = readFileSync(new URL('../../../docs/runbook.md', import.meta.url), 'utf8');
  const observe = readFileSync(new URL('../../../docs/operating/observe.md', import.meta.url), 'utf8');
  const dashboard = readFileSync(`${MONITORING}dashboard.json`, 'utf8');
  expect(namesIn(alerts + dashboard).filter((name) => !known.has(name))).toEqual([]);
  expect(namesIn(runbook + observe).filter((name) => !inProse.has(name))).toEqual([]);
  const sections = runbook.match(/^## .*$/gm);
  const titles = [...alerts.matchAll(/alert: (\w+)/g)].map(([, title]) => `## ${title}`);
  // Sections about what has no alert follow.
  expect(sections?.slice(0, titles.length)).toEqual(titles);
});

test('while too many writes wait, further ones get 503 with Retry-After, also between other requests of a connection, and reads go on', async () => {
  const firm = await service.firm();
  const { svcId } = await service.member(firm);
  const own = await startServiceUnderTest({ databaseUrl: service.databaseUrl, env: { DB_POOL_MAX: '2' } });
  await withClient(service.databaseUrl, async (lock) => {
    await lock.query('BEGIN');
    await lock.query('SELECT 1 FROM firm_feeds WHERE firm_id = $1 FOR UPDATE', [firm.id]);
    // 4 for each connection are processed, 40 wait, and the others are rejected and sent again: however long the test
    // takes, no permit is free for long, and none of the writes can succeed.
    let isLocked = true;
    const sends = Array.from({ length: 120 }, async () => {
      for (;;) {
        const response = await sendClaim(own, firm.live, claimBody(svcId));
        if (!isLocked) return response.status;
        expectProblem(response, 503, 'service_unavailable');
        expect(response.headers.get('retry-after')).toBe('1');
        // At once, they would take all the time of this process, which is the service and its clients.
        await pause(1000);
      }
    });
    const allSent = Promise.all(sends);
    const isRejecting = (): boolean =>
      own.logged.some((line) => line.includes('more requests arrive than can be processed'));
    await Promise.race([allSent, eventually(isRejecting)]);
    // Not with a test key: its simulated faults are read on a connection of their own.
    expect((await own.call('GET', '/v1/claims', { as: firm.live })).status).toBe(200);
    const authorization = { Authorization: `Bearer ${firm.live}` };
    const body = JSON.stringify(claimBody(svcId));
    const write = request(
      'POST /v1/claims',
      {
        ...authorization,
        'Content-Type': 'application/json',
        'Content-Length': String(body.length),
        'Idempotency-Key': 'pipelined',
      },
      body,
    );
    const mixed = [
      request('GET /v1/me', authorization),
      write,
      request('GET /v1/health'),
      write,
      request('GET /v1/me', authorization),
    ];
    const { responses } = await sendBytes(own.url, mixed.join(''), { responses: 5 });
    expect(responses.map(({ status }) => status)).toEqual([200, 503, 200, 503, 200]);
    for (const at of [1, 3]) expect(responses[at]?.headers.get('retry-after')).toBe('1');
    expect(JSON.parse(responses[1]?.body ?? '')).toMatchObject({
      code: 'service_unavailable',
      request_id: responses[1]?.headers.get('x-request-id'),
    });
    isLocked = false;
    await lock.query('COMMIT');
    for (const status of await allSent) expect([201, 503]).toContain(status);
  });
  const afterwards = await eventually(
    () => sendClaim(own, firm.live, claimBody(svcId)),
    ({ status }) => status !== 503,
  );
  expect(afterwards.status).toBe(201);
});

test('the process is alive while it shuts down, and no longer ready', async () => {
  const own = await startServiceUnderTest({ databaseUrl: service.databaseUrl, env: { METRICS_PORT: '0' } });
  const probe = async (path: string): Promise<number> =>
    (await fetch(new URL(path, own.service.metricsUrl ?? ''))).status;
  expect([await probe('/live'), await probe('/ready')]).toEqual([200, 200]);
  const stopping = own.stop(1000);
  expect([await probe('/live'), await probe('/ready')]).toEqual([200, 503]);
  await stopping;
});
