import { describe, expect, test } from '@jest/globals';
import { accountRef, type ExportedRow, makeEraseFirm } from '@svc/application';
import { HOUR } from '@svc/domain';
import { type Fixture, OPERATOR, type TestFirm } from '../../fixture.ts';
import { aLoggedRequest } from '../../logged-request.ts';

export function firmDataBehavior(fixture: () => Fixture): void {
  const setUp = async () => {
    const { newTeam, sendId, use, newKey } = fixture();
    const { firm, svcId } = await newTeam();
    const accepted = await sendId(firm.live, svcId);
    await use.acceptClaim({ svcId }, accepted);
    await use.recordWork({ svcId }, accepted, { notes: 'Water line in the den' });
    await sendId(firm.test, firm.accounts.manual);
    await newKey(firm);
    await use.openSession(firm.accounts.manual);
    return { firm, svcId, accepted };
  };
  const exported = async (firm: TestFirm): Promise<ExportedRow[]> => {
    const rows: ExportedRow[] = [];
    for await (const row of fixture().use.exportFirm(firm.id)) rows.push(row);
    return rows;
  };
  const countsOf = (rows: readonly ExportedRow[]) => {
    const counts: Record<string, number> = {};
    for (const { type } of rows) counts[type] = (counts[type] ?? 0) + 1;
    return counts;
  };

  describe('the data of a firm', () => {
    test('is exported whole: keys, members, carriers, claims with their work, earlier offers, and the audit trail', async () => {
      const { firm, svcId, accepted } = await setUp();
      const rows = await exported(firm);
      const { audit, ...counts } = countsOf(rows);
      expect(counts).toEqual({ firm: 1, key: 1, member: 5, carrier: expect.any(Number), claim: 2 });
      expect(audit).toBe((await fixture().stores.auditReads.chain(firm.id))?.last.seq);
      expect(rows).toContainEqual({
        type: 'claim',
        claim: expect.objectContaining({
          id: accepted,
          work: expect.objectContaining({ notes: 'Water line in the den' }),
        }),
      });
      const { offer, sendId, stores, clock } = fixture();
      const { manual: adjuster, accepts } = firm.accounts;
      const [claimId, offeredAt] = [await sendId(firm.test, adjuster), clock.now()];
      const endedAt = clock.advance(HOUR);
      await offer(firm.test, claimId, accepts);
      const one = { claimId, offeredAt, adjuster };
      const latest = { claimId, offeredAt: endedAt, adjuster: accepts };
      const push = { channel: 'a1', outcome: 'delivered', at: endedAt + 1 } as const;
      const ofClaim = { firmId: firm.id, environment: 'test' } as const;
      await stores.offerHistory.append([
        { ...ofClaim, ...one, seenAt: endedAt + 2 },
        { ...ofClaim, ...latest, push },
      ]);
      const offers = (await exported(firm)).flatMap((row) => (row.type === 'offer' ? [row.offer] : []));
      const end = { status: 'withdrawn', respondedAt: null, rejectionReason: null, endedAt };
      expect(offers).toEqual([
        { ...one, offeredBy: `firm:${firm.id}`, firstSeenAt: endedAt + 2, remindedAt: null, pushes: [], end },
        { ...latest, offeredBy: null, firstSeenAt: null, remindedAt: null, pushes: [push], end: null },
      ]);
      expect(rows.some((row) => row.type === 'member' && row.member.membership.svcId === svcId)).toBe(true);
    });

    test('of more than a page is exported once each', async () => {
      const { newFirm, newClaim, sendId, offer, use, clock } = fixture();
      const firm = await newFirm();
      for (let n = 0; n < 5; n += 1) {
        const claim = newClaim({ carrier: { name: `Carrier ${n}` } });
        const id = await sendId(firm.test, firm.accounts.manual, { claim });
        for (let times = 0; times < 1 + 4 * (n % 2); times += 1) {
          clock.advance(1);
          await offer(firm.test, id, firm.accounts.manual);
        }
      }
      const rows = await exported(firm);
      const once = new Set(
        rows.map((row) => {
          if (row.type === 'offer') return `offer ${row.offer.claimId} ${row.offer.offeredAt}`;
          return row.type === 'carrier' ? row.carrier.name : JSON.stringify(row);
        }),
      );
      expect(once.size).toBe(rows.length);
      expect(countsOf(rows)).toMatchObject({ claim: 5, carrier: 5, member: 4, offer: 13 });
      await use.eraseFirm(firm.id, firm.name, () => {});
      expect(countsOf(await exported(firm))).toEqual({ firm: 1, audit: expect.any(Number) });
    });

    test('is erased but for the id and the audit trail, which still verifies; other firms keep theirs', async () => {
      const { use, stores, clock, jobsOf } = fixture();
      const [{ firm, svcId }, other] = [await setUp(), await setUp()];
      await use.addMember(other.firm.id, svcId);
      const before = countsOf(await exported(other.firm));
      await expect(use.eraseFirm(firm.id, 'Another name', () => {})).rejects.toThrow('is not');
      const progress: number[] = [];
      const erased = await use.eraseFirm(firm.id, firm.name, (rows) => progress.push(rows));
      expect(progress.at(-1)).toBe(erased);
      expect(erased).toBeGreaterThan(10);
      const rows = await exported(firm);
      expect(countsOf(rows)).toEqual({ firm: 1, audit: expect.any(Number) });
      expect(JSON.stringify(rows)).not.toContain(firm.name);
      expect(await jobsOf(firm)).toEqual([]);
      expect((await jobsOf(other.firm)).length).toBeGreaterThan(0);
      expect(await stores.operatorReads.testAccounts(firm.id)).toEqual([]);
      expect(await stores.accountReads.sessions({ svcId: firm.accounts.manual }, clock.now())).toEqual([]);
      expect(await fixture().verifyAudit(firm.id)).toMatchObject({ intact: true });
      const changes = (await fixture().auditOf(firm.id))
        .filter(({ action }) => action === 'firm.erase')
        .map(({ changes }) => changes);
      expect(changes).toEqual([
        { erasure: { from: null, to: 'started' } },
        { erasure: { from: 'started', to: 'finished' } },
      ]);
      expect((await stores.appReads.adjuster(svcId))?.svcId).toBe(svcId);
      const after = countsOf(await exported(other.firm));
      expect(after).toEqual({ ...before, audit: (before.audit ?? 0) + 1 });
    });

    test('is recognizably erased from the start of erasing on, and nothing gives the firm access again', async () => {
      const { newAdjuster, newStaff, use, stores, newKey, ids } = fixture();
      const { firm, svcId } = await setUp();
      const member = await newStaff(firm);
      const { token } = await use.openStaffSession(member);
      const passkey = {
        ...{ id: ids.next(), account: accountRef(member), name: 'Phone', credentialId: firm.id },
        ...{ publicKey: 'key', signCount: 0, transports: [], createdAt: 0, lastUsedAt: null },
      };
      await stores.unitOfWork.run((tx) => tx.passkeys.add(passkey));
      const { svcId: stranger } = await newAdjuster();
      const { key, secret } = await newKey(firm, { purpose: 'full_access' });
      const erasure = async () => (await stores.operatorReads.firm(firm.id))?.erasure;
      const rejected = async (message: string): Promise<void> => {
        const { id } = firm;
        await expect(use.addMember(id, stranger)).rejects.toThrow(message);
        use.apiKeyAuthenticator.invalidate();
        expect(await use.apiKeyAuthenticator.authenticate(secret)).toBeNull();
        use.sessionAuthenticator.invalidate();
        expect(await use.sessionAuthenticator.authenticateStaff(token)).toBeNull();
        await expect(use.rollKey(key.id, 0)).rejects.toThrow('No key has the id');
        expect((await stores.appReads.memberships(svcId)).map(({ firmId }) => firmId)).not.toContain(id);
      };
      expect(await erasure()).toBeNull();
      const interrupted = makeEraseFirm({
        ...stores,
        uow: stores.unitOfWork,
        clock: fixture().clock,
        operator: OPERATOR,
        pause: async () => {
          throw new Error('interrupted');
        },
      });
      await expect(interrupted(firm.id, firm.name, () => {})).rejects.toThrow('interrupted');
      expect(await erasure()).toBe('started');
      await rejected('is being erased');
      expect(await stores.staffReads.ofFirm(firm.id)).toEqual([]);
      expect(await stores.unitOfWork.run((tx) => tx.sessions.of(accountRef(member)))).toEqual([]);
      expect(await stores.accountReads.passkeys(member)).toEqual([]);
      await expect(use.eraseFirm(firm.id, 'Another name', () => {})).rejects.toThrow('is not');

      expect(await use.eraseFirm(firm.id, firm.name, () => {})).toBeGreaterThan(10);
      expect(await erasure()).toBe('finished');
      await rejected(`The firm ${firm.id} is erased`);
      const events = countsOf(await exported(firm)).audit ?? 0;
      expect(await use.eraseFirm(firm.id, 'Another name', () => {})).toBe(0);
      expect(countsOf(await exported(firm)).audit).toBe(events + 1); // of the export before
      expect(await fixture().verifyAudit(firm.id)).toMatchObject({ intact: true });
    });
  });
}

/** Requests are not kept in memory. */
export function exportedRequestsBehavior(fixture: () => Fixture): void {
  test('the data of a firm is exported with its logged requests and the time of a legal hold', async () => {
    const { newFirm, stores, use } = fixture();
    const [firm, other] = [await newFirm(), await newFirm()];
    const requests = Array.from({ length: 5 }, () => aLoggedRequest({ firmId: firm.id }));
    await stores.requestLog.append([...requests, aLoggedRequest({ firmId: other.id })]);
    const legalHoldSince = await use.setLegalHold(firm.id, true);
    const rows: ExportedRow[] = [];
    for await (const row of use.exportFirm(firm.id)) rows.push(row);
    expect(rows[0]).toMatchObject({ type: 'firm', firm: { id: firm.id }, legalHoldSince });
    const found = rows.flatMap((row) => (row.type === 'request' ? [row.request] : []));
    expect(found).toHaveLength(5);
    expect(found).toEqual(expect.arrayContaining(requests));
  });
}
