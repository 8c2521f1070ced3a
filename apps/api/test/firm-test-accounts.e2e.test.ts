import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { DATE_TIME, getClaim, sentClaim } from './firm-calls.ts';
import { type ServiceUnderTest, startServiceUnderTest, type TestFirm } from './service-under-test.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startServiceUnderTest();
});
afterAll(() => service.stop());

const untilAnswered = (firm: TestFirm, id: string) =>
  eventually(
    async () => (await getClaim(service, firm.test, id)).json,
    (claim) => claim.assignment.status !== 'pending_acceptance',
  );

test('the SVCIDs of test accounts end in their behavior', async () => {
  const firm = await service.firm();
  for (const [behavior, svcId] of Object.entries(firm.account))
    expect(svcId.endsWith(`_${behavior}`)).toBe(true);
  expect(new Set(Object.values(firm.account)).size).toBe(7);
});

test('automatically, one account accepts, and another rejects with a reason', async () => {
  const firm = await service.firm();
  const first = await sentClaim(service, firm.test, firm.account.accepts);
  const second = await sentClaim(service, firm.test, firm.account.rejects);
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
