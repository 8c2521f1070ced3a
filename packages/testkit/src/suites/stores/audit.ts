import { describe, expect, test } from '@jest/globals';
import {
  type AuditChainId,
  type AuditEvent,
  type AuditRow,
  auditEntriesFrom,
  SERVICE_CHAIN,
} from '@svc/application';
import type { ClaimId, FirmId, KeyId, StaffId, Svcid } from '@svc/domain';
import { HOUR, NO_NOTES } from '@svc/domain';
import { errorCodeOf } from '../../error-code.ts';
import type { Fixture } from '../../fixture.ts';
import { assertionFor, attestationFor } from '../../test-passkeys.ts';

export function auditBehavior(fixture: () => Fixture): void {
  const rowsOf = (chain: AuditChainId) => fixture().stores.auditReads.rows(chain, { after: 0, limit: 1000 });
  /** Actor, action, object and outcome of each event, with the address of its request if there was one. */
  const actionsOf = async (chain: AuditChainId) =>
    (await fixture().auditOf(chain)).map(({ actor, action, object, outcome, address }) =>
      [actor, action, object, outcome, address ?? []].flat().join(' '),
    );
  /** The latest events of the chain that all accounts without a firm share. */
  const latestOfService = async () =>
    (await fixture().stores.auditReads.latest(SERVICE_CHAIN, { limit: 50 })).flatMap(({ text }) =>
      auditEntriesFrom(text),
    );
  const verify = (chain: AuditChainId) => fixture().verifyAudit(chain);

  const readOf = (chain: FirmId, at: number, object = `claim:${at}`): AuditEvent => ({
    chain,
    entry: {
      at,
      actor: 'key:key_1',
      address: '192.0.2.7',
      action: 'claim.read',
      object,
      outcome: 'ok',
      requestId: 'b4f6c3a2',
    },
  });

  describe('the audit trail', () => {
    test('records who sent, offered, accepted and closed a claim, with its id', async () => {
      const { newTeam, sendId, offer, use } = fixture();
      const { firm, svcId } = await newTeam();
      const before = (await fixture().auditOf(firm.id)).length;
      const id = await sendId(
        { ...firm.live, origin: { keyId: 'key_7' as KeyId, address: '192.0.2.9', requestId: 'r-1' } },
        svcId,
      );
      const staff = { staffId: 'staff' as StaffId, address: '192.0.2.8', requestId: 'r-8' };
      await offer({ ...firm.live, origin: staff }, id, svcId);
      await use.acceptClaim({ svcId, origin: { address: '198.51.100.4', requestId: 'r-2' } }, id);
      await use.closeAcceptedClaim({ svcId }, id);
      const rows = (await fixture().auditOf(firm.id)).slice(before);
      expect(rows).toMatchObject([
        { actor: 'key:key_7', address: '192.0.2.9', requestId: 'r-1', action: 'claim.send' },
        { actor: 'staff:staff', address: '192.0.2.8', requestId: 'r-8', action: 'claim.offer' },
        { actor: `adjuster:${svcId}`, address: '198.51.100.4', requestId: 'r-2', action: 'claim.accept' },
        { actor: `adjuster:${svcId}`, address: null, requestId: null, action: 'claim.close' },
      ]);
      for (const { object, outcome } of rows) expect([object, outcome]).toEqual([`claim:${id}`, 'ok']);
    });

    test('records events of several chains once each, also if the last one saves a claim', async () => {
      const { newFirm, newMember, sendId, stores } = fixture();
      const firm = await newFirm();
      const id = await sendId(firm.live, await newMember(firm));
      const chains = [firm.id, SERVICE_CHAIN] as const;
      const before = await Promise.all(chains.map(async (chain) => (await rowsOf(chain)).length));
      await stores.unitOfWork.run(async (tx) => {
        const claim = await tx.claims.lock(firm.id, id);
        if (claim === null) throw new Error('the setup is missing');
        for (const chain of chains) await tx.audit.record({ ...readOf(firm.id, 1), chain });
        await tx.claims.save(claim);
      });
      const after = await Promise.all(chains.map(async (chain) => (await rowsOf(chain)).length));
      expect(after).toEqual(before.map((count) => count + 1));
      for (const chain of chains) expect(await verify(chain)).toMatchObject({ intact: true });
    });

    test('records invitations, memberships and what the operator does, by name', async () => {
      const { newTeam, newAdjuster, invite, use, newKey } = fixture();
      const { firm, svcId } = await newTeam();
      const { svcId: invited } = await newAdjuster();
      await invite(firm, invited);
      const origin = { address: '192.0.2.5', requestId: 'r-5' };
      const byKey = { ...firm.live, origin: { ...origin, keyId: 'key_5' as KeyId } };
      await use.withdrawInvitation(byKey, invited);
      await use.inviteAdjuster(byKey, { svcId: invited, notes: NO_NOTES });
      await use.declineInvitation({ svcId: invited, origin }, firm.id);
      await use.setAcceptingAssignments({ svcId, origin }, firm.id, false);
      await use.setSharing({ svcId, origin }, firm.id, { credentials: true });
      await use.setMember(firm.id, svcId, false);
      const { key } = await newKey(firm);
      const rolled = await use.rollKey(key.id, HOUR);
      await use.revokeKey(rolled.key.id);
      await use.setPlan(firm.id, 'claims_only');
      await use.recordOperatorAction(firm.id, 'audit.verify', 'changed');
      await use.recordOperatorAction(SERVICE_CHAIN, 'audit.export');
      await use.leaveFirm({ svcId, origin }, firm.id);
      const operator = 'operator:test-operator';
      expect(await actionsOf(firm.id)).toEqual([
        `${operator} firm.create firm:${firm.id} ok`,
        `firm:${firm.id} invitation.send adjuster:${svcId} ok`,
        `adjuster:${svcId} invitation.accept adjuster:${svcId} ok`,
        `firm:${firm.id} invitation.send adjuster:${invited} ok`,
        `key:key_5 invitation.withdraw adjuster:${invited} ok 192.0.2.5`,
        `key:key_5 invitation.send adjuster:${invited} ok 192.0.2.5`,
        `adjuster:${invited} invitation.decline adjuster:${invited} ok 192.0.2.5`,
        `adjuster:${svcId} member.pause adjuster:${svcId} ok 192.0.2.5`,
        `adjuster:${svcId} member.sharing adjuster:${svcId} ok 192.0.2.5`,
        `${operator} member.permission adjuster:${svcId} ok`,
        `${operator} key.create key:${key.id} ok`,
        `${operator} key.roll key:${key.id} ok`,
        `${operator} key.create key:${rolled.key.id} ok`,
        `${operator} key.revoke key:${rolled.key.id} ok`,
        `${operator} firm.plan firm:${firm.id} ok`,
        `${operator} audit.verify firm:${firm.id} changed`,
        `adjuster:${svcId} member.leave adjuster:${svcId} ok 192.0.2.5`,
      ]);
      expect(await actionsOf(SERVICE_CHAIN)).toContain(`${operator} audit.export  ok`);
      const shared = (await fixture().auditOf(firm.id)).find(({ action }) => action === 'member.sharing');
      expect(shared?.changes).toEqual({ credentials: { from: false, to: true } });
    });

    test('records a sign-in in the chain of each firm of the adjuster, without a firm in the service’s', async () => {
      const { newFirm, newMember, newAdjuster, invite, use } = fixture();
      const [one, two] = [await newFirm(), await newFirm()];
      const svcId = await newMember(one);
      await use.addMember(two.id, svcId);
      await use.openSession(svcId);
      const opened = `operator:test-operator session.open adjuster:${svcId} ok`;
      for (const firm of [one, two]) expect((await actionsOf(firm.id)).at(-1)).toBe(opened);
      const { svcId: alone } = await newAdjuster();
      await invite(one, alone);
      await use.openSession(alone);
      expect(await actionsOf(SERVICE_CHAIN)).toContain(
        `operator:test-operator session.open adjuster:${alone} ok`,
      );
    });

    test('records what an adjuster does to the own account, in the chain of each firm', async () => {
      const { newTeam, use, external } = fixture();
      const { firm, svcId } = await newTeam();
      const actor = { svcId, origin: { address: '192.0.2.6', requestId: 'r-6' } };
      await use.setAcceptingAssignments(actor, firm.id, false);
      const before = (await actionsOf(firm.id)).length;
      await use.setAcceptingAssignments(actor, firm.id, true);
      for (const maxOpenOffers of [null, 3]) await use.setAvailability(actor, { maxOpenOffers });
      await use.saveCredentials(actor, { licenses: [] });
      await use.updateProfile(actor, { firstName: 'Zoë' });
      await use.updateProfile(actor, { email: `${svcId}@recorded.example` });
      await use.confirmEmail(actor, external.mails.at(-1)?.code ?? '');
      const sessionOf = async (token: string) => {
        const session = await use.sessionAuthenticator.authenticate(token);
        if (session === null) throw new Error('expected a session');
        return session;
      };
      const [one, two] = [await use.openSession(svcId), await use.openSession(svcId)];
      const session = await sessionOf(one.token);
      const options = await use.startPasskeyRegistration(actor, session);
      const response = attestationFor(options, `recorded-${svcId}`);
      const { id } = await use.registerPasskey(actor, session, { name: 'Phone', response });
      await use.renamePasskey(actor, id, 'Old phone');
      await use.removePasskey(actor, id);
      await use.endSession(actor, (await sessionOf(two.token)).sessionId);
      await use.signOut(actor, session.tokenHash);
      await use.signOutEverywhere(actor);
      const own = (action: string) => `adjuster:${svcId} ${action} adjuster:${svcId} ok 192.0.2.6`;
      expect(
        (await actionsOf(firm.id)).slice(before).filter((action) => action.startsWith('adjuster:')),
      ).toEqual(
        [
          'member.resume',
          'availability.change',
          'credentials.change',
          'profile.change',
          'email.change',
          'email.confirm',
          'passkey.add',
          'passkey.rename',
          'passkey.remove',
          'session.end',
          'session.end',
          'sessions.end',
        ].map(own),
      );
    });

    test('records each kind of sign-in with the address and the request', async () => {
      const { newTeam, use, stores, external } = fixture();
      const { firm, svcId } = await newTeam();
      const email = (await stores.appReads.adjuster(svcId))?.email ?? '';
      const { token } = await use.openSession(svcId);
      const session = await use.sessionAuthenticator.authenticate(token);
      if (session === null) throw new Error('expected a session');
      const credentialId = `signs-in-${svcId}`;
      const response = attestationFor(await use.startPasskeyRegistration({ svcId }, session), credentialId);
      await use.registerPasskey({ svcId }, session, { name: 'Phone', response });
      const before = (await fixture().auditOf(firm.id)).length;
      await use.requestSignInCode(email, '198.51.100.11');
      await use.signIn({ email, code: external.mails.at(-1)?.code ?? '' }, '198.51.100.11');
      const passkey = assertionFor(await use.startPasskeySignIn('client'), credentialId, 1);
      await use.signIn({ passkey, clientSecret: 'client' }, '198.51.100.12');
      const { manual } = firm.accounts;
      await use.signIn({ svcId: manual, signInSecret: firm.signInSecrets.manual }, '198.51.100.13');
      const rows = (await fixture().auditOf(firm.id)).slice(before);
      const opened = (by: Svcid, address: string) => ({
        actor: `adjuster:${by}`,
        action: 'session.open',
        object: `adjuster:${by}`,
        address,
        requestId: expect.any(String),
      });
      expect(rows).toMatchObject([
        opened(svcId, '198.51.100.11'),
        opened(svcId, '198.51.100.12'),
        opened(manual, '198.51.100.13'),
      ]);
    });

    test('records a failed sign-in for the firms of the account that it names, otherwise for the service', async () => {
      const { newFirm, newTeam, newAdjuster, use, stores, auditBuffer, clock } = fixture();
      const { firm, svcId } = await newTeam();
      const other = await newFirm();
      await use.addMember(other.id, svcId);
      const { svcId: alone } = await newAdjuster();
      const email = (await stores.appReads.adjuster(svcId))?.email ?? '';
      const nobody = `nobody-${clock.now()}@example.net`;
      const failing = [
        use.signIn({ email, code: '000000' }, '198.51.100.21'),
        use.signIn({ email: nobody, code: '000000' }, '198.51.100.22'),
        use.signIn({ svcId: alone, signInSecret: 'wrong' }, '198.51.100.23'),
      ];
      expect(await Promise.all(failing.map(errorCodeOf))).toEqual(Array(3).fill('sign_in_refused'));
      await auditBuffer.flush();
      const failed = (address: string, object: string | null) => ({
        at: clock.now(),
        actor: 'anonymous',
        address,
        requestId: expect.any(String),
        action: 'sign_in',
        object,
        outcome: 'sign_in_refused',
      });
      for (const { id } of [firm, other])
        expect((await fixture().auditOf(id)).at(-1)).toEqual(failed('198.51.100.21', `adjuster:${svcId}`));
      const ofService = (await latestOfService()).filter(({ address }) =>
        ['198.51.100.21', '198.51.100.22', '198.51.100.23'].includes(address ?? ''),
      );
      expect(ofService).toHaveLength(2);
      expect(ofService).toEqual(
        expect.arrayContaining([failed('198.51.100.22', null), failed('198.51.100.23', `adjuster:${alone}`)]),
      );
    });

    test('records what the operator does to members and to the data of a firm', async () => {
      const { newFirm, newAdjuster, use } = fixture();
      const firm = await newFirm();
      const { svcId } = await newAdjuster();
      await use.addMember(firm.id, svcId);
      await use.removeMember(firm.id, svcId);
      await use.setLegalHold(firm.id, true);
      await use.setLegalHold(firm.id, false);
      for await (const _ of use.exportFirm(firm.id));
      await use.eraseFirm(firm.id, firm.name, () => {});
      const operator = 'operator:test-operator';
      expect(await actionsOf(firm.id)).toEqual([
        `${operator} firm.create firm:${firm.id} ok`,
        `${operator} member.add adjuster:${svcId} ok`,
        `${operator} member.remove adjuster:${svcId} ok`,
        `${operator} firm.hold firm:${firm.id} ok`,
        `${operator} firm.release firm:${firm.id} ok`,
        `${operator} firm.export firm:${firm.id} ok`,
        `${operator} firm.erase firm:${firm.id} ok`,
        `${operator} firm.erase firm:${firm.id} ok`,
      ]);
      expect(await actionsOf(SERVICE_CHAIN)).toContain(`${operator} adjuster.create adjuster:${svcId} ok`);
    });

    test('records what the operator set and what it was before, and nothing where nothing changed', async () => {
      const { newFirm, newAdjuster, sendId, use, clock, newKey } = fixture();
      const firm = await newFirm('standard');
      const { svcId } = await newAdjuster();
      await use.addMember(firm.id, svcId);
      const { key } = await newKey(firm, { lifetimeMs: HOUR });
      const claimId = await sendId(firm.live, svcId);
      const event = `TX-${clock.now()}`;
      const before = (await rowsOf(firm.id)).length;
      const deadline = { event, kind: 'proof_of_loss', hours: 8760, source: 'Bulletin' } as const;
      for (const _ of ['first', 'again']) {
        await use.setPlan(firm.id, 'read_only');
        await use.setLimits(firm.id, { requestsPerMinute: 900, writesPerMinute: 90, burst: 5 }, 30);
        await use.setOfferWait(firm.id, 4);
        await use.setMember(firm.id, svcId, false);
        await use.revokeKey(key.id);
        await use.setLegalHold(firm.id, true);
        await use.setDeadline(deadline);
        await use.disableAdjuster(svcId);
        await use.endSessions(svcId);
        await use.removePasskeys(svcId);
        await use.closeClaimAsOperator(claimId);
      }
      for (const _ of ['first', 'again']) await use.enableAdjuster(svcId);
      await use.setDeadline({ ...deadline, hours: 48 });
      await use.removeDeadline(event, deadline.kind);
      const changesOf = (rows: readonly AuditRow[]) =>
        rows.flatMap(({ text }) => auditEntriesFrom(text)).map(({ action, changes }) => [action, changes]);
      const [created, ...rows] = await rowsOf(firm.id);
      expect(changesOf([created as AuditRow])).toEqual([
        ['firm.create', { plan: { from: null, to: 'standard' } }],
      ]);
      expect(changesOf(rows.slice(before - 1))).toEqual([
        ['firm.plan', { plan: { from: 'standard', to: 'read_only' } }],
        [
          'firm.limits',
          {
            ...{ requests_per_minute: { from: null, to: 900 }, writes_per_minute: { from: null, to: 90 } },
            ...{ burst: { from: null, to: 5 }, max_keys: { from: null, to: 30 } },
          },
        ],
        ['firm.offer_wait', { offer_wait_hours: { from: null, to: 4 } }],
        ['member.permission', { can_accept_claims: { from: true, to: false } }],
        ['key.revoke', undefined],
        ['firm.hold', undefined],
        ['adjuster.disable', undefined],
        ['claim.close', undefined],
        ['adjuster.enable', undefined],
      ]);
      const ofService = await fixture().stores.auditReads.latest(SERVICE_CHAIN, { limit: 50 });
      const ofDeadline = ofService.reverse().filter(({ text }) => text.includes(`deadline:${event}:`));
      expect(changesOf(ofDeadline)).toEqual([
        ['deadline.change', { hours: { from: null, to: 8760 }, source: { from: null, to: 'Bulletin' } }],
        ['deadline.change', { hours: { from: 8760, to: 48 } }],
        ['deadline.change', { hours: { from: 48, to: null }, source: { from: 'Bulletin', to: null } }],
      ]);
      for (const chain of [firm.id, SERVICE_CHAIN])
        expect(await verify(chain)).toMatchObject({ intact: true });
    });

    test('records what a test key simulates: actions of the firm, and responses of its test account', async () => {
      const { newFirm, sendId, use } = fixture();
      const firm = await newFirm();
      const origin = { keyId: 'key_8' as KeyId, address: '192.0.2.8', requestId: 'r-8' };
      const actor = { ...firm.test, origin };
      const { manual, new: invited } = firm.accounts;
      const [id, rejected] = [await sendId(firm.test, manual), await sendId(firm.test, manual)];
      const before = (await fixture().auditOf(firm.id)).length;
      const { sandbox } = use;
      await sandbox.acceptClaim(actor, id);
      await sandbox.rejectClaim(actor, rejected, 'Too far.');
      await sandbox.setAcceptingAssignments(actor, manual, false);
      await sandbox.setAcceptingAssignments(actor, manual, true);
      for (const _ of ['first', 'again']) await sandbox.setCanAcceptClaims(actor, manual, false);
      await sandbox.leaveFirm(actor, manual);
      for (const end of ['expireInvitation', 'declineInvitation', 'acceptInvitation'] as const) {
        await use.inviteAdjuster(firm.test, { svcId: invited, notes: NO_NOTES });
        await sandbox[end](actor, invited);
      }
      await sandbox.closeClaim(actor, id);
      await sandbox.setFaults(actor, origin.keyId, { kind: 'slow', count: 2 });
      await sandbox.setFaults(actor, origin.keyId, null);
      const rows = (await fixture().auditOf(firm.id)).slice(before);
      const simulated = rows.filter(({ requestId }) => requestId === 'r-8');
      expect(simulated.map(({ actor, action, object }) => [actor, action, object].join(' '))).toEqual([
        `adjuster:${manual} claim.accept claim:${id}`,
        `adjuster:${manual} claim.reject claim:${rejected}`,
        `key:key_8 member.pause adjuster:${manual}`,
        `key:key_8 member.resume adjuster:${manual}`,
        `key:key_8 member.permission adjuster:${manual}`,
        `key:key_8 member.leave adjuster:${manual}`,
        `key:key_8 invitation.withdraw adjuster:${invited}`,
        `key:key_8 invitation.decline adjuster:${invited}`,
        `key:key_8 invitation.accept adjuster:${invited}`,
        `key:key_8 claim.close claim:${id}`,
        'key:key_8 faults.set key:key_8',
        'key:key_8 faults.clear key:key_8',
      ]);
      expect(simulated.map(({ address }) => address)).toEqual(Array(12).fill('192.0.2.8'));
      const set = { kind: { from: null, to: 'slow' }, count: { from: null, to: 2 } };
      expect(simulated.slice(-2).map(({ changes }) => changes)).toEqual([set, undefined]);
    });

    test('records edits, a rejection, and an acceptance that failed because the permission is gone', async () => {
      const { newTeam, sendId, use, stores } = fixture();
      const { firm, svcId } = await newTeam();
      const [first, second] = [await sendId(firm.live, svcId), await sendId(firm.live, svcId)];
      const accepted = await sendId(firm.live, svcId);
      await use.acceptClaim({ svcId }, accepted);
      await stores.unitOfWork.run(async (tx) => {
        const membership = await tx.memberships.lock(firm.id, svcId);
        if (membership !== null) await tx.memberships.save({ ...membership, canAcceptClaims: false });
      });
      const before = (await actionsOf(firm.id)).length;
      const actor = { svcId, origin: { address: '192.0.2.4', requestId: 'r-4' } };
      expect(await errorCodeOf(use.acceptClaim(actor, first))).toBe('offer_not_pending');
      await use.rejectClaim(actor, second, null);
      await use.recordWork(actor, accepted, { notes: 'Gate is locked.' });
      await use.logContact(actor, accepted, { id: 'c-1', at: 1, result: 'reached' });
      await use.closeAcceptedClaim(actor, accepted);
      expect((await actionsOf(firm.id)).slice(before)).toEqual([
        `adjuster:${svcId} claim.accept claim:${first} offer_not_pending 192.0.2.4`,
        `adjuster:${svcId} claim.reject claim:${second} ok 192.0.2.4`,
        `adjuster:${svcId} claim.work claim:${accepted} ok 192.0.2.4`,
        `adjuster:${svcId} claim.work claim:${accepted} ok 192.0.2.4`,
        `adjuster:${svcId} claim.close claim:${accepted} ok 192.0.2.4`,
      ]);
    });

    test('has no row of a change to what is already so', async () => {
      const { newFirm, newMember, newSession, sendId, use } = fixture();
      const firm = await newFirm();
      const [svcId, tested] = [await newMember(firm), firm.accounts.manual];
      const actor = { svcId };
      const [id, testId] = [await sendId(firm.live, svcId), await sendId(firm.test, tested)];
      await use.acceptClaim(actor, id);
      const session = { tokenHash: (await newSession(svcId)).tokenHash, mayOnlyAddPasskey: false };
      const options = await use.startPasskeyRegistration(actor, session);
      const response = attestationFor(options, `credential of ${svcId}`);
      const passkey = await use.registerPasskey(actor, session, { name: 'Phone', response });
      const away = [{ firstDay: '2026-01-01', lastDay: '2026-01-02', timeZone: 'UTC' }];
      const changes: Record<string, () => Promise<unknown>> = {
        'profile.change': () => use.updateProfile(actor, { firstName: 'Zoë', lastName: 'Reyes' }),
        'availability.change': () => use.setAvailability(actor, { away, maxOpenOffers: 3 }),
        'member.pause': () => use.setAcceptingAssignments(actor, firm.id, false),
        'credentials.change': () => use.saveCredentials(actor, { licenses: [] }),
        'member.sharing': () => use.setSharing(actor, firm.id, { clocks: true, workArea: false }),
        'passkey.rename': () => use.renamePasskey(actor, passkey.id, 'Old phone'),
        'claim.work': () =>
          use.recordWork(actor, id, {
            notes: 'Gate is locked.',
            details: { plannedVisitDate: '2026-01-03' },
          }),
        'claim.work of a contact': () =>
          use.logContact(actor, id, { id: 'c-1', at: 1, result: 'reached', note: 'At 5.' }),
        'claim.close': () => use.closeAcceptedClaim(actor, id),
        'member.pause by a test key': () => use.sandbox.setAcceptingAssignments(firm.test, tested, false),
        'claim.close by a test key': () => use.sandbox.closeClaim(firm.test, testId),
      };
      const rows: Record<string, number[]> = {};
      for (const [action, change] of Object.entries(changes)) {
        const counts: number[] = [];
        const results: unknown[] = [];
        for (let n = 0; n < 3; n += 1) {
          const before = (await actionsOf(firm.id)).length;
          results.push(await change());
          counts.push((await actionsOf(firm.id)).length - before);
        }
        rows[action] = counts;
        expect(results[2]).toEqual(results[0]);
      }
      expect(rows).toEqual(Object.fromEntries(Object.keys(changes).map((action) => [action, [1, 0, 0]])));
    });

    test('has no row of an action that was rolled back', async () => {
      const { newOffer, use } = fixture();
      const { firm, svcId, id } = await newOffer();
      await use.acceptClaim({ svcId }, id);
      const before = await rowsOf(firm.id);
      expect(await errorCodeOf(use.acceptClaim({ svcId }, id))).toBe('offer_not_pending');
      expect(await rowsOf(firm.id)).toEqual(before);
    });

    test('links reads and actions, also concurrent ones, in one chain per firm without gaps', async () => {
      const { newFirm, newMember, send, stores } = fixture();
      const [firm, other] = [await newFirm(), await newFirm()];
      const svcId = await newMember(firm);
      const before = (await actionsOf(firm.id)).length;
      await Promise.all([
        ...Array.from({ length: 10 }, () => send(firm.live, svcId)),
        ...Array.from({ length: 5 }, (_, n) =>
          stores.audit.append([readOf(firm.id, n), readOf(other.id, n), readOf(firm.id, n + 100)]),
        ),
      ]);
      const rows = await rowsOf(firm.id);
      expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, n) => n + 1));
      expect(await actionsOf(firm.id)).toHaveLength(before + 20);
      expect(await verify(firm.id)).toMatchObject({ intact: true, rows: rows.length });
      expect(await verify(other.id)).toMatchObject({ intact: true });
    });

    test('has reads of any number in their order', async () => {
      const { newFirm, stores } = fixture();
      const firm = await newFirm();
      const reads = Array.from({ length: 450 }, (_, n) => readOf(firm.id, n));
      await stores.audit.append(reads);
      expect((await actionsOf(firm.id)).slice(1)).toEqual(
        reads.map(({ entry }) => `key:key_1 claim.read ${entry.object} ok 192.0.2.7`),
      );
    });

    test('is returned in order within a period, or latest first', async () => {
      const { newFirm, stores } = fixture();
      const firm = await newFirm();
      const noon = Date.UTC(2020, 1, 3, 12);
      for (const n of [0, 1, 2, 3]) await stores.audit.append([readOf(firm.id, noon + n)]);
      const period = { since: noon + 1, until: noon + 3 };
      const { auditReads } = stores;
      const times = (rows: AuditRow[]) => rows.map(({ at }) => at - noon);
      expect(times(await auditReads.rows(firm.id, { after: 0, limit: 10, ...period }))).toEqual([1, 2]);
      expect(times(await auditReads.latest(firm.id, { limit: 10, ...period }))).toEqual([2, 1]);
      expect(times(await auditReads.latest(firm.id, { limit: 1 }))).toEqual([3]);
      expect(times(await auditReads.rows(firm.id, { after: 3, limit: 2 }))).toEqual([2, 3]);
    });

    test('returns entries unchanged, with the claims of a list', async () => {
      const { newFirm, stores } = fixture();
      const firm = await newFirm();
      const entry = {
        ...readOf(firm.id, Date.UTC(2026, 7, 29, 15, 4, 11, 208)).entry,
        actor: 'adjuster:Renée "Ñ" \\ 😀' as string,
        action: 'claims.read' as const,
        object: null,
        claims: ['01980a5e-4c7f-4b3e-9d8a-0123456789ab' as ClaimId],
      };
      await stores.audit.append([{ chain: firm.id, entry }]);
      await stores.audit.append([readOf(firm.id, entry.at), { chain: firm.id, entry }]);
      const entries = await fixture().auditOf(firm.id);
      expect(entries.slice(1)).toEqual([entry, readOf(firm.id, entry.at).entry, entry]);
    });

    test('does not exist for an unknown firm', async () => {
      const { stores, ids } = fixture();
      const unknown = ids.next() as FirmId;
      expect(await stores.auditReads.chain(unknown)).toBeNull();
      expect(await stores.auditReads.chain('no uuid' as FirmId)).toBeNull();
      expect(await verify(unknown)).toBeNull();
    });

    test('holds no name, e-mail address or content', async () => {
      const { newTeam, newAdjuster, newClaim, sendId, use } = fixture();
      const { firm, svcId } = await newTeam();
      const { email } = await newAdjuster();
      const claim = newClaim();
      await sendId(firm.live, svcId, { claim });
      await use.updateProfile({ svcId: svcId as Svcid }, { firstName: 'Secretname' });
      const text = JSON.stringify(await rowsOf(firm.id));
      for (const personal of ['Secretname', 'Renée', email, claim.facts.claimNumber, claim.facts.externalId])
        expect(text).not.toContain(personal);
    });
  });
}
