import { describe, expect, test } from '@jest/globals';
import type { ClaimId, Environment } from '@svc/domain';
import { errorCodeOf } from '../../error-code.ts';
import type { Fixture } from '../../fixture.ts';

const PAGE = { after: null, limit: 50 } as const;

export function isolationBehavior(fixture: () => Fixture): void {
  /** A firm with data, and another one that has its ids. */
  const setUp = async () => {
    const { newFirm, newMember, newAdjuster, newClaim, invite, sendId, use } = fixture();
    const [owner, other] = [await newFirm(), await newFirm()];
    const svcId = await newMember(owner);
    const stranger = await newMember(other);
    const { svcId: invited } = await newAdjuster();
    await invite(owner, invited);
    const claim = newClaim();
    const id = await sendId(owner.live, svcId, { claim, idempotencyKey: 'owner' });
    const accepted = await sendId(owner.live, svcId);
    await use.acceptClaim({ svcId }, accepted);
    return { owner, other, svcId, stranger, invited, claim, id, accepted };
  };

  describe('another firm', () => {
    test.each<Environment>(['live', 'test'])(
      'reads nothing of this one with a %s key',
      async (environment) => {
        const { firmReads } = fixture().stores;
        const { other, svcId, claim, id, stranger } = await setUp();
        const { externalId } = claim.facts;
        expect(await firmReads.claim(other.id, environment, id)).toBeNull();
        expect(await firmReads.claims(other.id, environment, {}, PAGE)).toEqual({ rows: [], next: null });
        expect((await firmReads.claims(other.id, environment, { externalId }, PAGE)).rows).toEqual([]);
        expect(await firmReads.adjuster(other.id, svcId)).toBeNull();
        const adjusters = (await firmReads.adjusters(other.id, environment, PAGE)).rows;
        const own = ['accepts', 'manual', 'paused', 'rejects'] as const;
        expect(adjusters.map(({ adjuster }) => adjuster.svcId).sort()).toEqual(
          [...own.map((b) => other.accounts[b]), ...(environment === 'live' ? [stranger] : [])].sort(),
        );
      },
    );

    test('can neither offer its claims, send to its adjusters nor change its invitations', async () => {
      const { offer, send, use, stores } = fixture();
      const { owner, other, svcId, stranger, invited, id } = await setUp();
      const before = await stores.firmReads.claim(owner.id, 'live', id);
      for (const claimId of [id, 'no uuid' as ClaimId])
        expect(await errorCodeOf(offer(other.live, claimId, stranger))).toBe('not_found');
      for (const { test, accounts } of [other, owner])
        expect(await errorCodeOf(offer(test, id, accounts.manual))).toBe('not_found');
      expect(await errorCodeOf(send(other.live, svcId))).toBe('adjuster_not_in_firm');
      expect(await errorCodeOf(use.withdrawInvitation(other.live, invited))).toBe('not_found');
      expect(await stores.firmReads.claim(owner.id, 'live', id)).toEqual(before);
      expect((await stores.firmReads.adjuster(owner.id, invited))?.membership.status).toBe('pending');
    });

    test('finds nothing of this one inside a transaction', async () => {
      const { other, svcId, id } = await setUp();
      await fixture().stores.unitOfWork.run(async (tx) => {
        const { id: firmId } = other;
        expect(await tx.claims.lock(firmId, id)).toBeNull();
        expect(await tx.claims.lockPendingOf(firmId, svcId)).toEqual([]);
        expect(await tx.memberships.lock(firmId, svcId)).toBeNull();
      });
    });

    test('keeps its adjusters when they leave this one', async () => {
      const { use, sendId, stores } = fixture();
      const { owner, other, svcId } = await setUp();
      await use.addMember(other.id, svcId);
      const theirs = await sendId(other.live, svcId);
      await use.leaveFirm({ svcId }, owner.id);
      expect((await stores.firmReads.adjuster(other.id, svcId))?.membership.status).toBe('active');
      expect((await stores.firmReads.claim(other.id, 'live', theirs))?.assignment.status).toBe(
        'pending_acceptance',
      );
    });
  });

  describe('another adjuster', () => {
    test('can neither read, accept, reject, edit nor close a claim', async () => {
      const { use } = fixture();
      const { stranger, id, accepted } = await setUp();
      const actor = { svcId: stranger };
      for (const claimId of [id, accepted, 'no uuid' as ClaimId]) {
        expect(await errorCodeOf(use.readClaim(actor, claimId))).toBe('not_found');
        expect(await errorCodeOf(use.acceptClaim(actor, claimId))).toBe('not_found');
        expect(await errorCodeOf(use.rejectClaim(actor, claimId, 'no'))).toBe('not_found');
        expect(await errorCodeOf(use.recordWork(actor, claimId, { notes: 'mine' }))).toBe('not_found');
        expect(await errorCodeOf(use.closeAcceptedClaim(actor, claimId))).toBe('not_found');
      }
    });

    test('can neither respond to an invitation nor change a membership', async () => {
      const { use, stores } = fixture();
      const { owner, svcId, stranger, invited } = await setUp();
      const actor = { svcId: stranger };
      expect(await errorCodeOf(use.acceptInvitation(actor, owner.id))).toBe('not_found');
      expect(await errorCodeOf(use.declineInvitation(actor, owner.id))).toBe('not_found');
      expect(await errorCodeOf(use.setAcceptingAssignments(actor, owner.id, false))).toBe('not_found');
      expect(await errorCodeOf(use.readSharing(actor, owner.id))).toBe('not_found');
      expect(await errorCodeOf(use.setSharing(actor, owner.id, { clocks: true }))).toBe('not_found');
      expect(await errorCodeOf(use.leaveFirm(actor, owner.id))).toBe('not_found');
      expect((await stores.firmReads.adjuster(owner.id, invited))?.membership.status).toBe('pending');
      expect((await stores.firmReads.adjuster(owner.id, svcId))?.membership.status).toBe('active');
    });
  });
}
