import { describe, expect, test } from '@jest/globals';
import { type ReminderStep, storedAuditEntries } from '@svc/application';
import { type ClaimId, MAX_OFFERS_READ, MINUTE, type Svcid } from '@svc/domain';
import { errorCodeOf } from '../../error-code.ts';
import type { Fixture } from '../../fixture.ts';

export function offerHistoryBehavior(fixture: () => Fixture): void {
  const setUp = async () => {
    const { newFirm, newMember } = fixture();
    const firm = await newFirm();
    return { firm, first: await newMember(firm), second: await newMember(firm) };
  };
  const receiptOf: Fixture['receiptOf'] = (...offer) => fixture().receiptOf(...offer);

  describe('the history of an offer', () => {
    test('has the latest outcome of each channel and the first sight', async () => {
      const { sendId, stores, clock } = fixture();
      const { firm, first } = await setUp();
      const claimId = await sendId(firm.test, firm.accounts.manual);
      const other = await sendId(firm.live, first);
      const at = clock.now();
      const offer = {
        firmId: firm.id,
        claimId,
        environment: 'test',
        adjuster: firm.accounts.manual,
        offeredAt: (await stores.firmReads.claim(firm.id, 'test', claimId))?.assignment.offeredAt ?? 0,
      } as const;
      const push = (channel: string, outcome: 'retried' | 'delivered', ms: number) => ({
        ...offer,
        push: { channel, outcome, at: at + ms },
      });
      await stores.offerHistory.append([
        push('b1', 'retried', 1),
        { ...offer, seenAt: at + 90 },
        { ...offer, seenAt: at + 70 },
        push('a1', 'delivered', 2),
      ]);
      await stores.offerHistory.append([{ ...offer, seenAt: at + 65 }, push('b1', 'retried', 3)]);
      await stores.offerHistory.append([{ ...offer, seenAt: at + 80 }, push('b1', 'delivered', 5)]);
      await stores.offerHistory.append([]);
      const record = (step: ReminderStep, ms: number) =>
        stores.unitOfWork.run((tx) => tx.claims.recordReminder(offer, step, at + ms));
      const queue = [await record('reminderQueuedAt', 50), await record('reminderQueuedAt', 51)];
      const remind = [await record('remindedAt', 60), await record('remindedAt', 61)];
      expect([queue, remind]).toEqual([
        [true, false],
        [true, false],
      ]);
      await stores.offerHistory.append([{ ...offer, seenAt: at + 95 }]);
      expect(await stores.offerHistory.ofClaim(firm.id, claimId)).toEqual([
        {
          offeredAt: offer.offeredAt,
          adjuster: firm.accounts.manual,
          status: 'pending_acceptance',
          respondedAt: null,
          rejectionReason: null,
          offeredBy: `firm:${firm.id}`,
          endedAt: null,
          firstSeenAt: at + 65,
          remindedAt: at + 60,
          pushes: [
            { channel: 'a1', outcome: 'delivered', at: at + 2 },
            { channel: 'b1', outcome: 'delivered', at: at + 5 },
          ],
        },
      ]);
      expect(await stores.offerHistory.ofClaim(firm.id, other)).toMatchObject([
        { firstSeenAt: null, pushes: [] },
      ]);
    });

    test('ends when the claim is offered again, as rejected, unassigned or withdrawn', async () => {
      const { sendId, offer, use, stores, clock } = fixture();
      const { firm, first, second } = await setUp();
      const claimId = await sendId(firm.live, first);
      clock.advance(MINUTE);
      const sentAt = (await stores.firmReads.claim(firm.id, 'live', claimId))?.assignment.offeredAt ?? 0;
      const sent = { firmId: firm.id, claimId, environment: 'live', adjuster: first } as const;
      await stores.offerHistory.append([{ ...sent, offeredAt: sentAt, seenAt: clock.now() }]);
      await use.rejectClaim({ svcId: first }, claimId, 'Too far.\n"Really"');
      const rejectedAt = clock.now();
      clock.advance(MINUTE);
      await offer(firm.live, claimId, second);
      clock.advance(MINUTE);
      await use.setMember(firm.id, second, false);
      const updatedAt = (await stores.firmReads.claim(firm.id, 'live', claimId))?.updatedAt;
      clock.advance(MINUTE);
      await offer(firm.live, claimId, first);
      clock.advance(MINUTE);
      await offer(firm.live, claimId, first);
      const history = await stores.offerHistory.ofClaim(firm.id, claimId);
      const offeredBy = `firm:${firm.id}`;
      const unanswered = { respondedAt: null, rejectionReason: null, offeredBy };
      expect(
        history.map(({ offeredAt: _, firstSeenAt: __, remindedAt: ___, pushes: ____, ...rest }) => rest),
      ).toEqual([
        {
          adjuster: first,
          status: 'rejected',
          rejectionReason: 'Too far.\n"Really"',
          ...{ respondedAt: rejectedAt, endedAt: rejectedAt, offeredBy },
        },
        { ...unanswered, adjuster: second, status: 'unassigned', endedAt: updatedAt },
        { ...unanswered, adjuster: first, status: 'withdrawn', endedAt: clock.now() },
        { ...unanswered, adjuster: first, status: 'pending_acceptance', endedAt: null },
      ]);
      expect(history.map(({ firstSeenAt }) => firstSeenAt)).toEqual([rejectedAt, null, null, null]);
      // One batch, with several offers of a claim.
      const at = clock.now();
      await stores.offerHistory.append(
        history.map(({ offeredAt, adjuster }, n) => ({ ...sent, offeredAt, adjuster, seenAt: at + n })),
      );
      const seen = await stores.offerHistory.ofClaim(firm.id, claimId);
      expect(seen.map(({ firstSeenAt }) => firstSeenAt)).toEqual([rejectedAt, at + 1, at + 2, at + 3]);
    });

    test('has the latest offers of a claim, and receipts the latest to their adjuster', async () => {
      const { sendId, offer, stores, clock } = fixture();
      const { firm, first, second } = await setUp();
      const id = await sendId(firm.live, first);
      const offeredAt = [clock.now()];
      for (let count = 1; count <= MAX_OFFERS_READ; count += 1) {
        offeredAt.push(clock.advance(1));
        await offer(firm.live, id, count < 3 ? first : second);
      }
      const another = await sendId(firm.live, first);
      clock.advance(1);
      await offer(firm.live, another, second);
      const history = await stores.offerHistory.ofClaim(firm.id, id);
      expect(history.map((one) => one.offeredAt)).toEqual(offeredAt.slice(1));
      expect((await stores.offerHistory.toAdjuster(first, id))?.offer.offeredAt).toBe(offeredAt[2]);
    });

    test('is read by its own firm alone', async () => {
      const { sendId, newFirm, stores, ids } = fixture();
      const { firm, first } = await setUp();
      const claimId = await sendId(firm.live, first);
      const other = await newFirm();
      const { ofClaim, latestOfFirm, toAdjuster } = stores.offerHistory;
      expect(await ofClaim(other.id, claimId)).toEqual([]);
      expect(await ofClaim(firm.id, ids.next() as ClaimId)).toEqual([]);
      expect(await ofClaim(firm.id, 'no uuid' as ClaimId)).toEqual([]);
      expect(await latestOfFirm(other.id, 'live', claimId)).toBeNull();
      expect(await latestOfFirm(firm.id, 'test', claimId)).toBeNull();
      expect(await latestOfFirm(firm.id, 'live', 'no uuid' as ClaimId)).toBeNull();
      expect(await toAdjuster('nobody' as Svcid, claimId)).toBeNull();
      expect(await toAdjuster(first, 'no uuid' as ClaimId)).toBeNull();
    });
  });

  describe('a receipt', () => {
    test('is of the latest offer, and for its adjuster alone, also after a rejection', async () => {
      const { newClaim, sendId, offer, use, stores } = fixture();
      const { firm } = await setUp();
      const { manual: first, accepts: second } = firm.accounts;
      const claim = newClaim();
      const claimId = await sendId(firm.test, first, { claim });
      const sent = await receiptOf(firm.test, claimId);
      const ofClaim = { environment: 'test', external_id: claim.facts.externalId, firm_id: firm.id };
      expect(sent).toMatchObject({ ...ofClaim, status: 'pending_acceptance', answered: null });
      await offer(firm.test, claimId, second);
      await use.rejectClaim({ svcId: second }, claimId, 'a personal reason');
      const receipt = await receiptOf({ svcId: second }, claimId);
      expect(receipt).toMatchObject({
        adjuster_svc_id: second,
        status: 'rejected',
        answered: { device_at: null, kept_offline_since: null },
      });
      expect(JSON.stringify(receipt)).not.toContain('personal reason');
      expect(receipt.audit.seq).toBeGreaterThan(sent.audit.seq);
      const [row] = await stores.auditReads.rows(firm.id, { after: sent.audit.seq - 1, limit: 1 });
      expect(storedAuditEntries(row?.text ?? '')).toMatchObject([{ action: 'claim.send' }]);
      const earlier = { adjuster_svc_id: first, status: 'withdrawn', answered: null, late_answer: null };
      expect(await receiptOf({ svcId: first }, claimId)).toMatchObject({ ...ofClaim, ...earlier });
    });

    test('of each answer stays after the claim is offered again, also to the same adjuster', async () => {
      const { sendId, offer, use, clock } = fixture();
      const { firm, first, second } = await setUp();
      const claimId = await sendId(firm.live, first);
      clock.advance(MINUTE);
      await use.rejectClaim({ svcId: first }, claimId, null);
      const rejected = await receiptOf({ svcId: first }, claimId);
      clock.advance(MINUTE);
      await offer(firm.live, claimId, second);
      const issued = { iat: expect.any(Number) };
      expect(await receiptOf({ svcId: first }, claimId)).toEqual({ ...rejected, ...issued });
      clock.advance(MINUTE);
      await offer(firm.live, claimId, first);
      await use.acceptClaim({ svcId: first }, claimId);
      expect(await receiptOf({ svcId: first }, claimId)).toMatchObject({ status: 'accepted' });
      const offeredAt = Date.parse(rejected.offered_at);
      expect(await receiptOf({ svcId: first }, claimId, offeredAt)).toEqual({ ...rejected, ...issued });
      expect(await errorCodeOf(use.issueReceipt({ svcId: first }, claimId, offeredAt + 1))).toBe('not_found');
      expect(await errorCodeOf(use.issueReceipt({ svcId: second }, claimId, offeredAt))).toBe('not_found');
    });

    test.each(['accept', 'reject'] as const)(
      'of an offer that went to somebody else has the answer that came too late: %s',
      async (answer) => {
        const { sendId, offer, use, stores, clock } = fixture();
        const { firm, first, second } = await setUp();
        const claimId = await sendId(firm.live, first);
        const offeredAt = (await use.readClaim({ svcId: first }, claimId)).assignment.offeredAt;
        clock.advance(MINUTE);
        await offer(firm.live, claimId, second);
        const receipt = await receiptOf({ svcId: second }, claimId);
        const { last } = (await stores.auditReads.chain(firm.id)) ?? { last: { seq: 0 } };
        clock.advance(MINUTE);
        const answeredAt = clock.now() - 90_000;
        const late = { offeredAt, device: { answeredAt, keptOfflineSince: answeredAt } };
        const respond = () =>
          answer === 'accept'
            ? use.acceptClaim({ svcId: first }, claimId, late)
            : use.rejectClaim({ svcId: first }, claimId, null, late);
        const [error] = (await Promise.allSettled([respond()])).map((end) => 'reason' in end && end.reason);
        expect(error).toMatchObject({ code: 'not_found', firmId: firm.id, isRecorded: true });
        const shown = await receiptOf({ svcId: first }, claimId, offeredAt);
        const times = { device_at: new Date(answeredAt).toISOString() };
        expect(shown).toMatchObject({
          ...{ adjuster_svc_id: first, status: 'withdrawn', answered: null },
          late_answer: { answer, at: new Date(clock.now()).toISOString(), ...times },
          decided_by: { rule: 'offered_again' },
          audit: { seq: last.seq + 1 },
        });
        const [row] = await stores.auditReads.rows(firm.id, { after: last.seq, limit: 1 });
        expect(row?.hash).toBe(shown.audit.hash);
        expect(storedAuditEntries(row?.text ?? '')).toMatchObject([
          {
            actor: `adjuster:${first}`,
            action: `claim.${answer}`,
            outcome: 'not_found',
            device: { answered_at: times.device_at },
          },
        ]);
        // The first one counts, and nothing changes for the other adjuster.
        clock.advance(MINUTE);
        await expect(respond()).rejects.toMatchObject({ firmId: firm.id, isRecorded: false });
        expect(await receiptOf({ svcId: first }, claimId)).toEqual({ ...shown, iat: expect.any(Number) });
        expect(await receiptOf({ svcId: second }, claimId)).toEqual({ ...receipt, iat: expect.any(Number) });
        await use.acceptClaim({ svcId: second }, claimId);
      },
    );

    test('of the latest offer has the answer that came after its claim was closed, once', async () => {
      const { sendId, use, clock } = fixture();
      const { firm, first } = await setUp();
      const claimId = await sendId(firm.live, first);
      await use.closeClaimAsOperator(claimId);
      const closed = await receiptOf(firm.live, claimId);
      expect(closed).toMatchObject({ late_answer: null });
      clock.advance(MINUTE);
      const answeredAt = clock.now() - 90_000;
      const late = { device: { answeredAt, keptOfflineSince: answeredAt } };
      const accept = () => use.acceptClaim({ svcId: first }, claimId, late);
      await expect(accept()).rejects.toMatchObject({ code: 'offer_not_pending', isRecorded: true });
      const receipt = await receiptOf({ svcId: first }, claimId);
      const at = new Date(clock.now()).toISOString();
      expect(receipt).toMatchObject({
        ...{ status: 'pending_acceptance', answered: null, decided_by: { rule: 'claim_closed' } },
        late_answer: { answer: 'accept', at, device_at: new Date(answeredAt).toISOString() },
      });
      expect(receipt.audit.seq).toBeGreaterThan(closed.audit.seq);
      clock.advance(MINUTE);
      await expect(accept()).rejects.toMatchObject({ isRecorded: false });
      expect(await receiptOf(firm.live, claimId)).toEqual({ ...receipt, iat: expect.any(Number) });
    });

    test('names the row of the change that ended a pending offer without an answer', async () => {
      const { sendId, use, stores } = fixture();
      const { firm, first, second } = await setUp();
      const { manual } = firm.accounts;
      const ids = [
        await sendId(firm.live, first),
        await sendId(firm.live, first),
        await sendId(firm.live, second),
        await sendId(firm.test, manual),
        await sendId(firm.live, first),
        await sendId(firm.live, first),
      ];
      const [left, accepted, mayNot, closed, closedByOperator, leftToo] = ids as [ClaimId, ...ClaimId[]];
      const change = async (id: ClaimId | undefined, work: () => Promise<unknown>) => {
        const actor = id === closed ? firm.test : firm.live;
        if (id === undefined) throw new Error('expected a claim');
        await work();
        const { status, decided_by, closed_at, audit } = await receiptOf(actor, id);
        const [row] = await stores.auditReads.rows(firm.id, { after: audit.seq - 1, limit: 1 });
        expect(row?.hash).toBe(audit.hash);
        const [{ action } = { action: null }] = storedAuditEntries(row?.text ?? '');
        return [status, decided_by.rule, action, closed_at !== null];
      };
      const answer = () => use.acceptClaim({ svcId: first }, accepted as ClaimId);
      const answered = ['accepted', 'first_answer_while_pending', 'claim.accept'];
      expect(await change(accepted, answer)).toEqual([...answered, false]);
      const byOperator = () => use.closeClaimAsOperator(closedByOperator as ClaimId);
      const ended = ['pending_acceptance', 'claim_closed', 'claim.close', true];
      expect(await change(closedByOperator, byOperator)).toEqual(ended);
      expect(await change(closed, () => use.sandbox.closeClaim(firm.test, closed as ClaimId))).toEqual(ended);
      const leave = () => use.leaveFirm({ svcId: first }, firm.id);
      const unassigned = ['unassigned', 'adjuster_may_not_accept'];
      expect(await change(left, leave)).toEqual([...unassigned, 'member.leave', false]);
      expect(await change(leftToo, async () => {})).toEqual([...unassigned, 'member.leave', false]);
      const remove = () => use.setMember(firm.id, second, false);
      expect(await change(mayNot, remove)).toEqual([...unassigned, 'member.permission', false]);
      // What came after the answer, or after the end, changes neither.
      const close = (id: ClaimId) => change(id, () => use.closeClaimAsOperator(id));
      expect(await close(accepted as ClaimId)).toEqual([...answered, true]);
      expect(await close(left)).toEqual([...unassigned, 'member.leave', true]);
    });
  });

  test('a key of receipts is added once, and listed after those before it', async () => {
    const { receiptKeys } = fixture().stores;
    for (const kid of ['k1', 'k2', 'k1']) await receiptKeys.add({ kid, x: `x of ${kid}` });
    const keys = (await receiptKeys.all()).filter(({ kid }) => kid === 'k1' || kid === 'k2');
    expect(keys.map(({ x }) => x)).toEqual(['x of k1', 'x of k2']);
  });
}
