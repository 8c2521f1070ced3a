import { expect, test } from '@jest/globals';
import {
  DAY,
  HOUR,
  MAX_STAFF_PER_FIRM,
  nextLateOffersMail,
  SIGN_IN_TICKET_LIFETIME_MS,
  type Svcid,
} from '@svc/domain';
import { assertionFor, attestationFor, createFixture, errorCodeOf } from '@svc/testkit';
import { makeOpenStaffSession } from '../../src/desk/staff.ts';
import { byAccount, makeReadOwnStaff, SERVICE_CHAIN, type StaffFirm } from '../../src/index.ts';
import { memoryFixture } from '../memory-fixture.ts';

test('a firm has at most so many staff members, and one less makes room', async () => {
  const { newFirm, newStaff, use } = memoryFixture();
  const [firm, other] = [await newFirm(), await newFirm()];
  await newStaff(firm);
  const member = await newStaff(firm, 'auditor');
  for (let count = 2; count < MAX_STAFF_PER_FIRM; count += 1) await newStaff(firm, 'auditor');
  expect(await errorCodeOf(newStaff(firm))).toBe('too_many_staff');
  await newStaff(other);
  await use.removeStaff(member);
  await newStaff(firm);
});

test('staff read themselves, their sessions and each firm where their address is staff, until they are removed', async () => {
  const { newFirm, newStaff, use, memory, clock, secrets, ids } = memoryFixture();
  const [one, two] = [await newFirm(), await newFirm('read_only')];
  await newStaff(one);
  const member = await newStaff(one, 'auditor');
  await newStaff(two, 'admin', { email: member.email });
  const firms: readonly StaffFirm[] = [
    { id: one.id, name: one.name, plan: 'standard' },
    { id: two.id, name: two.name, plan: 'read_only' },
  ];
  expect(await use.desk.readOwnStaff(member)).toEqual({ member, firm: firms[0], firms });
  await use.openStaffSession(member);
  const [session, ...others] = await memory.accountReads.sessions(member, clock.now());
  expect([session?.method, others]).toEqual(['operator', []]);
  clock.advance((session?.expiresAt ?? 0) - clock.now());
  expect(await memory.accountReads.sessions(member, clock.now())).toEqual([]);
  // Where the operator lets sessions last for less than three months.
  const deps = { uow: memory.unitOfWork, secrets, clock, ids, sessionMaxAgeMs: DAY };
  const { expiresAt } = await makeOpenStaffSession(deps)(byAccount(member), member);
  const [brief] = await memory.accountReads.sessions(member, clock.now());
  expect([expiresAt, brief?.expiresAt]).toEqual(Array(2).fill(clock.now() + DAY));
  const staffReads = { ...memory.staffReads, firmsOf: async () => firms.slice(1) };
  expect(await errorCodeOf(makeReadOwnStaff({ staffReads })(member))).toBe('account_removed');
  await use.removeStaff(member);
  expect(await errorCodeOf(use.desk.readOwnStaff(member))).toBe('account_removed');
});

test('the audit trail has what changed of a staff member, and no entry if nothing did', async () => {
  const { newFirm, newStaff, use, clock, auditOf, jobsOf, memory } = memoryFixture();
  const firm = await newFirm();
  const member = await newStaff(firm, 'dispatcher');
  const setMail = (isWished: boolean) => use.desk.setLateOffersMail(byAccount(member), member, isWished);
  await use.updateStaff(member, {});
  await use.updateStaff(member, { role: 'dispatcher', name: member.name });
  await setMail(false);
  await use.updateStaff(member, { role: 'admin', name: 'Zoë' });
  for (let times = 0; times < 3; times += 1) await setMail(true);
  // Also of the only administrator, and the rest is kept.
  const lateOffersMailAt = nextLateOffersMail(clock.now());
  const renamed = await use.updateStaff(member, { role: 'admin', name: 'Zoé' });
  expect(renamed).toEqual({ ...member, role: 'admin', name: 'Zoé', lateOffersMailAt });
  expect(await memory.staffReads.find(member)).toEqual(renamed);
  // Due, while its job has not run: another one is queued.
  const due = nextLateOffersMail(clock.now());
  clock.advance(due - clock.now());
  await setMail(true);
  // Days later it still has not run.
  clock.advance(3 * DAY - HOUR);
  const lastDue = nextLateOffersMail(clock.now());
  await setMail(true);
  clock.advance(DAY);
  await setMail(false);
  await setMail(false);
  await newStaff(firm);
  await use.removeStaff(member);
  expect(await errorCodeOf(setMail(true))).toBe('account_removed');
  const mails = (await jobsOf(firm)).filter(({ job }) => job.kind === 'mail_late_offers');
  expect(mails.map(({ job, runAt }) => ['at' in job && job.at, runAt])).toEqual(
    [due, nextLateOffersMail(due), lastDue].map((at) => [at, at]),
  );
  const own = (await auditOf(firm.id)).filter(({ object }) => object === `staff:${member.staffId}`);
  expect(own.map(({ action, changes }) => [action, changes])).toEqual([
    ['staff.invite', { role: { from: null, to: 'dispatcher' } }],
    ['staff.role', { role: { from: 'dispatcher', to: 'admin' } }],
    ['staff.rename', undefined],
    ['staff.settings', { lateOffersMail: { from: false, to: true } }],
    ['staff.rename', undefined],
    ['staff.settings', undefined],
    ['staff.settings', undefined],
    ['staff.settings', { lateOffersMail: { from: true, to: false } }],
    ['staff.remove', undefined],
  ]);
});

test('whoever is invited, in a list too, or withdrawn, is so when the database gets to it', async () => {
  const { memory, clock } = memoryFixture();
  const run: typeof memory.unitOfWork.run = (work) => {
    clock.advance(HOUR);
    return memory.unitOfWork.run(work);
  };
  const fixture = createFixture({ ...memory, unitOfWork: { ...memory.unitOfWork, run } }, clock);
  const { newFirm, newStaff, newAdjuster, invite, use, jobsOf, auditOf } = fixture;
  const firm = await newFirm();
  const member = await newStaff(firm);
  expect(member.invitedAt).toBe(clock.now());
  const svcIds = new Set<Svcid>();
  while (svcIds.size < 11) svcIds.add((await newAdjuster()).svcId);
  const from = clock.now();
  await use.inviteAdjusters(firm.live, svcIds);
  const invited = (await jobsOf(firm)).flatMap(({ job }) =>
    'invitedAt' in job ? [job.invitedAt - from] : [],
  );
  expect(invited).toEqual([...Array(10).fill(HOUR), 2 * HOUR]);
  const { svcId } = await newAdjuster();
  expect((await invite(firm, svcId)).membership.invitedAt).toBe(clock.now());
  await use.withdrawInvitation(firm.live, svcId);
  expect((await auditOf(firm.id)).at(-1)).toMatchObject({ action: 'invitation.withdraw', at: clock.now() });
});

test('staff have joined since they first entered a code, and then they are mailed about their passkeys', async () => {
  const { newFirm, newStaff, use, clock, external, memory, secrets } = memoryFixture();
  const member = await newStaff(await newFirm(), 'auditor');
  const { email, name } = member;
  const addPasskey = async (credential: string) => {
    const { token } = await use.openStaffSession(member);
    const session = await use.sessionAuthenticator.authenticateStaff(token);
    if (session === null) throw new Error('expected a session');
    const options = await use.desk.startPasskeyRegistration(member, session);
    const id = secrets.hashOfSubject('passkey user', `staff ${member.firmId} ${member.staffId}`);
    const existing = await memory.accountReads.passkeys(member);
    expect(options).toMatchObject({ user: { id, name: email, displayName: name }, existing });
    const response = attestationFor(options, credential);
    await use.desk.registerPasskey(member, session, { name: credential, response });
    return external.notices.filter(({ event }) => event === 'passkey_added');
  };
  expect(await addPasskey('one')).toEqual([]);
  const passkey = assertionFor(await use.desk.startPasskeySignIn('browser'), 'one', 1);
  await use.desk.signIn({ passkey, clientSecret: 'browser' });
  expect(await memory.staffReads.find(member)).toEqual(member);
  const joinedAt = clock.now();
  for (let times = 0; times < 2; times += 1) {
    await use.desk.requestSignInCode(email);
    await use.desk.signIn({ email, code: external.mails.at(-1)?.code ?? '' });
    clock.advance(1000);
  }
  expect(await memory.staffReads.find(member)).toEqual({ ...member, joinedAt });
  expect(await addPasskey('two')).toEqual([{ email, event: 'passkey_added' }]);
  expect((await memory.accountReads.passkeys(member)).map(({ name }) => name)).toEqual(['one', 'two']);
});

test('the trail of the firm has who signs in, fails to and signs out, that of the service who is no staff', async () => {
  const { newFirm, newStaff, use, external, auditBuffer, auditOf } = memoryFixture();
  const firm = await newFirm();
  const member = await newStaff(firm);
  const { firmId, staffId, email } = member;
  const failed = async (of: string) => {
    expect(await errorCodeOf(use.desk.signIn({ email: of, code: '999999' }))).toBe('sign_in_refused');
  };
  await failed(email);
  await failed('nobody@example.net');
  await auditBuffer.flush();
  await use.desk.requestSignInCode(email);
  const opened = await use.desk.signIn({ email, code: external.mails.at(-1)?.code ?? '' });
  const session = await use.sessionAuthenticator.authenticateStaff('token' in opened ? opened.token : '');
  await use.desk.signOut({ firmId, staffId }, session?.tokenHash ?? '');
  const object = `staff:${staffId}`;
  expect((await auditOf(firm.id)).slice(-3)).toMatchObject([
    { actor: 'anonymous', action: 'sign_in', object, outcome: 'sign_in_refused' },
    { actor: object, action: 'session.open', object, outcome: 'ok' },
    { actor: object, action: 'session.end', object, outcome: 'ok' },
  ]);
  expect((await auditOf(SERVICE_CHAIN)).at(-1)).toMatchObject({ action: 'sign_in', object: null });
});

test('a person of two firms joins the one that a session or a passkey names, with ten sessions there, and none that is being erased', async () => {
  const { newFirm, newStaff, use, external, memory, clock, auditOf, auditBuffer } = memoryFixture();
  const [one, two, erased] = [await newFirm(), await newFirm(), await newFirm()];
  const member = await newStaff(one, 'auditor');
  const { email } = member;
  const other = await newStaff(two, 'auditor', { email });
  const gone = await newStaff(erased, 'auditor', { email });
  await use.desk.requestSignInCode(email);
  const code = external.mails.at(-1)?.code ?? '';
  const opened = await use.desk.signIn({ email, code, firmId: one.id });
  const session = await use.sessionAuthenticator.authenticateStaff('token' in opened ? opened.token : '');
  if (session === null) throw new Error('expected a session');
  const sessionsOf = async (of: Pick<typeof member, 'firmId' | 'staffId'>) =>
    (await memory.accountReads.sessions(of, clock.now())).map((each) => [each.method, each.deviceName]);
  expect(await sessionsOf(member)).toEqual([['code', 'Test device']]);
  const options = await use.desk.startPasskeyRegistration(member, session);
  const response = attestationFor(options, 'phone');
  await use.desk.registerPasskey(member, session, { name: 'Phone', response });
  await memory.unitOfWork.run(async (tx) => {
    const firm = await tx.firms.lock(erased.id);
    if (firm !== null) await tx.firms.save({ ...firm, erasure: 'started' });
  });
  const [address, none] = ['192.0.2.7', null];
  const origin = { address, requestId: 'request' };
  const change = (firmId: typeof one.id) =>
    use.desk.changeFirm({ ...member, origin }, session.tokenHash, firmId);
  for (const attempt of [change(erased.id), use.updateStaff(gone, { role: 'admin' }), use.removeStaff(gone)])
    expect(await errorCodeOf(attempt)).toBe('not_found');
  for (let n = 0; n < 10; n += 1) await use.openStaffSession(other);
  const changed = async ({ id }: typeof one) =>
    (await auditOf(id)).slice(-1).map((last) => [last.actor, last.action, last.object, last.address]);
  const [staff, otherStaff] = [`staff:${member.staffId}`, `staff:${other.staffId}`];
  await change(one.id);
  expect(await changed(one)).toEqual([[staff, 'passkey.add', staff, none]]);
  await change(two.id);
  expect(await changed(one)).toEqual([[staff, 'session.end', staff, address]]);
  expect(await changed(two)).toEqual([[otherStaff, 'session.open', otherStaff, address]]);
  expect(await memory.staffReads.find(other)).toMatchObject({ joinedAt: clock.now() });
  expect(await sessionsOf(other)).toHaveLength(10);
  await use.desk.signOutEverywhere(other);
  const { firmId, staffId } = await newStaff(await newFirm(), 'auditor', { email });
  const signIn = async (count: number, firm: { readonly firmId?: typeof firmId }) => {
    const passkey = assertionFor(await use.desk.startPasskeySignIn('browser'), 'phone', count);
    return use.desk.signIn({ passkey, clientSecret: 'browser', ...firm });
  };
  expect(await signIn(1, { firmId })).toMatchObject({ account: { staffId, joinedAt: clock.now() } });
  expect(await sessionsOf({ firmId, staffId })).toEqual([['passkey', 'Test device']]);
  const choice = await signIn(2, {});
  const ticket = 'ticket' in choice ? choice.ticket : '';
  await use.desk.signIn({ ticket, firmId: two.id, clientSecret: 'browser' }, address);
  expect(await sessionsOf(other)).toEqual([['passkey', 'Test device']]);
  expect(await changed(two)).toEqual([[otherStaff, 'session.open', otherStaff, address]]);
  const ended = async ({ id }: typeof one) =>
    (await auditOf(id)).filter(({ action }) => action === 'sessions.end').length;
  expect([await ended(one), await ended(two)]).toEqual([0, 1]);
  await use.openStaffSession(member);
  await use.desk.signOutEverywhere({ ...other, origin });
  expect([await ended(one), await ended(two), await changed(one)]).toEqual([
    ...[1, 2],
    [[staff, 'sessions.end', staff, address]],
  ]);
  expect(await sessionsOf(member)).toEqual([]);
  await errorCodeOf(use.desk.signIn({ email, code: '999999', firmId: two.id }));
  const late = await signIn(3, {});
  clock.advance(SIGN_IN_TICKET_LIFETIME_MS);
  const expired = { ticket: 'ticket' in late ? late.ticket : '', firmId: one.id };
  await errorCodeOf(use.desk.signIn({ ...expired, clientSecret: 'browser' }));
  await auditBuffer.flush();
  for (const [firm, object] of [
    [one, staff],
    [two, otherStaff],
  ] as const)
    expect(await changed(firm)).toEqual([['anonymous', 'sign_in', object, expect.any(String)]]);
});

test('where passkeys are required, a code alone signs in a person who has none, and proves the address of who has one', async () => {
  const { newFirm, newStaff, external, memory, clock, use, useWithPasskeysRequired } = memoryFixture();
  const { desk, sessionAuthenticator } = useWithPasskeysRequired;
  const [one, two] = [await newFirm(), await newFirm()];
  const enter = async (email: string, firmId = two.id) => {
    await desk.requestSignInCode(email);
    return desk.signIn({ email, code: external.mails.at(-1)?.code ?? '', firmId });
  };
  const bare = await newStaff(two, 'auditor');
  const opened = await enter(bare.email);
  if (!('token' in opened)) throw new Error('expected a session');
  const session = await sessionAuthenticator.authenticateStaff(opened.token);
  expect(session).toMatchObject({ mayOnlyAddPasskey: true, staff: { staffId: bare.staffId } });
  const member = await newStaff(one, 'auditor');
  const other = await newStaff(two, 'auditor', { email: member.email });
  const { token } = await use.openStaffSession(member);
  const withPasskey = await use.sessionAuthenticator.authenticateStaff(token);
  if (withPasskey === null) throw new Error('expected a session');
  const response = attestationFor(await use.desk.startPasskeyRegistration(member, withPasskey), 'phone');
  await use.desk.registerPasskey(member, withPasskey, { name: 'Phone', response });
  expect(await errorCodeOf(enter(member.email))).toBe('passkey_required');
  const joined = [await memory.staffReads.find(member), await memory.staffReads.find(other)];
  expect(joined.map((each) => each?.joinedAt)).toEqual([clock.now(), null]);
});
