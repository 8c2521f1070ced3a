import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { Webhook } from 'standardwebhooks';
import { startNameServer } from '../../../packages/adapter-notifications/test/name-server.ts';
import { listening } from '../../../tools/services/local-server.ts';
import { operatorOf } from '../../../tools/services/operator.ts';
import { expectProblem } from './problem-shape.ts';
import { claimBody, sendClaim, startServiceUnderTest, type TestFirm } from './service-under-test.ts';
import { svcJsonOn } from './svc-here.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const names = await startNameServer(
  new Map<string, readonly string[] | 'silence'>([['dead.example', 'silence']]),
);
/** Signals at an endpoint of a firm. */
const received: { readonly headers: Record<string, string>; readonly body: string }[] = [];
const endpoint = await listening(
  createServer(async (request, response) => {
    received.push({ headers: request.headers as Record<string, string>, body: await text(request) });
    response.writeHead(204).end();
  }),
);
const service = await startServiceUnderTest({ env: { DNS_SERVERS: names.address } });

const sendTestClaim = (firm: TestFirm) => sendClaim(service, firm.test, claimBody(firm.account.manual));

test('a signal is verified by standardwebhooks, and a poll from it gets the claim', async () => {
  const firm = await service.firm();
  const ofEndpoint = ['--url', `${endpoint.url}/verified`, '--environment', 'test'];
  const created = await svcJsonOn(service.databaseUrl)('webhook', 'create', '--firm', firm.id, ...ofEndpoint);
  const { json: claim } = await sendTestClaim(firm);
  await eventually(() => received.length === 1);
  const [signal = { body: '', headers: {} }] = received;
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

const developerOf = (firm: TestFirm) => operatorOf(service.service.services).staff(firm.id, 'developer');
const PATH = '/firm/v1/webhooks';
const add = (as: string, url: string, environment = 'live') =>
  service.call('POST', PATH, { as, body: { url, environment } });
const ping = (as: string, id: string) => service.call('POST', `${PATH}/${id}/test`, { as });

test('names that no server answers delay neither the test of another firm nor any of its writes', async () => {
  // More than there are permits for writes.
  const dead: { token: string; id: string }[] = [];
  for (let count = 0; count < 5; count += 1) {
    const { token } = await developerOf(await service.firm());
    for (const environment of ['live', 'test'])
      for (let number = 0; number < 5; number += 1) {
        const { json } = await add(token, 'https://dead.example/', environment);
        dead.push({ token, id: json.webhook.id });
      }
    // Beyond the limit of endpoints, nothing is resolved.
    expectProblem(await add(token, 'https://unasked.example/'), 422, 'validation_failed');
  }
  const firm = await service.firm();
  const { token } = await developerOf(firm);
  const { json } = await add(token, `${endpoint.url}/undelayed`);
  /** How many names were given up before everything else had ended; on a slow machine perhaps all. */
  const givenUpBefore = async (): Promise<number> => {
    let ended = 0;
    const waiting = dead.map((one) => ping(one.token, one.id).finally(() => (ended += 1)));
    const [tested, ...sent] = await Promise.all([
      ping(token, json.webhook.id),
      ...Array.from({ length: 60 }, () => sendTestClaim(firm)),
    ]);
    const results = [tested.json.status, ...sent.map(({ status }) => status)];
    // A slow machine may refuse some of so many at once.
    const accepted = results.filter((one) => one !== 503);
    const before = ended;
    expect(accepted.filter((one) => one !== 'delivered' && one !== 201)).toEqual([]);
    const tests = (await Promise.all(waiting)).filter(({ status }) => status !== 503);
    const ends = tests.map(({ status, json }) => `${status} ${json.attempts?.[0].error}`);
    expect(ends.filter((end) => end !== '200 name_not_resolved')).toEqual([]);
    return accepted.length < results.length || ends.length < dead.length ? dead.length : before;
  };
  const counts = [await givenUpBefore()];
  while (!counts.includes(0) && counts.length < 5) counts.push(await givenUpBefore());
  expect(counts).toContain(0);
  expect(names.asked).not.toContain('unasked.example');
});
