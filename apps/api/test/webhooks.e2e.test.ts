import { describe, expect, test } from '@jest/globals';
import { type FirmId, MAX_WEBHOOK_URL_LENGTH, type StaffRole } from '@svc/domain';
import { eventually } from '@svc/testkit/eventually';
import { Webhook } from 'standardwebhooks';
import { startNameServer } from '../../../packages/adapter-notifications/test/name-server.ts';
import { operatorOf } from '../../../tools/services/operator.ts';
import { expectProblem } from './problem-shape.ts';
import { claimBody, sendClaim, startServiceUnderTest, type TestFirm } from './service-under-test.ts';
import { svcInProcess, svcJsonOn } from './svc-here.ts';
import { type ReceivedWebhook, startWebhookEndpoint } from './webhook-endpoint.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const names = await startNameServer(
  new Map<string, readonly string[] | 'silence'>([['dead.example', 'silence']]),
);
const [service, endpoint] = await Promise.all([
  startServiceUnderTest({ env: { DNS_SERVERS: names.address } }),
  startWebhookEndpoint(),
]);

const run = (args: string[], env: Record<string, string> = {}) =>
  svcInProcess(args, { DATABASE_URL: service.databaseUrl, ...env });

const svc = svcJsonOn(service.databaseUrl);

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
  expect(event).toEqual({
    type: 'claims.changed',
    timestamp: TIME,
    data: { environment: 'test', updated_since: TIME },
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
  // With several endpoints one is named.
  const { webhook: second } = await svc('webhook', 'create', ...ofFirm, '--url', `${endpoint.url}/second`);
  expect(second.environment).toBe('live');
  const secretEnds = async (of: string): Promise<number> => {
    const { webhooks } = await svc('webhook', 'list', ...ofFirm);
    return Date.parse(webhooks.find((one: { id: string }) => one.id === of).previous_secret_until);
  };
  await svc('webhook', 'roll', ...ofFirm, second.id, '--overlap', '2h');
  const endsFirst = await secretEnds(second.id);
  const unnamed = await run(['webhook', 'roll', ...ofFirm]);
  expect([unnamed.code, unnamed.stderr]).toEqual([1, expect.stringContaining('has 2 webhook endpoints')]);
  expect(await svc('webhook', 'remove', ...ofFirm, second.id)).toEqual({ removed: { id: second.id } });
  const rolled = await svc('webhook', 'roll', ...ofFirm);
  expect(rolled.webhook).toEqual(created.webhook);
  expect(Math.round(((await secretEnds(id)) - endsFirst) / 3_600_000)).toBe(22);
  await svc('webhook', 'test', ...ofFirm);
  const [ping, signedTwice] = (await arrived('/operated', 2)) as [ReceivedWebhook, ReceivedWebhook];
  expect(new Webhook(created.secret).verify(ping.body, ping.headers)).toMatchObject({ type: 'webhook.test' });
  for (const { secret } of [created, rolled])
    expect(new Webhook(secret).verify(signedTwice.body, signedTwice.headers)).toMatchObject({
      data: { environment: 'test' },
    });
  const { deliveries } = await svc('webhook', 'deliveries', ...ofFirm, id);
  expect(deliveries.map(({ status }: { status: string }) => status)).toEqual(['delivered', 'delivered']);
  const latest = await svc('webhook', 'deliveries', ...ofFirm, '--limit', '1');
  expect(latest.deliveries).toEqual(deliveries.slice(0, 1));
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

test('an endpoint that redirects is tried again and not followed, one that is gone is paused, and both are listed first', async () => {
  const statuses = [307];
  endpoint.responses.set('/redirects', (to) =>
    to.writeHead(statuses.shift() ?? 302, { Location: `${endpoint.url}/led-astray` }).end(),
  );
  endpoint.responses.set('/gone', (to) => to.writeHead(410).end());
  const [living, redirecting, gone] = [await service.firm(), await service.firm(), await service.firm()];
  for (const [firm, path] of [
    [living, '/living'],
    [redirecting, '/redirects'],
    [gone, '/gone'],
  ] as const) {
    await create(firm, path);
    await sendTestClaim(firm);
  }
  const { updateWebhook, operator } = service.service.services;
  const { id: held } = (await create(living, '/held')).webhook;
  await updateWebhook(operator, living.id as FirmId, held, { state: 'paused' });
  const { deliveries } = await eventually(
    () => svc('webhook', 'deliveries', '--firm', redirecting.id),
    ({ deliveries: [delivery] }) => delivery?.attempts.length >= 2,
  );
  expect(deliveries).toMatchObject([{ status: 'pending', next_attempt_at: TIME }]);
  const attempts = deliveries[0].attempts.map(({ status }: { status: number }) => status);
  expect(attempts.slice(0, 2)).toEqual([307, 302]);
  expect(endpoint.at('/led-astray')).toEqual([]);
  interface Listed {
    readonly firm_id: string;
    readonly failing_since: string | null;
    readonly state: string;
    readonly latest_response: unknown;
    readonly paused_reason: string | null;
  }
  const webhooks: Listed[] = await eventually(
    async () => (await svc('webhook', 'list')).webhooks,
    (found: Listed[]) =>
      found.some((one) => one.firm_id === gone.id && one.paused_reason === 'gone') &&
      found.some((one) => one.firm_id === living.id && one.latest_response === 204),
  );
  const rank = ({ failing_since, state }: Listed) =>
    failing_since !== null ? 0 : state === 'paused' ? 1 : 2;
  expect(webhooks.map(rank)).toEqual(webhooks.map(rank).toSorted());
  expect(new Set(webhooks.map(rank)).size).toBe(3);
  const resumed = await svc('webhook', 'resume', '--firm', living.id, held);
  expect(resumed.webhook).toMatchObject({ id: held, state: 'active', paused_reason: null });
  expect(webhooks).toContainEqual(
    expect.objectContaining({ firm_id: redirecting.id, failing_since: TIME, latest_response: 302 }),
  );
  for (const line of [
    { message: 'a webhook attempt failed', firm_id: redirecting.id, attempt: 1, status: 307 },
    { message: 'a webhook endpoint was paused', firm_id: gone.id },
  ])
    await eventually(() =>
      service.logged.some((text) => {
        const logged = JSON.parse(text);
        return Object.entries(line).every(([name, value]) => logged[name] === value);
      }),
    );
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
    const dead: { token: string; id: string }[] = [];
    for (let count = 0; count < 5; count += 1) {
      const { token } = await staffOf(await service.firm(), 'developer');
      for (const environment of ['live', 'test'])
        for (let number = 0; number < 5; number += 1) {
          const { json } = await add(token, 'https://dead.example/', environment);
          dead.push({ token, id: json.webhook.id });
        }
      // Beyond the limit of endpoints, nothing is resolved.
      expectProblem(await add(token, 'https://unasked.example/'), 422, 'validation_failed');
    }
    const firm = await service.firm();
    const { token } = await staffOf(firm, 'developer');
    const { json } = await add(token, `${endpoint.url}/undelayed`);
    /** How many names were given up before everything else had ended; on a slow machine perhaps all. */
    const givenUpBefore = async (): Promise<number> => {
      let ended = 0;
      const waiting = dead.map((one) => ping(one.token, one.id).finally(() => (ended += 1)));
      const [tested, ...sent] = await Promise.all([
        ping(token, json.webhook.id),
        ...Array.from({ length: 60 }, () => sendTestClaim(firm)),
      ]);
      const before = ended;
      expect(tested.json.status).toBe('delivered');
      expect(sent.map(({ status }) => status)).toEqual(sent.map(() => 201));
      // A slow machine may refuse some of so many at once.
      const tests = (await Promise.all(waiting)).filter(({ status }) => status !== 503);
      expect([...new Set(tests.map(({ status, json }) => `${status} ${json.attempts?.[0].error}`))]).toEqual([
        '200 name_not_resolved',
      ]);
      return before;
    };
    const counts = [await givenUpBefore()];
    while (!counts.includes(0) && counts.length < 5) counts.push(await givenUpBefore());
    expect(counts).toContain(0);
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

  test('what is not allowed is named', async () => {
    const firm = await service.firm();
    const developer = await staffOf(firm, 'developer');
    const body = { url: `${endpoint.url}/roles` };
    const post = (as: string, sent: object = body) => service.call('POST', PATH, { as, body: sent });
    const { json } = await post(developer.token);
    expect(json.webhook.environment).toBe('live');
    const badCursor = `${PATH}/${json.webhook.id}/deliveries?cursor=bad`;
    expectProblem(await service.call('GET', badCursor, { as: developer.token }), 422, 'validation_failed');
    const refused = await post(developer.token, { ...body, url: 'https://10.0.0.1/' });
    expectProblem(refused, 422, 'validation_failed');
    expect(refused.json.errors).toMatchObject([{ pointer: '/url' }]);
  });
});

test('an endpoint of a public service is public and encrypted, and one of a development service of this machine', async () => {
  const firm = await service.firm();
  const create = (url: string, env: Record<string, string>) =>
    run(['webhook', 'create', '--firm', firm.id, '--url', url, '--json'], env);
  const isPublic = { BASE_URL: 'https://claims.example' };
  const refused = [
    ...['https://2130706433/', 'https://[::ffff:10.0.0.1]/', 'https://ⓛocalhost/', 'http://example.com/'],
    ...['https://user@example.com/', 'https://example.com/#', 'ftp://example.com/', 'https://:p@x.io'],
    `https://example.com/${'x'.repeat(MAX_WEBHOOK_URL_LENGTH - 19)}`,
  ].map((url) => [url, isPublic] as const);
  const ofDevelopment = ['http://10.1.2.3/', 'http://example.com/'].map((url) => [url, {}] as const);
  for (const [url, env] of [...refused, ...ofDevelopment])
    expect([url, (await create(url, env)).code]).toEqual([url, 1]);
  // As a browser writes it: one host has one name.
  const { webhook } = JSON.parse(
    (await create('https://HOOKS.bücher.example:443/claims?a=7', isPublic)).stdout,
  );
  expect(webhook.url).toBe('https://hooks.xn--bcher-kva.example/claims?a=7');
  const longest = `https://example.com/${'x'.repeat(MAX_WEBHOOK_URL_LENGTH - 20)}`;
  expect((await create(longest, isPublic)).code).toBe(0);
});
