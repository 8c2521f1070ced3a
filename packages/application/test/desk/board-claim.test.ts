import { expect, test } from '@jest/globals';
import { HOUR, MINUTE } from '@svc/domain';
import { errorCodeOf } from '@svc/testkit';
import { memoryFixture } from '../memory-fixture.ts';

test('a claim is shown with each of its offers, who made and withdrew them, how they ended and since when it waits', async () => {
  const { newFirm, newMember, newStaff, newKey, sendId, use, clock, memory } = memoryFixture();
  const firm = await newFirm();
  const [one, two] = [await newMember(firm), await newMember(firm)];
  const staff = await newStaff(firm, 'dispatcher', { name: 'Ana' });
  const { key } = await newKey(firm, { name: 'Intake' });
  const origin = { address: '192.0.2.9', requestId: 'request' };
  const byKey = { ...firm.live, origin: { ...origin, keyId: key.id } };
  const byStaff = { ...firm.live, origin: { ...origin, staffId: staff.staffId } };
  await use.setOfferWait(firm.id, 1);
  const id = await sendId(byKey, one);
  const first = clock.now();
  const offerTo = (adjuster: typeof one, n: number) =>
    use.offerClaim(byStaff, { claimId: id, adjuster, idempotencyKey: `offer ${n}`, fingerprint: 'f' });
  const nameOf = async (svcId: typeof one) =>
    (await memory.boardReads.members(firm.id, [svcId])).map(
      ({ adjuster }) => `${adjuster.firstName} ${adjuster.lastName}`,
    )[0];
  const [nameOne, nameTwo] = [await nameOf(one), await nameOf(two)];
  const rejected = clock.advance(MINUTE);
  await use.rejectClaim({ svcId: one }, id, 'Too far.');
  const second = clock.advance(MINUTE);
  await offerTo(two, 1);
  const third = clock.advance(MINUTE);
  await offerTo(one, 2);
  const shown = async () => {
    const { history, claim, ...others } = await use.readBoardClaim(firm.id, id);
    const offers = history.map(
      ({ adjuster, adjusterName, offeredBy, withdrawnBy, outcome, offeredAt, endedAt, rejectionReason }) => [
        ...[adjuster, adjusterName, offeredBy?.name, withdrawnBy?.name, outcome, offeredAt, endedAt],
        rejectionReason,
      ],
    );
    return { offers, closed: [claim.closedAt, others.closedBy], late: [others.late, others.waitingSince] };
  };
  const earlier = [
    [two, nameTwo, 'Ana', undefined, 'withdrawn', second, third, null],
    [one, nameOne, 'Intake', undefined, 'rejected', first, rejected, 'Too far.'],
  ];
  const latest = [one, nameOne, 'Ana', undefined];
  const open = { closed: [null, null], late: [false, third] };
  expect(await shown()).toEqual({ ...open, offers: [[...latest, 'pending', third, null, null], ...earlier] });
  clock.advance(HOUR);
  expect((await shown()).late).toEqual([true, third]);
  await use.withdrawOffer(staff, { claimId: id });
  const claim = await memory.firmReads.claim(firm.id, 'live', id);
  const withdrawn = [...latest.slice(0, 3), 'Ana', 'withdrawn', third, claim?.updatedAt, null];
  expect(await shown()).toEqual({
    ...{ ...open, late: [false, claim?.updatedAt] },
    offers: [withdrawn, ...earlier],
  });
  clock.advance(MINUTE);
  await offerTo(two, 3);
  const fourth = clock.now();
  await use.leaveFirm({ svcId: two }, firm.id);
  clock.advance(MINUTE);
  const closedAt = clock.now();
  await use.closeClaimAtDesk(staff, { claimId: id, reason: null });
  const gone = await shown();
  expect([gone.closed, gone.late, gone.offers[0]?.slice(0, 6)]).toEqual([
    [closedAt, { type: 'staff', id: staff.staffId, name: 'Ana' }],
    [false, null],
    [two, null, 'Ana', undefined, 'unassigned', fourth],
  ]);
  // Whoever acts on what they saw before learns what has become of it.
  const other = await sendId(byKey, one);
  const seen = { claimId: other, seenUpdatedAt: 1 };
  const offered = { adjuster: one, idempotencyKey: 'seen', fingerprint: 'f' };
  const stale = [
    use.withdrawOffer(staff, seen),
    use.closeClaimAtDesk(staff, { ...seen, reason: null }),
    use.offerClaim(byStaff, { ...seen, ...offered }),
  ];
  const message = `The claim has changed since it was read: key Intake offered it to ${nameOne} (${one}).`;
  for (const attempt of stale)
    await expect(attempt).rejects.toMatchObject({ code: 'claim_changed', message });
  expect(await errorCodeOf(use.readBoardClaim((await newFirm()).id, id))).toBe('not_found');
});
