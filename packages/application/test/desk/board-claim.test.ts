import { expect, test } from '@jest/globals';
import { HOUR, MINUTE } from '@svc/domain';
import { memoryFixture } from '../memory-fixture.ts';

test('a claim names who made its offers, the adjusters who are members, and since when it waits, late or not', async () => {
  const { newFirm, newMember, newStaff, newKey, sendId, use, clock, memory } = memoryFixture();
  const firm = await newFirm();
  const [one, two] = [await newMember(firm), await newMember(firm)];
  const staff = await newStaff(firm, 'dispatcher', { name: 'Ana' });
  const { key } = await newKey(firm, { name: 'Intake' });
  clock.advance(1);
  await newKey(firm, { name: 'Other' });
  const origin = { address: '192.0.2.9', requestId: 'request' };
  await use.setOfferWait(firm.id, 1);
  const id = await sendId({ ...firm.live, origin: { ...origin, keyId: key.id } }, one);
  const offeredAt = clock.advance(MINUTE);
  const byStaff = { ...firm.live, origin: { ...origin, staffId: staff.staffId } };
  await use.offerClaim(byStaff, { claimId: id, adjuster: two, idempotencyKey: 'k', fingerprint: 'f' });
  const names = new Map(
    (await memory.boardReads.members(firm.id, [one, two])).map(({ adjuster: { svcId, ...of } }) => [
      ...([svcId, `${of.firstName} ${of.lastName}`] as const),
    ]),
  );
  await use.leaveFirm({ svcId: one }, firm.id);
  const people = [
    { type: 'staff', id: staff.staffId, name: 'Ana' },
    { type: 'key', id: key.id, name: 'Intake' },
  ];
  for (const late of [false, true]) {
    const shown = await use.readBoardClaim(firm.id, id);
    expect([shown.late, shown.waitingSince]).toEqual([late, offeredAt]);
    expect(shown.history.map(({ adjusterName, offeredBy }) => [adjusterName, offeredBy])).toEqual([
      ...[
        [names.get(two), people[0]],
        [null, people[1]],
      ],
    ]);
    clock.advance(HOUR);
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

test('each offer of a claim says how and when it ended, and an open claim since when it waits', async () => {
  const { newFirm, newMember, sendId, offer, use, clock } = memoryFixture();
  const firm = await newFirm();
  const [svcId, other] = [await newMember(firm), await newMember(firm)];
  const sentAt = clock.advance(MINUTE);
  const id = await sendId(firm.live, svcId);
  const ends = async () => {
    const { history, waitingSince } = await use.readBoardClaim(firm.id, id);
    return [waitingSince, ...history.map(({ outcome, endedAt }) => [outcome, endedAt])];
  };
  expect(await ends()).toEqual([sentAt, ['pending', null]]);
  const rejectedAt = clock.advance(MINUTE);
  // In the same millisecond, so that the claim's place in the feed is later than its answer.
  await use.rejectClaim({ svcId }, await sendId(firm.live, svcId), null);
  await use.rejectClaim({ svcId }, id, 'Too far.');
  const rejected = ['rejected', rejectedAt];
  expect(await ends()).toEqual([rejectedAt, rejected]);
  clock.advance(MINUTE);
  await offer(firm.live, id, other);
  const leftAt = clock.advance(MINUTE);
  await use.leaveFirm({ svcId: other }, firm.id);
  const earlier = [['unassigned', leftAt], rejected];
  expect(await ends()).toEqual([leftAt, ...earlier]);
  const offeredAt = clock.advance(MINUTE);
  await offer(firm.live, id, svcId);
  expect(await ends()).toEqual([offeredAt, ['pending', null], ...earlier]);
  const closedAt = clock.advance(MINUTE);
  await use.closeClaimAsOperator(id);
  expect(await ends()).toEqual([null, ['closed', closedAt], ...earlier]);
});
