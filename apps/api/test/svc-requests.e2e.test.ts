import { expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { claimBody, sendClaim, startServiceUnderTest } from './service-under-test.ts';
import { svcJsonOn } from './svc-here.ts';

const service = await startServiceUnderTest();

const svc = svcJsonOn(service.databaseUrl);
const requests = async (...args: string[]) => (await svc('requests', ...args)).requests;

/** Requests are saved a moment after their response. */
const savedOf = (firmId: string, count: number) =>
  eventually(
    () => requests('--firm', firmId),
    (saved) => saved.length >= count,
  );

test('the key that sends the most requests is named with its firm', async () => {
  const [quiet, noisy] = [await service.firm(), await service.firm()];
  await service.call('GET', '/v1/me', { as: quiet.live });
  const responses = await Promise.all(
    Array.from({ length: 40 }, () => service.call('GET', '/v1/me', { as: noisy.live })),
  );
  const limited = responses.filter(({ status }) => status === 429).length;
  const keys = await eventually(
    async () => (await svc('firm', 'busiest')).keys,
    (found) => found[0]?.requests === 40 && found.length === 2,
  );
  expect(keys).toEqual([
    {
      firm_id: noisy.id,
      firm_name: 'Gulf Adjusting Partners',
      key_id: expect.stringMatching(/^key_/),
      requests: 40,
      limited,
      failed: 0,
      per_minute: 4,
    },
    expect.objectContaining({ firm_id: quiet.id, requests: 1 }),
  ]);
  const { keys: busiest } = await svc('firm', 'busiest', '--minutes', '20', '--limit', '1');
  expect(busiest).toEqual([{ ...keys[0], per_minute: 2 }]);
});

test('a request is found by its id as at the desk, with the places of its errors but no personal data', async () => {
  const firm = await service.firm();
  const body = {
    ...claimBody(firm.account.accepts),
    loss: { date: '2024-02-30' },
    'Ana Reyes': true,
    policyholder: {
      first_name: 'Marisol',
      last_name: 'Delgado',
      email: 'marisol@example.com',
      ssn: '078-05-1120',
    },
  };
  const failed = await sendClaim(service, firm.test, body);
  const listed = await service.call('GET', '/v1/claims?limit=0&Ana=1', { as: firm.test });
  const all = await savedOf(firm.id, 2);

  const requestId = failed.headers.get('x-request-id') ?? '';
  const found = await requests('--firm', firm.id, '--request-id', requestId);
  const as = await service.staff(firm, 'developer');
  const { json: shown } = await service.call('GET', `/firm/v1/requests/${requestId}`, { as });
  // Each has its own public address.
  const documentation_url = expect.stringMatching(/\/docs\/errors#validation_failed$/);
  expect(found).toEqual([{ ...shown, documentation_url }]);
  expect(shown).toMatchObject({ detail: '3 validation errors.', duration_ms: expect.any(Number) });
  expect(shown.places.sort()).toEqual(['/*', '/loss/date', '/policyholder/*']);
  expect(all.map(({ request_id }: { request_id: string }) => request_id)).toEqual([
    listed.headers.get('x-request-id'),
    requestId,
  ]);
  expect(await requests('--firm', firm.id, '--limit', '1')).toEqual([all[0]]);
  expect(all[0].places.sort()).toEqual(['?*', '?limit']);
  expect(JSON.stringify(all)).not.toMatch(/Ana|Marisol|Delgado|example\.com|078-05|2024-02-30|ssn/);
});

test('pending requests are saved when the service stops', async () => {
  const stopping = await startServiceUnderTest({ databaseUrl: service.databaseUrl });
  const firm = await stopping.firm();
  await stopping.call('GET', '/v1/me', { as: firm.live });
  await stopping.stop();
  expect(await requests('--firm', firm.id)).toHaveLength(1);
});
