import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  acceptClaim,
  adjusterRecord,
  answerInvitation,
  DATE_TIME,
  eventually,
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

/** Signs in as a firm's own people do, with what they were given when the firm was made. */
async function signIn(firm: TestFirm, behavior: Behavior): Promise<string> {
  const answer = await service.call('POST', '/app/v1/sessions', {
    body: { svc_id: firm.account[behavior], sign_in_secret: firm.signInSecret[behavior] },
  });
  expect(outcome(answer)).toEqual([201]);
  return answer.json.token;
}

const answered = (firm: TestFirm, id: string) =>
  eventually(
    async () => (await getClaim(service, firm.test, id)).json,
    (claim) => claim.assignment.status !== 'pending_acceptance',
  );
const settled = (firm: TestFirm, behavior: Behavior) =>
  eventually(
    () => adjusterRecord(service, firm.test, firm.account[behavior]),
    (record) => record.status !== 'pending',
  );

test('the SVCIDs of a firm say what their accounts do', async () => {
  const firm = await service.firm();
  for (const [behavior, svcId] of Object.entries(firm.account))
    expect(svcId.endsWith(`_${behavior}`)).toBe(true);
  expect(new Set(Object.values(firm.account)).size).toBe(7);
});

describe('by itself', () => {
  // One firm for all, at once: each waits as long as the accounts do.
  test('an account accepts, another rejects with a reason, one joins and then accepts, one declines', async () => {
    const firm = await service.firm();
    const { accepts, rejects, joins, declines } = firm.account;
    const first = await sentClaim(service, firm.test, accepts);
    const second = await sentClaim(service, firm.test, rejects);
    expect([first.test, first.assignment.status]).toEqual([true, 'pending_acceptance']);
    for (const one of [joins, declines])
      expect((await invite(service, firm.test, one, { note: 'n' })).json).toMatchObject({
        status: 'pending',
        test: true,
        name: null,
        email: null,
      });
    expect(outcome(await sendClaim(service, firm.test, claimBody(joins)))).toEqual([
      422,
      'adjuster_not_in_firm',
    ]);

    const accepted = await answered(firm, first.id);
    expect(accepted.assignment).toEqual({
      status: 'accepted',
      adjuster_svc_id: accepts,
      responded_at: expect.stringMatching(DATE_TIME),
      rejection_reason: null,
    });
    expect(accepted.updated_at > first.updated_at).toBe(true);
    const rejected = await answered(firm, second.id);
    expect(rejected.assignment).toEqual({
      status: 'rejected',
      adjuster_svc_id: rejects,
      responded_at: expect.stringMatching(DATE_TIME),
      rejection_reason: expect.stringMatching(/\S/),
    });

    expect(await settled(firm, 'declines')).toMatchObject({
      status: 'declined',
      responded_at: expect.stringMatching(DATE_TIME),
      expires_at: null,
      name: null,
      note: 'n',
    });
    expect(await settled(firm, 'joins')).toMatchObject({
      status: 'active',
      test: true,
      responded_at: expect.stringMatching(DATE_TIME),
      expires_at: null,
      name: expect.stringMatching(/\S/),
      email: expect.stringMatching(/@/),
      note: 'n',
    });
    // The rejected claim goes to the one that has joined by now, and may be declined for ever by the other.
    const offered = await offerClaim(service, firm.test, second.id, joins);
    expect(outcome(offered)).toEqual([200]);
    expect((await answered(firm, second.id)).assignment).toMatchObject({
      status: 'accepted',
      adjuster_svc_id: joins,
    });
    expect(outcome(await invite(service, firm.test, declines))).toEqual([201]);
    expect((await settled(firm, 'declines')).status).toBe('declined');
  }, 30_000);

  test('an account answers only the offer and the invitation that still stand', async () => {
    const firm = await service.firm();
    const { accepts, manual, joins } = firm.account;
    const moved = await sentClaim(service, firm.test, accepts);
    const elsewhere = await offerClaim(service, firm.test, moved.id, manual);
    await invite(service, firm.test, joins);
    const withdrawn = await withdraw(service, firm.test, joins);
    const byHand = await sentClaim(service, firm.test, accepts);
    const rejected = await rejectClaim(service, await signIn(firm, 'accepts'), byHand.id, 'by hand');
    // What was sent later has been answered: what came before had its turn.
    const last = await sentClaim(service, firm.test, accepts);
    await answered(firm, last.id);
    expect((await getClaim(service, firm.test, moved.id)).json).toEqual(elsewhere.json);
    expect(await adjusterRecord(service, firm.test, joins)).toEqual(withdrawn.json);
    expect((await getClaim(service, firm.test, byHand.id)).json.assignment).toEqual(rejected.json.assignment);
  }, 30_000);
});

describe('by hand', () => {
  test('the manual account, a member from the start, accepts and rejects', async () => {
    const firm = await service.firm();
    const token = await signIn(firm, 'manual');
    const [one, other] = [
      await sentClaim(service, firm.test, firm.account.manual),
      await sentClaim(service, firm.test, firm.account.manual),
    ];
    await acceptClaim(service, token, one.id);
    await rejectClaim(service, token, other.id, 'not mine');
    expect((await getClaim(service, firm.test, one.id)).json.assignment.status).toBe('accepted');
    expect((await getClaim(service, firm.test, other.id)).json.assignment).toMatchObject({
      status: 'rejected',
      rejection_reason: 'not mine',
    });
  });

  test('the new account is invited, joins and is sent claims', async () => {
    const firm = await service.firm();
    const { new: fresh } = firm.account;
    expect(await adjusterRecord(service, firm.test, fresh)).toBeUndefined();
    expect(outcome(await invite(service, firm.test, fresh))).toEqual([201]);
    const token = await signIn(firm, 'new');
    expect(outcome(await answerInvitation(service, token, firm.id, 'acceptance'))).toEqual([200]);
    const { id } = await sentClaim(service, firm.test, fresh);
    expect(outcome(await acceptClaim(service, token, id))).toEqual([200]);
  });

  test('the paused account takes no claims until it goes on', async () => {
    const firm = await service.firm();
    const { paused } = firm.account;
    expect((await adjusterRecord(service, firm.test, paused)).status).toBe('active');
    expect(outcome(await sendClaim(service, firm.test, claimBody(paused)))).toEqual([
      422,
      'adjuster_not_accepting',
    ]);
    const token = await signIn(firm, 'paused');
    await service.call('PATCH', `/app/v1/firms/${firm.id}/membership`, {
      as: token,
      body: { accepting_assignments: true },
    });
    await sentClaim(service, firm.test, paused);
  });

  test("one firm's sign-in secret opens no other account", async () => {
    const [firm, other] = [await service.firm(), await service.firm()];
    for (const [svc_id, sign_in_secret] of [
      [other.account.manual, firm.signInSecret.manual],
      [firm.account.new, firm.signInSecret.manual],
      [(await service.adjuster()).svcId, firm.signInSecret.manual],
    ]) {
      const answer = await service.call('POST', '/app/v1/sessions', { body: { svc_id, sign_in_secret } });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.json.token).toBeUndefined();
    }
  });
});
