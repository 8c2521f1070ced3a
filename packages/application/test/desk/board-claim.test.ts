import { expect, test } from '@jest/globals';
import { HOUR, MINUTE, type Svcid } from '@svc/domain';
import { memoryFixture } from '../memory-fixture.ts';

test('a claim names who made its offers, the adjusters who are members, and since when it waits, late or not', async () => {
  const { newFirm, newMember, newStaff, newKey, sendId, use, clock } = memoryFixture();
  const firm = await newFirm();
  const [one, two] = [await newMember(firm), await newMember(firm)];
  const staff = await newStaff(firm, 'dispatcher', { name: 'Ana' });
  const { key } = await newKey(firm, { name: 'Intake' });
  clock.advance(1);
  await newKey(firm, { name: 'Other' });
  const origin = { address: '192.0.2.9', requestId: 'request' };
  await use.setOfferWait(firm.id, 1);
  const id = await sendId({ ...firm.live, origin: { ...origin, keyId: key.id } }, one);
  await use.revokeKey(key.id);
  const offeredAt = clock.advance(MINUTE);
  const byStaff = { ...firm.live, origin: { ...origin, staffId: staff.staffId } };
  await use.offerClaim(byStaff, { claimId: id, adjuster: two, idempotencyKey: 'k', fingerprint: 'f' });
  const nameOf = (svcId: Svcid) => `Renée Adjuster ${svcId.replace('Adj-', '')}`;
  const people = [
    { type: 'staff', id: staff.staffId, name: 'Ana' },
    { type: 'key', id: key.id, name: 'Intake' },
  ];
  for (const late of [false, true]) {
    const shown = await use.readBoardClaim(firm.id, id);
    expect([shown.late, shown.waitingSince]).toEqual([late, offeredAt]);
    expect(shown.history.map(({ adjusterName, offeredBy }) => [adjusterName, offeredBy])).toEqual([
      ...[
        [nameOf(two), people[0]],
        [late ? null : nameOf(one), people[1]],
      ],
    ]);
    clock.advance(HOUR);
    if (!late) await use.leaveFirm({ svcId: one }, firm.id);
  }
  await use.removeStaff(staff);
  const { history } = await use.readBoardClaim(firm.id, id);
  expect(history[0]?.offeredBy).toEqual({ ...people[0], name: null });
  // With the adjuster's consent, also once they may accept no more.
  await use.acceptClaim({ svcId: two }, id);
  await use.setSharing({ svcId: two }, firm.id, { clocks: true });
  await use.setMember(firm.id, two, false);
  expect((await use.readBoardClaim(firm.id, id)).clocks).not.toBeNull();
  await use.leaveFirm({ svcId: two }, firm.id);
  expect((await use.readBoardClaim(firm.id, id)).clocks).toBeNull();
});

test('each offer of a claim says how and when it ended and who withdrew it, and a claim since when it waits or who closed it', async () => {
  const { newFirm, newMember, newStaff, sendId, offer, use, clock } = memoryFixture();
  const firm = await newFirm();
  const [svcId, other] = [await newMember(firm), await newMember(firm)];
  const [ana, ben] = [await newStaff(firm, 'dispatcher', { name: 'Ana' }), await newStaff(firm)];
  const byBen = { ...firm.live, origin: { address: '', requestId: '', staffId: ben.staffId } };
  const sentAt = clock.advance(MINUTE);
  const id = await sendId(firm.live, svcId);
  const ends = async (claimId = id) => {
    const { history, waitingSince, closedBy, late } = await use.readBoardClaim(firm.id, claimId);
    // However long: the firm has not said when it is.
    expect(late).toBe(false);
    return [
      closedBy?.name ?? waitingSince,
      ...history.map(({ outcome, endedAt, respondedAt, withdrawnBy, rejectionReason }) => [
        ...[outcome, endedAt, respondedAt, withdrawnBy?.name ?? rejectionReason],
      ]),
    ];
  };
  const pending = ['pending', null, null, null];
  clock.advance(1000 * HOUR);
  expect(await ends()).toEqual([sentAt, pending]);
  const rejectedAt = clock.advance(MINUTE);
  // In the same millisecond, so that the claim's place in the feed is later than its answer.
  await use.rejectClaim({ svcId }, await sendId(firm.live, svcId), null);
  await use.rejectClaim({ svcId }, id, 'Too far.');
  const rejected = ['rejected', rejectedAt, rejectedAt, 'Too far.'];
  expect(await ends()).toEqual([rejectedAt, rejected]);
  clock.advance(MINUTE);
  await offer(byBen, id, svcId);
  // Nobody withdrew the one that another replaces.
  const earlier = [['withdrawn', clock.advance(MINUTE), null, null], rejected];
  await offer(byBen, id, other);
  const leftAt = clock.advance(MINUTE);
  await use.leaveFirm({ svcId: other }, firm.id);
  earlier.unshift(['unassigned', leftAt, null, null]);
  expect(await ends()).toEqual([leftAt, ...earlier]);
  const offeredAt = clock.advance(MINUTE);
  await offer(byBen, id, svcId);
  expect(await ends()).toEqual([offeredAt, pending, ...earlier]);
  const closedAt = clock.advance(MINUTE);
  await use.closeClaimAsOperator(id);
  expect(await ends()).toEqual([null, ['closed', closedAt, null, null], ...earlier]);
  for (const outcome of ['accepted', 'rejected', 'withdrawn']) {
    const claimId = await sendId(firm.live, svcId);
    const endedAt = clock.advance(MINUTE);
    if (outcome === 'accepted') await use.acceptClaim({ svcId }, claimId);
    if (outcome === 'rejected') await use.rejectClaim({ svcId }, claimId, null);
    if (outcome === 'withdrawn') await use.withdrawOffer(ana, { claimId });
    expect((await use.readBoardClaim(firm.id, claimId)).closedBy).toBeNull();
    clock.advance(MINUTE);
    if (outcome === 'withdrawn') await use.closeClaimAsOperator(claimId);
    else await use.closeClaimAtDesk(ben, { claimId, reason: null });
    const by = outcome === 'withdrawn' ? [null, 'Ana'] : [endedAt, null];
    const closedBy = outcome === 'withdrawn' ? null : ben.name;
    expect(await ends(claimId)).toEqual([closedBy, [outcome, endedAt, ...by]]);
  }
});
