import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startEmbeddedPostgres } from '@svc/embedded-postgres';
import { openDatabase } from '../src/composition/database.ts';
import { readConfig } from '../src/config.ts';
import { createDataDir, serverThatFails, startServer } from './child.ts';
import { expectProblem } from './problem-shape.ts';
import { request, speak } from './raw-http.ts';
import {
  type Answer,
  callHttp,
  claimBody,
  type ServiceUnderTest,
  sendClaim,
  startServiceUnderTest,
} from './service-under-test.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startServiceUnderTest({ env: { METRICS_PORT: '0' } });
});
afterAll(() => service.stop());

test('on SIGTERM health turns 503 at once, what is under way is finished, and the process ends with 0, having said nothing beside its log', async () => {
  const firm = await service.firm();
  const { svcId } = await service.member(firm);
  const server = await startServer({ DATABASE_URL: service.databaseUrl });
  const { port, hostname } = new URL(server.url);
  const body = JSON.stringify(claimBody(svcId));
  const head = request('POST /v1/claims', {
    Authorization: `Bearer ${firm.live}`,
    'Idempotency-Key': 'under-way',
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
  });
  const socket = connect(Number(port), hostname);
  let heard = '';
  socket.setEncoding('utf8').on('data', (text) => {
    heard += text;
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(head + body.slice(0, 10));
  expect((await callHttp(server.url, 'GET', '/v1/health')).status).toBe(200);

  const ended = server.end('SIGTERM');
  const draining = async (): Promise<Answer> => {
    for (;;) {
      const answer = await callHttp(server.url, 'GET', '/v1/health');
      if (answer.status !== 200) return answer;
    }
  };
  const health = await draining();
  expectProblem(health, 503, 'service_unavailable');
  expect([health.headers.get('connection'), health.headers.get('retry-after')]).toEqual(['close', '1']);
  socket.write(body.slice(10));
  await closed;
  expect(heard).toMatch(/^HTTP\/1\.1 201 /);
  expect(await ended).toBe(0);
  const [line] = server.logged().filter(({ route }) => route === 'POST /v1/claims');
  expect(line).toMatchObject({ status: 201 });
  const beside = server
    .said()
    .split('\n')
    .filter((one) => one !== '' && !one.startsWith('{'));
  expect(beside).toEqual([expect.stringMatching(/^No SMTP_URL is set/), `Listening on ${server.url}`]);
});

test('a request that does not come to its end is given up after the grace, and the process still ends with 0', async () => {
  const firm = await service.firm();
  const server = await startServer({ DATABASE_URL: service.databaseUrl, SHUTDOWN_GRACE_MS: '300' });
  const stuck = speak(
    server.url,
    request('POST /v1/claims', {
      Authorization: `Bearer ${firm.live}`,
      'Idempotency-Key': 'stuck',
      'Content-Type': 'application/json',
      'Content-Length': '100',
    }),
  );
  await callHttp(server.url, 'GET', '/v1/health');
  expect(await server.end('SIGINT')).toBe(0);
  expect((await stuck).ended).toBe(true);
});

test('a start that cannot be is one line on standard error that says which variable to change', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-config-'));
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const taken = createServer();
  const port = await new Promise<number>((resolve) =>
    taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port)),
  );
  try {
    const programs: [Record<string, string>, RegExp][] = [
      [{ PORT: 'abc' }, /^PORT holds "abc"; allowed: a whole number from 0 to 65535$/],
      [
        { DATABASE_URL: 'postgres://svc:hunter2@127.0.0.1:1/claims' },
        /^The service did not start: PostgreSQL could not be reached \(ECONNREFUSED, migrate\)\. Asked at svc@127\.0\.0\.1:1\/claims, as DATABASE_URL says\.$/,
      ],
      // Where nobody can make a folder, not even root.
      [{ DATA_DIR: '/proc/nowhere' }, /^DATA_DIR holds "\/proc\/nowhere"; allowed: a folder that /],
      [{ DATA_DIR: '/proc' }, /^DATA_DIR holds "\/proc"; allowed: a folder that /],
    ];
    const runs = await Promise.all(programs.map(([env]) => serverThatFails(env)));
    for (const [i, { code, stdout, stderr }] of runs.entries()) {
      const said = stderr.split('\n').filter((line) => line !== '');
      expect({ code, lines: said.length }).toEqual({ code: 1, lines: 1 });
      expect(said[0]).toMatch(programs[i]?.[1] as RegExp);
      expect(stdout + stderr).not.toContain('hunter2');
    }

    // The same lines, without a process for each.
    const { databaseUrl } = service;
    const start = (env: Record<string, string>) => startServiceUnderTest({ databaseUrl, env });
    const inUse = `holds "${port}", which is in use; allowed: `;
    await expect(start({ PORT: String(port) })).rejects.toThrow(`PORT ${inUse}`);
    await expect(start({ METRICS_PORT: String(port) })).rejects.toThrow(`METRICS_PORT ${inUse}`);
    await expect(start({ HOST: '192.0.2.1' })).rejects.toThrow('HOST holds "192.0.2.1"; allowed: ');
    const dataDir = join(file, 'data');
    const config = readConfig({ DATA_DIR: dataDir }, false);
    await expect(openDatabase(config, () => {})).rejects.toThrow(`DATA_DIR holds "${dataDir}"; allowed: `);
  } finally {
    taken.close();
    rmSync(folder, { recursive: true });
  }
});

test('while PostgreSQL is away every answer is a 503 that says so, and it comes back by itself', async () => {
  const data = createDataDir();
  const first = await startEmbeddedPostgres({ dataDir: data.path });
  const own = await startServiceUnderTest({ databaseUrl: first.url });
  try {
    const firm = await own.firm();
    const { svcId, token } = await own.member(firm);
    const body = claimBody(svcId);
    expect((await sendClaim(own, firm.live, body, 'before')).status).toBe(201);
    await first.stop();

    // What was confirmed a moment ago may be trusted a moment longer, so this is asked until the store is missed.
    const calls = () =>
      Promise.all([
        own.call('GET', '/v1/health'),
        own.call('GET', '/v1/claims', { as: firm.live }),
        own.call('GET', '/v1/adjusters', { as: firm.live }),
        sendClaim(own, firm.live, claimBody(svcId), 'meanwhile'),
        sendClaim(own, firm.live, body, 'before'),
        own.call('GET', '/app/v1/me', { as: token }),
        own.call('PATCH', '/app/v1/me', { as: token, body: { first_name: 'A' } }),
        own.call('POST', '/app/v1/sessions', { body: { email: 'a@b', code: '123456' } }),
      ]);
    let answers = await calls();
    for (let round = 0; round < 20 && answers.some(({ status }) => status === 200); round++) {
      await pause(100);
      answers = await calls();
    }
    for (const answer of answers) {
      expectProblem(answer, 503, 'service_unavailable');
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    // What needs no store is answered as ever.
    expectProblem(await own.call('GET', '/v1/me', { as: 'junk' }), 401, 'invalid_key');
    expectProblem(await own.call('GET', '/nope'), 404, 'not_found');

    const second = await startEmbeddedPostgres({ dataDir: data.path });
    expect(second.url).toBe(first.url);
    let health = await own.call('GET', '/v1/health');
    for (let round = 0; round < 50 && health.status !== 200; round++) {
      await pause(100);
      health = await own.call('GET', '/v1/health');
    }
    expect(health.status).toBe(200);
    const replay = await sendClaim(own, firm.live, body, 'before');
    expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect((await own.call('GET', '/v1/claims', { as: firm.live })).json.data).toHaveLength(1);
    expect((await sendClaim(own, firm.live, claimBody(svcId), 'meanwhile')).status).toBe(201);
    // A test account answers, so the queue of jobs is back as well.
    const rehearsal = await sendClaim(own, firm.test, claimBody(firm.account.accepts));
    let status = '';
    for (let round = 0; round < 150 && status !== 'accepted'; round++) {
      await pause(100);
      status = (await own.call('GET', `/v1/claims/${rehearsal.json.id}`, { as: firm.test })).json.assignment
        .status;
    }
    expect(status).toBe('accepted');
    await own.stop();
    await second.stop();
  } finally {
    data.remove();
  }
});

test('figures are served to Prometheus on a port of their own: requests by route and status, durations, the event loop', async () => {
  const firm = await service.firm();
  await service.call('GET', '/v1/me', { as: firm.live });
  await service.call('GET', '/v1/me', { as: firm.live });
  await service.call('GET', '/v1/claims/0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10', { as: firm.live });
  await service.call('GET', '/no/such/path');
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
    'http_requests_total{route="none",status="404"} 1',
    'http_request_duration_seconds_count{route="GET /v1/me"} 3',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \S+$/m);
  expect(text).not.toMatch(/svc_live|Ana|0b9f6a52/);

  expect((await fetch(url.replace('/metrics', '/'))).status).toBe(404);
  expect((await fetch(url, { method: 'POST' })).status).toBe(404);
  expectProblem(await service.call('GET', '/metrics'), 404, 'not_found');
});
