import { expect, test } from '@jest/globals';
import { DAY, HOUR, SECOND } from '@svc/domain';
import { errorCodeOf } from '@svc/testkit';
import { BY_SERVICE } from '../../src/index.ts';
import { memoryFixture } from '../memory-fixture.ts';

async function setUp() {
  const fixture = memoryFixture();
  const { newFirm, use, external, send } = fixture;
  const firm = await newFirm();
  const create = async (name = 'one') => {
    const url = `https://HOOKS.example:8443/${name}?token=secret`;
    return (await use.createWebhook(BY_SERVICE, { firmId: firm.id, environment: 'test', url })).webhook;
  };
  const respond = (url: string, status: number) =>
    external.webhookResults.set(url, { status, retryAfterMs: null, body: `It is ${status}.` });
  const changeAndDeliver = async () => {
    await send(firm.test, firm.accounts.manual);
    const deliveries = use.webhookDeliveries();
    await deliveries.start();
    await deliveries.settled();
  };
  return { ...fixture, firm, create, respond, changeAndDeliver };
}

test('the audit trail has each act on an endpoint with what it changed, without its path and secrets', async () => {
  const { firm, create, use, respond, memory, auditOf } = await setUp();
  const { id, url } = await create();
  expect(url).toBe('https://hooks.example:8443/one?token=secret');
  const [address, none] = ['192.0.2.1', null];
  const caller = { actor: 'staff:s-1', address, requestId: 'r-1' };
  const setState = (state: 'active' | 'paused') => use.updateWebhook(caller, firm.id, id, { state });
  const tested = () => use.testWebhook(caller, firm.id, id);
  const stateOf = async () => (await memory.webhookReads.endpoints(firm.id))[0]?.paused;
  await setState('active');
  await setState('paused');
  await setState('paused');
  respond(url, 410);
  await tested();
  expect(await stateOf()).toBe('requested');
  await setState('active');
  const delivery = await tested();
  await setState('paused');
  expect([delivery.responseBody, await stateOf()]).toEqual(['It is 410.', 'gone']);
  await use.updateWebhook(caller, firm.id, id, { overlapMs: 0 });
  await use.replayWebhook(caller, firm.id, delivery.id);
  await use.removeWebhook(caller, firm.id, id);
  const own = (await auditOf(firm.id)).filter(({ object }) => object === `webhook:${id}`);
  const [environment, host] = ['test', 'hooks.example:8443'];
  const created = { environment: { from: null, to: environment }, host: { from: null, to: host } };
  const removed = { environment: { from: environment, to: null }, host: { from: host, to: null } };
  expect(own.map((entry) => [entry.address, entry.action, entry.changes])).toEqual([
    [none, 'webhook.create', created],
    [address, 'webhook.pause', { paused: { from: null, to: 'requested' } }],
    [address, 'webhook.test', undefined],
    [address, 'webhook.resume', { paused: { from: 'requested', to: null } }],
    [address, 'webhook.test', undefined],
    [none, 'webhook.pause', { paused: { from: null, to: 'gone' } }],
    [address, 'webhook.roll', undefined],
    [address, 'webhook.replay', undefined],
    [address, 'webhook.remove', removed],
  ]);
});

test('an update changes the state, the secret or both, and a secret rolled without overlap is forgotten', async () => {
  const { firm, create, use, clock, memory } = await setUp();
  let before = await create();
  const overlap = () => ({ previousSecret: before.secret, previousSecretUntil: clock.now() + HOUR });
  const ended = { previousSecret: null, previousSecretUntil: null };
  for (const [state, overlapMs, changes] of [
    [undefined, undefined, () => ({})],
    ['paused', undefined, () => ({ paused: 'requested' })],
    [undefined, HOUR, overlap],
    ['active', 0, () => ({ paused: null, ...ended })],
  ] as const) {
    const change = { state, overlapMs };
    const { webhook, secret } = await use.updateWebhook(BY_SERVICE, firm.id, before.id, change);
    expect(webhook).toEqual({ ...before, secret: secret ?? before.secret, ...changes() });
    expect([secret === null, webhook.secret === before.secret]).toEqual(
      Array(2).fill(overlapMs === undefined),
    );
    expect(await memory.webhookReads.endpoints(firm.id)).toEqual([webhook]);
    before = webhook;
  }
});

test('endpoints are tested side by side, and the next signal keeps its distance from one repeated by hand', async () => {
  const { firm, create, use, respond, clock, external, memory, changeAndDeliver, auditOf } = await setUp();
  const { id, url } = await create();
  const { id: other } = await create('other');
  const [tested, again, ofOther] = await Promise.all(
    [id, id, other].map((each) => use.testWebhook(BY_SERVICE, firm.id, each).catch(({ name }) => name)),
  );
  const [stored] = await memory.webhookReads.deliveries(firm.id, other, null, 1);
  expect([tested, ofOther, stored].map((one) => one?.status)).toEqual(Array(3).fill('delivered'));
  const recorded = (await auditOf(firm.id)).filter(({ action }) => action === 'webhook.test');
  expect([again, recorded.length]).toEqual(['TooManyAttempts', 2]);
  await use.removeWebhook(BY_SERVICE, firm.id, other);
  external.webhookResults.set(url, { error: 'timeout' });
  const attempts = [{ status: null, error: 'timeout' }];
  const unanswered = { createdAt: clock.now(), status: 'failed', attempts, responseBody: null };
  expect(await use.testWebhook(BY_SERVICE, firm.id, id)).toMatchObject(unanswered);
  respond(url, 500);
  await changeAndDeliver();
  respond(url, 204);
  const [failed] = await memory.webhookReads.deliveries(firm.id, id, null, 1);
  let waits = 0;
  const at = clock.advance(60);
  await use.replayWebhook(BY_SERVICE, firm.id, failed?.id ?? '', (work) => {
    waits += 1;
    clock.advance(40);
    return work;
  });
  const signed = external.webhooks.slice(-2).map((each) => [each.timeoutMs, each.at]);
  expect([waits, ...signed]).toEqual([1, [10 * SECOND, at - 60], [4 * SECOND, at]]);
  const sent = external.webhooks.length;
  clock.advance(SECOND - 1);
  await changeAndDeliver();
  expect(external.webhooks).toHaveLength(sent);
  clock.advance(1);
  await changeAndDeliver();
  expect(external.webhooks).toHaveLength(sent + 1);
});

test('the export of a firm has each endpoint with all of its deliveries', async () => {
  const { firm, create, use, clock, memory } = await setUp();
  const webhook = await create();
  for (let count = 0; count < 7; count += 1) {
    await use.testWebhook(BY_SERVICE, firm.id, webhook.id);
    clock.advance(count % 2);
  }
  const rows = [];
  for await (const row of use.exportFirm(firm.id)) if (row.type.startsWith('webhook')) rows.push(row);
  const deliveries = await memory.webhookReads.deliveries(firm.id, webhook.id, null, 100);
  expect(deliveries).toHaveLength(7);
  const none = use.listWebhookDeliveries(firm.id, 'no id', { after: null, limit: 9 });
  expect(await errorCodeOf(none)).toBe('not_found');
  expect(rows).toEqual([
    { type: 'webhook', webhook },
    ...deliveries.map((delivery) => ({ type: 'webhook_delivery', delivery })),
  ]);
});

test('an endpoint that responds with 410 to a signal is paused as gone, and one to a test keeps what changed in between', async () => {
  const { create, respond, changeAndDeliver, memory, firm, use, clock } = await setUp();
  const { id, url } = await create();
  respond(url, 410);
  await changeAndDeliver();
  expect(await memory.webhookReads.endpoints(firm.id)).toMatchObject([{ paused: 'gone' }]);
  await use.updateWebhook(BY_SERVICE, firm.id, id, { state: 'active' });
  let secret: string | null = null;
  const { attempts } = await use.testWebhook(BY_SERVICE, firm.id, id, async (work) => {
    ({ secret } = await use.updateWebhook(BY_SERVICE, firm.id, id, { overlapMs: HOUR }));
    clock.advance(84);
    return work;
  });
  expect(attempts).toMatchObject([{ status: 410, durationMs: 84 }]);
  expect(await memory.webhookReads.endpoints(firm.id)).toMatchObject([{ paused: 'gone', secret }]);
});

test('a pause is mailed again only after a day, however often the endpoint is resumed', async () => {
  const { firm, create, use, respond, clock, memory, jobsOf } = await setUp();
  const { id, url } = await create();
  respond(url, 410);
  const first = clock.now();
  for (const [passedMs, mailedAt] of [
    [0, first],
    [DAY - 1, first],
    [1, first + DAY],
  ] as const) {
    clock.advance(passedMs);
    await use.updateWebhook(BY_SERVICE, firm.id, id, { state: 'active' });
    await use.testWebhook(BY_SERVICE, firm.id, id);
    expect(await memory.webhookReads.endpoints(firm.id)).toMatchObject([{ pauseMailedAt: mailedAt }]);
    const mails = (await jobsOf(firm)).filter(({ job }) => job.kind === 'mail_webhook_paused');
    expect(mails).toHaveLength(mailedAt === first ? 1 : 2);
  }
});
