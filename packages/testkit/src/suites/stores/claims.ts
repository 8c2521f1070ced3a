import { describe, expect, test } from '@jest/globals';
import type { Claim, ClaimId } from '@svc/domain';
import { errorCodeOf } from '../../error-code.ts';
import type { Fixture } from '../../fixture.ts';

export function claimsBehavior(fixture: () => Fixture): void {
  const read = (
    firm: { live: { firmId: Parameters<Fixture['stores']['firmReads']['claim']>[0] } },
    id: ClaimId,
  ) => fixture().stores.firmReads.claim(firm.live.firmId, 'live', id);

  describe('claims', () => {
    test('a sent claim is returned as sent, with a pending offer', async () => {
      const { newFirm, newMember, newClaim, send, clock, stores } = fixture();
      const firm = await newFirm();
      const adjuster = await newMember(firm);
      const claim = newClaim();
      const at = clock.advance(1);
      const sending = { claim, idempotencyKey: 'key-1', fingerprint: 'f'.repeat(64) };
      const { claim: sent, replayed } = await send(firm.live, adjuster, sending);
      expect(replayed).toBe(false);
      const expected = {
        id: sent.id,
        environment: 'live',
        createdAt: at,
        updatedAt: at,
        assignment: {
          status: 'pending_acceptance',
          adjuster,
          offeredAt: at,
          offeredBy: `firm:${firm.id}`,
          respondedAt: null,
          rejectionReason: null,
        },
        asSent: claim.asSent,
      };
      expect(sent).toMatchObject(expected);
      expect(await read(firm, sent.id)).toEqual(expected);
      const list = await stores.firmReads.claims(firm.id, 'live', {}, { after: null, limit: 10 });
      expect(list).toEqual({ rows: [expected], next: null });
      const slot = { ...firm.live, key: 'key-1' };
      const bound = { fingerprint: sending.fingerprint, claim: expected };
      expect(await stores.firmReads.boundClaim(slot, at)).toEqual(bound);
    });

    test('a claim is stored with all that it has, and read so by its adjuster, by the operator and for an export', async () => {
      const { newTeam, newClaim, sendId, use, stores, clock } = fixture();
      const { firm, svcId } = await newTeam();
      const sent = newClaim();
      const id = await sendId(firm.live, svcId, { claim: sent });
      await use.setOfferWait(firm.id, 4);
      const at = clock.now();
      const offered = { adjuster: svcId, offeredAt: at + 101, offeredBy: 'staff:1', rejectionReason: null };
      const assignments: readonly Claim['assignment'][] = [
        { ...offered, status: 'rejected', respondedAt: at + 102, rejectionReason: 'Too far.' },
        { ...offered, status: 'unassigned', respondedAt: null, withdrawnBy: 'staff:2' },
        { ...offered, status: 'accepted', respondedAt: at + 103 },
      ];
      const workOf = (n: number): Pick<Claim, 'work' | 'workChangedAt' | 'closedAt' | 'closure'> => {
        const dates = { contactDate: `2026-09-1${n}`, inspectionDate: `2026-10-1${n}` };
        const work = { ...dates, notes: `Notes ${n}`, details: { plannedVisitDate: `2026-11-1${n}` } };
        const closure = { by: `staff:${n}`, reason: `Reason ${n}` };
        return { work, workChangedAt: at + 10 * n + 1, closedAt: at + 10 * n + 2, closure };
      };
      const stored = await stores.unitOfWork.run(async (tx) => {
        let claim = await tx.claims.lock(firm.id, id);
        for (const [n, assignment] of assignments.entries()) {
          if (claim === null) throw new Error('the setup is missing');
          claim = await tx.claims.save({ ...claim, assignment, ...workOf(2 * n) });
          expect(await tx.claims.lock(firm.id, id)).toEqual(claim);
          claim = { ...claim, ...workOf(2 * n + 1) };
          await tx.claims.saveWithoutTimestamp(claim);
          expect(await tx.claims.lock(firm.id, id)).toEqual(claim);
        }
        return claim;
      });
      expect(stored).toMatchObject({ ...sent.facts, asSent: sent.asSent });
      expect(await stores.firmData.claims(firm.id, null, 9)).toEqual([stored]);
      const { firmId, externalId, claimNumber, carrier, ...view } = stored as Claim;
      const shown = {
        ...{ ...view, closure: undefined, workChangedAt: undefined, firm: { id: firmId, name: firm.name } },
        ...{ offerWaitHours: 4, clocks: null, bookCarrier: carrier },
      };
      const { rows } = await stores.appReads.claims(svcId, 'closed', { after: null, limit: 9 });
      expect([await stores.appReads.claim(svcId, id), ...rows]).toEqual([shown, shown]);
      expect(await stores.operatorReads.claim(id)).toEqual({ ...shown, externalId, claimNumber });
    });

    test("the adjuster's work and closing are not visible to the firm and keep updated_at", async () => {
      const { newOffer, use, clock } = fixture();
      const { firm, svcId, id } = await newOffer();
      await use.setOfferWait(firm.id, 4);
      const accepted = await use.acceptClaim({ svcId }, id);
      expect(accepted).toMatchObject(await use.readClaim({ svcId }, id));
      const before = await read(firm, id);
      clock.advance(60_000);
      await use.recordWork({ svcId }, id, { contactDate: '2026-09-02', notes: 'water line at 14″' });
      const worked = await use.recordWork({ svcId }, id, { inspectionDate: '2026-09-03' });
      expect(worked.work).toEqual({
        contactDate: '2026-09-02',
        inspectionDate: '2026-09-03',
        notes: 'water line at 14″',
      });
      const contact = { id: 'c-1', at: clock.now(), result: 'no_answer' } as const;
      const logged = await use.logContact({ svcId }, id, contact);
      expect(logged.work).toEqual({
        ...worked.work,
        details: { contacts: [{ ...contact, receivedAt: clock.now() }] },
      });
      const closed = await use.closeAcceptedClaim({ svcId }, id);
      expect(closed).toMatchObject({ closedAt: clock.now(), work: logged.work });
      expect(await read(firm, id)).toEqual(before);
      expect(await errorCodeOf(use.recordWork({ svcId }, id, { notes: null }))).toBe('offer_not_pending');
    });

    test('work that was not made from what is stored is refused with what is, and sent twice is recorded once', async () => {
      const { newOffer, use } = fixture();
      const { svcId, id } = await newOffer();
      await use.acceptClaim({ svcId }, id);
      const record = (notes: string, base: string | null) =>
        use.recordWork({ svcId }, id, { notes }, (work) => work.notes === base);
      const twice = await Promise.allSettled([record('one', null), record('two', null)]);
      expect(twice.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const { work } = await use.readClaim({ svcId }, id);
      const [lost] = twice.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
      expect(lost).toMatchObject({ code: 'work_changed', work });
      expect((await record(work.notes ?? '', null)).work).toEqual(work);
      expect((await record('three', work.notes)).work).toEqual({ ...work, notes: 'three' });
    });
  });

  describe('duplicates', () => {
    test('an external id is permanently unique, also after closing, and the error names the claim', async () => {
      const { newFirm, newMember, newClaim, send, use } = fixture();
      const firm = await newFirm();
      const adjuster = await newMember(firm);
      const first = newClaim();
      const { claim } = await send(firm.live, adjuster, { claim: first });
      const again = () =>
        send(firm.live, adjuster, { claim: newClaim({ externalId: first.facts.externalId }) });
      const message = expect.stringContaining('external_id');
      const rejected = { code: 'duplicate_claim', existingClaimId: claim.id, message };
      await expect(again()).rejects.toMatchObject(rejected);
      await use.closeClaimAsOperator(claim.id);
      await expect(again()).rejects.toMatchObject(rejected);
    });

    test('a claim number is unique among open claims', async () => {
      const { newTeam, newClaim, send, use } = fixture();
      const { firm, svcId } = await newTeam();
      const first = newClaim();
      const { claim } = await send(firm.live, svcId, { claim: first });
      const again = () =>
        send(firm.live, svcId, { claim: newClaim({ claimNumber: first.facts.claimNumber }) });
      const message = expect.stringContaining('claim_number');
      const rejected = { code: 'duplicate_claim', existingClaimId: claim.id, message };
      await expect(again()).rejects.toMatchObject(rejected);
      await use.acceptClaim({ svcId }, claim.id);
      await expect(again()).rejects.toMatchObject(rejected);
      await use.closeAcceptedClaim({ svcId }, claim.id);
      expect((await again()).replayed).toBe(false);
    });

    test('the error names the duplicate by external id first', async () => {
      const { newFirm, newMember, newClaim, send } = fixture();
      const firm = await newFirm();
      const adjuster = await newMember(firm);
      const [one, two] = [newClaim(), newClaim()];
      const byNumber = await send(firm.live, adjuster, { claim: one });
      const byId = await send(firm.live, adjuster, { claim: two });
      expect(byNumber.claim.id).not.toBe(byId.claim.id);
      const claim = newClaim({ externalId: two.facts.externalId, claimNumber: one.facts.claimNumber });
      await expect(send(firm.live, adjuster, { claim })).rejects.toMatchObject({
        existingClaimId: byId.claim.id,
      });
    });

    test('ids are case- and accent-sensitive', async () => {
      const { newFirm, newMember, newClaim, send } = fixture();
      const firm = await newFirm();
      const adjuster = await newMember(firm);
      for (const externalId of ['Ö-1 a', 'ö-1 a', 'O\u0308-1 a', 'o-1 a', 'Ö-1  a']) {
        expect((await send(firm.live, adjuster, { claim: newClaim({ externalId }) })).replayed).toBe(false);
      }
    });

    test('test claims, live claims and claims of other firms do not conflict', async () => {
      const { newFirm, newMember, newClaim, send } = fixture();
      const [one, two] = [await newFirm(), await newFirm()];
      const claim = newClaim();
      const sent = await Promise.all([
        send(one.live, await newMember(one), { claim }),
        send(one.test, one.accounts.manual, { claim }),
        send(two.live, await newMember(two), { claim }),
        send(two.test, two.accounts.manual, { claim }),
      ]);
      expect(new Set(sent.map((each) => each.claim.id)).size).toBe(4);
    });
  });
}
