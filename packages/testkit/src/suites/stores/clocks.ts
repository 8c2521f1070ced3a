import { describe, expect, test } from '@jest/globals';
import { type ClaimId, type ClockRule, type FirmClocks, HOUR, MINUTE, type Svcid } from '@svc/domain';
import { errorCodeOf } from '../../error-code.ts';
import { everyPage, type Fixture, type TestFirm } from '../../fixture.ts';

const CHICAGO = 'America/Chicago';

/** What a firm owes its carriers, and what its desk sees of it. */
export function clocksBehavior(fixture: () => Fixture): void {
  const setRules = async (firm: TestFirm, rules: readonly ClockRule[], timeZone = CHICAGO) => {
    const { use, newStaff } = fixture();
    const origin = { address: '192.0.2.3', requestId: 'r-3' };
    const edit = (current: FirmClocks) => ({ ...current, rules, timeZone });
    return use.setClocks({ ...(await newStaff(firm)), origin }, edit);
  };
  const accepted = async (firm: TestFirm, svcId: Svcid): Promise<ClaimId> => {
    const { use, sendId, newClaim } = fixture();
    const claim = newClaim({ carrier: { name: 'Bayou Mutual' } });
    const asSent = claim.asSent.replace('"peril"', '"cat_code":"FL26-09","peril"') as typeof claim.asSent;
    const id = await sendId(firm.live, svcId, { claim: { ...claim, asSent } });
    await use.acceptClaim({ svcId }, id);
    return id;
  };
  const seen = async (firm: TestFirm, id: ClaimId) =>
    (await fixture().use.readBoardClaim(firm.id, id)).clocks;
  const receiptOf = async (firm: TestFirm, id: ClaimId) => (await fixture().receiptOf(firm.live, id)).clocks;

  describe('the clocks of a firm', () => {
    test('are replaced as a whole, and nothing is written or recorded where nothing changes', async () => {
      const { newFirm, clock, stores } = fixture();
      const [firm, other] = [await newFirm(), await newFirm()];
      const rules = [{ carrier: 'Bayou Mutual', catCode: 'FL26-09', contactHours: 12 }, { reportDays: 3 }];
      expect(await fixture().stores.boardReads.clocks(firm.id)).toEqual({ rules: [], timeZone: 'UTC' });
      const changedAt = clock.advance(MINUTE);
      const set = { rules, timeZone: CHICAGO, changedAt };
      expect(await setRules(firm, rules)).toEqual(set);
      clock.advance(MINUTE);
      expect(await setRules(firm, rules)).toEqual(set);
      expect(await fixture().stores.boardReads.clocks(firm.id)).toEqual(set);
      expect((await stores.operatorReads.firm(firm.id))?.clocks).toEqual(set);
      expect(await fixture().stores.boardReads.clocks(other.id)).toEqual({ rules: [], timeZone: 'UTC' });
      const asMany = [{ carrier: 'Gulf', contactHours: 12 }, { reportDays: 3 }];
      for (const [wanted, timeZone] of [[asMany, CHICAGO] as const, [asMany, 'UTC'], [[], 'UTC']] as const) {
        const changed = { rules: wanted, timeZone, changedAt: clock.advance(MINUTE) };
        expect(await setRules(firm, wanted, timeZone)).toEqual(changed);
        expect(await stores.boardReads.clocks(firm.id)).toEqual(changed);
      }
      const recorded = (await fixture().auditOf(firm.id)).filter(({ action }) => action === 'firm.clocks');
      const byPerson = { address: '192.0.2.3', requestId: 'r-3', object: `firm:${firm.id}` };
      expect(recorded).toMatchObject(
        [changedAt, ...[2, 1, 0].map((n) => clock.now() - n * MINUTE)].map((at) => ({ ...byPerson, at })),
      );
      expect(recorded.map(({ changes = null }) => changes)).toEqual([
        { rules: { from: 0, to: 2 }, time_zone: { from: 'UTC', to: CHICAGO } },
        null,
        { time_zone: { from: CHICAGO, to: 'UTC' } },
        { rules: { from: 2, to: 0 } },
      ]);
    });

    test('two rules for the same claims are rejected, and leave the rules as they are', async () => {
      const { newFirm } = fixture();
      const firm = await newFirm();
      await setRules(firm, [{ contactHours: 1 }]);
      const twice = [
        ...[{ contactHours: 1 }, { carrier: 'Bayou', contactHours: 1 }],
        ...[
          { carrier: 'Gulf', reportDays: 2 },
          { carrier: ' BAYOU ', reportDays: 2 },
        ],
      ];
      const message = 'Rules 2 and 4 are for the same claims: make them one.';
      await expect(setRules(firm, twice)).rejects.toMatchObject({ code: 'clock_rules_repeated', message });
      expect((await fixture().stores.boardReads.clocks(firm.id)).rules).toEqual([{ contactHours: 1 }]);
    });

    test('of two people who edit the same rules at once, the later one is refused', async () => {
      const { newFirm, newStaff, use } = fixture();
      const firm = await newFirm();
      const staff = await newStaff(firm);
      const isEmpty = ({ rules }: FirmClocks) => rules.length === 0;
      const edit = (contactHours: number, isBase = isEmpty) =>
        use.setClocks(staff, () => ({ rules: [{ contactHours }], timeZone: CHICAGO }), isBase);
      const codeOf = (edited: Promise<unknown>) =>
        edited.then(
          () => null,
          ({ code }) => code,
        );
      expect(await codeOf(edit(3, () => false))).toBe('clocks_changed');
      const ends = await Promise.all([codeOf(edit(1)), codeOf(edit(2))]);
      expect([...ends].sort()).toEqual(['clocks_changed', null]);
      // As after a lost response.
      const [kept] = (await fixture().stores.boardReads.clocks(firm.id)).rules;
      expect(await edit(kept?.contactHours ?? 0)).toMatchObject({ rules: [kept] });
    });

    test('come to the phone with each of its claims, also of those that have not changed since', async () => {
      const { newTeam, clock, stores } = fixture();
      const { firm, svcId } = await newTeam();
      const id = await accepted(firm, svcId);
      const since = clock.advance(HOUR);
      const changed = () => everyPage((page) => stores.appReads.claims(svcId, 'accepted', page, since), 2);
      expect(await changed()).toEqual([]);
      const clocks = await setRules(firm, [{ contactHours: 12 }]);
      expect(await changed()).toMatchObject([{ id, clocks }]);
      expect((await stores.appReads.claim(svcId, id))?.clocks).toEqual(clocks);
    });
  });

  describe('what the desk sees of an accepted claim', () => {
    test('is nothing until the adjuster agrees, then both times, and nothing once the consent is withdrawn', async () => {
      const { newFirm, newMember, use, clock } = fixture();
      const firm = await newFirm();
      const [svcId, other] = [await newMember(firm), await newMember(firm)];
      const acceptedAt = clock.now();
      const id = await accepted(firm, svcId);
      const [others, closed] = [await accepted(firm, other), await accepted(firm, other)];
      await use.closeAcceptedClaim({ svcId: other }, closed);
      await setRules(firm, [{ carrier: 'Bayou Mutual', catCode: 'FL26-09', contactHours: 2 }]);
      await use.setDeadline({ event: 'FL26-09', kind: 'inspection', hours: 47, source: 'Bulletin' });
      const actor = { svcId };
      const deviceAt = acceptedAt + HOUR;
      const at = clock.advance(3 * HOUR);
      const attempt = { id: 'a', at: deviceAt, result: 'reached', note: 'NOTE-SECRET' } as const;
      await use.logContact(actor, id, attempt);
      await use.recordWork(actor, id, { notes: 'NOTE-SECRET', contactDate: '2026-09-01' });
      const rowsOf = async (clockLate?: true) => {
        const filter = { environment: 'live', closed: false, order: 'latest', clockLate } as const;
        return (await use.listBoard(firm.id, filter, { after: null, limit: 50 })).rows;
      };
      const listed = async () => (await rowsOf()).find((row) => row.id === id)?.clocks;
      const lateIds = async () => (await rowsOf(true)).map((row) => row.id);
      const views = () => Promise.all([seen(firm, id), listed(), receiptOf(firm, id)]);
      expect(await views()).toEqual([null, null, null]);

      await use.setSharing(actor, firm.id, { clocks: true });
      const step = { deviceAt, at, date: null };
      const contact = { step, dueAt: acceptedAt + 2 * HOUR, late: false };
      const inspection = { step: null, dueAt: deviceAt + 47 * HOUR, late: false };
      const [claim, row, receipt] = await views();
      expect(claim).toMatchObject({ contact, inspection });
      expect(row).toEqual(claim);
      const [device, server] = [deviceAt, at].map((time) => new Date(time).toISOString());
      expect(receipt).toEqual({
        first_contact: { at: server, device_at: device, date: null },
        inspection: null,
      });
      expect(JSON.stringify(await use.readBoardClaim(firm.id, id))).not.toContain('SECRET');
      expect([await seen(firm, others), await lateIds()]).toEqual([null, []]);
      await use.setSharing({ svcId: other }, firm.id, { clocks: true });
      expect(await lateIds()).toEqual([others]);
      expect((await seen(firm, closed))?.contact).toEqual({ ...contact, step: null });

      // An inspection that is late, entered offline; and an earlier contact that is claimed afterwards.
      const inspectedAt = deviceAt + 48 * HOUR;
      const received = clock.advance(50 * HOUR);
      await use.logContact(actor, id, { id: 'b', at: inspectedAt, result: 'inspected' });
      await use.logContact(actor, id, { ...attempt, at: acceptedAt });
      expect(await seen(firm, id)).toMatchObject({
        contact: { step: { deviceAt: acceptedAt, at: received }, late: false },
        inspection: { step: { deviceAt: inspectedAt, at: received }, late: true },
      });
      expect([await lateIds(), await listed()]).toEqual([[others, id], await seen(firm, id)]);

      await use.setSharing(actor, firm.id, { clocks: false });
      expect([await views(), await lateIds()]).toEqual([[null, null, null], [others]]);
      await use.removeDeadline('FL26-09', 'inspection');
    });

    test('ends with the membership, and is never that of another firm', async () => {
      const { newFirm, newMember, use } = fixture();
      const [firm, other] = [await newFirm(), await newFirm()];
      const svcId = await newMember(firm);
      await use.addMember(other.id, svcId);
      const [id, theirs] = [await accepted(firm, svcId), await accepted(other, svcId)];
      await use.setSharing({ svcId }, firm.id, { clocks: true });
      expect([await seen(firm, id), await seen(other, theirs)]).toEqual([expect.anything(), null]);
      for (const attempt of [seen(other, id), seen(firm, 'no uuid' as ClaimId)])
        expect(await errorCodeOf(attempt)).toBe('not_found');
      await use.leaveFirm({ svcId }, firm.id);
      expect([await seen(firm, id), await receiptOf(firm, id)]).toEqual([null, null]);
      await use.addMember(firm.id, svcId);
      expect([await seen(firm, id), await receiptOf(firm, id)]).toEqual([null, null]);
    });

    test('is nothing without the acceptance', async () => {
      const { newTeam, use, sendId } = fixture();
      const { firm, svcId } = await newTeam();
      await use.setSharing({ svcId }, firm.id, { clocks: true });
      const id = await sendId(firm.live, svcId);
      expect([await seen(firm, id), await receiptOf(firm, id)]).toEqual([null, null]);
      await use.rejectClaim({ svcId }, id, null);
      expect([await seen(firm, id), await receiptOf(firm, id)]).toEqual([null, null]);
    });
  });
}
