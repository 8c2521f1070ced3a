import { expect, test } from '@jest/globals';
import type { Svcid } from '@svc/domain';
import { OPERATOR } from '@svc/testkit';
import { type AuditChainId, SERVICE_CHAIN } from '../src/index.ts';
import { memoryFixture } from './memory-fixture.ts';

/** The fixture, and what an act adds to a chain. */
const setUp = async () => {
  const fixture = memoryFixture();
  const addedTo = async (chain: AuditChainId, act: () => Promise<unknown>) => {
    const before = (await fixture.auditOf(chain)).length;
    await act();
    return (await fixture.auditOf(chain)).slice(before);
  };
  return { ...fixture, addedTo };
};

test('each act of the operator on a firm and its members is in its trail with what changed, and none that changes nothing', async () => {
  const { addedTo, use, clock, newFirm, newAdjuster, newStaff, sendId, memory } = await setUp();
  const firm = await newFirm('claims_only');
  const [{ svcId }, staff] = [await newAdjuster(), await newStaff(firm)];
  await newStaff(firm);
  const limits = { requestsPerMinute: 60, writesPerMinute: 30, burst: 5 };
  const setting = (name: string, from: unknown, to: unknown) => ({ [name]: { from, to } });
  const exported = async () => {
    for await (const _ of use.exportFirm(firm.id));
  };
  const [ofFirm, ofAdjuster] = [`firm:${firm.id}`, `adjuster:${svcId}`];
  for (const [act, action, object, changes] of [
    [
      () => use.setPlan(firm.id, 'read_only'),
      'firm.plan',
      ofFirm,
      setting('plan', 'claims_only', 'read_only'),
    ],
    [() => use.setPlan(firm.id, 'read_only')],
    [() => use.setPlan(firm.id, 'standard'), 'firm.plan', ofFirm, setting('plan', 'read_only', 'standard')],
    [
      () => use.setLimits(firm.id, limits, 7),
      ...['firm.limits', ofFirm],
      {
        ...setting('requests_per_minute', null, 60),
        ...setting('writes_per_minute', null, 30),
        ...{ ...setting('burst', null, 5), ...setting('max_keys', null, 7) },
      },
    ],
    [() => use.setLimits(firm.id, { ...limits }, 7)],
    [
      () => use.setLimits(firm.id, { ...limits, burst: null }, 7),
      ...['firm.limits', ofFirm, setting('burst', 5, null)],
    ],
    [() => use.setOfferWait(firm.id, 4), 'firm.offer_wait', ofFirm, setting('offer_wait_hours', null, 4)],
    [() => use.setOfferWait(firm.id, null), 'firm.offer_wait', ofFirm, setting('offer_wait_hours', 4, null)],
    [exported, 'firm.export', ofFirm],
    [() => use.recordOperatorAction(firm.id, 'audit.export'), 'audit.export', ofFirm],
    [() => use.setLegalHold(firm.id, true), 'firm.hold', ofFirm],
    [() => use.setLegalHold(firm.id, true)],
    [() => use.setLegalHold(firm.id, false), 'firm.release', ofFirm],
    [() => use.setLegalHold(firm.id, false)],
    [() => use.addMember(firm.id, svcId), 'member.add', ofAdjuster],
    [() => use.setMember(firm.id, svcId, true)],
    [
      () => use.setMember(firm.id, svcId, false),
      ...['member.permission', ofAdjuster, setting('can_accept_claims', true, false)],
    ],
    [() => use.disableAdjuster(svcId), 'adjuster.disable', ofAdjuster],
    [() => use.disableAdjuster(svcId)],
    [() => use.enableAdjuster(svcId), 'adjuster.enable', ofAdjuster],
    [() => use.enableAdjuster(svcId)],
    [() => use.openSession(svcId), 'session.open', ofAdjuster],
    [() => use.endSessions(svcId), 'sessions.end', ofAdjuster],
    [() => use.endSessions(svcId)],
    [() => use.removePasskeys(svcId)],
    [() => use.removeMember(firm.id, svcId), 'member.remove', ofAdjuster],
    [() => use.removeStaff(staff), 'staff.remove', `staff:${staff.staffId}`],
  ] as const) {
    clock.advance(1);
    const entry = {
      ...OPERATOR,
      at: clock.now(),
      action,
      object,
      outcome: 'ok',
      ...(changes && { changes }),
    };
    expect(await addedTo(firm.id, act)).toEqual(action === undefined ? [] : [entry]);
  }
  const profile = { svcId: 'New-1' as Svcid, firstName: 'Ana', lastName: null, email: null };
  const created = { ...OPERATOR, at: clock.now(), action: 'adjuster.create', object: 'adjuster:New-1' };
  expect(await addedTo(SERVICE_CHAIN, () => use.createAdjuster(profile))).toEqual([
    { ...created, outcome: 'ok' },
  ]);
  const moved = { ...OPERATOR, at: clock.now(), action: 'database.move', object: null };
  for (const outcome of [undefined, 'failed'])
    expect(
      await addedTo(SERVICE_CHAIN, () => use.recordOperatorAction(SERVICE_CHAIN, 'database.move', outcome)),
    ).toEqual([{ ...moved, outcome: outcome ?? 'ok' }]);
  const claimId = await sendId(firm.test, firm.accounts.manual);
  const closed = { action: 'claim.close', object: `claim:${claimId}`, outcome: 'ok' };
  for (const expected of [[{ ...OPERATOR, at: clock.now(), ...closed }], []])
    expect(await addedTo(firm.id, () => use.closeClaimAsOperator(claimId))).toEqual(expected);
  expect(await memory.operatorReads.firm(firm.id)).toMatchObject({ limits: { ...limits, burst: null } });
});
