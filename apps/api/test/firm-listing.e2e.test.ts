import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  acceptClaim,
  expectValidationErrors,
  leaveFirm,
  listClaims,
  manualClock,
  offerClaim,
  outcome,
  rejectClaim,
  sentClaim,
  wholeList,
} from './firm-calls.ts';
import { type ServiceUnderTest, startServiceUnderTest, type TestFirm } from './service-under-test.ts';

const clock = manualClock();
let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startServiceUnderTest({ clock });
});
afterAll(() => service.stop());

interface Sender {
  readonly firm: TestFirm;
  readonly svcId: string;
  readonly token: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read untyped responses
  readonly claims: any[];
}

/** A firm with `count` claims, one second apart. */
async function firmWith(count: number): Promise<Sender> {
  const firm = await service.firm();
  const member = await service.member(firm);
  const claims = [];
  for (let index = 0; index < count; index += 1) {
    clock.advance(1000);
    claims.push(await sentClaim(service, firm.live, member.svcId));
  }
  return { firm, ...member, claims };
}

const ids = (rows: { id: string }[]): string[] => rows.map((row) => row.id);
const encoded = encodeURIComponent;

describe('the list of claims', () => {
  test('is empty for a new firm', async () => {
    const firm = await service.firm();
    const response = await listClaims(service, firm.live);
    expect([response.status, response.json]).toEqual([200, { data: [], next_cursor: null }]);
    expect(response.headers.get('content-type')).toMatch(/^application\/json\b/);
  });

  test('has pages of about 2 MB at most, with a cursor to the rest', async () => {
    const firm = await service.firm();
    const text = '\u{1f30a}'.repeat(4000);
    const content = { instructions: text, loss: { date: '2026-08-29', description: text } };
    const sent: string[] = [];
    for (let index = 0; index < 30; index += 1) {
      sent.push((await sentClaim(service, firm.test, firm.account.manual, content)).id);
    }
    const first = (await listClaims(service, firm.test, 'limit=200')).json;
    // Each has 97 kB: its text is sent in ASCII.
    expect(first.data).toHaveLength(21);
    const second = (await listClaims(service, firm.test, `limit=200&cursor=${encoded(first.next_cursor)}`))
      .json;
    expect(ids([...first.data, ...second.data])).toEqual(sent);
    expect(second.next_cursor).toBeNull();
  });

  test('is ordered by updated_at, oldest first', async () => {
    const { firm, token, claims } = await firmWith(4);
    clock.advance(1000);
    await acceptClaim(service, token, claims[0].id);
    clock.advance(1000);
    await rejectClaim(service, token, claims[2].id);
    const { data } = (await listClaims(service, firm.live)).json;
    expect(ids(data)).toEqual([claims[1].id, claims[3].id, claims[0].id, claims[2].id]);
    const timestamps = data.map((row: { updated_at: string }) => row.updated_at);
    expect(timestamps).toEqual([...timestamps].sort());
  });
});

describe('updated_since', () => {
  const since = async (sender: Sender, text: string): Promise<string[]> =>
    ids((await listClaims(service, sender.firm.live, `updated_since=${encoded(text)}`)).json.data);
  const shifted = (timestamp: string, ms: number): string =>
    new Date(Date.parse(timestamp) + ms).toISOString();

  test('is inclusive', async () => {
    const sender = await firmWith(3);
    const [first, second, third] = ids(sender.claims);
    const timestamp = sender.claims[1].updated_at;
    expect(await since(sender, timestamp)).toEqual([second, third]);
    expect(await since(sender, shifted(timestamp, -1))).toEqual([second, third]);
    expect(await since(sender, shifted(timestamp, 1))).toEqual([third]);
    expect(await since(sender, shifted(timestamp, -1000))).toEqual([first, second, third]);
    expect(await since(sender, shifted(timestamp, 1001))).toEqual([]);
  });

  test('is exact for fractions of a millisecond', async () => {
    const sender = await firmWith(2);
    const timestamp = sender.claims[0].updated_at.slice(0, -1);
    expect(await since(sender, `${timestamp}000000Z`)).toHaveLength(2);
    expect(await since(sender, `${timestamp}000001Z`)).toHaveLength(1);
    expect(await since(sender, `${shifted(`${timestamp}Z`, -1).slice(0, -1)}999999Z`)).toHaveLength(2);
  });

  test('accepts every format of the same time', async () => {
    const sender = await firmWith(2);
    const timestamp: string = sender.claims[1].updated_at;
    const at = Date.parse(timestamp);
    const local = (minutes: number): string => new Date(at + minutes * 60_000).toISOString().slice(0, -1);
    for (const text of [
      timestamp,
      timestamp.toLowerCase(),
      timestamp.replace('T', 't'),
      timestamp.replace('Z', '+00:00'),
      timestamp.replace('Z', '-00:00'),
      `${local(330)}+05:30`,
      `${local(-480)}-08:00`,
      `${local(845)}+14:05`,
      `${timestamp.slice(0, -1)}0Z`,
    ])
      expect([text, await since(sender, text)]).toEqual([text, [sender.claims[1].id]]);
    // Many clients do not percent-encode the plus sign.
    const plus = await listClaims(service, sender.firm.live, `updated_since=${local(330)}+05:30`);
    expect(ids(plus.json.data)).toEqual([sender.claims[1].id]);
  });

  test('accepts the earliest and the latest possible time', async () => {
    const sender = await firmWith(1);
    for (const text of ['0001-01-01T00:00:00Z', '0000-01-01T00:00:00+23:59', '1970-01-01T00:00:00Z'])
      expect(await since(sender, text)).toHaveLength(1);
    for (const text of ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59-23:59'])
      expect(await since(sender, text)).toEqual([]);
  });

  test.each([
    ...['', 'yesterday', '1727345678', '2024-09-26', '2024-09-26T10:00', '2024-09-26T10:00:00'],
    ...['2024-09-26 10:00:00Z', '2024-02-30T10:00:00Z', '2024-09-26T24:00:00Z', '2024-09-26T10:60:00Z'],
    ...[
      '2024-09-26T10:00:00+0530',
      '2024-09-26T10:00:00.Z',
      '2024-9-26T10:00:00Z',
      '2024-09-26T10:00:00+24:00',
    ],
  ])('%p is invalid', async (text) => {
    const firm = await service.firm();
    expectValidationErrors(
      await listClaims(service, firm.live, `updated_since=${encoded(text)}`),
      'updated_since',
    );
  });
});

describe('the other filters', () => {
  test('assignment_status finds the claims with this current status, in list order', async () => {
    const { firm, svcId, token, claims } = await firmWith(8);
    const second = await service.member(firm);
    const [accepted, rejected, offered] = claims;
    await acceptClaim(service, token, accepted.id);
    await rejectClaim(service, token, rejected.id);
    await rejectClaim(service, token, offered.id);
    await offerClaim(service, firm.live, offered.id, second.svcId);
    const by = async (status: string) =>
      ids((await listClaims(service, firm.live, `assignment_status=${status}`)).json.data);
    const waiting = ids(claims.slice(3));
    expect(await by('accepted')).toEqual([accepted.id]);
    expect(await by('rejected')).toEqual([rejected.id]);
    expect(await by('pending_acceptance')).toEqual([...waiting, offered.id]);
    expect(await by('unassigned')).toEqual([]);
    await leaveFirm(service, token, firm.id);
    expect((await by('unassigned')).sort()).toEqual([...waiting].sort());
    expect(await by('pending_acceptance')).toEqual([offered.id]);
    expect(svcId).not.toBe(second.svcId);
  });

  test.each(['', 'pending', 'ACCEPTED', 'closed', 'accepted,rejected'])(
    'assignment_status %p is invalid',
    async (status) => {
      const firm = await service.firm();
      expectValidationErrors(
        await listClaims(service, firm.live, `assignment_status=${status}`),
        'assignment_status',
      );
    },
  );

  test('external_id finds the claim with this id, in any characters', async () => {
    const { firm, svcId } = await firmWith(2);
    for (const external_id of ['A-1', 'a b & c=d#e?f/g%20+h', 'é日本🌊', 'x'.repeat(100), "o'%_\\"]) {
      const { id } = await sentClaim(service, firm.live, svcId, { external_id });
      const found = await listClaims(service, firm.live, `external_id=${encoded(external_id)}`);
      expect([ids(found.json.data), found.json.next_cursor]).toEqual([[id], null]);
    }
    expect((await listClaims(service, firm.live, 'external_id=none')).json.data).toEqual([]);
    expect((await listClaims(service, firm.live, 'external_id=a-1')).json.data).toEqual([]);
  });

  test.each(['', ' A', 'A ', 'x'.repeat(101), 'a\nb'])('external_id %p is invalid', async (id) => {
    const firm = await service.firm();
    expectValidationErrors(await listClaims(service, firm.live, `external_id=${encoded(id)}`), 'external_id');
  });

  test('that are unknown or sent twice are errors at their names', async () => {
    const firm = await service.firm();
    expectValidationErrors(
      await listClaims(service, firm.live, 'status=accepted&page=2&limit=0&limit=1'),
      'status',
      'page',
      'limit',
    );
    expectValidationErrors(await listClaims(service, firm.live, 'Limit=1'), 'Limit');
  });
});

describe('a page', () => {
  test('has 50 rows by default, and up to 200', async () => {
    const { firm, claims } = await firmWith(0);
    const { svcId } = await service.member(firm);
    for (let index = 0; index < 201; index += 1) claims.push(await sentClaim(service, firm.live, svcId));
    const first = (await listClaims(service, firm.live)).json;
    expect(ids(first.data)).toEqual(ids(claims.slice(0, 50)));
    const large = (await listClaims(service, firm.live, 'limit=200')).json;
    expect(ids(large.data)).toEqual(ids(claims.slice(0, 200)));
    const last = (await listClaims(service, firm.live, `limit=200&cursor=${encoded(large.next_cursor)}`))
      .json;
    expect([ids(last.data), last.next_cursor]).toEqual([ids(claims.slice(200)), null]);
    for (const limit of ['1', '7', '67', '100'])
      expect(ids(await wholeList(service, firm.live, '/v1/claims', { limit }))).toEqual(ids(claims));
  });

  test.each(['0', '201', '-1', '1.5', 'ten', '', ' 5', '05', '1e2', '99999999999999999999'])(
    'rejects a limit of %p',
    async (limit) => {
      const firm = await service.firm();
      expectValidationErrors(await listClaims(service, firm.live, `limit=${encoded(limit)}`), 'limit');
    },
  );

  test('that contains all remaining rows has no next cursor', async () => {
    const { firm, claims } = await firmWith(3);
    const exact = (await listClaims(service, firm.live, 'limit=3')).json;
    expect([ids(exact.data), exact.next_cursor]).toEqual([ids(claims), null]);
    const two = (await listClaims(service, firm.live, 'limit=2')).json;
    expect(two.next_cursor).toEqual(expect.any(String));
    const rest = (await listClaims(service, firm.live, `limit=2&cursor=${encoded(two.next_cursor)}`)).json;
    expect([ids(rest.data), rest.next_cursor]).toEqual([[claims[2].id], null]);
  });

  test('can have another size than the one before', async () => {
    const { firm, claims } = await firmWith(6);
    const first = (await listClaims(service, firm.live, 'limit=1')).json;
    const second = (await listClaims(service, firm.live, `limit=3&cursor=${encoded(first.next_cursor)}`))
      .json;
    const third = (await listClaims(service, firm.live, `cursor=${encoded(second.next_cursor)}`)).json;
    expect([first, second, third].map((one) => one.data.length)).toEqual([1, 3, 2]);
    expect(ids([...first.data, ...second.data, ...third.data])).toEqual(ids(claims));
  });

  test.each([
    ['updated_since', (sender: Sender) => ({ updated_since: sender.claims[1].updated_at })],
    ['assignment_status', () => ({ assignment_status: 'pending_acceptance' })],
    [
      'both',
      (sender: Sender) => ({
        updated_since: sender.claims[1].updated_at,
        assignment_status: 'pending_acceptance',
      }),
    ],
  ])('can be followed by the next with the filter %s', async (_, filterOf) => {
    const sender = await firmWith(7);
    const filter: Record<string, string> = filterOf(sender);
    const whole = await wholeList(service, sender.firm.live, '/v1/claims', filter);
    expect(whole).toHaveLength('updated_since' in filter ? 6 : 7);
    expect(await wholeList(service, sender.firm.live, '/v1/claims', { ...filter, limit: '2' })).toEqual(
      whole,
    );
  });
});

describe('a cursor', () => {
  const expectInvalidCursor = async (key: string, query: string, path = '/v1/claims') =>
    expectValidationErrors(await service.call('GET', `${path}?${query}`, { as: key }), 'cursor');

  test('is valid for any key of its firm and environment, and for no other', async () => {
    const { firm } = await firmWith(3);
    const other = await firmWith(3);
    const { next_cursor } = (await listClaims(service, firm.live, 'limit=1')).json;
    const query = `cursor=${encoded(next_cursor)}`;
    expect((await listClaims(service, await service.key(firm), query)).json.data).toHaveLength(2);
    await expectInvalidCursor(firm.test, query);
    await expectInvalidCursor(other.firm.live, query);
    await expectInvalidCursor(other.firm.test, query);
  });

  test('of a test key is invalid for a live key', async () => {
    const firm = await service.firm();
    for (let index = 0; index < 2; index += 1) await sentClaim(service, firm.test, firm.account.manual);
    const { next_cursor } = (await listClaims(service, firm.test, 'limit=1')).json;
    await expectInvalidCursor(firm.live, `cursor=${encoded(next_cursor)}`);
  });

  test('is valid only with its filters, in any format', async () => {
    const { firm, claims } = await firmWith(4);
    const since = claims[0].updated_at;
    const filters = `assignment_status=pending_acceptance&updated_since=${since}`;
    const { next_cursor } = (await listClaims(service, firm.live, `limit=1&${filters}`)).json;
    const cursor = `cursor=${encoded(next_cursor)}`;
    const respelled = `updated_since=${encoded(since.replace('Z', '+00:00'))}&assignment_status=pending_acceptance`;
    for (const same of [filters, respelled, `limit=200&${filters}`])
      expect((await listClaims(service, firm.live, `${cursor}&${same}`)).json.data).toHaveLength(3);
    for (const other of [
      '',
      `updated_since=${since}`,
      'assignment_status=pending_acceptance',
      `assignment_status=accepted&updated_since=${since}`,
      `assignment_status=pending_acceptance&updated_since=${new Date(Date.parse(since) + 1).toISOString()}`,
      `${filters}&external_id=${claims[1].external_id}`,
    ])
      await expectInvalidCursor(firm.live, `${cursor}&${other}`);
    const plain = (await listClaims(service, firm.live, 'limit=1')).json.next_cursor;
    await expectInvalidCursor(firm.live, `cursor=${encoded(plain)}&assignment_status=pending_acceptance`);
  });

  test('of one list is invalid for another', async () => {
    const { firm } = await firmWith(2);
    await service.member(firm);
    const claims = (await listClaims(service, firm.live, 'limit=1')).json.next_cursor;
    const adjusters = (await service.call('GET', '/v1/adjusters?limit=1', { as: firm.live })).json
      .next_cursor;
    await expectInvalidCursor(firm.live, `cursor=${encoded(claims)}`, '/v1/adjusters');
    await expectInvalidCursor(firm.live, `cursor=${encoded(adjusters)}`);
    const other = await service.firm();
    await expectInvalidCursor(other.live, `cursor=${encoded(adjusters)}`, '/v1/adjusters');
    await expectInvalidCursor(firm.test, `cursor=${encoded(adjusters)}`, '/v1/adjusters');
  });

  test.each(['x', '.', '..', 'e30.e30', 'null', '🌊', 'x'.repeat(512), 'x'.repeat(513), ''])(
    'that the service did not issue is invalid: %p',
    async (cursor) => {
      const firm = await service.firm();
      await expectInvalidCursor(firm.live, `cursor=${encoded(cursor)}`);
      await expectInvalidCursor(firm.live, `cursor=${encoded(cursor)}`, '/v1/adjusters');
    },
  );

  test('is still valid days later', async () => {
    const { firm, claims } = await firmWith(2);
    const { next_cursor } = (await listClaims(service, firm.live, 'limit=1')).json;
    clock.advance(3 * 24 * 3_600_000);
    const rest = await listClaims(service, firm.live, `cursor=${encoded(next_cursor)}`);
    expect([outcome(rest), ids(rest.json.data)]).toEqual([[200], [claims[1].id]]);
  });
});
