import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  adjusterRecord,
  answerInvitation,
  DATE_TIME,
  DAY,
  expectProblem,
  expectValidationErrors,
  invite,
  leaveFirm,
  manualClock,
  outcome,
  sentClaim,
  wholeList,
  withdraw,
} from './firm-calls.ts';
import { type ServiceUnderTest, startServiceUnderTest, type TestFirm } from './service-under-test.ts';

const clock = manualClock();
let service: ServiceUnderTest;
let firm: TestFirm;
beforeAll(async () => {
  service = await startServiceUnderTest({ clock });
  firm = await service.firm();
});
afterAll(() => service.stop());

const NOTES = {
  invited_as: 'Jean D.',
  invited_by: 'Priya Natarajan',
  purpose: 'Hurricane deployment',
  note: 'Certified for large losses.',
};
const NO_NOTES = { invited_as: null, invited_by: null, purpose: null, note: null };
const at = (ms: number): string => new Date(ms).toISOString();

type Status = 'pending' | 'active' | 'declined' | 'expired' | 'withdrawn' | 'left';

/** Invites an adjuster and brings the record to this status through the API. */
async function adjusterIn(status: Status, notes: Record<string, unknown> = NOTES) {
  const adjuster = await service.adjuster();
  const { svcId, token } = adjuster;
  const invitedAt = clock.now();
  expect(outcome(await invite(service, firm.live, svcId, notes))).toEqual([201]);
  clock.advance(1000);
  if (status === 'active' || status === 'left') await answerInvitation(service, token, firm.id, 'acceptance');
  if (status === 'declined') await answerInvitation(service, token, firm.id, 'decline');
  if (status === 'withdrawn') await withdraw(service, firm.live, svcId);
  if (status === 'left') await leaveFirm(service, token, firm.id);
  if (status === 'expired') clock.advance(7 * DAY);
  const record = await adjusterRecord(service, firm.live, svcId);
  return { ...adjuster, invitedAt, record };
}

describe('the record of', () => {
  test('a pending invitation has an expiration in seven days and the notes, but no account data', async () => {
    const { svcId } = await service.adjuster();
    const response = await invite(service, firm.live, svcId, NOTES);
    expect(response.status).toBe(201);
    expect(response.json).toEqual({
      svc_id: svcId,
      status: 'pending',
      test: false,
      name: null,
      email: null,
      invited_at: at(clock.now()),
      expires_at: at(clock.now() + 7 * DAY),
      responded_at: null,
      ...NOTES,
    });
    expect(response.json.invited_at).toMatch(DATE_TIME);
    expect(await adjusterRecord(service, firm.live, svcId)).toEqual(response.json);
  });

  test.each<[Status, boolean, boolean]>([
    ['active', true, true],
    ['declined', true, false],
    ['expired', false, false],
    ['withdrawn', false, false],
  ])(
    'an adjuster who is %s has no expiration, and account data only for members',
    async (status, responded, known) => {
      const { svcId, invitedAt, record } = await adjusterIn(status);
      expect(record).toEqual({
        svc_id: svcId,
        status,
        test: false,
        name: known ? 'Jean Delacroix' : null,
        email: known ? `${svcId.toLowerCase()}@example.com` : null,
        invited_at: at(invitedAt),
        expires_at: null,
        responded_at: responded ? at(invitedAt + 1000) : null,
        ...NOTES,
      });
    },
  );

  test('a member who was never invited has neither times nor notes', async () => {
    const { svcId } = await service.member(firm);
    expect(await adjusterRecord(service, firm.live, svcId)).toEqual({
      svc_id: svcId,
      status: 'active',
      test: false,
      name: 'Jean Delacroix',
      email: `${svcId.toLowerCase()}@example.com`,
      invited_at: null,
      expires_at: null,
      responded_at: null,
      ...NO_NOTES,
    });
  });

  test('a member has the current name of the account, not the one in the invitation', async () => {
    const { svcId, token } = await adjusterIn('active', { invited_as: 'Somebody Else' });
    await service.call('PATCH', '/app/v1/me', { as: token, body: { last_name: 'Du Lac' } });
    expect(await adjusterRecord(service, firm.live, svcId)).toMatchObject({
      name: 'Jean Du Lac',
      invited_as: 'Somebody Else',
    });
  });

  test('an adjuster who left is not listed', async () => {
    expect((await adjusterIn('left')).record).toBeUndefined();
  });
});

describe('an invitation', () => {
  test.each<[Status, string]>([
    ['active', 'already_member'],
    ['pending', 'invitation_pending'],
  ])('to an adjuster who is %s fails and changes nothing', async (status, code) => {
    const { svcId, record } = await adjusterIn(status);
    expectProblem(service, await invite(service, firm.live, svcId, { note: 'other' }), 409, code);
    expect(await adjusterRecord(service, firm.live, svcId)).toEqual(record);
  });

  test.each<Status>(['declined', 'expired', 'withdrawn', 'left'])(
    'to an adjuster who is %s creates a new one, which replaces all four notes',
    async (status) => {
      const { svcId, token } = await adjusterIn(status);
      clock.advance(1000);
      const again = await invite(service, firm.live, svcId, { purpose: 'Second season' });
      expect(again.status).toBe(201);
      expect(again.json).toEqual({
        svc_id: svcId,
        status: 'pending',
        test: false,
        name: null,
        email: null,
        invited_at: at(clock.now()),
        expires_at: at(clock.now() + 7 * DAY),
        responded_at: null,
        ...NO_NOTES,
        purpose: 'Second season',
      });
      expect(await adjusterRecord(service, firm.live, svcId)).toEqual(again.json);
      expect(outcome(await answerInvitation(service, token, firm.id, 'acceptance'))).toEqual([200]);
      expect(await adjusterRecord(service, firm.live, svcId)).toMatchObject({
        status: 'active',
        invited_as: null,
        purpose: 'Second season',
      });
      await sentClaim(service, firm.live, svcId);
    },
  );

  test('without notes has null for each', async () => {
    const { svcId } = await service.adjuster();
    expect((await invite(service, firm.live, svcId)).json).toMatchObject(NO_NOTES);
  });

  test.each([
    ['invited_as', 200],
    ['invited_by', 200],
    ['purpose', 500],
    ['note', 1000],
  ])('has a %s of 1 to %i code points, neither null nor empty', async (name, max) => {
    const { svcId } = await service.adjuster();
    for (const value of [null, '', '🌊'.repeat(max + 1), 7, ['x']])
      expectValidationErrors(await invite(service, firm.live, svcId, { [name]: value }), `/${name}`);
    const longest = '🌊'.repeat(max);
    expect((await invite(service, firm.live, svcId, { [name]: longest })).json[name]).toBe(longest);
    const other = await service.adjuster();
    expect((await invite(service, firm.live, other.svcId, { [name]: ' ' })).json[name]).toBe(' ');
  });

  test('requires an SVCID of 1 to 128 characters, and rejects unknown fields and parameters', async () => {
    for (const svcId of ['', null, 7, 'x'.repeat(129)])
      expectValidationErrors(await invite(service, firm.live, svcId), '/svc_id');
    expectValidationErrors(await invite(service, firm.live, undefined), '/svc_id');
    expectValidationErrors(
      await invite(service, firm.live, 'x', { name: 'Jean', adjuster_svc_id: 'x' }),
      '/name',
      '/adjuster_svc_id',
    );
    const { svcId } = await service.adjuster();
    const response = await service.call('POST', '/v1/adjusters/invitations?notify=no', {
      as: firm.live,
      body: { svc_id: svcId },
    });
    expectValidationErrors(response, 'notify');
    expect(await adjusterRecord(service, firm.live, svcId)).toBeUndefined();
  });

  test('to an unknown SVCID fails, and SVCIDs are case-sensitive', async () => {
    const { svcId } = await service.adjuster();
    for (const unknown of ['SVC-nobody', 'x'.repeat(128), svcId.toLowerCase(), `${svcId} `])
      expectProblem(service, await invite(service, firm.live, unknown), 422, 'unknown_osaid');
  });
});

describe('an answer in the app', () => {
  test.each([
    [{ firstName: null }, ['first_name']],
    [{ lastName: null }, ['last_name']],
    [{ email: null }, ['email']],
    [{ firstName: null, lastName: null, email: null }, ['first_name', 'last_name', 'email']],
  ])('can be an acceptance only with a complete profile: %j', async (profileGaps, missing) => {
    const { svcId, token } = await service.adjuster(profileGaps);
    await invite(service, firm.live, svcId);
    const shown = await service.call('GET', '/app/v1/invitations', { as: token });
    expect(shown.json.data[0].missing_profile_fields).toEqual(missing);
    const early = await answerInvitation(service, token, firm.id, 'acceptance');
    expect(outcome(early)).toEqual([409, 'profile_incomplete']);
    expect((await adjusterRecord(service, firm.live, svcId)).status).toBe('pending');
    const profile = { first_name: 'Ana', last_name: 'Ruiz', email: `${svcId}@later.example` };
    await service.call('PATCH', '/app/v1/me', {
      as: token,
      body: Object.fromEntries(Object.entries(profile).filter(([name]) => missing.includes(name))),
    });
    expect(outcome(await answerInvitation(service, token, firm.id, 'acceptance'))).toEqual([200]);
  });

  test('is preceded by an invitation that shows the firm and one note, but no claims', async () => {
    const { svcId, token } = await service.adjuster();
    await invite(service, firm.live, svcId, NOTES);
    const shown = await service.call('GET', '/app/v1/invitations', { as: token });
    expect(shown.json.data).toEqual([
      {
        firm_id: firm.id,
        firm_name: 'Gulf Adjusting Partners',
        invited_as: NOTES.invited_as,
        invited_at: at(clock.now()),
        expires_at: at(clock.now() + 7 * DAY),
        missing_profile_fields: [],
      },
    ]);
    const claims = await service.call('GET', '/app/v1/claims', { as: token });
    expect(claims.json.data).toEqual([]);
  });
});

describe('a withdrawal', () => {
  test('returns the withdrawn record, and the adjuster can no longer join', async () => {
    const { svcId, token, record } = await adjusterIn('pending');
    const response = await withdraw(service, firm.live, svcId);
    expect(response.status).toBe(200);
    expect(response.json).toEqual({ ...record, status: 'withdrawn', expires_at: null });
    expect(await adjusterRecord(service, firm.live, svcId)).toEqual(response.json);
    expect(outcome(await answerInvitation(service, token, firm.id, 'acceptance'))).toEqual([
      404,
      'not_found',
    ]);
    const list = await service.call('GET', '/app/v1/invitations', { as: token });
    expect(list.json.data).toEqual([]);
  });

  test('finds nothing for an adjuster who was never invited, another firm, or an SVCID in another case', async () => {
    const { svcId } = await adjusterIn('pending');
    const other = await service.firm();
    for (const unknown of ['SVC-nobody', svcId.toLowerCase(), (await service.adjuster()).svcId])
      expect(outcome(await withdraw(service, firm.live, unknown))).toEqual([404, 'not_found']);
    expect(outcome(await withdraw(service, other.live, svcId))).toEqual([404, 'not_found']);
    expect((await adjusterRecord(service, firm.live, svcId)).status).toBe('pending');
  });

  test('accepts an SVCID of up to 128 characters in the path, and no query', async () => {
    expectValidationErrors(await withdraw(service, firm.live, 'x'.repeat(129)), 'svc_id');
    expect(outcome(await withdraw(service, firm.live, 'x'.repeat(128)))).toEqual([404, 'not_found']);
    const response = await service.call('DELETE', '/v1/adjusters/invitations/x?y=1', { as: firm.live });
    expectValidationErrors(response, 'y');
  });

  test('accepts SVCIDs with any characters', async () => {
    for (const svcId of ['SVC/../x y', 'SVC%2F?#&+', 'SVC-日本-🌊', '.hidden', 'a\'b"c\\d']) {
      await service.service.services.get('operatorUseCases').createAdjuster({
        svcId: svcId as never,
        firstName: null,
        lastName: null,
        email: null,
      });
      expect(outcome(await invite(service, firm.live, svcId))).toEqual([201]);
      const response = await withdraw(service, firm.live, svcId);
      expect([response.status, response.json.svc_id, response.json.status]).toEqual([
        200,
        svcId,
        'withdrawn',
      ]);
    }
  });
});

test('an invited adjuster whom the operator makes a member can receive claims', async () => {
  const { svcId } = await adjusterIn('pending');
  await service.service.services.get('operatorUseCases').addMember(firm.id, svcId);
  expect(await adjusterRecord(service, firm.live, svcId)).toMatchObject({
    status: 'active',
    expires_at: null,
  });
  await sentClaim(service, firm.live, svcId);
});

describe('the list of adjusters', () => {
  test('contains every status but left, in the order of the first contact', async () => {
    const own = await service.firm();
    const adjusters = [];
    for (let index = 0; index < 7; index += 1) {
      clock.advance(10);
      const adjuster = await service.adjuster();
      adjusters.push(adjuster);
      await invite(service, own.live, adjuster.svcId);
    }
    const [accepts, declines, isWithdrawn, leaves, returns] = adjusters as [
      (typeof adjusters)[0],
      (typeof adjusters)[0],
      (typeof adjusters)[0],
      (typeof adjusters)[0],
      (typeof adjusters)[0],
    ];
    clock.advance(10);
    await answerInvitation(service, accepts.token, own.id, 'acceptance');
    await answerInvitation(service, declines.token, own.id, 'decline');
    await withdraw(service, own.live, isWithdrawn.svcId);
    for (const one of [leaves, returns]) {
      await answerInvitation(service, one.token, own.id, 'acceptance');
      await leaveFirm(service, one.token, own.id);
    }
    await invite(service, own.live, returns.svcId);
    const list = await wholeList(service, own.live, '/v1/adjusters');
    const real = list.filter((record) => !record.test);
    expect(real.map((record) => [record.svc_id, record.status])).toEqual(
      adjusters
        .filter((one) => one !== leaves)
        .map((one) => [
          one.svcId,
          one === accepts
            ? 'active'
            : one === declines
              ? 'declined'
              : one === isWithdrawn
                ? 'withdrawn'
                : 'pending',
        ]),
    );
    for (const limit of ['1', '2', '3', '200'])
      expect(await wholeList(service, own.live, '/v1/adjusters', { limit })).toEqual(list);
  });

  test('can be paged through with the longest SVCIDs', async () => {
    const own = await service.firm();
    for (const letter of ['x', '🌊', '"', '日']) {
      const svcId = letter.repeat(128) as never;
      await service.service.services.get('operatorUseCases').createAdjuster({
        svcId,
        firstName: null,
        lastName: null,
        email: null,
      });
      await invite(service, own.live, svcId);
    }
    const list = await wholeList(service, own.live, '/v1/adjusters', { limit: '1' });
    expect(list.filter((one) => !one.test)).toHaveLength(4);
  });

  test('accepts only limit and cursor', async () => {
    const list = (query: string) => service.call('GET', `/v1/adjusters?${query}`, { as: firm.live });
    for (const limit of ['0', '201', '-1', '1.5', 'ten', '', '01', '1e2'])
      expectValidationErrors(await list(`limit=${limit}`), 'limit');
    for (const limit of ['1', '200']) expect(outcome(await list(`limit=${limit}`))).toEqual([200]);
    expectValidationErrors(await list('status=active'), 'status');
    expectValidationErrors(
      await list('updated_since=2024-01-01T00:00:00Z&cursor='),
      'updated_since',
      'cursor',
    );
    expectValidationErrors(await list(`cursor=${'x'.repeat(513)}`), 'cursor');
    expectValidationErrors(await list(`cursor=${'x'.repeat(512)}`), 'cursor');
  });

  test('has 50 rows on a page by default', async () => {
    const own = await service.firm();
    const before = (await wholeList(service, own.live, '/v1/adjusters')).length;
    for (let index = before; index < 51; index += 1)
      await invite(service, own.live, (await service.adjuster()).svcId);
    const first = await service.call('GET', '/v1/adjusters', { as: own.live });
    expect(first.json.data).toHaveLength(50);
    const last = await service.call('GET', `/v1/adjusters?cursor=${first.json.next_cursor}`, {
      as: own.live,
    });
    expect([last.json.data.length, last.json.next_cursor]).toEqual([1, null]);
  });
});
