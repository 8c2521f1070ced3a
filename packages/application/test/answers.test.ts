import { expect, test } from '@jest/globals';
import { type ClaimId, MINUTE } from '@svc/domain';
import { errorCodeOf } from '@svc/testkit';
import { Unavailable } from '../src/index.ts';
import { memoryFixture } from './memory-fixture.ts';

const setUp = async () => {
  const fixture = memoryFixture();
  const { newTeam, newMember, auditOf } = fixture;
  const team = await newTeam();
  const answersOn = async (id: string) =>
    (await auditOf(team.firm.id))
      .filter(({ object, action }) => object === `claim:${id}` && /accept|reject/.test(action))
      .map(({ action, outcome, actor, address, requestId, device }) => [
        ...[action, outcome, actor, address, requestId, device],
      ]);
  const origin = { address: '192.0.2.9', requestId: 'request' };
  return { ...fixture, ...team, other: await newMember(team.firm), answersOn, origin };
};

test('an answer is recorded with who gave it, from where and when on the device, whether or not it counts', async () => {
  const { firm, svcId, other, sendId, offer, use, clock, ids, answersOn, origin } = await setUp();
  const device = { answeredAt: clock.now() - MINUTE, keptOfflineSince: clock.now() - 1 };
  const actor = { svcId, origin };
  const answers = {
    accept: (id: ClaimId) => use.acceptClaim(actor, id, { device }),
    reject: (id: ClaimId) => use.rejectClaim(actor, id, null, { device }),
  };
  const unknown = answers.accept(ids.next() as ClaimId);
  await expect(unknown).rejects.toMatchObject({ code: 'not_found', firmId: null, device });
  const from = [`adjuster:${svcId}`, origin.address, origin.requestId, device];
  for (const way of ['accept', 'reject'] as const) {
    const [counts, moved] = [await sendId(firm.live, svcId), await sendId(firm.live, svcId)];
    clock.advance(MINUTE);
    await offer(firm.live, moved, other);
    await answers[way](counts);
    await expect(answers[way](moved)).rejects.toMatchObject({
      ...{ code: 'not_found', isRecorded: true, firmId: firm.id, device },
    });
    await expect(answers[way](moved)).rejects.toMatchObject({ isRecorded: false, firmId: firm.id, device });
    // A repetition of one that counted is none that came late.
    await use.closeClaimAsOperator(counts);
    await expect(answers[way](counts)).rejects.toMatchObject({ isRecorded: false, firmId: firm.id, device });
    if (way === 'reject') await offer(firm.live, moved, svcId);
    expect([await answersOn(counts), await answersOn(moved)]).toEqual([
      [[`claim.${way}`, 'ok', ...from]],
      [[`claim.${way}`, 'not_found', ...from]],
    ]);
  }
});

test('a late answer is one to the offer that was seen, of several to the same adjuster', async () => {
  const { firm, svcId, other, sendId, offer, use, clock, receiptOf } = await setUp();
  const id = await sendId(firm.live, svcId);
  const offeredAt = clock.now();
  for (const to of [other, svcId]) {
    clock.advance(MINUTE);
    await offer(firm.live, id, to);
  }
  const late = use.acceptClaim({ svcId }, id, { offeredAt });
  await expect(late).rejects.toMatchObject({ isRecorded: true });
  const again = use.rejectClaim({ svcId }, id, null, { offeredAt });
  await expect(again).rejects.toMatchObject({ isRecorded: false });
  const receipts = [await receiptOf({ svcId }, id, offeredAt), await receiptOf({ svcId }, id)];
  expect(receipts.map(({ offered_at, late_answer }) => [Date.parse(offered_at), late_answer])).toEqual([
    [
      offeredAt,
      {
        ...{ answer: 'accept', at: new Date(clock.now()).toISOString() },
        ...{ device_at: null, kept_offline_since: null },
      },
    ],
    [clock.now(), null],
  ]);
  expect((await use.acceptClaim({ svcId }, id)).assignment.status).toBe('accepted');
});

test('an answer that the store could not take is not recorded as one that came late', async () => {
  const { firm, svcId, sendId, use, useOn, memory, answersOn } = await setUp();
  const id = await sendId(firm.live, svcId);
  await use.closeClaimAsOperator(id);
  const respond = () => Promise.reject(new Unavailable('away'));
  const away = useOn({ claimWrites: { ...memory.claimWrites, respond } });
  await expect(away.acceptClaim({ svcId }, id)).rejects.toThrow(Unavailable);
  expect(await answersOn(id)).toEqual([]);
  expect(await errorCodeOf(use.acceptClaim({ svcId }, id))).toBe('offer_not_pending');
  expect(await answersOn(id)).toHaveLength(1);
});
