import { expect, test } from '@jest/globals';
import { type KeyId, NO_NOTES, NO_OVERRIDES, type Svcid, TEST_BEHAVIORS } from '@svc/domain';
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

test('each act in the sandbox is in the trail as done by the key, with the account that it is about', async () => {
  const { addedTo, use, clock, newFirm, sendId } = await setUp();
  const firm = await newFirm();
  const keyId = 'key_7' as KeyId;
  const origin = { keyId, address: '192.0.2.9', requestId: 'request' };
  const actor = { ...firm.test, origin };
  const { manual, new: invited } = firm.accounts;
  const invite = () => use.inviteAdjuster(actor, { svcId: invited, notes: NO_NOTES });
  const [one, two, three] = [
    await sendId(firm.test, manual),
    await sendId(firm.test, manual),
    await sendId(firm.test, manual),
  ];
  const { sandbox } = use;
  const [key, account, member] = [`key:${keyId}`, `adjuster:${invited}`, `adjuster:${manual}`];
  const fault = { kind: 'dropped', count: 2 } as const;
  for (const [act, action, object, changes] of [
    [invite, 'invitation.send', account],
    [() => sandbox.declineInvitation(actor, invited), 'invitation.decline', account],
    [invite, 'invitation.send', account],
    [() => sandbox.expireInvitation(actor, invited), 'invitation.withdraw', account],
    [invite, 'invitation.send', account],
    [() => sandbox.acceptInvitation(actor, invited), 'invitation.accept', account],
    [() => sandbox.setAcceptingAssignments(actor, manual, false), 'member.pause', member],
    [() => sandbox.setAcceptingAssignments(actor, manual, false)],
    [() => sandbox.setAcceptingAssignments(actor, manual, true), 'member.resume', member],
    [() => sandbox.closeClaim(actor, three), 'claim.close', `claim:${three}`],
    [() => sandbox.setCanAcceptClaims(actor, invited, false), 'member.permission', account],
    [() => sandbox.setCanAcceptClaims(actor, invited, false)],
    [() => sandbox.leaveFirm(actor, invited), 'member.leave', account],
    [
      () => sandbox.setFaults(actor, keyId, fault),
      ...['faults.set', key, { kind: { from: null, to: 'dropped' }, count: { from: null, to: 2 } }],
    ],
    [() => sandbox.setFaults(actor, keyId, null), 'faults.clear', key],
  ] as const) {
    clock.advance(1);
    const by = { actor: key, address: origin.address, requestId: origin.requestId };
    const entry = { ...by, at: clock.now(), action, object, outcome: 'ok', ...(changes && { changes }) };
    expect(await addedTo(firm.id, act)).toEqual(action === undefined ? [] : [entry]);
  }
  for (const [act, action, id] of [
    [() => sandbox.acceptClaim(actor, one), 'claim.accept', one],
    [() => sandbox.rejectClaim(actor, two, 'Too far.'), 'claim.reject', two],
  ] as const)
    expect(await addedTo(firm.id, act)).toEqual([
      {
        ...{ at: clock.now(), action, object: `claim:${id}`, outcome: 'ok' },
        ...{ actor: member, address: origin.address, requestId: origin.requestId },
      },
    ]);
});

test('a new firm has its plan, no settings, and the test accounts of each behavior with their sign-in secrets', async () => {
  const { use, memory, clock, secrets, auditOf } = await setUp();
  const { firm, testAccounts } = await use.createFirm({ name: 'Gulf', plan: 'read_only' });
  expect(firm).toEqual({
    ...{ id: firm.id, name: 'Gulf', plan: 'read_only', limits: NO_OVERRIDES, maxKeys: null },
    ...{ offerWaitHours: null, clocks: null, createdAt: clock.now(), erasure: null },
  });
  expect(await memory.operatorReads.firm(firm.id)).toEqual(firm);
  const plan = { from: null, to: 'read_only' };
  expect(await auditOf(firm.id)).toEqual([
    {
      ...{ ...OPERATOR, at: clock.now(), action: 'firm.create', object: `firm:${firm.id}`, outcome: 'ok' },
      changes: { plan },
    },
  ]);
  const [, tag] = testAccounts[0]?.svcId.split('_') ?? [];
  const found = [];
  for (const { svcId, behavior, signInSecret } of testAccounts) {
    const adjuster = await memory.appReads.adjuster(svcId);
    const stored = await memory.unitOfWork.run((tx) => tx.adjusters.signInSecretHash(svcId));
    expect(stored).toBe(secrets.hashOf(signInSecret, 'sign_in_secret'));
    const [membership] = await memory.appReads.memberships(svcId);
    found.push([behavior, adjuster, membership?.firmId, membership?.acceptingAssignments]);
  }
  const names = ['Manual', 'Accepts', 'Rejects', 'Paused', 'New', 'Joins', 'Declines'];
  const accepting = [true, true, true, false];
  expect(new Set(found)).toEqual(
    new Set(
      ['manual', 'accepts', 'rejects', 'paused', 'new', 'joins', 'declines'].map((behavior, n) => [
        behavior,
        {
          ...{ svcId: `test_${tag}_${behavior}`, firstName: 'Test', lastName: names[n] },
          ...{ email: `${behavior}@${tag?.toLowerCase()}.test`, testOf: { firmId: firm.id, behavior } },
        },
        n < 4 ? firm.id : undefined,
        accepting[n],
      ]),
    ),
  );
  expect(testAccounts.map(({ behavior }) => behavior)).toEqual(TEST_BEHAVIORS);
});
