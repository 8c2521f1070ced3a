import { describe, expect, test } from '@jest/globals';
import { type ClaimId, NO_NOTES, type Svcid } from '@svc/domain';
import { errorCodeOf } from '@svc/testkit';
import { makeSetAcceptingAssignments } from '../src/index.ts';
import { memoryFixture } from './memory-fixture.ts';

const UNKNOWN_ADJUSTER = 'Unknown-0' as Svcid;

describe('sending a claim that breaks several rules', () => {
  test('gets the errors in the order key, external id, claim number, adjuster, claim', async () => {
    const { newTeam, newMember, newClaim, send, use } = memoryFixture();
    const { firm, svcId: member } = await newTeam();
    const [one, two] = [newClaim(), newClaim()];
    await send(firm.live, member, { claim: one, idempotencyKey: 'bound' });
    const byNumber = (await send(firm.live, member, { claim: two })).claim.id;
    const broken = { occupancyType: 'single_family_home', buildingType: 'barn' } as const;

    const allWrong = newClaim({ ...two.facts, ...broken, externalId: one.facts.externalId });
    const attempt = (claim: typeof allWrong, adjuster: Svcid, idempotencyKey = 'fresh') =>
      errorCodeOf(send(firm.live, adjuster, { claim, idempotencyKey }));
    expect(await attempt(allWrong, UNKNOWN_ADJUSTER, 'bound')).toBe('idempotency_key_reused');
    expect(await attempt(allWrong, UNKNOWN_ADJUSTER)).toBe('duplicate_claim');
    const numberWrong = newClaim({ ...broken, claimNumber: two.facts.claimNumber });
    await expect(send(firm.live, UNKNOWN_ADJUSTER, { claim: numberWrong })).rejects.toMatchObject({
      code: 'duplicate_claim',
      message: 'An open claim with this claim_number exists already.',
      existingClaimId: byNumber,
    });
    await expect(send(firm.live, UNKNOWN_ADJUSTER, { claim: one })).rejects.toThrow(
      'A claim with this external_id exists already.',
    );
    const claimWrong = newClaim(broken);
    expect(await attempt(claimWrong, UNKNOWN_ADJUSTER)).toBe('unknown_svcid');
    expect(await attempt(claimWrong, firm.accounts.paused)).toBe('environment_mismatch');
    await use.setMember(firm.id, member, false);
    expect(await attempt(claimWrong, member)).toBe('adjuster_not_accepting');
    await use.leaveFirm({ svcId: member }, firm.id);
    expect(await attempt(claimWrong, member)).toBe('adjuster_not_in_firm');
    const other = await newMember(firm);
    expect(await attempt(claimWrong, other)).toBe('building_pair_refused');
    const termWrong = newClaim({ policyEffective: '2026-02-02', policyExpiration: '2026-02-01' });
    expect(await attempt(termWrong, other)).toBe('policy_term_reversed');
  });
});

describe('offering a claim that breaks several rules', () => {
  test('gets the errors in the order key, claim, environment, accepted, closed, adjuster', async () => {
    const { newTeam, sendId, offer, use, ids } = memoryFixture();
    const { firm, svcId: member } = await newTeam();
    const open = await sendId(firm.live, member, { idempotencyKey: 'bound' });
    const accepted = await sendId(firm.live, member);
    await use.acceptClaim({ svcId: member }, accepted);
    const done = await sendId(firm.live, member);
    await use.acceptClaim({ svcId: member }, done);
    await use.closeAcceptedClaim({ svcId: member }, done);
    const closed = await sendId(firm.live, member);
    await use.closeClaimAsOperator(closed);
    const tested = await sendId(firm.test, firm.accounts.manual);
    await use.closeClaimAsOperator(tested);

    const attempt = (id: ClaimId, idempotencyKey = 'fresh') =>
      errorCodeOf(offer(firm.live, id, UNKNOWN_ADJUSTER, { idempotencyKey }));
    expect(await attempt(ids.next() as ClaimId, 'bound')).toBe('idempotency_key_reused');
    expect(await attempt(ids.next() as ClaimId)).toBe('not_found');
    expect(await attempt(tested)).toBe('environment_mismatch');
    expect(await attempt(accepted)).toBe('claim_already_accepted');
    expect(await attempt(done)).toBe('claim_already_accepted');
    expect(await attempt(closed)).toBe('claim_closed');
    expect(await attempt(open)).toBe('unknown_svcid');
  });

  test('to the same adjuster again, or after a rejection, sends no withdrawal', async () => {
    const { newOffer, newMember, offer, use, jobsOf } = memoryFixture();
    const { firm, svcId, id } = await newOffer();
    await offer(firm.live, id, svcId);
    await use.rejectClaim({ svcId }, id, null);
    await offer(firm.live, id, await newMember(firm));
    const kinds = (await jobsOf(firm)).map(({ job }) => job.kind);
    expect(kinds.filter((kind) => kind.startsWith('notify_offer'))).toEqual(Array(3).fill('notify_offer'));
  });
});

describe('accepting an invitation', () => {
  test('returns the membership in that firm, or not_found when the adjuster has left it since', async () => {
    const { newFirm, newMember, invite, use, memory, clock } = memoryFixture();
    const [one, two] = [await newFirm(), await newFirm()];
    const svcId = await newMember(one);
    await invite(two, svcId);
    expect(await use.acceptInvitation({ svcId }, two.id)).toMatchObject({ firmId: two.id });
    const { unitOfWork: uow, appReads } = memory;
    const left = { ...appReads, memberships: async () => [] };
    const pause = makeSetAcceptingAssignments({ uow, appReads: left, clock });
    expect(await errorCodeOf(pause({ svcId }, two.id, false))).toBe('not_found');
  });
});

test('invitations that were seen are listed without a transaction', async () => {
  const { newFirm, newAdjuster, invite, use, useOn } = memoryFixture();
  const { svcId } = await newAdjuster();
  await invite(await newFirm(), svcId);
  const page = { after: null, limit: 9 };
  await use.listInvitations({ svcId }, page);
  const reading = useOn({ unitOfWork: { run: () => Promise.reject(new Error('a transaction')) } });
  expect((await reading.listInvitations({ svcId }, page)).rows).toHaveLength(1);
});

describe('withdrawing an invitation', () => {
  test('fails with environment_mismatch only for a pending test invitation and a live key', async () => {
    const { newFirm, newAdjuster, invite, use, jobsOf } = memoryFixture();
    const firm = await newFirm();
    const { svcId: real } = await newAdjuster();
    await invite(firm, real);
    expect(await errorCodeOf(use.withdrawInvitation(firm.test, real))).toBe('not_found');
    const svcId = firm.accounts.new;
    expect(await errorCodeOf(use.withdrawInvitation(firm.live, svcId))).toBe('not_found');
    await use.inviteAdjuster(firm.test, { svcId, notes: NO_NOTES });
    const kinds = (await jobsOf(firm)).map(({ job }) => job.kind);
    expect(kinds).not.toContain('simulate_invitation_response');
    expect(await errorCodeOf(use.withdrawInvitation(firm.live, svcId))).toBe('environment_mismatch');
    expect((await use.withdrawInvitation(firm.test, svcId)).membership.status).toBe('withdrawn');
    for (const actor of [firm.live, firm.test])
      expect(await errorCodeOf(use.withdrawInvitation(actor, svcId))).toBe('not_found');
  });
});
