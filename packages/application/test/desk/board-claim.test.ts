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
  for (const late of [false, true]) {
    const shown = await use.readBoardClaim(firm.id, id);
    expect([shown.late, shown.waitingSince]).toEqual([late, offeredAt]);
    expect(shown.history.map(({ adjusterName, offeredBy }) => [adjusterName, offeredBy?.name])).toEqual([
      ...[
        [names.get(two), 'Ana'],
        [null, 'Intake'],
      ],
    ]);
    clock.advance(HOUR);
  }
});
