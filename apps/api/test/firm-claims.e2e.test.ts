import { expect, jest, test } from '@jest/globals';
import type { PageRequest } from '@svc/application';
import { LIMITS, riverClaim, surgeClaim } from '@svc/contract';
import { eventually } from '@svc/testkit/eventually';
import { acceptClaim, DATE_TIME, freshKey, getClaim, listClaims, UUID } from './firm-calls.ts';
import { type ApiResponse, sendClaim, startServiceUnderTest } from './service-under-test.ts';

const service = await startServiceUnderTest();
const firm = await service.firm();
const member = await service.member(firm);

const reversed = (value: unknown): unknown =>
  typeof value !== 'object' || value === null
    ? value
    : Array.isArray(value)
      ? value.map(reversed)
      : Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([name, one]) => [name, reversed(one)]),
        );

test('a claim is returned as it was sent, with its id, times and assignment, equally by send, read, list, filter and retry', async () => {
  const body = reversed({
    ...surgeClaim,
    ...{ adjuster_svc_id: member.svcId, building: {}, additional_contacts: [] },
    instructions:
      'Línea 1\n\tLínea 2\r\n  日本語 עברית 👩‍👩‍👧 "quoted" \\ back / slash \u2028 \u007f é e\u0301 <b>&amp;</b>  ',
  }) as Record<string, unknown>;
  const key = freshKey();
  const sent = await sendClaim(service, firm.live, body, key);
  const { adjuster_svc_id, ...asSent } = body;
  const { id, test: isTest, created_at, updated_at, assignment, ...content } = sent.json;
  expect(JSON.stringify(content)).toBe(JSON.stringify(asSent));
  expect([sent.status, { id, isTest, created_at, updated_at, assignment }]).toEqual([
    201,
    {
      ...{ id: expect.stringMatching(UUID), isTest: false },
      ...{ created_at: expect.stringMatching(DATE_TIME), updated_at: created_at },
      assignment: {
        ...{ status: 'pending_acceptance', adjuster_svc_id },
        ...{ responded_at: null, rejection_reason: null },
      },
    },
  ]);
  const replayed = ({ status, headers, text }: ApiResponse) => [
    status,
    headers.get('idempotent-replayed'),
    text,
  ];
  const again = await sendClaim(service, firm.live, Object.fromEntries(Object.entries(body).reverse()), key);
  expect([sent, again].map(replayed)).toEqual([
    [201, null, sent.text],
    [201, 'true', sent.text],
  ]);
  const found = await listClaims(service, firm.live, `external_id=${body.external_id}`);
  expect(found.text).toBe(`{"data":[${sent.text}],"next_cursor":null}`);
  expect((await listClaims(service, firm.live, `updated_since=${updated_at}`)).text).toBe(found.text);
  await acceptClaim(service, member.token, id);
  const accepted = await getClaim(service, firm.live, id.toUpperCase());
  expect(accepted.json.assignment.status).toBe('accepted');
  expect((await sendClaim(service, firm.live, body, key)).text).toBe(accepted.text);

  const { status, json } = await sendClaim(service, firm.test, {
    ...riverClaim,
    adjuster_svc_id: firm.account.manual,
  });
  expect([status, json.test, json.loss]).toEqual([201, true, { ...riverClaim.loss, peril: 'flood' }]);
});

test('long pages of /v1 and of the app are read one at a time, and short ones do not wait for them', async () => {
  let started = 0;
  const blocked: (() => void)[] = [];
  const whileBlocked = async ({ limit }: PageRequest): Promise<void> => {
    if (limit < LIMITS.page.max) return;
    started += 1;
    await new Promise<void>((resolve) => blocked.push(resolve));
  };
  const { firmReads, appReads } = service.service.services;
  const [ofFirm, ofAdjuster] = [firmReads.claims.bind(firmReads), appReads.claims.bind(appReads)];
  jest.spyOn(firmReads, 'claims').mockImplementation(async (firmId, environment, filter, page) => {
    await whileBlocked(page);
    return ofFirm(firmId, environment, filter, page);
  });
  jest.spyOn(appReads, 'claims').mockImplementation(async (svcId, list, page, since) => {
    await whileBlocked(page);
    return ofAdjuster(svcId, list, page, since);
  });
  try {
    const longPage = (path: string, as: string) =>
      service.call('GET', `${path}?limit=${LIMITS.page.max}`, { as });
    const isReading = async (read: number): Promise<void> => {
      await eventually(() => started === read);
      expect((await listClaims(service, firm.live)).status).toBe(200);
      expect(started).toBe(read);
    };
    const pages = [
      longPage('/v1/claims', firm.live),
      longPage('/v1/claims', firm.test),
      longPage('/app/v1/claims', member.token),
    ];
    for (const read of pages.keys()) {
      await isReading(read + 1);
      blocked.pop()?.();
    }
    expect((await Promise.all(pages)).map(({ status }) => status)).toEqual(pages.map(() => 200));
  } finally {
    jest.restoreAllMocks();
    for (const release of blocked) release();
  }
});
