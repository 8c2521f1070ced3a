import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fullClaim, fullWith } from '../../../packages/contract/test/full-claim.ts';
import { DATE_TIME, expectValidationErrors, getClaim, listClaims, outcome, UUID } from './firm-calls.ts';
import {
  type ApiResponse,
  claimBody,
  type ServiceUnderTest,
  sendClaim,
  startServiceUnderTest,
  type TestFirm,
} from './service-under-test.ts';

let service: ServiceUnderTest;
let firm: TestFirm;
let adjuster: string;
beforeAll(async () => {
  service = await startServiceUnderTest();
  firm = await service.firm();
  adjuster = (await service.member(firm)).svcId;
});
afterAll(() => service.stop());

type Body = Record<string, unknown>;

/** With unique numbers, for the adjuster of this file. */
const toSend = (body: Body): Body => {
  const { external_id, claim_number, adjuster_svc_id } = claimBody(adjuster);
  return { ...body, external_id, claim_number, adjuster_svc_id };
};
const fullBody = (): Body => toSend(fullClaim());
const withValue = (pointer: string, value: unknown): Body => toSend(fullWith(pointer, value));

const send = (body: unknown): Promise<ApiResponse> => sendClaim(service, firm.live, body);

/** The fields of a returned claim that the firm sent. */
const contentOf = ({ id, test, created_at, updated_at, assignment, ...content }: Body): Body => content;
const contentOfBody = ({ adjuster_svc_id: _, ...content }: Body): Body => content;

/** Expects the claim to be created and returned exactly as sent. */
async function expectStored(body: Body): Promise<void> {
  const response = await send(body);
  expect([outcome(response), response.json.errors]).toEqual([[201], undefined]);
  expect(JSON.stringify(contentOf(response.json))).toBe(JSON.stringify(contentOfBody(body)));
}

describe('a claim is returned', () => {
  test('with all its fields and its id, times, test flag and assignment', async () => {
    const body = fullBody();
    const response = await send(body);
    expect(response.status).toBe(201);
    expect(response.headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(response.json).toEqual({
      ...contentOfBody(body),
      id: expect.stringMatching(UUID),
      test: false,
      created_at: expect.stringMatching(DATE_TIME),
      updated_at: response.json.created_at,
      assignment: {
        status: 'pending_acceptance',
        adjuster_svc_id: adjuster,
        responded_at: null,
        rejection_reason: null,
      },
    });
  });

  test('equally by the send, the read by id, the list and the filter', async () => {
    const sent = await send(fullBody());
    const read = await getClaim(service, firm.live, sent.json.id);
    const found = await listClaims(service, firm.live, `external_id=${sent.json.external_id}`);
    const listed = await listClaims(service, firm.live, `updated_since=${sent.json.updated_at}`);
    expect(read.status).toBe(200);
    expect(read.text).toBe(sent.text);
    expect(found.text).toBe(`{"data":[${sent.text}],"next_cursor":null}`);
    expect(listed.text).toBe(found.text);
  });

  test('with the fields of every object in the order sent', async () => {
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
    await expectStored(reversed(fullBody()) as Body);
  });

  test('with text in any script unchanged, including white space', async () => {
    const instructions =
      'Línea 1\n\tLínea 2\r\n  日本語 עברית 👩‍👩‍👧 "quoted" \\ back / slash \u2028 \u007f é e\u0301 <b>&amp;</b>  ';
    const body = { ...fullBody(), instructions };
    const response = await send(body);
    expect(response.json.instructions).toBe(instructions);
    const read = await getClaim(service, firm.live, response.json.id);
    expect(read.json.instructions).toBe(instructions);
  });

  test.each([
    ['2500.00', 2500],
    ['2.5e3', 2500],
    ['1234.57', 1234.57],
    ['0', 0],
    ['0.01', 0.01],
    ['9999999999.99', 9999999999.99],
  ])('with the amount %s as the same number', async (written, value) => {
    const raw = JSON.stringify(withValue('/coverages/special_limits_cap', 0)).replace(
      '"special_limits_cap":0',
      `"special_limits_cap":${written}`,
    );
    const response = await service.call('POST', '/v1/claims', {
      as: firm.live,
      raw,
      headers: { 'Idempotency-Key': raw.slice(0, 60) },
    });
    expect(response.status).toBe(201);
    const read = await getClaim(service, firm.live, response.json.id);
    expect(read.json.coverages.special_limits_cap).toBe(value);
  });

  test('with the default peril flood, and without other fields that were not sent', async () => {
    const body = claimBody(adjuster);
    const response = await send(body);
    expect(contentOf(response.json)).toEqual({
      ...contentOfBody(body),
      loss: { date: '2024-09-26', peril: 'flood' },
    });
  });

  test('with empty objects and an empty list of contacts as sent', async () => {
    await expectStored({
      ...fullBody(),
      additional_contacts: [],
      building: {},
      coverages: {},
      estimate: {},
    });
  });
});

describe('a number', () => {
  test.each(['1e400', '-1e400', '1e-400', '-0.0', '0.0'])(
    'written as %s is validated by its value',
    async (written) => {
      const raw = JSON.stringify({
        ...fullBody(),
        coverages: { building_limit: 11 },
        estimate: { contents_tax_rate: 12 },
        building: { flood_opening_count: 13 },
      }).replace(/11(?=})|12(?=})|13(?=})/g, written);
      const response = await service.call('POST', '/v1/claims', {
        as: firm.live,
        raw,
        headers: { 'Idempotency-Key': `written ${written}` },
      });
      const where = [
        '/coverages/building_limit',
        '/estimate/contents_tax_rate',
        '/building/flood_opening_count',
      ];
      if (written.endsWith('e400')) expectValidationErrors(response, ...where);
      else {
        expect(outcome(response)).toEqual([201]);
        expect([response.json.coverages.building_limit, response.json.estimate.contents_tax_rate]).toEqual([
          0, 0,
        ]);
      }
    },
  );
});

test('all errors are reported at once: fields, unknown fields, rules between fields, query and header', async () => {
  const body: Body = {
    ...withValue('/loss_location/state', 'ZZ'),
    external_id: ' padded',
    claim_number: 12,
    color: 'blue',
    'a/b~c': 1,
    loss: { date: '2024-02-30', wind: true },
    policy: { number: '1', effective_date: '2024-02-01', expiration_date: '2024-01-01' },
    carrier: {},
    policyholder: { first_name: 'Ana' },
    building: { building_type: 'barn', flood_zone: 'AZ', number_of_units: 0 },
    coverages: { special_limits_cap: -1 },
    estimate: { contents_tax_rate: 7 },
    additional_contacts: [{}],
  };
  const response = await service.call('POST', '/v1/claims?verbose=1', { as: firm.live, body });
  expectValidationErrors(
    response,
    'verbose',
    'Idempotency-Key',
    '/external_id',
    '/claim_number',
    '/color',
    '/a~1b~0c',
    '/loss/date',
    '/loss/wind',
    '/policy/expiration_date',
    '/carrier/name',
    '/loss_location/state',
    '/policyholder',
    '/policyholder/last_name',
    '/building/building_type',
    '/building/flood_zone',
    '/building/number_of_units',
    '/coverages/special_limits_cap',
    '/estimate/contents_tax_rate',
    '/additional_contacts/0',
  );
  for (const item of response.json.errors) {
    expect(item.detail).toMatch(/\S/);
    expect(Object.keys(item).sort()).toEqual(['detail', Object.keys(item).find((name) => name !== 'detail')]);
  }
});

test('the Idempotency-Key has 1 to 255 characters', async () => {
  const sendWith = (key: string): Promise<ApiResponse> =>
    sendClaim(service, firm.live, claimBody(adjuster), key);
  expect(outcome(await sendWith('k'.repeat(255)))).toEqual([201]);
  expect(outcome(await sendWith('1'))).toEqual([201]);
  expectValidationErrors(await sendWith('k'.repeat(256)), 'Idempotency-Key');
  expectValidationErrors(await sendWith(''), 'Idempotency-Key');
  const none = await service.call('POST', '/v1/claims', { as: firm.live, body: claimBody(adjuster) });
  expectValidationErrors(none, 'Idempotency-Key');
});
