import { describe, expect, test } from '@jest/globals';
import type { Sandbox } from '@svc/application';
import { type ClaimId, type KeyId, NO_NOTES, type Svcid, statusAt } from '@svc/domain';
import { errorCodeOf } from '../../error-code.ts';
import type { Fixture, TestFirm } from '../../fixture.ts';

export function sandboxBehavior(fixture: () => Fixture): void {
  const statusOf = async (firm: TestFirm, svcId: Svcid) => {
    const record = await fixture().stores.firmReads.adjuster(firm.id, svcId);
    return record === null ? null : statusAt(record.membership, fixture().clock.now());
  };
  const assignmentOf = async (firm: TestFirm, id: ClaimId) =>
    (await fixture().stores.firmReads.claim(firm.id, 'test', id))?.assignment;
  const inviteTestAccount = (firm: TestFirm, svcId: Svcid) =>
    fixture().use.inviteAdjuster(firm.test, { svcId, notes: NO_NOTES });

  describe('the sandbox', () => {
    test('responds to an offer as its test account, visible to the firm as a new change', async () => {
      const { newFirm, sendId, use, clock, stores } = fixture();
      const firm = await newFirm();
      const [accepted, rejected] = [
        await sendId(firm.test, firm.accounts.manual),
        await sendId(firm.test, firm.accounts.manual),
      ];
      const sentAt = (await stores.firmReads.claim(firm.id, 'test', accepted))?.updatedAt ?? 0;
      const at = clock.advance(1000);
      const view = await use.sandbox.acceptClaim(firm.test, accepted);
      expect(view).toMatchObject({ id: accepted, assignment: { status: 'accepted', respondedAt: at } });
      expect(view.updatedAt).toBeGreaterThan(sentAt);
      await use.sandbox.rejectClaim(firm.test, rejected, 'Too far away.');
      expect(await assignmentOf(firm, rejected)).toMatchObject({
        status: 'rejected',
        rejectionReason: 'Too far away.',
      });
      for (const id of [accepted, rejected]) {
        expect(await errorCodeOf(use.sandbox.acceptClaim(firm.test, id))).toBe('offer_not_pending');
        expect(await errorCodeOf(use.sandbox.rejectClaim(firm.test, id, null))).toBe('offer_not_pending');
      }
    });

    test('closes a claim of any status: its number is free, and its timestamp stays', async () => {
      const { newFirm, newClaim, send, offer, use, stores, clock } = fixture();
      const firm = await newFirm();
      const claim = newClaim();
      const sent = await send(firm.test, firm.accounts.manual, { claim });
      clock.advance(1000);
      const closed = await use.sandbox.closeClaim(firm.test, sent.claim.id);
      expect(closed.assignment.status).toBe('pending_acceptance');
      expect((await stores.firmReads.claim(firm.id, 'test', sent.claim.id))?.updatedAt).toBe(
        sent.claim.updatedAt,
      );
      expect(await errorCodeOf(offer(firm.test, sent.claim.id, firm.accounts.accepts))).toBe('claim_closed');
      const again = newClaim({ claimNumber: claim.facts.claimNumber });
      await send(firm.test, firm.accounts.manual, { claim: again });
      expect(await errorCodeOf(use.sandbox.acceptClaim(firm.test, sent.claim.id))).toBe('offer_not_pending');
    });

    test('ends an invitation as accepted, declined or expired', async () => {
      const { newFirm, use, clock } = fixture();
      const firm = await newFirm();
      const svcId = firm.accounts.new;
      const endings: readonly ['expireInvitation' | 'declineInvitation' | 'acceptInvitation', string][] = [
        ['expireInvitation', 'expired'],
        ['declineInvitation', 'declined'],
        ['acceptInvitation', 'active'],
      ];
      for (const [ending, status] of endings) {
        await inviteTestAccount(firm, svcId);
        clock.advance(1000);
        const { membership } = await use.sandbox[ending](firm.test, svcId);
        expect(statusAt(membership, clock.now())).toBe(status);
        expect(await statusOf(firm, svcId)).toBe(status);
        for (const [again] of endings)
          expect(await errorCodeOf(use.sandbox[again](firm.test, svcId))).toBe('not_found');
      }
      expect(await errorCodeOf(inviteTestAccount(firm, svcId))).toBe('already_member');
    });

    test('lets a test account leave: pending offers become unassigned, accepted claims stay', async () => {
      const { newFirm, sendId, send, use } = fixture();
      const firm = await newFirm();
      const svcId = firm.accounts.manual;
      const [pending, accepted] = [await sendId(firm.test, svcId), await sendId(firm.test, svcId)];
      await use.sandbox.acceptClaim(firm.test, accepted);
      await use.sandbox.leaveFirm(firm.test, svcId);
      expect((await assignmentOf(firm, pending))?.status).toBe('unassigned');
      expect((await assignmentOf(firm, accepted))?.status).toBe('accepted');
      expect(await errorCodeOf(send(firm.test, svcId))).toBe('adjuster_not_in_firm');
      expect(await errorCodeOf(use.sandbox.leaveFirm(firm.test, svcId))).toBe('not_found');
      expect(await errorCodeOf(use.sandbox.setCanAcceptClaims(firm.test, svcId, true))).toBe('not_found');
      await inviteTestAccount(firm, svcId);
      await use.sandbox.acceptInvitation(firm.test, svcId);
      await send(firm.test, svcId);
    });

    test('pauses and resumes without touching pending offers; suspends and reinstates ending them', async () => {
      const { newFirm, sendId, send, use } = fixture();
      const firm = await newFirm();
      const svcId = firm.accounts.manual;
      const { sandbox } = use;
      const pending = await sendId(firm.test, svcId);
      await sandbox.setAcceptingAssignments(firm.test, svcId, false);
      expect(await errorCodeOf(send(firm.test, svcId))).toBe('adjuster_not_accepting');
      expect((await assignmentOf(firm, pending))?.status).toBe('pending_acceptance');
      await sandbox.setAcceptingAssignments(firm.test, svcId, true);
      await send(firm.test, svcId);
      await sandbox.setCanAcceptClaims(firm.test, svcId, true);
      expect((await assignmentOf(firm, pending))?.status).toBe('pending_acceptance');
      await sandbox.setCanAcceptClaims(firm.test, svcId, false);
      expect((await assignmentOf(firm, pending))?.status).toBe('unassigned');
      expect(await errorCodeOf(send(firm.test, svcId))).toBe('adjuster_not_accepting');
      await sandbox.setCanAcceptClaims(firm.test, svcId, true);
      await send(firm.test, svcId);
    });

    const calls: readonly [
      string,
      (sandbox: Sandbox, firm: TestFirm, id: ClaimId, svcId: Svcid) => Promise<unknown>,
    ][] = [
      ['acceptClaim', (sandbox, { live }, id) => sandbox.acceptClaim(live, id)],
      ['rejectClaim', (sandbox, { live }, id) => sandbox.rejectClaim(live, id, null)],
      ['closeClaim', (sandbox, { live }, id) => sandbox.closeClaim(live, id)],
      ['acceptInvitation', (sandbox, { live }, _, svcId) => sandbox.acceptInvitation(live, svcId)],
      ['declineInvitation', (sandbox, { live }, _, svcId) => sandbox.declineInvitation(live, svcId)],
      ['expireInvitation', (sandbox, { live }, _, svcId) => sandbox.expireInvitation(live, svcId)],
      ['leaveFirm', (sandbox, { live }, _, svcId) => sandbox.leaveFirm(live, svcId)],
      [
        'setAcceptingAssignments',
        (sandbox, { live }, _, svcId) => sandbox.setAcceptingAssignments(live, svcId, false),
      ],
      ['setCanAcceptClaims', (sandbox, { live }, _, svcId) => sandbox.setCanAcceptClaims(live, svcId, false)],
      ['setFaults', (sandbox, { live }) => sandbox.setFaults(live, 'key_live' as KeyId, null)],
    ];

    test('rejects a live key in every operation, and changes nothing', async () => {
      const { newFirm, sendId, use } = fixture();
      const firm = await newFirm();
      const svcId = firm.accounts.manual;
      const id = await sendId(firm.test, svcId);
      for (const [name, call] of calls)
        expect([name, await errorCodeOf(call(use.sandbox, firm, id, svcId))]).toEqual([
          name,
          'environment_mismatch',
        ]);
      expect((await assignmentOf(firm, id))?.status).toBe('pending_acceptance');
      expect(await statusOf(firm, svcId)).toBe('active');
    });

    test('reaches no live data and no data of another firm', async () => {
      const { newFirm, newMember, sendId, use } = fixture();
      const [firm, other] = [await newFirm(), await newFirm()];
      const real = await newMember(firm);
      const unreachable = [await sendId(firm.live, real), await sendId(other.test, other.accounts.manual)];
      for (const id of [...unreachable, 'no uuid' as ClaimId]) {
        expect(await errorCodeOf(use.sandbox.acceptClaim(firm.test, id))).toBe('not_found');
        expect(await errorCodeOf(use.sandbox.rejectClaim(firm.test, id, null))).toBe('not_found');
        expect(await errorCodeOf(use.sandbox.closeClaim(firm.test, id))).toBe('not_found');
      }
      for (const svcId of [real, other.accounts.manual, firm.accounts.new, 'nobody' as Svcid]) {
        expect(await errorCodeOf(use.sandbox.leaveFirm(firm.test, svcId))).toBe('not_found');
        expect(await errorCodeOf(use.sandbox.acceptInvitation(firm.test, svcId))).toBe('not_found');
        expect(await errorCodeOf(use.sandbox.setCanAcceptClaims(firm.test, svcId, false))).toBe('not_found');
      }
      expect(await statusOf(firm, real)).toBe('active');
    });

    test('gives a fault to exactly as many requests of one key, also when they are concurrent', async () => {
      const { newFirm, ids, use, useOn, stores } = fixture();
      const [firm, other] = [await newFirm(), await newFirm()];
      const [one, two] = [`key_${ids.next()}` as KeyId, `key_${ids.next()}` as KeyId];
      const take = (keyId = one, { id } = firm) => stores.faults.take(id, keyId);
      expect(await take()).toBeNull();
      await use.sandbox.setFaults(firm.test, one, { kind: 'dropped', count: 3 });
      const taken = await Promise.all(Array.from({ length: 12 }, () => take()));
      expect(taken.filter((kind) => kind === 'dropped')).toHaveLength(3);
      expect(taken.filter((kind) => kind === null)).toHaveLength(9);

      await use.sandbox.setFaults(firm.test, one, { kind: 'slow', count: 5 });
      await use.sandbox.setFaults(firm.test, one, { kind: 'internal_error', count: 2 });
      expect([await take(two), await take(one, other)]).toEqual([null, null]);
      expect([await take(), await take(), await take()]).toEqual(['internal_error', 'internal_error', null]);
      for (const kind of ['internal_error', 'dropped'] as const)
        await stores.faults.giveBack(firm.id, one, kind);
      expect([await take(), await take()]).toEqual(['internal_error', null]);
      await use.sandbox.setFaults(firm.test, one, { kind: 'slow', count: 1 });
      await use.sandbox.setFaults(firm.test, one, null);
      expect(await take()).toBeNull();
      // None is set without its entry in the audit trail.
      const away = useOn({ unitOfWork: { run: () => Promise.reject(new Error('away')) } });
      await expect(away.sandbox.setFaults(firm.test, one, { kind: 'slow', count: 1 })).rejects.toThrow(
        'away',
      );
      expect(await take()).toBeNull();
    });
  });
}
