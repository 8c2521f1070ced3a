import { afterAll, describe, expect, test } from '@jest/globals';
import type { StaffRole } from '@svc/domain';
import { eventually } from '@svc/testkit/eventually';
import { Webhook } from 'standardwebhooks';
import { startNameServer } from '../../../packages/adapter-notifications/test/name-server.ts';
import { operatorOf } from '../../../tools/services/operator.ts';
import { expectProblem } from './problem-shape.ts';
import {
  type ApiResponse,
  claimBody,
  sendClaim,
  startServiceUnderTest,
  type TestFirm,
} from './service-under-test.ts';
import { svcInProcess } from './svc-here.ts';
import { type ReceivedWebhook, startWebhookEndpoint } from './webhook-endpoint.ts';

const names = await startNameServer(
  new Map<string, readonly string[] | 'silence'>([
    ['dead.example', 'silence'],
    ['internal.example', ['10.0.0.1']],
  ]),
);
const [service, endpoint] = await Promise.all([
  startServiceUnderTest({ env: { DNS_SERVERS: names.address } }),
  startWebhookEndpoint(),
]);
afterAll(async () => {
  await service?.stop();
  await endpoint?.stop();
  await names?.stop();
});

const run = (args: string[], env: Record<string, string> = {}) =>
  svcInProcess(args, { DATABASE_URL: service.databaseUrl, ...env });

// biome-ignore lint/suspicious/noExplicitAny: tests read untyped output
async function svc(...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await run([...args, '--json']);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(stdout);
}

const create = (firm: TestFirm, path: string, environment = 'test') =>
  svc('webhook', 'create', '--firm', firm.id, '--url', endpoint.url + path, '--environment', environment);

const arrived = (path: string, count: number): Promise<ReceivedWebhook[]> =>
  eventually(
    async () => endpoint.at(path),
    (received) => received.length >= count,
  );

const sendTestClaim = (firm: TestFirm) => sendClaim(service, firm.test, claimBody(firm.account.manual));

test('a signal is verified by standardwebhooks, and a poll from it gets the claim', async () => {
  const firm = await service.firm();
  const created = await create(firm, '/verified');
  expect(created).toEqual({
    webhook: {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      url: `${endpoint.url}/verified`,
      environment: 'test',
      state: 'active',
    },
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
  });
  const { json: claim } = await sendTestClaim(firm);
  const [signal] = (await arrived('/verified', 1)) as [ReceivedWebhook];
  const event = new Webhook(created.secret).verify(signal.body, signal.headers) as {
    data: { updated_since: string };
  };
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(event).toEqual({
    type: 'claims.changed',
    timestamp: time,
    data: { environment: 'test', updated_since: time },
  });
  expect(() => new Webhook(created.secret).verify(`${signal.body} `, signal.headers)).toThrow();
  const since = encodeURIComponent(event.data.updated_since);
  const polled = await service.call('GET', `/v1/claims?updated_since=${since}`, { as: firm.test });
  expect(polled.json.data.map(({ id }: { id: string }) => id)).toEqual([claim.id]);
});

test('the operator tests an endpoint, rolls its secret, sees and repeats deliveries, and removes it', async () => {
  const firm = await service.firm();
  const ofFirm = ['--firm', firm.id];
  const created = await create(firm, '/operated');
  const { id } = created.webhook;
  expect((await svc('webhook', 'test', ...ofFirm, id)).delivery).toMatchObject({
    type: 'webhook.test',
    status: 'delivered',
    attempts: [{ status: 204, error: null }],
  });
  const rolled = await svc('webhook', 'roll', ...ofFirm);
  expect(rolled.webhook).toEqual(created.webhook);
  await svc('webhook', 'test', ...ofFirm);
  const [ping, signedTwice] = (await arrived('/operated', 2)) as [ReceivedWebhook, ReceivedWebhook];
  expect(new Webhook(created.secret).verify(ping.body, ping.headers)).toMatchObject({ type: 'webhook.test' });
  for (const { secret } of [created, rolled])
    expect(new Webhook(secret).verify(signedTwice.body, signedTwice.headers)).toMatchObject({
      data: { environment: 'test' },
    });
  const { deliveries } = await svc('webhook', 'deliveries', ...ofFirm, id);
  expect(deliveries.map(({ status }: { status: string }) => status)).toEqual(['delivered', 'delivered']);
  const { delivery } = await svc('webhook', 'replay', ...ofFirm, deliveries[1].id);
  expect(delivery).toMatchObject({ id: deliveries[1].id, status: 'delivered', attempt_count: 2 });
  expect(endpoint.at('/operated').at(-1)?.headers['webhook-id']).toBe(ping.headers['webhook-id']);
  const { webhooks } = await svc('webhook', 'list', ...ofFirm);
  expect(webhooks).toMatchObject([{ ...created.webhook, paused_reason: null }]);
  expect(JSON.stringify(webhooks)).not.toContain('whsec_');
  const exported = (await run(['firm', 'export', firm.id])).stdout;
  expect(exported).toContain('"type":"webhook"');
  expect(exported).not.toContain('whsec_');
  expect(await svc('webhook', 'remove', ...ofFirm)).toEqual({ removed: { id } });
  expect(await svc('webhook', 'list', ...ofFirm)).toEqual({ webhooks: [] });
  const { code, stderr } = await run(['webhook', 'test', ...ofFirm, id]);
  expect([code, stderr]).toEqual([1, `svc: the firm ${firm.id} has no webhook endpoint with the id ${id}\n`]);
});

test('endpoints that are dead, slow, redirect or are gone delay no other one, and are tried or paused', async () => {
  const paths = ['/slow', '/redirects', '/gone', '/dead'] as const;
  endpoint.responses.set('/slow', () => {});
  endpoint.responses.set('/redirects', (to) =>
    to.writeHead(307, { Location: `${endpoint.url}/led-astray` }).end(),
  );
  endpoint.responses.set('/gone', (to) => to.writeHead(410).end());
  endpoint.responses.set('/dead', (to) => to.destroy());
  const failing = await Promise.all(paths.map(() => service.firm()));
  const living = await service.firm();
  for (const [n, path] of paths.entries()) await create(failing[n] as TestFirm, path);
  await create(living, '/living');
  for (const firm of failing) await sendTestClaim(firm);
  await Promise.all(paths.map((path) => arrived(path, 1)));
  for (let count = 1; count <= 3; count += 1) {
    await sendTestClaim(living);
    await arrived('/living', count);
  }
  const gone = await eventually(
    async () => (await svc('webhook', 'list', '--firm', failing[2]?.id ?? '')).webhooks,
    ([webhook]) => webhook.state === 'paused',
  );
  expect(gone[0].paused_reason).toBe('gone');
  // Of all firms, those that fail come first.
  const { webhooks: all } = await svc('webhook', 'list');
  const rows = (all as { firm_id: string; failing_since: string | null; latest_response: unknown }[]).map(
    ({ firm_id, failing_since, latest_response }) =>
      [firm_id, failing_since === null, latest_response] as const,
  );
  const isHealthy = rows.map(([, healthy]) => healthy);
  expect(isHealthy).toEqual(isHealthy.toSorted());
  expect(rows).toContainEqual([failing[1]?.id, false, 307]);
  expect(rows).toContainEqual([failing[3]?.id, false, 'connection_failed']);
  expect(rows).toContainEqual([living.id, true, expect.any(Number)]);
  const logged = service.logged
    .filter((line) => line.includes('a webhook attempt failed'))
    .map((line) => JSON.parse(line))
    .filter(({ firm_id }) => firm_id === failing[1]?.id);
  expect(logged[0]).toMatchObject({ attempt: 1, status: 307, webhook_id: expect.any(String) });
  await eventually(
    async () => service.logged.filter((line) => line.includes('a webhook endpoint was paused')),
    (lines) => lines.length === 1,
  );
  await Promise.all([arrived('/redirects', 2), arrived('/dead', 2)]);
  expect(endpoint.at('/led-astray')).toEqual([]);
  const { deliveries } = await svc('webhook', 'deliveries', '--firm', failing[1]?.id ?? '');
  expect(deliveries).toMatchObject([{ status: 'pending', attempts: [{ status: 307 }, { status: 307 }] }]);
  endpoint.responses.delete('/slow');
});

test('two processes send a signal once, and none more often than once a second', async () => {
  const twin = await startServiceUnderTest({ databaseUrl: service.databaseUrl });
  try {
    const firm = await service.firm();
    await create(firm, '/twins');
    for (let count = 0; count < 12; count += 1) {
      await sendTestClaim(firm);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const { deliveries } = await eventually(
      () => svc('webhook', 'deliveries', '--firm', firm.id),
      (found) => found.deliveries.length >= 2 && found.deliveries[0].status === 'delivered',
    );
    const received = endpoint.at('/twins');
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(received.length);
    expect(received).toHaveLength(deliveries.length);
    const gaps = received.slice(1).map(({ at }, n) => at - (received[n]?.at ?? 0));
    expect(gaps.filter((ms) => ms < 1000)).toEqual([]);
  } finally {
    await twin.stop();
  }
});

describe('at the desk', () => {
  const staffOf = (firm: TestFirm, role: StaffRole) =>
    operatorOf(service.service.services).staff(firm.id, role);
  const PATH = '/firm/v1/webhooks';
  const add = (as: string, url: string, environment = 'live') =>
    service.call('POST', PATH, { as, body: { url, environment } });
  const ping = (as: string, id: string) => service.call('POST', `${PATH}/${id}/test`, { as });

  test('names that no server answers delay neither the test of another firm nor any of its writes', async () => {
    // More than there are permits for writes.
    const waiting: Promise<ApiResponse>[] = [];
    let ended = 0;
    for (let count = 0; count < 5; count += 1) {
      const { token } = await staffOf(await service.firm(), 'developer');
      for (const environment of ['live', 'test'])
        for (let number = 0; number < 5; number += 1) {
          const { json } = await add(token, 'https://dead.example/', environment);
          waiting.push(ping(token, json.webhook.id).finally(() => (ended += 1)));
        }
      // Beyond the limit of endpoints, nothing is resolved.
      expectProblem(await add(token, 'https://unasked.example/'), 422, 'validation_failed');
    }
    const firm = await service.firm();
    const { token } = await staffOf(firm, 'developer');
    const { json } = await add(token, `${endpoint.url}/undelayed`);
    const [tested, ...sent] = await Promise.all([
      ping(token, json.webhook.id),
      ...Array.from({ length: 60 }, () => sendTestClaim(firm)),
    ]);
    expect(ended).toBe(0);
    expect(tested.json.status).toBe('delivered');
    expect(sent.map(({ status }) => status)).toEqual(sent.map(() => 201));
    const tests = await Promise.all(waiting);
    expect(tests.map(({ status, json }) => [status, json.attempts[0].error])).toEqual(
      tests.map(() => [200, 'name_not_resolved']),
    );
    expect(names.asked).not.toContain('unasked.example');
  });

  test('the query of an address is shown only to those who may change the endpoint', async () => {
    const firm = await service.firm();
    const url = `${endpoint.url}/query?token=secret`;
    const { token } = await staffOf(firm, 'developer');
    const { json } = await add(token, url, 'test');
    expect(json.webhook.url).toBe(url);
    const shownTo = async (role: StaffRole) =>
      (await service.call('GET', PATH, { as: (await staffOf(firm, role)).token })).json.data[0].url;
    expect([await shownTo('admin'), await shownTo('developer')]).toEqual([url, url]);
    expect(await shownTo('auditor')).toBe(`${endpoint.url}/query`);
    const { webhooks } = await svc('webhook', 'list', '--firm', firm.id);
    expect(webhooks[0].url).toBe(`${endpoint.url}/query`);
    expect((await run(['audit', 'list', '--firm', firm.id, '--json'])).stdout).not.toContain('secret');
    await ping(token, json.webhook.id);
    expect(endpoint.at('/query?token=secret')).toHaveLength(1);
  });

  test('an internal name and an unknown one get the same responses', async () => {
    const { token } = await staffOf(await service.firm(), 'developer');
    const responses = await Promise.all(
      ['internal', 'unknown'].map(async (name) => {
        const added = await add(token, `https://${name}.example/`);
        const tested = await ping(token, added.json.webhook.id);
        const { status, attempts, response_body } = tested.json;
        return [added.status, tested.status, status, attempts[0].error, response_body];
      }),
    );
    const same = [201, 200, 'failed', 'name_not_resolved', null];
    expect(responses).toEqual([same, same]);
  });

  test('the response to a test is shown once, as text, and how long it took is kept', async () => {
    const { token } = await staffOf(await service.firm(), 'developer');
    endpoint.responses.set('/explains', (to) =>
      to.writeHead(500).end(`signature\u0007\u202e is\r\n wrong ${'x'.repeat(5000)}`),
    );
    const { json } = await add(token, `${endpoint.url}/explains`);
    const tested = (await ping(token, json.webhook.id)).json;
    expect(tested).toMatchObject({ attempts: [{ status: 500, duration_ms: expect.any(Number) }] });
    expect(tested.response_body).toMatch(/^signature is wrong x{500,1100}$/);
    const path = `${PATH}/${json.webhook.id}/deliveries`;
    const listed = await service.call('GET', path, { as: token });
    expect(listed.json.data).toMatchObject([{ id: tested.id, attempts: tested.attempts }]);
    expect(listed.text).not.toContain('signature');
  });

  test('a delivery is sent again by hand while it is tried by itself, and stays pending until it arrives', async () => {
    const firm = await service.firm();
    const { token } = await staffOf(firm, 'developer');
    endpoint.responses.set('/down', (to) => to.writeHead(503, { 'Retry-After': '3600' }).end());
    const { json } = await add(token, `${endpoint.url}/down`, 'test');
    await sendTestClaim(firm);
    const path = `${PATH}/${json.webhook.id}/deliveries`;
    const { json: found } = await eventually(
      () => service.call('GET', path, { as: token }),
      (listed) => listed.json.data[0]?.attempts.length === 1,
    );
    const { id, next_attempt_at } = found.data[0];
    const replay = async () =>
      (await service.call('POST', `${PATH}/deliveries/${id}/replay`, { as: token })).json;
    expect(await replay()).toMatchObject({ id, status: 'pending', next_attempt_at, attempt_count: 2 });
    endpoint.responses.delete('/down');
    expect(await replay()).toMatchObject({
      id,
      status: 'delivered',
      next_attempt_at: null,
      attempt_count: 3,
    });
    expect(new Set(endpoint.at('/down').map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]));
  });

  test('a developer adds, tests, rolls, pauses and resumes an endpoint, and reads and repeats its deliveries', async () => {
    const firm = await service.firm();
    const [developer, auditor] = [await staffOf(firm, 'developer'), await staffOf(firm, 'auditor')];
    const as = { as: developer.token };
    const url = `${endpoint.url}/desk`;
    const created = await service.call('POST', PATH, { ...as, body: { url, environment: 'test' } });
    expect([created.status, created.json]).toEqual([
      201,
      {
        webhook: expect.objectContaining({ url, environment: 'test', state: 'active', paused_reason: null }),
        secret: expect.stringMatching(/^whsec_/),
      },
    ]);
    const { id } = created.json.webhook;
    const tested = await service.call('POST', `${PATH}/${id}/test`, as);
    expect(tested.json).toMatchObject({
      type: 'webhook.test',
      status: 'delivered',
      attempts: [{ status: 204 }],
    });
    await sendTestClaim(firm);
    await arrived('/desk', 2);
    const replayed = await service.call('POST', `${PATH}/deliveries/${tested.json.id}/replay`, as);
    expect(replayed.json).toMatchObject({ id: tested.json.id, attempt_count: 2 });

    const change = (body: object) => service.call('PATCH', `${PATH}/${id}`, { ...as, body });
    const rolled = await change({ roll_secret: true, state: 'paused' });
    expect(rolled.json).toMatchObject({
      webhook: { state: 'paused', paused_reason: 'requested', previous_secret_until: expect.any(String) },
      secret: expect.stringMatching(/^whsec_/),
    });
    expect((await change({})).json).toMatchObject({ webhook: { state: 'paused' }, secret: null });
    expect((await change({ state: 'active' })).json).toMatchObject({ webhook: { state: 'active' } });

    const listed = await service.call('GET', PATH, { as: auditor.token });
    expect(listed.json.data.map((webhook: { id: string }) => webhook.id)).toEqual([id]);
    expect(listed.text).not.toContain('whsec_');
    const ids: string[] = [];
    for (let cursor = ''; ; ) {
      const path = `${PATH}/${id}/deliveries?limit=1${cursor && `&cursor=${cursor}`}`;
      const { json } = await service.call('GET', path, { as: auditor.token });
      ids.push(...json.data.map((delivery: { id: string }) => delivery.id));
      cursor = json.next_cursor ?? '';
      if (cursor === '') break;
    }
    expect([ids.length, new Set(ids).size, ids.at(-1)]).toEqual([2, 2, tested.json.id]);

    expect((await service.call('DELETE', `${PATH}/${id}`, as)).status).toBe(204);
    const trail = (await run(['audit', 'list', '--firm', firm.id, '--json'])).stdout;
    for (const action of ['create', 'test', 'replay', 'roll', 'pause', 'resume', 'remove'])
      expect(JSON.parse(trail).audit).toContainEqual(
        expect.objectContaining({
          actor: `staff:${developer.id}`,
          action: `webhook.${action}`,
          object: `webhook:${id}`,
        }),
      );
  });

  test('others may not, and what is not allowed is named', async () => {
    const [firm, other] = [await service.firm(), await service.firm()];
    const developer = await staffOf(firm, 'developer');
    const body = { url: `${endpoint.url}/roles` };
    const post = (as: string, sent: object = body) => service.call('POST', PATH, { as, body: sent });
    for (const role of ['dispatcher', 'auditor'] as const)
      expectProblem(await post((await staffOf(firm, role)).token), 403, 'insufficient_scope');
    const dispatcher = await staffOf(firm, 'dispatcher');
    expectProblem(await service.call('GET', PATH, { as: dispatcher.token }), 403, 'insufficient_scope');
    const { json } = await post(developer.token);
    expect(json.webhook.environment).toBe('live');
    const stranger = { as: (await staffOf(other, 'admin')).token };
    for (const [method, path] of [
      ['PATCH', `${PATH}/${json.webhook.id}`],
      ['DELETE', `${PATH}/${json.webhook.id}`],
      ['POST', `${PATH}/${json.webhook.id}/test`],
      ['GET', `${PATH}/${json.webhook.id}/deliveries`],
    ] as const) {
      const sent = method === 'PATCH' ? { body: { state: 'paused' } } : {};
      expectProblem(await service.call(method, path, { ...stranger, ...sent }), 404, 'not_found');
    }
    const badCursor = `${PATH}/${json.webhook.id}/deliveries?cursor=bad`;
    expectProblem(await service.call('GET', badCursor, stranger), 422, 'validation_failed');
    for (const url of ['https://10.0.0.1/', 'ftp://a.example/', 'x', 'https://[::ffff:169.254.169.254]/']) {
      const refused = await post(developer.token, { ...body, url });
      expectProblem(refused, 422, 'validation_failed');
      expect(refused.json.errors).toMatchObject([{ pointer: '/url' }]);
    }
    for (let count = 1; count < 5; count += 1) await post(developer.token);
    expectProblem(await post(developer.token), 422, 'validation_failed');
  });
});

describe('an endpoint of a public service', () => {
  const PUBLIC = { BASE_URL: 'https://claims.example' };

  test('cannot be in a private network, by its address or by its name, nor without encryption', async () => {
    const firm = await service.firm();
    const urls = [
      'https://127.0.0.1/',
      'https://2130706433/',
      'https://0x7f.1/',
      'https://[::1]/',
      'https://[::ffff:127.0.0.1]/',
      'https://[::ffff:10.0.0.1]/',
      'https://10.1.2.3:8443/',
      'https://172.16.0.1/',
      'https://192.168.1.1/',
      'https://169.254.169.254/latest/meta-data',
      'https://[fe80::1]/',
      'https://[fd00::1]/',
      'https://localhost/',
      'http://example.com/',
      'https://user:password@example.com/',
      'https://user@example.com/',
      'https://example.com/#',
      'https://example.com/claims#part',
      'https://LOCALHOST./',
      'https://ⓛocalhost/',
      'https://127.0.0.1./',
      'https://example.com:65536/',
      'ftp://example.com/',
      'example.com',
      '',
    ];
    const create = (url: string, env = PUBLIC) =>
      run(['webhook', 'create', '--firm', firm.id, '--url', url, '--json'], env);
    const refused = [];
    for (const url of urls) refused.push({ url, code: (await create(url)).code });
    expect(refused).toEqual(urls.map((url) => ({ url, code: 1 })));
    expect((await create('https://hooks.example/claims?tenant=7')).code).toBe(0);
    // As a browser writes it: one host has one name.
    const { webhook } = JSON.parse((await create('https://HOOKS.bücher.example:443/claims')).stdout);
    expect(webhook.url).toBe('https://hooks.xn--bcher-kva.example/claims');
    // Also where the service runs for development: this machine is allowed, its neighbors are not.
    for (const url of [
      'http://10.1.2.3/',
      'https://169.254.169.254/',
      'http://example.com/',
      'http://8.8.8.8/',
    ])
      expect((await create(url, {} as typeof PUBLIC)).code).toBe(1);
  });

  test('is checked again when it is connected to', async () => {
    const open = await startServiceUnderTest({ env: PUBLIC });
    try {
      const firm = await open.firm();
      // Created while the service was under development.
      const env = { DATABASE_URL: open.databaseUrl };
      const args = ['webhook', 'create', '--firm', firm.id, '--environment', 'test', '--json'];
      for (const host of ['127.0.0.1', 'localhost'])
        await svcInProcess([...args, '--url', `${endpoint.url.replace('127.0.0.1', host)}/private`], env);
      await sendClaim(open, firm.test, claimBody(firm.account.manual));
      const { webhooks } = JSON.parse(
        (await svcInProcess(['webhook', 'list', '--firm', firm.id, '--json'], env)).stdout,
      );
      for (const { id } of webhooks) {
        const attempts = await eventually(
          async () => {
            const args = ['webhook', 'deliveries', '--firm', firm.id, id, '--json'];
            return JSON.parse((await svcInProcess(args, env)).stdout).deliveries[0]?.attempts ?? [];
          },
          (found) => found.length > 0,
        );
        expect(attempts[0]).toMatchObject({ status: null, error: 'private_address' });
      }
      expect(endpoint.at('/private')).toEqual([]);
    } finally {
      await open.stop();
    }
  });
});
