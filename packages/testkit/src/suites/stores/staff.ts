import { describe, expect, test } from '@jest/globals';
import { accountRef, byAccount, type FirmChoice, type OpenedSession } from '@svc/application';
import {
  DAY,
  type FirmId,
  HOUR,
  SIGN_IN_LIMITS,
  SIGN_IN_TICKET_LIFETIME_MS,
  type StaffId,
  type StaffMember,
  type StaffRef,
} from '@svc/domain';
import { errorCodeOf } from '../../error-code.ts';
import type { Fixture, TestFirm } from '../../fixture.ts';
import { assertionFor, attestationFor } from '../../test-passkeys.ts';

/** So that failed attempts do not count against the client of other tests. */
const DESK = '192.0.2.2';

async function sessionOf(
  signedIn: Promise<OpenedSession<StaffMember> | FirmChoice>,
): Promise<OpenedSession<StaffMember>> {
  const opened = await signedIn;
  if ('ticket' in opened) throw new Error('expected a session');
  return opened;
}

export function staffBehavior(fixture: () => Fixture): void {
  const codeOf = async (email: string, clientSecret?: string): Promise<string> => {
    const { use, external } = fixture();
    const before = external.mails.length;
    await use.desk.requestSignInCode(email, clientSecret);
    return external.mails[before]?.code ?? '';
  };
  const actionsOf = async ({ id }: TestFirm): Promise<string[]> =>
    (await fixture().auditOf(id)).map(
      ({ actor, action, object, outcome }) => `${actor} ${action} ${object} ${outcome}`,
    );

  describe('the staff of a firm', () => {
    test('are stored as invited, and listed by the time of their invitation, each in their firm only', async () => {
      const { newFirm, newStaff, stores, clock, use } = fixture();
      const [firm, other] = [await newFirm(), await newFirm()];
      clock.advance(1000);
      const second = await newStaff(firm, 'auditor', { name: 'Zoë O’Brien' });
      clock.advance(-1000);
      const first = await newStaff(firm, 'admin');
      const elsewhere = await newStaff(other);
      // Nor by the time at which they joined.
      const { email } = second;
      const { account } = await sessionOf(use.desk.signIn({ email, code: await codeOf(email) }));
      expect(account).toEqual({ ...second, joinedAt: clock.now() });
      expect(await stores.staffReads.ofFirm(firm.id)).toEqual([first, account]);
      expect(await stores.staffReads.find(second)).toEqual(account);
      expect(await stores.staffReads.find({ firmId: firm.id, staffId: elsewhere.staffId })).toBeNull();
      expect(await stores.staffReads.ofFirm('0b8f1b5e-0000-4a53-9a3e-6f3a1f5a2f10' as FirmId)).toEqual([]);
    });

    test('have different addresses without regard to case; another firm may have the same', async () => {
      const { newFirm, newStaff, stores, clock } = fixture();
      const [firm, other] = [await newFirm(), await newFirm()];
      clock.advance(1);
      const { email } = await newStaff(firm);
      clock.advance(-1);
      expect(await errorCodeOf(newStaff(firm, 'auditor', { email: email.toUpperCase() }))).toBe(
        'staff_exists',
      );
      await newStaff(other, 'auditor', { email: email.toLowerCase() });
      const firms = await stores.staffReads.firmsOf(email.toUpperCase());
      const expected = [other, firm].map(({ id, name }) => ({ id, name, plan: 'standard' }));
      expect(firms).toEqual(expected);
      await stores.unitOfWork.run(async (tx) => {
        const erased = await tx.firms.lock(firm.id);
        if (erased !== null) await tx.firms.save({ ...erased, erasure: 'started' });
      });
      expect(await stores.staffReads.firmsOf(email)).toEqual(expected.slice(0, 1));
    });

    test('are not mailed without end when they are removed and invited again and again', async () => {
      const { newFirm, newStaff, use, external } = fixture();
      const [firm, other] = [await newFirm(), await newFirm()];
      const email = 'invited-often@example.com';
      const most = SIGN_IN_LIMITS.invitationsPerFirmAndRecipient.free;
      const addresses = Array.from({ length: 2 * most }, (_, n) =>
        n % 2 === 0 ? email : email.toUpperCase(),
      );
      for (const address of addresses)
        await use.removeStaff(await newStaff(firm, 'auditor', { email: address }));
      await newStaff(other, 'auditor', { email });
      const mails = external.notices.filter((notice) => notice.email.toLowerCase() === email);
      expect(mails).toEqual([
        ...addresses.slice(0, most).map((each) => ({ email: each, event: `staff_invited ${firm.name}` })),
        { email, event: `staff_invited ${other.name}` },
      ]);
      expect((await newStaff(firm, 'auditor', { email })).email).toBe(email);
    });

    test('sign in with a code that is mailed to them, to the only firm, to one that they name, or choose one', async () => {
      const { newFirm, newStaff, use, clock, stores } = fixture();
      const [first, second] = [await newFirm(), await newFirm()];
      const member = await newStaff(first, 'dispatcher');
      const { email } = member;
      const opened = await sessionOf(use.desk.signIn({ email, code: await codeOf(email) }));
      expect(opened.account).toEqual({ ...member, joinedAt: clock.now() });
      expect(await stores.staffReads.find(member)).toEqual(opened.account);
      const { firmId, staffId } = member;
      expect((await use.sessionAuthenticator.authenticateStaff(opened.token))?.staff).toEqual({
        firmId,
        staffId,
        role: 'dispatcher',
        firmName: first.name,
        plan: 'standard',
      });
      clock.advance(-1000);
      const invited = await newStaff(second, 'auditor', { email });
      clock.advance(2000);
      const again = await use.desk.signIn({ email, code: await codeOf(email) });
      const firms = [first, second].map(({ id, name }) => ({ id, name }));
      expect(again).toEqual({ ticket: expect.stringMatching(/^svc_ticket_/), firms });
      const named = { email, code: await codeOf(email), firmId: second.id };
      expect((await sessionOf(use.desk.signIn(named))).account.staffId).toBe(invited.staffId);
      const stranger = { email, code: await codeOf(email), firmId: (await newFirm()).id };
      expect(await errorCodeOf(use.desk.signIn(stranger))).toBe('sign_in_refused');
    });

    /** A person who is staff of two firms, and has not signed in yet. */
    const personOfTwo = async () => {
      const { newFirm, newStaff } = fixture();
      const [first, second] = [await newFirm(), await newFirm()];
      const member = await newStaff(first, 'auditor');
      const { email } = member;
      return { first, second, email, member, other: await newStaff(second, 'dispatcher', { email }) };
    };
    const ticketFor = async (email: string, clientSecret?: string) => {
      const code = await codeOf(email, clientSecret);
      const chosen = await fixture().use.desk.signIn({ email, code, clientSecret });
      if (!('ticket' in chosen)) throw new Error('expected a choice of firms');
      return chosen.ticket;
    };

    test('of two firms choose one with a ticket that works once, for a while, on their client and for their firms', async () => {
      const { use, clock, newFirm, stores, secrets } = fixture();
      const { first, second, email, other } = await personOfTwo();
      const { signIn } = use.desk;
      const ticket = await ticketFor(email, 'browser');
      for (const refused of [
        { ticket, firmId: second.id },
        { ticket, firmId: second.id, clientSecret: 'another browser' },
        { ticket: `${ticket}0`, firmId: second.id, clientSecret: 'browser' },
        { ticket: 'svc_ticket_', firmId: second.id, clientSecret: 'browser' },
      ])
        expect(await errorCodeOf(signIn(refused))).toBe('sign_in_refused');
      const proof = { ticket, firmId: second.id, clientSecret: 'browser' };
      const ends = await Promise.allSettled([signIn(proof), signIn(proof)]);
      expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      // Whoever is invited by two firms has joined the one that they chose.
      expect(await stores.staffReads.find(other)).toMatchObject({ joinedAt: clock.now() });
      const [firms, staff] = [
        await stores.staffReads.firmsOf(other.email),
        await stores.unitOfWork.run((tx) => tx.staff.findByEmail(other.email)),
      ];
      for (const ids of [firms.map(({ id }) => id), staff.map(({ firmId }) => firmId)])
        expect(ids).toEqual([second.id, first.id]);
      const stranger = { ticket: await ticketFor(email), firmId: (await newFirm()).id };
      expect(await errorCodeOf(signIn(stranger))).toBe('sign_in_refused');
      expect(await errorCodeOf(signIn({ ...stranger, firmId: first.id }))).toBe('sign_in_refused');
      const late = { ticket: await ticketFor(email), firmId: first.id };
      clock.advance(SIGN_IN_TICKET_LIFETIME_MS);
      expect(await errorCodeOf(signIn(late))).toBe('sign_in_refused');
      // Only a hash of it is stored.
      const kept = await ticketFor(email);
      const hash = secrets.hashOf(kept, 'sign_in_ticket') ?? '';
      const taken = await stores.unitOfWork.run((tx) =>
        tx.signInTickets.take(secrets.hashOfSubject('ticket', hash)),
      );
      expect(JSON.stringify(taken)).not.toContain(kept);
      expect(taken).toMatchObject({ method: 'code', expiresAt: clock.now() + SIGN_IN_TICKET_LIFETIME_MS });
    });

    test('of two firms cannot use a ticket for one that has removed them since', async () => {
      const { use } = fixture();
      const { first, second, email, other } = await personOfTwo();
      const ticket = await ticketFor(email);
      await use.removeStaff({ ...other });
      expect(await errorCodeOf(use.desk.signIn({ ticket, firmId: second.id }))).toBe('sign_in_refused');
      const opened = await sessionOf(use.desk.signIn({ email, code: await codeOf(email) }));
      expect(opened.account.firmId).toBe(first.id);
    });

    test('change the firm of a session, which is then of that firm alone, and keep it when the other removes them', async () => {
      const { use, clock, newFirm, newStaff, newAdjuster, newSession, stores, secrets } = fixture();
      const { first, second, email, member, other } = await personOfTwo();
      const admin = await newStaff(first);
      await newStaff(second);
      const { token } = await sessionOf(
        use.desk.signIn({ email, code: await codeOf(email), firmId: first.id }),
      );
      const current = async () => {
        const signedIn = await use.sessionAuthenticator.authenticateStaff(token);
        if (signedIn === null) throw new Error('expected a session');
        return signedIn;
      };
      const { tokenHash } = await current();
      const hashOfAdmin = secrets.hashOf((await use.openStaffSession(admin)).token, 'staff_session') ?? '';
      const { tokenHash: hashOfAdjuster } = await newSession((await newAdjuster()).svcId);
      const stranger = await newFirm();
      expect(await errorCodeOf(use.desk.changeFirm(member, tokenHash, stranger.id))).toBe('not_found');
      expect((await use.desk.changeFirm(member, tokenHash, first.id)).staffId).toBe(member.staffId);
      expect((await use.desk.changeFirm(member, tokenHash, second.id)).staffId).toBe(other.staffId);
      const { id: firmId, name: firmName } = second;
      const ofOther = { staffId: other.staffId, role: 'dispatcher' } as const;
      expect((await current()).staff).toEqual({ ...ofOther, firmId, firmName, plan: 'standard' });
      const hashes = [hashOfAdjuster, tokenHash, hashOfAdmin];
      expect(await stores.credentials.openSessions(hashes, clock.now())).toEqual(
        new Map([
          [hashOfAdjuster, null],
          [tokenHash, ofOther],
          [hashOfAdmin, { staffId: admin.staffId, role: 'admin' }],
        ]),
      );
      const sessions = (of: StaffRef) => stores.unitOfWork.run((tx) => tx.sessions.of(accountRef(of)));
      expect([(await sessions(member)).length, (await sessions(other)).length]).toEqual([0, 1]);
      await use.removeStaff(member);
      expect((await current()).staff.firmId).toBe(second.id);
      expect(await errorCodeOf(use.desk.changeFirm(other, tokenHash, first.id))).toBe('not_found');
      await use.removeStaff(other);
      expect(await use.sessionAuthenticator.authenticateStaff(token)).toBeNull();
    });

    test('change the firm of no session that has ended, and of none that has not proved their address', async () => {
      const { use } = fixture();
      const { second, member, email, first } = await personOfTwo();
      // The operator opened it, for one firm.
      const opened = await use.openStaffSession(member);
      const { tokenHash = '' } = (await use.sessionAuthenticator.authenticateStaff(opened.token)) ?? {};
      expect(await errorCodeOf(use.desk.changeFirm(member, tokenHash, second.id))).toBe('not_found');
      await sessionOf(use.desk.signIn({ email, code: await codeOf(email), firmId: first.id }));
      await use.desk.signOut(member, tokenHash);
      expect(await errorCodeOf(use.desk.changeFirm(member, tokenHash, second.id))).toBe('account_removed');
    });

    test('who are adjusters too have a code and a session for each', async () => {
      const { newFirm, newStaff, newAdjuster, use, external } = fixture();
      const { email } = await newStaff(await newFirm());
      const { svcId } = await newAdjuster({ email });
      const deskCode = await codeOf(email, 'browser');
      await use.requestSignInCode(email, DESK, 'browser');
      const appCode = external.mails.at(-1)?.code ?? '';
      const clientSecret = 'browser';
      expect(await errorCodeOf(use.signIn({ email, code: deskCode, clientSecret }, DESK))).toBe(
        'sign_in_refused',
      );
      expect(await errorCodeOf(use.desk.signIn({ email, code: appCode, clientSecret }))).toBe(
        'sign_in_refused',
      );
      const desk = await sessionOf(use.desk.signIn({ email, code: deskCode, clientSecret }));
      const app = await use.signIn({ email, code: appCode, clientSecret }, DESK);
      const authenticator = use.sessionAuthenticator;
      expect((await authenticator.authenticate(app.token))?.svcId).toBe(svcId);
      expect(await authenticator.authenticate(desk.token)).toBeNull();
      expect(await authenticator.authenticateStaff(app.token)).toBeNull();
    });

    test('have a new role at once in open sessions; the only administrator keeps the role and stays', async () => {
      const { newFirm, newStaff, use, stores, clock } = fixture();
      const firm = await newFirm();
      const [admin, member] = [await newStaff(firm, 'admin'), await newStaff(firm, 'dispatcher')];
      const { token } = await use.openStaffSession(member);
      const roleOf = async () => (await use.sessionAuthenticator.authenticateStaff(token))?.staff.role;
      expect(await roleOf()).toBe('dispatcher');
      await use.updateStaff(member, { role: 'auditor' });
      expect(await roleOf()).toBe('auditor');
      const { tokenHash = '' } = (await use.sessionAuthenticator.authenticateStaff(token)) ?? {};
      expect(await stores.credentials.openSessions([tokenHash], clock.now())).toEqual(
        new Map([[tokenHash, { staffId: member.staffId, role: 'auditor' }]]),
      );
      expect(await errorCodeOf(use.updateStaff(admin, { role: 'auditor' }))).toBe('last_admin');
      expect(await errorCodeOf(use.removeStaff(admin))).toBe('last_admin');
      await use.updateStaff(member, { role: 'admin', name: 'New name' });
      expect((await use.removeStaff(admin)).staffId).toBe(admin.staffId);
      expect(await errorCodeOf(use.removeStaff(admin))).toBe('not_found');
      expect((await fixture().stores.staffReads.find(member))?.name).toBe('New name');
    });

    test('are mailed late offers once a day if they wish, on days with any, whatever runs twice', async () => {
      const { newFirm, newStaff, newMember, sendId, offer, use, external, clock, stores, jobsOf } = fixture();
      const firm = await newFirm();
      await newStaff(firm);
      const [dispatcher, other] = [await newStaff(firm, 'dispatcher'), await newStaff(firm, 'admin')];
      const settings = (isWished: boolean, of = dispatcher) =>
        use.desk.setLateOffersMail(byAccount(of), of, isWished);
      const digests = async () => (await jobsOf(firm)).filter(({ job }) => job.kind === 'mail_late_offers');
      const done = new Set<string>();
      /** Mails to the firm's staff when the next ones are due, with each job run three times. */
      const mailsOfNextDay = async () => {
        const before = external.notices.length;
        const due = await digests();
        const pending = due.filter(({ job }) => !done.has(JSON.stringify(job)));
        clock.advance(Math.max(0, ...pending.map(({ runAt }) => runAt - clock.now())));
        for (const { job } of pending) {
          done.add(JSON.stringify(job));
          await Promise.all([use.runJob(job), use.runJob(job)]);
          await use.runJob(job);
        }
        return external.notices.slice(before).map(({ email, event }) => [email, event]);
      };
      await settings(true);
      await settings(false);
      await settings(true);
      const svcId = await newMember(firm);
      await sendId(firm.live, svcId);
      await sendId(firm.test, firm.accounts.manual);
      // Neither answered offers nor those of closed claims are late.
      await use.acceptClaim({ svcId }, await sendId(firm.live, svcId));
      const rejected = await sendId(firm.live, svcId);
      await use.rejectClaim({ svcId }, rejected, null);
      await use.closeClaimAsOperator(await sendId(firm.live, svcId));
      expect(await mailsOfNextDay()).toEqual([]);
      await use.setOfferWait(firm.id, 1);
      // One is late from the moment on that the job is due.
      const [{ runAt } = { runAt: 0 }] = (await digests()).filter(
        ({ job }) => !done.has(JSON.stringify(job)),
      );
      clock.advance(runAt - HOUR - clock.now());
      const last = await newMember(firm);
      await sendId(firm.live, last);
      clock.advance(1);
      // Now it has waited for less than an hour.
      await offer(firm.live, rejected, last);
      const mail = [dispatcher.email, `late_offers 2 ${firm.name}`];
      expect(await mailsOfNextDay()).toEqual([mail]);
      await use.closeClaimAsOperator(rejected);
      await settings(false);
      await settings(true);
      const { lateOffersMailAt } = (await stores.staffReads.find(dispatcher)) ?? {};
      expect(((lateOffersMailAt ?? 0) - clock.now()) / DAY).toBe(1);
      await settings(true, other);
      await use.removeStaff(other);
      expect(await mailsOfNextDay()).toEqual([mail]);
      await use.updateStaff(dispatcher, { role: 'auditor' });
      expect(await mailsOfNextDay()).toEqual([]);
      expect((await stores.staffReads.find(dispatcher))?.lateOffersMailAt).toBeNull();
      expect(await actionsOf(firm)).toContain(
        `staff:${dispatcher.staffId} staff.settings staff:${dispatcher.staffId} ok`,
      );
    });

    test('who remove each other at the same time leave one administrator', async () => {
      const { newFirm, newStaff, use, stores } = fixture();
      const firm = await newFirm();
      const admins = [await newStaff(firm), await newStaff(firm), await newStaff(firm)];
      await Promise.allSettled(admins.map((admin) => use.removeStaff(admin)));
      expect(await stores.staffReads.ofFirm(firm.id)).toHaveLength(1);
    });

    test('sign in with a passkey; removal ends their sessions and passkeys, and no one else’s', async () => {
      const { newFirm, newStaff, use, stores } = fixture();
      const firm = await newFirm();
      const [kept, removed] = [await newStaff(firm), await newStaff(firm, 'developer')];
      const keptSession = await use.openStaffSession(kept);
      const session = await use.openStaffSession(removed);
      const authenticator = use.sessionAuthenticator;
      const signedIn = await authenticator.authenticateStaff(session.token);
      if (signedIn === null) throw new Error('expected a session');
      const options = await use.desk.startPasskeyRegistration(removed, signedIn);
      const credential = `staff-${removed.staffId}`;
      const response = attestationFor(options, credential);
      const passkey = await use.desk.registerPasskey(removed, signedIn, { name: 'Laptop', response });
      expect(passkey.account).toEqual({ firmId: firm.id, staffId: removed.staffId });
      let uses = 0;
      const proof = async () => {
        const request = await use.desk.startPasskeySignIn('browser');
        uses += 1;
        return { passkey: assertionFor(request, credential, uses), clientSecret: 'browser' };
      };
      expect((await sessionOf(use.desk.signIn(await proof()))).account.staffId).toBe(removed.staffId);
      // Their passkey is that of the person, in each firm.
      const elsewhere = await newFirm();
      const { email } = await newStaff(elsewhere, 'auditor', { email: removed.email });
      const byCode = { email, code: await codeOf(email), firmId: elsewhere.id };
      expect(await errorCodeOf(fixture().useWithPasskeysRequired.desk.signIn(byCode))).toBe(
        'passkey_required',
      );
      await fixture().auditBuffer.flush();
      const [failed] = (await fixture().auditOf(elsewhere.id)).slice(-1);
      expect(failed).toMatchObject({ action: 'sign_in', outcome: 'passkey_required' });
      expect(await errorCodeOf(use.signIn(await proof(), DESK))).toBe('sign_in_refused');

      await use.removeStaff(removed);
      expect(await authenticator.authenticateStaff(session.token)).toBeNull();
      expect(await authenticator.authenticateStaff(keptSession.token)).not.toBeNull();
      expect(await errorCodeOf(use.desk.signIn(await proof()))).toBe('sign_in_refused');
      const { firmId, staffId } = removed;
      const account = { firmId, staffId };
      expect(await stores.unitOfWork.run((tx) => tx.sessions.of(account))).toEqual([]);
      expect(await stores.unitOfWork.run((tx) => tx.passkeys.of(account))).toEqual([]);
    });

    test('are exported with their firm, and erased with it; from the start of that, none has a session', async () => {
      const { newFirm, newStaff, use, stores } = fixture();
      const [firm, other] = [await newFirm(), await newFirm()];
      const [member, elsewhere] = [await newStaff(firm), await newStaff(other)];
      const { token } = await use.openStaffSession(member);
      const { token: kept } = await use.openStaffSession(elsewhere);
      const exported = [];
      for await (const row of use.exportFirm(firm.id)) if (row.type === 'staff') exported.push(row.staff);
      expect(exported).toEqual([member]);
      await use.eraseFirm(firm.id, firm.name, () => {});
      use.sessionAuthenticator.invalidate();
      expect(await use.sessionAuthenticator.authenticateStaff(token)).toBeNull();
      expect(await use.sessionAuthenticator.authenticateStaff(kept)).not.toBeNull();
      expect(await stores.staffReads.ofFirm(firm.id)).toEqual([]);
      expect(await stores.staffReads.firmsOf(member.email)).toEqual([]);
      const invite = newStaff(firm);
      expect(await errorCodeOf(invite)).toBe('not_found');
    });

    test('without an id of this firm cannot be changed', async () => {
      const { newFirm, newStaff, use } = fixture();
      const [firm, other] = [await newFirm(), await newFirm()];
      const elsewhere = await newStaff(other);
      await newStaff(firm);
      const staffId: StaffId = elsewhere.staffId;
      for (const attempt of [
        () => use.removeStaff({ firmId: firm.id, staffId }),
        () => use.updateStaff({ firmId: firm.id, staffId }, { role: 'auditor' }),
        () => use.openStaffSession({ firmId: firm.id, staffId }),
      ])
        expect(await errorCodeOf(attempt())).toBe('not_found');
    });
  });
}
