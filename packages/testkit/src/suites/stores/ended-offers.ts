import { describe, expect, test } from '@jest/globals';
import { type ClaimId, MINUTE, type StaffMember } from '@svc/domain';
import { errorCodeOf } from '../../error-code.ts';
import type { Fixture, TestFirm } from '../../fixture.ts';

/** What people of the firm end at its desk. */
export function endedOffersBehavior(fixture: () => Fixture): void {
  const setUp = async () => {
    const { newFirm, newMember, newStaff } = fixture();
    const firm = await newFirm();
    const origin = { address: '192.0.2.3', requestId: 'r-3' };
    const dispatcher = { ...(await newStaff(firm, 'dispatcher', { name: 'Ana Lindqvist' })), origin };
    return { firm, dispatcher, svcId: await newMember(firm), other: await newMember(firm) };
  };
  const claimOf = async (firm: TestFirm, id: ClaimId) => {
    const claim = await fixture().stores.firmReads.claim(firm.id, 'live', id);
    if (claim === null) throw new Error('the claim does not exist');
    return claim;
  };
  const receiptOf: Fixture['receiptOf'] = (...offer) => fixture().receiptOf(...offer);
  const actionsOn = async (firm: TestFirm, id: ClaimId) =>
    (await fixture().auditOf(firm.id))
      .filter(({ object, action }) => object === `claim:${id}` && action !== 'claim.send')
      .map(({ actor, action, outcome, address }) => [actor, action, outcome, address]);
  const actorOf = ({ staffId }: StaffMember) => `staff:${staffId}`;
  const historyOf = async (firm: TestFirm, id: ClaimId) => {
    const { closedBy, claim, history } = await fixture().use.readBoardClaim(firm.id, id);
    const offers = history.map(({ adjuster, outcome, withdrawnBy, endedAt }) => ({
      ...{ adjuster, outcome, withdrawnBy: withdrawnBy?.name ?? null, endedAt },
    }));
    return { closedBy, reason: claim.closure?.reason, offers };
  };

  describe('an offer that the firm withdraws', () => {
    test('ends for the firm and the adjuster, who is notified, and can be made again to the same one', async () => {
      const { sendId, offer, use, stores, jobsOf, external, clock } = fixture();
      const { firm, dispatcher, svcId } = await setUp();
      const id = await sendId(firm.live, svcId);
      const before = await claimOf(firm, id);
      clock.advance(MINUTE);
      const offered = { firmId: firm.id, claimId: id, environment: 'live', adjuster: svcId } as const;
      const { offeredAt } = before.assignment;
      await stores.offerHistory.append([{ ...offered, offeredAt, seenAt: clock.now() }]);
      const withdrawn = await use.withdrawOffer(dispatcher, { claimId: id, seenUpdatedAt: before.updatedAt });
      const after = await claimOf(firm, id);
      expect(after.assignment).toEqual({
        ...before.assignment,
        status: 'unassigned',
        withdrawnBy: actorOf(dispatcher),
      });
      expect(after.updatedAt).toBeGreaterThan(before.updatedAt);
      expect(withdrawn).toMatchObject({ id, updatedAt: after.updatedAt, assignment: after.assignment });
      const feed = await stores.firmReads.claims(
        firm.id,
        'live',
        { updatedSince: before.updatedAt + 1 },
        { after: null, limit: 9 },
      );
      expect(feed.rows.map((claim) => claim.id)).toEqual([id]);
      expect(await errorCodeOf(use.readClaim({ svcId }, id))).toBe('not_found');
      expect(
        (await stores.appReads.claims(svcId, 'pending_acceptance', { after: null, limit: 9 })).rows,
      ).toEqual([]);
      const notify = (await jobsOf(firm)).map(({ job }) => job);
      expect(notify).toContainEqual({ kind: 'notify_offer_withdrawn', firmId: firm.id, claimId: id, svcId });
      const sentTo = () =>
        external.notifications.flatMap((each) => (each.svcId === svcId ? [each.notification] : []));
      for (const job of notify) await use.runJob(job);
      const told = { kind: 'offer_withdrawn', firmName: firm.name, claimId: id };
      expect(sentTo()).toEqual([told]);
      await offer(firm.live, id, svcId);
      for (const job of notify) await use.runJob(job);
      expect(sentTo()).toEqual([told, { ...told, kind: 'offer' }]);
      await use.acceptClaim({ svcId }, id);
      for (const job of notify) await use.runJob(job);
      expect(sentTo()).toHaveLength(2);
      expect(await historyOf(firm, id)).toMatchObject({
        closedBy: null,
        offers: [
          { adjuster: svcId, outcome: 'accepted', withdrawnBy: null },
          { adjuster: svcId, outcome: 'withdrawn', withdrawnBy: 'Ana Lindqvist', endedAt: after.updatedAt },
        ],
      });
    });

    test('is in the audit trail and in its receipt, also with an answer that comes later', async () => {
      const { sendId, offer, use, clock } = fixture();
      const { firm, dispatcher, svcId, other } = await setUp();
      const id = await sendId(firm.live, svcId);
      const { assignment } = await claimOf(firm, id);
      clock.advance(MINUTE);
      await use.withdrawOffer(dispatcher, { claimId: id });
      const byDispatcher = [actorOf(dispatcher), 'claim.withdraw', 'ok', '192.0.2.3'];
      expect(await actionsOn(firm, id)).toEqual([byDispatcher]);
      const decided = { status: 'withdrawn', answered: null, decided_by: { rule: 'withdrawn_by_firm' } };
      const receipt = await receiptOf(firm.live, id);
      expect(receipt).toMatchObject({ ...decided, late_answer: null, closed_at: null });
      clock.advance(MINUTE);
      const answeredAt = clock.now() - 90_000;
      const late = { offeredAt: assignment.offeredAt, device: { answeredAt, keptOfflineSince: answeredAt } };
      const origin = { address: '192.0.2.4', requestId: 'r-4' };
      const accept = () => use.acceptClaim({ svcId, origin }, id, late);
      await expect(accept()).rejects.toMatchObject({ code: 'offer_not_pending', isRecorded: true });
      await expect(accept()).rejects.toMatchObject({ code: 'offer_not_pending', isRecorded: false });
      expect(await actionsOn(firm, id)).toEqual([
        byDispatcher,
        [`adjuster:${svcId}`, 'claim.accept', 'offer_not_pending', '192.0.2.4'],
      ]);
      const answered = await receiptOf({ svcId }, id);
      const at = new Date(clock.now()).toISOString();
      expect(answered).toMatchObject({ ...decided, late_answer: { answer: 'accept', at } });
      expect(answered.audit.seq).toBeGreaterThan(receipt.audit.seq);
      await offer(firm.live, id, other);
      expect(await receiptOf({ svcId }, id)).toEqual({ ...answered, iat: expect.any(Number) });
    });

    test('must be pending, and the one that was seen', async () => {
      const { sendId, offer, use, clock, newFirm, newStaff } = fixture();
      const { firm, dispatcher, svcId, other } = await setUp();
      const withdraw = (claimId: ClaimId, seenUpdatedAt?: number) =>
        errorCodeOf(use.withdrawOffer(dispatcher, { claimId, seenUpdatedAt }));
      const id = await sendId(firm.live, svcId);
      const seen = await claimOf(firm, id);
      clock.advance(MINUTE);
      await offer(firm.live, id, other);
      const message = expect.stringContaining('your firm offered it to');
      await expect(
        use.withdrawOffer(dispatcher, { claimId: id, seenUpdatedAt: seen.updatedAt }),
      ).rejects.toMatchObject({ code: 'claim_changed', message });
      await use.acceptClaim({ svcId: other }, id);
      expect(await withdraw(id, seen.updatedAt)).toBe('claim_already_accepted');
      const [rejected, left] = [await sendId(firm.live, svcId), await sendId(firm.live, svcId)];
      await use.rejectClaim({ svcId }, rejected, null);
      expect(await withdraw(rejected)).toBe('offer_not_pending');
      await use.withdrawOffer(dispatcher, { claimId: left });
      expect(await withdraw(left)).toBe('offer_not_pending');
      const closed = await sendId(firm.live, svcId);
      await use.closeClaimAsOperator(closed);
      expect(await withdraw(closed)).toBe('offer_not_pending');
      const stranger = await newStaff(await newFirm(), 'dispatcher');
      const foreign = await sendId(firm.live, svcId);
      expect(await errorCodeOf(use.withdrawOffer(stranger, { claimId: foreign }))).toBe('not_found');
      expect(await errorCodeOf(use.closeClaimAtDesk(stranger, { claimId: foreign, reason: null }))).toBe(
        'not_found',
      );
      expect((await claimOf(firm, foreign)).assignment.status).toBe('pending_acceptance');
    });
  });

  describe('a claim that the firm closes', () => {
    test('frees its claim number with its reason; a pending offer is withdrawn first', async () => {
      const { send, newClaim, offer, use, clock, jobsOf } = fixture();
      const { firm, dispatcher, svcId } = await setUp();
      const first = newClaim();
      const { claim } = await send(firm.live, svcId, { claim: first });
      const { id: claimId } = claim;
      const reason = 'The policyholder, Marisol Delgado, has withdrawn it.';
      clock.advance(MINUTE);
      const closed = await use.closeClaimAtDesk(dispatcher, { claimId, reason });
      expect(closed).toMatchObject({ closedAt: clock.now(), assignment: { status: 'unassigned' } });
      const { assignment, updatedAt } = await claimOf(firm, claimId);
      expect([assignment.status, updatedAt > claim.updatedAt]).toEqual(['unassigned', true]);
      clock.advance(MINUTE);
      const again = { claimId, reason: 'other', seenUpdatedAt: claim.updatedAt };
      expect(await use.closeClaimAtDesk(dispatcher, again)).toMatchObject({ closedAt: closed.closedAt });
      const actions = ['claim.withdraw', 'claim.close'];
      expect(await actionsOn(firm, claimId)).toEqual(
        actions.map((action) => [actorOf(dispatcher), action, 'ok', '192.0.2.3']),
      );
      expect((await jobsOf(firm)).map(({ job }) => job.kind)).toContain('notify_offer_withdrawn');
      expect(await historyOf(firm, claimId)).toMatchObject({
        closedBy: { type: 'staff', name: 'Ana Lindqvist' },
        reason,
        offers: [{ outcome: 'withdrawn', withdrawnBy: 'Ana Lindqvist', endedAt: updatedAt }],
      });
      const receipt = await receiptOf(firm.live, claimId);
      expect(receipt).toMatchObject({ status: 'withdrawn', decided_by: { rule: 'withdrawn_by_firm' } });
      expect(receipt.closed_at).toBe(new Date(closed.closedAt ?? 0).toISOString());
      expect(JSON.stringify(receipt)).not.toContain('Delgado');
      expect(await errorCodeOf(offer(firm.live, claimId, svcId))).toBe('claim_closed');
      await send(firm.live, svcId, { claim: newClaim({ claimNumber: first.facts.claimNumber }) });
    });

    test('leaves the list of the adjuster who accepted it, and nothing changes under /v1', async () => {
      const { sendId, use, stores } = fixture();
      const { firm, dispatcher, svcId } = await setUp();
      const claimId = await sendId(firm.live, svcId);
      const pending = await claimOf(firm, claimId);
      await use.acceptClaim({ svcId }, claimId);
      const accepted = await claimOf(firm, claimId);
      const seenUpdatedAt = pending.updatedAt;
      expect(
        await errorCodeOf(use.closeClaimAtDesk(dispatcher, { claimId, reason: null, seenUpdatedAt })),
      ).toBe('claim_changed');
      const reason = 'Settled.';
      await use.closeClaimAtDesk(dispatcher, { claimId, reason });
      expect(await claimOf(firm, claimId)).toEqual(accepted);
      expect(await historyOf(firm, claimId)).toMatchObject({ closedBy: { name: 'Ana Lindqvist' }, reason });
      const listed = (list: 'accepted' | 'closed') =>
        stores.appReads.claims(svcId, list, { after: null, limit: 9 });
      expect((await listed('accepted')).rows).toEqual([]);
      expect((await listed('closed')).rows.map(({ id }) => id)).toEqual([claimId]);
      expect(await errorCodeOf(use.recordWork({ svcId }, claimId, { notes: 'late' }))).toBe(
        'offer_not_pending',
      );
    });
  });
}
