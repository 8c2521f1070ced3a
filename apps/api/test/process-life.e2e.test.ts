import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { deskEndpoints, endpoints } from '@svc/contract';
import { eventually } from '@svc/testkit/eventually';
import { nodeOptionsOfClock } from '../../../tools/cluster/api-process.ts';
import { runFailingServer, startServer, withOpenFiles } from './child.ts';
import { expectProblem } from './problem-shape.ts';
import { request, sendBytes } from './raw-http.ts';
import { type ApiResponse, callHttp, claimBody, startServiceUnderTest } from './service-under-test.ts';

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
  const DATABASE_URL = 'postgres://svc:hunter2@bay@127.0.0.1:1/claims';
  const { code, stdout, stderr } = await runFailingServer({ DATABASE_URL });
  expect([code, stderr]).toEqual([
    1,
    'The service did not start: PostgreSQL could not be reached (ECONNREFUSED, migrate). DATABASE_URL points to svc@127.0.0.1:1/claims.\n',
  ]);
  expect(stdout).not.toContain('hunter2');
});

const collect = async (): Promise<string[]> =>
  // A connection that was kept may be closed by the server at the moment it is used again.
  (await (await fetch(service.service.metricsUrl ?? '', { headers: { Connection: 'close' } })).text()).split(
    '\n',
  );

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
