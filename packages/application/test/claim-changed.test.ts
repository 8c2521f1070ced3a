import { expect, test } from '@jest/globals';
import { type Assignment, type Claim, newOffer, type Svcid } from '@svc/domain';
import { checkUnchanged, withChangeDescribed } from '../src/firm/claim-changed.ts';
import { memoryFixture } from './memory-fixture.ts';

test('a claim that has changed is described by who offered it to whom, and how the offer ended', async () => {
  const { newFirm, newMember, newStaff, newKey, use, memory } = memoryFixture();
  const [firm, other] = [await newFirm(), await newFirm()];
  const [svcId, stranger] = [await newMember(firm), await newMember(other)];
  const named = (await newKey(firm, { name: 'Intake' })).key;
  const unnamed = (await newKey(firm)).key;
  const [person, removed, foreign] = [await newStaff(firm), await newStaff(firm), await newStaff(other)];
  await use.removeStaff(removed);
  const described = async (changes: Partial<Assignment>): Promise<unknown> => {
    const claim = { assignment: { ...newOffer(svcId, 1), ...changes }, updatedAt: 2 } as Claim;
    for (const seenAt of [2, undefined]) checkUnchanged(claim, seenAt);
    expect(() => checkUnchanged(claim, 3)).toThrow('has changed');
    const reading = Promise.resolve().then(() => checkUnchanged(claim, 1));
    const { code, message } = await reading
      .catch(withChangeDescribed(memory, firm.id))
      .catch((error) => error);
    return code === 'claim_changed' && message.replace('The claim has changed since it was read: ', '');
  };
  const to = `offered it to Renée Adjuster ${svcId.replace('Adj-', '')} (${svcId}).`;
  for (const [changes, description] of [
    [{}, `your firm ${to}`],
    [{ offeredBy: 'operator:ops' }, `your firm ${to}`],
    [{ offeredBy: `key:${named.id}` }, `key Intake ${to}`],
    [{ offeredBy: `key:${unnamed.id}` }, `key ${unnamed.id} ${to}`],
    [{ offeredBy: `staff:${person.staffId}` }, `${person.name} ${to}`],
    [{ offeredBy: `staff:${removed.staffId}` }, `a person who was removed ${to}`],
    [{ offeredBy: `staff:${foreign.staffId}` }, `a person who was removed ${to}`],
    [{ adjuster: stranger }, `your firm offered it to ${stranger}.`],
    [{ adjuster: 'Gone' as Svcid }, 'your firm offered it to Gone.'],
    [{ status: 'accepted' }, `your firm ${to} The offer was accepted.`],
    [{ status: 'rejected' }, `your firm ${to} The offer was rejected.`],
    [{ status: 'unassigned' }, `your firm ${to} The adjuster left, or may not accept claims now.`],
    [
      { status: 'unassigned', offeredBy: `key:${named.id}`, withdrawnBy: `staff:${person.staffId}` },
      `key Intake ${to} ${person.name} withdrew the offer.`,
    ],
  ] as const)
    expect([changes, await described(changes)]).toEqual([changes, description]);
});
