import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import {
  adjusterRecord,
  DATE_TIME,
  getClaim,
  invite,
  offerClaim,
  outcome,
  rejectClaim,
  sentClaim,
  withdraw,
} from './firm-calls.ts';
import {
  claimBody,
  type ServiceUnderTest,
  sendClaim,
  startServiceUnderTest,
  type TestFirm,
} from './service-under-test.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startServiceUnderTest();
});
afterAll(() => service.stop());

type Behavior = keyof TestFirm['account'];

/** Signs in with the secret issued when the firm was created. */
async function signIn(firm: TestFirm, behavior: Behavior): Promise<string> {
  const response = await service.call('POST', '/app/v1/sessions', {
    body: { svc_id: firm.account[behavior], sign_in_secret: firm.signInSecret[behavior] },
  });
  expect(outcome(response)).toEqual([201]);
  return response.json.token;
}

const untilAnswered = (firm: TestFirm, id: string) =>
  eventually(
    async () => (await getClaim(service, firm.test, id)).json,
    (claim) => claim.assignment.status !== 'pending_acceptance',
  );
const settled = (firm: TestFirm, behavior: Behavior) =>
  eventually(
    () => adjusterRecord(service, firm.test, firm.account[behavior]),
    (record) => record.status !== 'pending',
  );

test('the SVCIDs of test accounts end in their behavior', async () => {
  const firm = await service.firm();
  for (const [behavior, svcId] of Object.entries(firm.account))
    expect(svcId.endsWith(`_${behavior}`)).toBe(true);
  expect(new Set(Object.values(firm.account)).size).toBe(7);
});

describe('automatically', () => {
  let firm: TestFirm;
  let other: TestFirm;
  // biome-ignore lint/suspicious/noExplicitAny: tests read untyped responses
  let sent: any[];
  // biome-ignore lint/suspicious/noExplicitAny: tests read untyped responses
  let unchanged: { moved: any; withdrawn: any; byHand: any; last: any };

  // All requests first, since test accounts respond after a delay.
  beforeAll(async () => {
    firm = await service.firm();
    other = await service.firm();
    sent = [
      await sentClaim(service, firm.test, firm.account.accepts),
      await sentClaim(service, firm.test, firm.account.rejects),
    ];
    for (const behavior of ['joins', 'declines'] as const) {
      const invited = await invite(service, firm.test, firm.account[behavior], { note: 'n' });
      expect(invited.json).toMatchObject({ status: 'pending', test: true, name: null, email: null });
    }
    const early = await sendClaim(service, firm.test, claimBody(firm.account.joins));
    expect(outcome(early)).toEqual([422, 'adjuster_not_in_firm']);

    const { accepts, manual, joins } = other.account;
    const { id } = await sentClaim(service, other.test, accepts);
    const moved = await offerClaim(service, other.test, id, manual);
    await invite(service, other.test, joins);
    const withdrawn = await withdraw(service, other.test, joins);
    const answeredByHand = await sentClaim(service, other.test, accepts);
    await rejectClaim(service, await signIn(other, 'accepts'), answeredByHand.id, 'by hand');
    const byHand = await getClaim(service, other.test, answeredByHand.id);
    const last = await sentClaim(service, other.test, accepts);
    unchanged = { moved: moved.json, withdrawn: withdrawn.json, byHand: byHand.json, last };
  });

  test('one account accepts, and another rejects with a reason', async () => {
    const [first, second] = sent;
    expect([first.test, first.assignment.status]).toEqual([true, 'pending_acceptance']);
    const accepted = await untilAnswered(firm, first.id);
    expect(accepted.assignment).toEqual({
      status: 'accepted',
      adjuster_svc_id: firm.account.accepts,
      responded_at: expect.stringMatching(DATE_TIME),
      rejection_reason: null,
    });
    expect(accepted.updated_at > first.updated_at).toBe(true);
    expect((await untilAnswered(firm, second.id)).assignment).toEqual({
      status: 'rejected',
      adjuster_svc_id: firm.account.rejects,
      responded_at: expect.stringMatching(DATE_TIME),
      rejection_reason: expect.stringMatching(/\S/),
    });
  });

  test('an account declines its invitation', async () => {
    expect(await settled(firm, 'declines')).toMatchObject({
      status: 'declined',
      responded_at: expect.stringMatching(DATE_TIME),
      expires_at: null,
      name: null,
      note: 'n',
    });
  });

  test('an account joins, and then accepts offers', async () => {
    const joined = await settled(firm, 'joins');
    expect(joined).toMatchObject({
      status: 'active',
      test: true,
      responded_at: expect.stringMatching(DATE_TIME),
      expires_at: null,
      name: expect.stringMatching(/\S/),
      email: expect.stringMatching(/@/),
      note: 'n',
    });
    const { id } = await untilAnswered(firm, sent[1].id);
    expect(outcome(await offerClaim(service, firm.test, id, joined.svc_id))).toEqual([200]);
    expect((await untilAnswered(firm, id)).assignment).toMatchObject({
      status: 'accepted',
      adjuster_svc_id: joined.svc_id,
    });
  });

  test('an account does not respond to an offer or invitation that is no longer pending', async () => {
    // The last offer has a response, so all jobs before it have run.
    await untilAnswered(other, unchanged.last.id);
    expect((await getClaim(service, other.test, unchanged.moved.id)).json).toEqual(unchanged.moved);
    expect((await getClaim(service, other.test, unchanged.byHand.id)).json).toEqual(unchanged.byHand);
    expect(await adjusterRecord(service, other.test, other.account.joins)).toEqual(unchanged.withdrawn);
  });
});

describe('manually', () => {
  test('a sign-in secret is valid only for its account', async () => {
    const [firm, other] = [await service.firm(), await service.firm()];
    for (const [svc_id, sign_in_secret] of [
      [other.account.manual, firm.signInSecret.manual],
      [firm.account.new, firm.signInSecret.manual],
      [(await service.adjuster()).svcId, firm.signInSecret.manual],
    ]) {
      const response = await service.call('POST', '/app/v1/sessions', { body: { svc_id, sign_in_secret } });
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.json.token).toBeUndefined();
    }
  });
});
