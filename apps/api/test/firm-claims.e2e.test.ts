import { describe, expect, jest, test } from '@jest/globals';
import type { PageRequest } from '@svc/application';
import { LIMITS } from '@svc/contract';
import { createFixedClock } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { fullClaim, fullWith } from '../../../packages/contract/test/full-claim.ts';
import {
  acceptClaim,
  DATE_TIME,
  DAY,
  expectValidationErrors,
  freshKey,
  getClaim,
  listClaims,
  offerClaim,
  outcome,
  sentClaim,
  UUID,
  wholeList,
} from './firm-calls.ts';
import { type ApiResponse, claimBody, sendClaim, startServiceUnderTest } from './service-under-test.ts';

const clock = createFixedClock(Date.now());
const service = await startServiceUnderTest({ clock });
const firm = await service.firm();
const member = await service.member(firm);

type Body = Record<string, unknown>;

/** With unique numbers, for the adjuster of this file. */
const toSend = (body: Body): Body => {
  const { external_id, claim_number, adjuster_svc_id } = claimBody(member.svcId);
  return { ...body, external_id, claim_number, adjuster_svc_id };
};
const send = (body: unknown): Promise<ApiResponse> => sendClaim(service, firm.live, body);
const sendRaw = (raw: string): Promise<ApiResponse> =>
  service.call('POST', '/v1/claims', {
    as: firm.live,
    raw,
    headers: { 'Idempotency-Key': freshKey() },
  });
const now = async (id: string) => (await getClaim(service, firm.live, id)).json;

/** The fields of a returned claim that the firm sent. */
const contentOf = ({ id, test, created_at, updated_at, assignment, ...content }: Body): Body => content;
const contentOfBody = ({ adjuster_svc_id: _, ...content }: Body): Body => content;

describe('a claim', () => {
  test('is returned with its id, times, test flag and assignment, equally by the send, the read, the list and the filter', async () => {
    const body = toSend(fullClaim());
    const sent = await send(body);
    expect(sent.status).toBe(201);
    expect(sent.headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(sent.json).toEqual({
      ...contentOfBody(body),
      id: expect.stringMatching(UUID),
      test: false,
      created_at: expect.stringMatching(DATE_TIME),
      updated_at: sent.json.created_at,
      assignment: {
        status: 'pending_acceptance',
        adjuster_svc_id: member.svcId,
        responded_at: null,
        rejection_reason: null,
      },
    });
    const read = await getClaim(service, firm.live, sent.json.id.toUpperCase());
    const found = await listClaims(service, firm.live, `external_id=${sent.json.external_id}`);
    const listed = await listClaims(service, firm.live, `updated_since=${sent.json.updated_at}`);
    expect(read.text).toBe(sent.text);
    expect(found.text).toBe(`{"data":[${sent.text}],"next_cursor":null}`);
    expect(listed.text).toBe(found.text);
  });

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

  test('has the fields of every object in the order sent, empty ones too, and text in any script with its white space', async () => {
    const body = reversed({
      ...toSend(fullClaim()),
      ...{ additional_contacts: [], building: {}, coverages: {}, estimate: {} },
      instructions:
        'Línea 1\n\tLínea 2\r\n  日本語 עברית 👩‍👩‍👧 "quoted" \\ back / slash \u2028 \u007f é e\u0301 <b>&amp;</b>  ',
    }) as Body;
    const response = await send(body);
    expect(JSON.stringify(contentOf(response.json))).toBe(JSON.stringify(contentOfBody(body)));
    expect((await getClaim(service, firm.live, response.json.id)).text).toBe(response.text);
  });

  test('has the default peril flood, and no other field that was not sent', async () => {
    const body = claimBody(member.svcId);
    expect(contentOf((await send(body)).json)).toEqual({
      ...contentOfBody(body),
      loss: { date: '2024-09-26', peril: 'flood' },
    });
  });

  test.each<[string, number | null]>([
    ['2.5e3', 2500],
    ['1234.57', 1234.57],
    ['9999999999.99', 9999999999.99],
    ['-0.0', 0],
    ['1e-400', 0],
    ['1e400', null],
  ])('has the amount written as %s by its value', async (written, value) => {
    const raw = JSON.stringify(toSend(fullWith('/coverages/special_limits_cap', 11))).replace(
      '"special_limits_cap":11',
      `"special_limits_cap":${written}`,
    );
    const response = await sendRaw(raw);
    if (value === null) expectValidationErrors(response, '/coverages/special_limits_cap');
    else expect((await now(response.json.id)).coverages.special_limits_cap).toBe(value);
  });

  test('with errors gets all of them at once: fields, unknown fields, rules between fields, query and header', async () => {
    const body: Body = {
      ...toSend(fullWith('/loss_location/state', 'ZZ')),
      external_id: ' padded',
      'a/b~c': 1,
      loss: { date: '2024-02-30', wind: true },
      policy: { number: '1', effective_date: '2024-02-01', expiration_date: '2024-01-01' },
      policyholder: { first_name: 'Ana' },
      additional_contacts: [{}],
    };
    const response = await service.call('POST', '/v1/claims?verbose=1', { as: firm.live, body });
    expectValidationErrors(
      response,
      ...['verbose', 'Idempotency-Key', '/external_id', '/a~1b~0c', '/loss/date', '/loss/wind'],
      ...['/policy/expiration_date', '/loss_location/state', '/policyholder', '/policyholder/last_name'],
      '/additional_contacts/0',
    );
  });
});

test('an answer names its offer by the time, in any spelling', async () => {
  const { id } = await sentClaim(service, firm.live, member.svcId);
  const offered: string = (await service.call('GET', `/app/v1/claims/${id}`, { as: member.token })).json
    .offered_at;
  const earlier = new Date(Date.parse(offered) - 1).toISOString();
  const reject = (offered_at: string) =>
    service.call('POST', `/app/v1/claims/${id}/rejection`, { as: member.token, body: { offered_at } });
  expect(outcome(await acceptClaim(service, member.token, id, earlier))).toEqual([409, 'offer_not_pending']);
  expect(outcome(await reject(earlier))).toEqual([409, 'offer_not_pending']);
  expect(outcome(await reject('yesterday'))).toEqual([422, 'validation_failed']);
  expect(outcome(await reject(offered.replace('Z', '999+00:00')))).toEqual([200]);
});

test('an offer reports all errors in path, query, header and body at once', async () => {
  const response = await service.call('POST', '/v1/claims/not-a-uuid/assignment?force=1', {
    as: firm.live,
    body: { adjuster: 'x' },
  });
  expectValidationErrors(response, 'id', 'force', '/adjuster', '/adjuster_svc_id', 'Idempotency-Key');
});

describe('a retry', () => {
  const replayed = (response: ApiResponse): string | null => response.headers.get('idempotent-replayed');

  test('of a send gets 201 with the current claim and Idempotent-Replayed, in any order of the fields', async () => {
    const [key, body] = [freshKey(), claimBody(member.svcId)];
    const first = await sendClaim(service, firm.live, body, key);
    const reordered = Object.fromEntries(Object.entries(body).reverse());
    const again = await sendClaim(service, firm.live, reordered, key);
    expect([first.status, replayed(first)]).toEqual([201, null]);
    expect([again.status, replayed(again), again.text]).toEqual([201, 'true', first.text]);
    expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    await acceptClaim(service, member.token, first.json.id);
    const accepted = await sendClaim(service, firm.live, body, key);
    expect([accepted.status, replayed(accepted)]).toEqual([201, 'true']);
    expect(accepted.text).toBe((await getClaim(service, firm.live, first.json.id)).text);
    expect(accepted.json.assignment.status).toBe('accepted');
  });

  test('of an offer gets 200 with the current claim, with any spelling of the id', async () => {
    const key = freshKey();
    const second = await service.member(firm);
    const { id } = await sentClaim(service, firm.live, member.svcId);
    const first = await offerClaim(service, firm.live, id, second.svcId, key);
    expect([first.status, replayed(first)]).toEqual([200, null]);
    const encoded = id.replace(/[0-9]/g, (digit: string) => `%3${digit}`);
    for (const spelled of [id, id.toUpperCase(), encoded]) {
      const again = await offerClaim(service, firm.live, spelled, second.svcId, key);
      expect([again.status, replayed(again), again.text]).toEqual([200, 'true', first.text]);
    }
    await acceptClaim(service, second.token, id);
    const accepted = await offerClaim(service, firm.live, id, second.svcId, key);
    expect([accepted.status, accepted.json.assignment.status]).toEqual([200, 'accepted']);
    const reused = [422, 'idempotency_key_reused'];
    expect(outcome(await sendClaim(service, firm.live, claimBody(member.svcId), key))).toEqual(reused);
  });
});

const encoded = encodeURIComponent;
const ids = (rows: { id: string }[]): string[] => rows.map((row) => row.id);

/** A firm with `count` claims, one second apart. */
async function firmWith(count: number) {
  const sender = await service.firm();
  const adjuster = await service.member(sender);
  // biome-ignore lint/suspicious/noExplicitAny: tests read untyped responses
  const claims: any[] = [];
  for (let index = 0; index < count; index += 1) {
    clock.advance(1000);
    claims.push(await sentClaim(service, sender.live, adjuster.svcId));
  }
  return { sender, claims, ...adjuster };
}

describe('the list of claims', () => {
  test('has the claims of each filter, in the order of updated_at', async () => {
    const { sender, token, claims } = await firmWith(4);
    expect((await listClaims(service, (await service.firm()).live)).json).toEqual({
      data: [],
      next_cursor: null,
    });
    const [first, second, third, fourth] = ids(claims);
    clock.advance(1000);
    await acceptClaim(service, token, first as string);
    const find = async (query: string) => ids((await listClaims(service, sender.live, query)).json.data);
    expect(await find('')).toEqual([second, third, fourth, first]);
    expect(await find('assignment_status=accepted')).toEqual([first]);
    expect(await find('assignment_status=pending_acceptance')).toEqual([second, third, fourth]);
    const at = Date.parse(claims[3].updated_at);
    const offset = new Date(at + 330 * 60_000).toISOString().replace('Z', '+05:30');
    const exact = claims[3].updated_at.replace('Z', '000001Z');
    // Many clients do not percent-encode the plus sign.
    expect(await find(`updated_since=${offset}`)).toEqual([fourth, first]);
    expect(await find(`updated_since=${exact}`)).toEqual([first]);
    expect(await find(`updated_since=${offset}&assignment_status=accepted`)).toEqual([first]);
    for (const external_id of ['a b & c=d#e?f/g%20+h', 'é日本🌊', "o'%_\\"]) {
      const { id } = await sentClaim(service, sender.live, (await service.member(sender)).svcId, {
        external_id,
      });
      expect(await find(`external_id=${encoded(external_id)}`)).toEqual([id]);
    }
    expectValidationErrors(
      await listClaims(service, sender.live, 'status=accepted&limit=0&limit=1&updated_since=now'),
      'status',
      'limit',
      'updated_since',
    );
  });

  test('has pages of any size, 50 rows by default, each followed by the next until none remains', async () => {
    const { sender, claims } = await firmWith(51);
    const first = (await listClaims(service, sender.live)).json;
    expect(ids(first.data)).toEqual(ids(claims.slice(0, 50)));
    const last = (await listClaims(service, sender.live, `limit=1&cursor=${encoded(first.next_cursor)}`))
      .json;
    expect([ids(last.data), last.next_cursor]).toEqual([ids(claims.slice(50)), null]);
    const filter = { updated_since: claims[1].updated_at, assignment_status: 'pending_acceptance' };
    expect(ids(await wholeList(service, sender.live, '/v1/claims', { ...filter, limit: '17' }))).toEqual(
      ids(claims.slice(1)),
    );
  });

  test('has pages of about 2 MB at most, with a cursor to the rest', async () => {
    const sender = await service.firm();
    const text = '\u{1f30a}'.repeat(4000);
    const content = { instructions: text, loss: { date: '2026-08-29', description: text } };
    const sent: string[] = [];
    for (let index = 0; index < 23; index += 1)
      sent.push((await sentClaim(service, sender.test, sender.account.manual, content)).id);
    const first = (await listClaims(service, sender.test, 'limit=200')).json;
    // Each has 97 kB: its text is sent in ASCII.
    expect(first.data).toHaveLength(21);
    const cursor = encoded(first.next_cursor);
    const second = (await listClaims(service, sender.test, `limit=200&cursor=${cursor}`)).json;
    expect(ids([...first.data, ...second.data])).toEqual(sent);
    expect(second.next_cursor).toBeNull();
  });

  test('has cursors that any key of the firm can use for days, with the same filters in any spelling, and no other', async () => {
    const { sender, claims } = await firmWith(3);
    const other = await service.firm();
    for (let n = 0; n < 2; n += 1) await sentClaim(service, sender.test, sender.account.manual);
    const cursorOf = async (key: string, path: string) => {
      const { json } = await service.call('GET', path, { as: key });
      return `cursor=${encoded(json.next_cursor)}`;
    };
    const since = claims[0].updated_at;
    const filters = `updated_since=${since}&assignment_status=pending_acceptance`;
    const cursor = await cursorOf(sender.live, `/v1/claims?limit=1&${filters}`);
    const spelled = `assignment_status=pending_acceptance&updated_since=${encoded(since.replace('Z', '+00:00'))}`;
    clock.advance(3 * DAY);
    for (const key of [sender.live, await service.key(sender)])
      for (const same of [filters, spelled, `limit=200&${filters}`])
        expect((await listClaims(service, key, `${cursor}&${same}`)).json.data).toHaveLength(4);
    const plain = await cursorOf(sender.live, '/v1/claims?limit=1');
    const tested = await cursorOf(sender.test, '/v1/claims?limit=1');
    const adjusters = await cursorOf(sender.live, '/v1/adjusters?limit=1');
    for (const [key, query] of [
      [sender.live, `claims?${cursor}`],
      [sender.live, `claims?${cursor}&${filters}&external_id=x`],
      [sender.live, `claims?${plain}&assignment_status=pending_acceptance`],
      [sender.live, `claims?${tested}`],
      [sender.test, `claims?${plain}`],
      [other.live, `claims?${plain}`],
      [sender.live, `adjusters?${plain}`],
      [sender.live, `claims?${adjusters}`],
      [sender.test, `adjusters?${adjusters}`],
      [sender.live, 'claims?cursor=e30.e30'],
    ] as const)
      expectValidationErrors(await service.call('GET', `/v1/${query}`, { as: key }), 'cursor');
  });
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

test('existing_claim_url is the address of the claim', async () => {
  const { id, external_id } = await sentClaim(service, firm.live, member.svcId);
  const { json } = await send(claimBody(member.svcId, { external_id }));
  expect(json).toMatchObject({ code: 'duplicate_claim', existing_claim_id: id });
  const existing = await fetch(json.existing_claim_url, {
    headers: { Authorization: `Bearer ${firm.live}` },
  });
  expect(await existing.json()).toMatchObject({ id });
});
