import { describe, expect, test } from '@jest/globals';
import type { BoardClaim, BoardFilter, BoardRow, BoardScan, KeysetPosition, Page } from '@svc/application';
import {
  type ClaimAsSent,
  type ClaimFacts,
  type ClaimId,
  DAY,
  HOUR,
  localTime,
  MINUTE,
  type Svcid,
} from '@svc/domain';
import type { Fixture, TestFirm } from '../../fixture.ts';

const OPEN = { environment: 'live', closed: false, order: 'latest' } as const satisfies BoardFilter;
const WAITING = { ...OPEN, order: 'waiting' } as const satisfies BoardFilter;

const FIRST: KeysetPosition = { at: 0, id: '00000000-0000-0000-0000-000000000000' };
const LAST: KeysetPosition = { at: Date.UTC(9999, 0), id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

export function boardBehavior(fixture: () => Fixture): void {
  /** All pages; the longest a page may be is the limit. */
  const board = async (
    firm: TestFirm,
    filter: BoardFilter,
    limit = 2,
    maxBytes?: number,
  ): Promise<BoardRow[]> => {
    const rows: BoardRow[] = [];
    let after: KeysetPosition | null = null;
    do {
      const page: Page<BoardRow> = await fixture().use.listBoard(firm.id, filter, { after, limit, maxBytes });
      if (maxBytes === 1) expect(page.rows.length).toBeLessThanOrEqual(1);
      expect(page.rows.length).toBeLessThanOrEqual(limit);
      rows.push(...page.rows);
      after = page.next;
    } while (after !== null);
    return rows;
  };
  const idsOn = async (firm: TestFirm, filter: BoardFilter, limit?: number): Promise<ClaimId[]> =>
    (await board(firm, filter, limit)).map(({ id }) => id);

  /** A claim a minute, with what the board searches. */
  const sendAt = async (
    firm: TestFirm,
    svcId: Svcid,
    content: Partial<ClaimFacts> & object = {},
    externalId?: string,
  ) => {
    const { newClaim, sendId, clock } = fixture();
    clock.advance(MINUTE);
    const { carrier } = content;
    const claim = newClaim({
      ...(externalId !== undefined && { externalId, claimNumber: `N-${externalId}` }),
      ...(carrier !== undefined && { carrier }),
    });
    const asSent = JSON.stringify({ ...JSON.parse(claim.asSent), ...content }) as ClaimAsSent;
    const actor = svcId.startsWith('test_') ? firm.test : firm.live;
    return sendId(actor, svcId, { claim: { ...claim, asSent } });
  };

  describe('the board', () => {
    test('has the claims of its environment in pages, those that wait longest or changed last first', async () => {
      const { newFirm, newMember, offer, use, clock } = fixture();
      const firm = await newFirm();
      const [svcId, other] = [await newMember(firm), await newMember(firm)];
      const start = clock.now();
      const ids: ClaimId[] = [];
      for (let n = 1; n <= 7; n += 1) ids.push(await sendAt(firm, svcId, {}, `X-${n}`));
      const [rejected = '', offered = '', accepted = '', closed = '', ...rest] = ids as [ClaimId];
      const test = await sendAt(firm, firm.accounts.manual);
      clock.advance(MINUTE);
      await use.rejectClaim({ svcId }, rejected as ClaimId, null);
      clock.advance(MINUTE);
      await offer(firm.live, offered as ClaimId, other);
      clock.advance(MINUTE);
      await use.acceptClaim({ svcId }, accepted as ClaimId);
      await use.closeClaimAsOperator(closed as ClaimId);
      for (const limit of [1, 2, 100]) {
        // Rejected, until somebody offers it again.
        expect(await idsOn(firm, WAITING, limit)).toEqual([rejected, ...rest, offered]);
        expect(await idsOn(firm, OPEN, limit)).toEqual([accepted, offered, rejected, ...rest.toReversed()]);
        expect(await idsOn(firm, { ...OPEN, closed: true }, limit)).toEqual([closed]);
        expect(await idsOn(firm, { ...WAITING, environment: 'test' }, limit)).toEqual([test]);
      }
      const at = (minutes: number) => start + minutes * MINUTE;
      const sent = { externalId: 'X-4', claimNumber: 'N-X-4' };
      expect(await board(firm, { ...OPEN, closed: true })).toMatchObject([
        { ...sent, offeredAt: at(4), respondedAt: null, updatedAt: at(4), closedAt: at(11) },
      ]);
      expect(await board(firm, { ...OPEN, status: 'rejected' })).toMatchObject([
        { adjuster: svcId, status: 'rejected', offeredAt: at(1), respondedAt: at(9), closedAt: null },
      ]);
      const late = { ...WAITING, status: 'pending_acceptance', late: true } as const;
      const counts = () => use.countBoard(firm.id, 'live');
      expect(await idsOn(firm, late)).toEqual([]);
      const waiting = rest.length + 2;
      expect(await counts()).toEqual({ waiting, late: 0, rejected: 1, unassigned: 0 });
      await use.setOfferWait(firm.id, 1);
      clock.advance(HOUR - 2 * MINUTE);
      for (const limit of [1, 2, 100]) expect(await idsOn(firm, late, limit)).toEqual(rest);
      expect(await counts()).toEqual({ waiting, late: rest.length, rejected: 1, unassigned: 0 });
      clock.advance(MINUTE);
      for (const limit of [1, 2, 100]) {
        expect(await idsOn(firm, late, limit)).toEqual([...rest, offered]);
        expect(await idsOn(firm, { ...late, adjuster: other }, limit)).toEqual([offered]);
      }
      expect(await counts()).toMatchObject({ late: rest.length + 1 });
      expect(await use.countBoard(firm.id, 'test')).toMatchObject({ waiting: 1, rejected: 0 });
      await offer(firm.live, rejected as ClaimId, other);
      expect(await counts()).toMatchObject({ waiting: rest.length + 2, rejected: 0 });
      expect(await idsOn(firm, WAITING)).toEqual([...rest, offered, rejected]);
      const pagesOfOne = await board(firm, OPEN, 100, 1);
      expect(pagesOfOne.map(({ id }) => id)).toEqual(await idsOn(firm, OPEN));
      await use.leaveFirm({ svcId: other }, firm.id);
      expect(await counts()).toMatchObject({ waiting: rest.length + 2, unassigned: 2 });
      expect(await idsOn(firm, WAITING, 1)).toEqual([offered, rejected, ...rest]);
      expect(await idsOn(await newFirm(), OPEN)).toEqual([]);
    });

    test('has in each scan just its claims, also where a page ends between offers of one time', async () => {
      const { newFirm, newMember, sendId, use, stores } = fixture();
      const [firm, other] = [await newFirm(), await newFirm()];
      const [svcId, { manual }] = [await newMember(firm), firm.accounts];
      await sendId(other.test, other.accounts.manual);
      const statuses = ['pending_acceptance', 'accepted', 'rejected'] as const;
      for (const adjuster of [svcId, manual])
        for (const status of statuses)
          for (const closed of [false, false, false, true, true, true]) {
            const actor = { svcId: adjuster };
            const id = await sendId(adjuster === manual ? firm.test : firm.live, adjuster);
            if (status === 'accepted') await use.acceptClaim(actor, id);
            if (status === 'rejected') await use.rejectClaim(actor, id, null);
            if (closed) await use.closeClaimAsOperator(id);
          }
      const scans: BoardScan[] = (['live', 'test'] as const).flatMap((environment) => [
        ...[undefined, ...statuses].map((status) => ({ by: 'latest', environment, status }) as const),
        ...(['pending_acceptance', 'rejected'] as const).map(
          (status) => ({ by: 'waiting', environment, status }) as const,
        ),
      ]);
      for (const status of statuses)
        for (const [closed, latestFirst] of [[false, false] as const, [false, true], [true, true]] as const)
          scans.push({ by: 'adjuster', adjuster: svcId, status, closed, latestFirst });
      const [everything] = scans as [BoardScan];
      const all = await stores.boardReads.claims(firm.id, everything, LAST, 100);
      expect(all).toHaveLength(36);
      const isOf = (claim: BoardClaim, scan: BoardScan) => {
        const isClosed = claim.closedAt !== null;
        if (scan.by === 'adjuster') return claim.adjuster === scan.adjuster && isClosed === scan.closed;
        if (scan.by === 'waiting') return claim.environment === scan.environment && !isClosed;
        return scan.environment === 'live' || claim.environment === 'test';
      };
      for (const scan of scans) {
        const at = (claim: BoardClaim) => (scan.by === 'adjuster' ? claim.offeredAt : claim.updatedAt);
        const isDown = scan.by === 'latest' || (scan.by === 'adjuster' && scan.latestFirst);
        const wanted = all
          .filter((claim) => (scan.status ?? claim.status) === claim.status && isOf(claim, scan))
          .sort((one, two) => (isDown ? -1 : 1) * (at(one) - at(two) || (one.id < two.id ? -1 : 1)));
        const found: BoardClaim[] = [];
        for (let after: KeysetPosition | undefined = isDown ? LAST : FIRST; after !== undefined; ) {
          const page: BoardClaim[] = await stores.boardReads.claims(firm.id, scan, after, 2);
          found.push(...page);
          after = page.map((claim) => ({ at: at(claim), id: claim.id })).at(-1);
        }
        expect([scan, found]).toEqual([scan, wanted]);
      }
    });

    test('finds claims by the start of their ids, and by words of name and street, each once', async () => {
      const { newTeam, use, stores } = fixture();
      const { firm, svcId } = await newTeam();
      const person = (first_name: string, last_name: string, street: string) => ({
        policyholder: { first_name, last_name, phone: '1' },
        loss_location: { street, city: 'Westerly', state: 'RI', zip: '02891' },
        carrier: { name: last_name === 'Smith' ? 'Bayou' : 'Bayou  State' },
      });
      const peña = await sendAt(firm, svcId, person('Zoë', 'Peña', '31 Dune Rd'), 'A-1');
      const delgado = await sendAt(firm, svcId, person('Marisol', 'Delgado', '9 Pena Street'), 'A-2');
      const smith = await sendAt(firm, svcId, person('A-2', 'Smith', '31 Harbor Rd'), 'B-1');
      const search = (text: string, more: Partial<BoardFilter> = {}, limit?: number) =>
        idsOn(firm, { ...OPEN, text, ...more }, limit);
      for (const limit of [1, 2, 100]) {
        expect(await search('A-2', {}, limit)).toEqual([delgado, smith]);
        expect(await search('N-A', {}, limit)).toEqual([delgado, peña]);
        expect(await search('PENA', {}, limit)).toEqual([delgado, peña]);
      }
      expect(await search('rd 31')).toEqual([smith, peña]);
      expect(await search(' dune  zoe ')).toEqual([peña]);
      expect(await search('PENA', { order: 'waiting' })).toEqual([peña, delgado]);
      expect(await search('A-', { status: 'accepted' })).toEqual([]);
      expect(await search('%')).toEqual([]);
      expect(await search('rd', { state: 'RI', carrier: 'bayou state ' })).toEqual([peña]);
      // Behind all that has two bytes in UTF-16.
      const tested = await sendAt(firm, firm.accounts.manual, {}, 'T-\u{1f300}');
      for (const prefix of ['T-', 'N-T-']) {
        const read = (of: 'live' | 'test') => stores.boardReads.claimsByIdPrefix(firm.id, of, prefix, 9);
        expect([await read('live'), await read('test')]).toMatchObject([[], [{ id: tested }]]);
      }
      await use.closeClaimAsOperator(peña);
      for (const text of ['A-1', 'N-A-1']) expect(await search(text, { closed: true })).toEqual([peña]);
    });

    test('says how far a claim is from where adjusters work, to a firm that they share it with alone', async () => {
      const { newFirm, newMember, invite, use } = fixture();
      const [firm, other] = [await newFirm(), await newFirm()];
      const [near, unknown, silent] = [await newMember(firm), await newMember(firm), await newMember(firm)];
      await invite(other, near);
      await use.acceptInvitation({ svcId: near }, other.id);
      for (const svcId of [near, unknown, silent])
        await use.setSharing({ svcId }, firm.id, { workArea: true });
      await use.setAvailability({ svcId: near }, { workZip: '33910' });
      await use.setAvailability({ svcId: unknown }, { workZip: '00000' });
      const content = { loss_location: { state: 'FL', zip: '33931' } };
      const claims = new Map<TestFirm, ClaimId>();
      for (const one of [firm, other]) claims.set(one, await sendAt(one, near, content));
      const distances = async (one: TestFirm, forClaim = claims.get(one)) =>
        new Map(
          (await use.listBoardAdjusters(one.id, 'live', { after: null, limit: 200 }, forClaim)).rows.map(
            ({ adjuster, distance }) => [adjuster.svcId, distance],
          ),
        );
      const found = await distances(firm);
      expect([near, unknown, silent].map((svcId) => found.get(svcId))).toEqual([21, null, null]);
      expect((await distances(other)).get(near)).toBeNull();
    });

    test('warns that an adjuster has as many pending offers, of all firms, as they want', async () => {
      const { newFirm, newMember, invite, sendId, use } = fixture();
      const [firm, other] = [await newFirm(), await newFirm()];
      const [limited, unlimited] = [await newMember(firm), await newMember(firm)];
      await invite(other, limited);
      await use.acceptInvitation({ svcId: limited }, other.id);
      await use.setAvailability({ svcId: limited }, { maxOpenOffers: 2 });
      const id = await sendId(firm.live, unlimited);
      const warned = async () =>
        (await use.listBoardAdjusters(firm.id, 'live', { after: null, limit: 200 }, id)).rows.flatMap(
          ({ adjuster, warnings }) => (warnings.length === 0 ? [] : [[adjuster.svcId, warnings]]),
        );
      await sendId(firm.live, limited);
      expect(await warned()).toEqual([]);
      const second = await sendId(other.live, limited);
      expect(await warned()).toEqual([[limited, ['limit_reached']]]);
      await use.closeClaimAsOperator(second);
      expect(await warned()).toEqual([]);
      const third = await sendId(firm.live, limited);
      expect(await warned()).toEqual([[limited, ['limit_reached']]]);
      await use.acceptClaim({ svcId: limited }, third);
      expect(await warned()).toEqual([]);
      const invited = await newMember(other);
      await use.setAvailability({ svcId: invited }, { maxOpenOffers: 1 });
      await sendId(other.live, invited);
      await invite(firm, invited);
      expect(await warned()).toEqual([[invited, ['limit_reached']]]);
    });

    test('reports offers by outcome with the time to answer, by adjuster, week and carrier', async () => {
      const { newFirm, newMember, newStaff, newTeam, offer, use, clock, stores } = fixture();
      const elsewhere = await newTeam();
      await sendAt(elsewhere.firm, elsewhere.svcId, { carrier: { name: 'BAYOU' } });
      const firm = await newFirm();
      const [svcId, other] = [await newMember(firm), await newMember(firm)];
      const since = clock.advance(MINUTE);
      const carrier = { name: 'Bayou' };
      const ids: ClaimId[] = [];
      for (let n = 0; n < 4; n += 1)
        ids.push(await sendAt(firm, svcId, { carrier: n === 0 ? carrier : { name: 'Zenith' } }));
      const [claimId = '' as ClaimId] = ids;
      const seen = { firmId: firm.id, claimId, environment: 'live', adjuster: svcId } as const;
      await stores.offerHistory.append([{ ...seen, offeredAt: since + MINUTE, seenAt: clock.now() }]);
      const { manual } = firm.accounts;
      const ofTest = { environment: 'test', adjuster: manual } as const;
      const tested = { ...seen, ...ofTest, claimId: await sendAt(firm, manual) };
      await stores.offerHistory.append([{ ...tested, offeredAt: clock.now(), seenAt: clock.now() }]);
      await offer(firm.test, tested.claimId, manual);
      const [first, second, third, fourth] = ids as [ClaimId, ClaimId, ClaimId, ClaimId];
      clock.advance(MINUTE);
      await use.rejectClaim({ svcId }, first, null);
      await use.acceptClaim({ svcId }, second);
      // Its offer is the latest one, which the history has too, and stays accepted.
      const latest = { ...seen, claimId: second, offeredAt: since + 2 * MINUTE, seenAt: clock.now() };
      await stores.offerHistory.append([latest]);
      await use.closeAcceptedClaim({ svcId }, second);
      await offer(firm.live, first, other);
      await offer(firm.live, third, other);
      await use.closeClaimAsOperator(fourth);
      await use.withdrawOffer(await newStaff(firm), { claimId: third });
      const until = clock.advance(7 * DAY);
      await sendAt(firm, other);
      const report = (by: 'adjuster' | 'week' | 'carrier', to = until, of = firm, signal?: AbortSignal) =>
        use.reportAnswers(of.id, { environment: 'live', since, until: to, by, timeZone: 'UTC' }, signal);
      const none = { accepted: 0, rejected: 0, unassigned: 0, withdrawn: 0, closed: 0, pending: 0 };
      const [slow, fast] = [5 * MINUTE, 4 * MINUTE];
      const answered = {
        medianAnswerMs: (slow + fast) / 2,
        p90AnswerMs: fast + (slow - fast) * 0.9,
        ...{ contactsShared: 0, contactsInTime: 0, contactsLate: 0 },
      };
      const unanswered = { medianAnswerMs: null, p90AnswerMs: null };
      const { total, rows } = await report('adjuster');
      const name = (await board(firm, { ...OPEN, adjuster: svcId, closed: true }))[0]?.adjusterName;
      const counts = { ...none, accepted: 1, rejected: 1, withdrawn: 1, closed: 1 };
      expect(total).toEqual({ group: '', offers: 6, ...counts, withdrawn: 2, pending: 1, ...answered });
      expect(rows[0]).toEqual({ group: svcId, label: name, offers: 4, ...counts, ...answered });
      const ofOther = { ...none, withdrawn: 1, pending: 1, ...unanswered };
      expect(rows[1]).toMatchObject({ group: other, offers: 2, ...ofOther });
      const countIn = async (from: number, to: number, environment: 'live' | 'test' = 'live') => {
        const filter = { environment, since: from, until: to, by: 'week', timeZone: 'UTC' } as const;
        return (await use.reportAnswers(firm.id, filter)).total.offers;
      };
      expect(await countIn(since, until, 'test')).toBe(2);
      // The offer of the first claim has ended, that of the second is its latest.
      const [one, two] = [since + MINUTE, since + 2 * MINUTE];
      const counted: number[] = [];
      for (const bound of [one, one + 1, two, two + 1])
        counted.push(await countIn(since, bound), await countIn(bound, until));
      expect(counted).toEqual([0, 6, 1, 5, 1, 5, 2, 4]);
      const byWeek = (await report('week', clock.now() + 1)).rows;
      expect(byWeek.map(({ offers }) => offers)).toEqual([6, 1]);
      expect(byWeek.map(({ group }) => new Date(group).getUTCDay())).toEqual([1, 1]);
      expect(byWeek.map(({ partial }) => partial)).toEqual([true, true]);
      const ofCarriers = (await report('carrier')).rows.map(({ label, offers }) => [label, offers]);
      expect(ofCarriers).toEqual([
        ['Zenith', 4],
        ['Bayou', 2],
      ]);
      await use.leaveFirm({ svcId: other }, firm.id);
      expect((await report('week')).total).toMatchObject({ withdrawn: 2, unassigned: 1, pending: 0 });
      expect((await report('week', until, await newFirm())).rows).toEqual([]);
      await expect(report('week', until, firm, AbortSignal.abort())).rejects.toThrow('Nobody waits');
    });

    test('reports contacts in time by the rules of the carrier and event, only where the adjuster lets the firm see them', async () => {
      const { newFirm, newMember, newStaff, use, clock } = fixture();
      const firm = await newFirm();
      const [svcId, hidden] = [await newMember(firm), await newMember(firm)];
      const since = clock.now();
      // Due after midnight in UTC, and before it in Chicago.
      const untilNight = 50 - new Date(since).getUTCHours();
      await use.setClocks(await newStaff(firm), () => ({
        rules: [
          { carrier: 'Bayou', contactHours: 2 },
          { carrier: 'Bayou', catCode: 'FL26-09', contactHours: 100 },
          { carrier: 'Night', contactHours: untilNight },
        ],
        timeZone: 'America/Chicago',
      }));
      const accept = async (carrier: string, cat_code?: string, by = svcId, after = 0) => {
        const loss = { date: '2027-01-01', ...(cat_code !== undefined && { cat_code }) };
        const content = { carrier: { name: carrier }, loss };
        const id = await sendAt(firm, by, content);
        clock.advance(after);
        await use.acceptClaim({ svcId: by }, id);
        return id;
      };
      const early = await accept('Bayou', undefined, svcId, 30 * MINUTE);
      const offline = await accept('Bayou');
      const overdue = await accept('BAYOU');
      const ofEvent = await accept('Bayou', 'FL26-09');
      await use.setDeadline({ event: 'other', kind: 'proof_of_loss', hours: 100, source: 'test' });
      const general = await accept('Other', 'other');
      const byNight = await accept('Night');
      const byDate = await accept('Bayou East');
      const closed = await accept('Other');
      const closedLate = await accept('Other');
      await accept('Bayou', undefined, hidden);
      await use.rejectClaim({ svcId }, await sendAt(firm, svcId, { carrier: { name: 'Bayou' } }), null);
      const acceptedAt = clock.now();
      const reached = (id: ClaimId, hours: number) =>
        use.logContact({ svcId }, id, { id: 'a', at: acceptedAt + hours * HOUR, result: 'reached' });
      await use.closeAcceptedClaim({ svcId }, closed);
      // By a device whose clock is ahead, and received exactly when it was due.
      clock.advance(since + 31 * MINUTE + 2 * HOUR - acceptedAt);
      await reached(early, 3);
      clock.advance(88 * HOUR);
      await use.closeAcceptedClaim({ svcId }, closedLate);
      await reached(general, 25);
      const { date } = localTime(acceptedAt + DAY, 'America/Chicago');
      await use.recordWork({ svcId }, byDate, { contactDate: date });
      const night = new Date(acceptedAt + untilNight * HOUR).toISOString().slice(0, 10);
      await use.recordWork({ svcId }, byNight, { contactDate: night });
      // In time, and received later; its date does not count.
      await reached(offline, 1);
      await use.recordWork({ svcId }, offline, { contactDate: night });
      await use.setSharing({ svcId }, firm.id, { clocks: true });
      const filter = { environment: 'live', since, until: clock.now(), timeZone: 'UTC' } as const;
      const { total, rows } = await use.reportAnswers(firm.id, { ...filter, by: 'carrier' });
      const contacts = (row: typeof total) => [row.contactsShared, row.contactsInTime, row.contactsLate];
      await use.removeDeadline('other', 'proof_of_loss');
      expect(contacts(total)).toEqual([9, 3, 4]);
      expect(Object.fromEntries(rows.map((row) => [row.group, contacts(row)]))).toEqual({
        Bayou: [4, 2, 1],
        'Bayou East': [1, 1, 0],
        Other: [3, 0, 2],
        Night: [1, 0, 1],
      });
      // As each claim says.
      const lateOf = async (id: ClaimId) => (await use.readBoardClaim(firm.id, id)).clocks?.contact.late;
      const all = [early, offline, overdue, ofEvent, general, byDate, byNight, closed, closedLate];
      const late = [false, false, true, false, true, false, true, false, true];
      expect(await Promise.all(all.map(lateOf))).toEqual(late);
      // What was due after the period, and is late now, is late.
      const earlier = await use.reportAnswers(firm.id, { ...filter, until: acceptedAt + 1, by: 'carrier' });
      expect(contacts(earlier.total)).toEqual([9, 3, 4]);
      const byAdjuster = await use.reportAnswers(firm.id, { ...filter, by: 'adjuster' });
      expect(byAdjuster.rows.map((row) => [row.group, ...contacts(row)])).toEqual([
        [svcId, 9, 3, 4],
        [hidden, 0, 0, 0],
      ]);
      await use.leaveFirm({ svcId }, firm.id);
      expect(contacts((await use.reportAnswers(firm.id, { ...filter, by: 'week' })).total)).toEqual([
        0, 0, 0,
      ]);
    });

    test('an answer is never before its offer, also by the clock of another process', async () => {
      const { newTeam, use, clock, stores } = fixture();
      const { firm, svcId } = await newTeam();
      const since = clock.advance(MINUTE);
      const [accepted, rejected] = [await sendAt(firm, svcId), await sendAt(firm, svcId)];
      const until = clock.now() + 1;
      clock.advance(-10 * MINUTE);
      await use.acceptClaim({ svcId }, accepted);
      await use.rejectClaim({ svcId }, rejected, null);
      clock.advance(10 * MINUTE);
      const filter = { environment: 'live', since, until, by: 'adjuster', timeZone: 'UTC' } as const;
      const { total } = await use.reportAnswers(firm.id, filter);
      expect([total.medianAnswerMs, total.p90AnswerMs]).toEqual([0, 0]);
      expect((await stores.boardReads.work(firm.id, [svcId])).get(svcId)?.medianAnswerMs).toBe(0);
      const claim = await stores.firmReads.claim(firm.id, 'live', accepted);
      expect(claim?.assignment.respondedAt).toBe(claim?.assignment.offeredAt);
    });

    test('reports by week on the calendar of the time zone, and marks a week that the period cuts', async () => {
      const { newClaim, newTeam, sendId, use, clock } = fixture();
      const carrier = { name: 'Bayou' };
      const { firm, svcId } = await newTeam();
      // A Sunday evening in Chicago, which is Monday in UTC.
      const sunday = Date.UTC(2027, 10, 8, 4, 30);
      const started = clock.now();
      clock.advance(sunday - started);
      const first = await sendAt(firm, svcId);
      clock.advance(DAY);
      await use.acceptClaim({ svcId }, first);
      // Two that are alike in all that the report reads.
      await sendAt(firm, svcId, { carrier });
      await sendId(firm.live, svcId, { claim: newClaim({ carrier }) });
      const end = clock.advance(DAY);
      const weeks = async (timeZone: string, since: number, until = end) => {
        const filter = { environment: 'live', since, until, by: 'week', timeZone } as const;
        const { rows } = await use.reportAnswers(firm.id, filter);
        return rows.map(({ group, label, offers, partial }) => [group, label, offers, partial]);
      };
      expect(await weeks('UTC', sunday - DAY)).toEqual([['2027-11-08', '2027-11-08', 3, true]]);
      expect(await weeks('America/Chicago', sunday - DAY)).toEqual([
        ['2027-11-01', '2027-11-01', 1, true],
        ['2027-11-08', '2027-11-08', 2, true],
      ]);
      const startOfWeek = Date.UTC(2027, 10, 1, 5);
      const [whole] = await weeks('America/Chicago', startOfWeek);
      expect(whole).toEqual(['2027-11-01', '2027-11-01', 1, false]);
      for (let week = 0; week < 10; week += 1) {
        clock.advance(7 * DAY);
        for (let n = 0; n <= week; n += 1) await sendAt(firm, svcId);
      }
      const ofAll = (await weeks('UTC', sunday - DAY, clock.now() + 1)).map(([week]) => week);
      expect([ofAll.length, ofAll]).toEqual([11, ofAll.toSorted()]);
      clock.advance(started - clock.now());
    });

    test('counts the open work of adjusters and the median time of their answers', async () => {
      const { newFirm, newMember, offer, use, clock, stores } = fixture();
      const [firm, elsewhere] = [await newFirm(), await newFirm()];
      const [svcId, idle] = [await newMember(firm), await newMember(firm)];
      const ids = [];
      for (let n = 0; n < 4; n += 1) ids.push(await sendAt(firm, svcId));
      const [first, second, third, fourth] = ids as [ClaimId, ClaimId, ClaimId, ClaimId];
      clock.advance(MINUTE);
      await use.acceptClaim({ svcId }, first);
      await use.closeAcceptedClaim({ svcId }, first);
      await use.rejectClaim({ svcId }, second, null);
      clock.advance(10 * MINUTE);
      await use.acceptClaim({ svcId }, third);
      const work = await stores.boardReads.work(firm.id, [svcId, idle]);
      expect(work.get(svcId)).toEqual({ openOffers: 1, openClaims: 1, medianAnswerMs: 4 * MINUTE });
      expect(work.get(idle)).toEqual({ openOffers: 0, openClaims: 0, medianAnswerMs: null });
      // The rejected offer counts after the claim was offered again.
      await offer(firm.live, second, idle);
      const workNow = async () => (await stores.boardReads.work(firm.id, [svcId])).get(svcId);
      expect(await workNow()).toEqual(work.get(svcId));
      expect((await stores.boardReads.work(elsewhere.id, [svcId])).get(svcId)).toEqual(work.get(idle));
      // So does one of a claim that is closed.
      await use.rejectClaim({ svcId }, fourth, null);
      const before = await workNow();
      expect(before?.medianAnswerMs).toBeGreaterThan(4 * MINUTE);
      await use.closeClaimAsOperator(fourth);
      expect(await workNow()).toEqual(before);
    });

    test('takes the median of the latest twenty answers, whenever they came', async () => {
      const { newFirm, newMember, newStaff, offer, use, clock, stores } = fixture();
      const firm = await newFirm();
      const [svcId, other, staff] = [await newMember(firm), await newMember(firm), await newStaff(firm)];
      const workNow = async () => (await stores.boardReads.work(firm.id, [svcId])).get(svcId);
      const sent = async (count: number): Promise<ClaimId[]> =>
        count === 0 ? [] : [await sendAt(firm, svcId), ...(await sent(count - 1))];
      const [earliest, ...slow] = (await sent(12)) as [ClaimId, ...ClaimId[]];
      for (let n = 0; n < 10; n += 1) await use.acceptClaim({ svcId }, await sendAt(firm, svcId));
      clock.advance(HOUR);
      await use.rejectClaim({ svcId }, earliest, null);
      for (const id of slow) await use.acceptClaim({ svcId }, id);
      const work = { openOffers: 0, openClaims: 21, medianAnswerMs: (HOUR + 10 * MINUTE) / 2 };
      expect(await workNow()).toEqual(work);
      // So it does of ended offers, of which those without an answer take no place.
      const reject = async (id: ClaimId) => {
        await use.rejectClaim({ svcId }, id, null);
        await offer(firm.live, id, other);
      };
      const slowly = await sent(12);
      for (let n = 0; n < 10; n += 1) await reject(await sendAt(firm, svcId));
      for (const claimId of await sent(3)) {
        await use.withdrawOffer(staff, { claimId });
        await offer(firm.live, claimId, other);
      }
      clock.advance(HOUR);
      for (const id of slowly) await reject(id);
      expect(await workNow()).toEqual({ ...work, medianAnswerMs: (HOUR + 13 * MINUTE) / 2 });
    });

    test('finds which ids are taken, of its firm and environment alone, and a number while its claim is open', async () => {
      const { newTeam, use, stores } = fixture();
      const [{ firm, svcId }, other] = [await newTeam(), await newTeam()];
      const open = await sendAt(firm, svcId, {}, 'T-1');
      const closed = await sendAt(firm, svcId, {}, 'T-2');
      const { closedAt } = await use.closeClaimAsOperator(closed);
      await sendAt(firm, firm.accounts.manual, {}, 'T-3');
      await sendAt(other.firm, other.svcId, {}, 'T-4');
      const found = async (ids: readonly string[], numbers = ids) => {
        const sent = ids.map((externalId, n) => ({ externalId, claimNumber: numbers[n] ?? '' }));
        const rows = await stores.boardReads.claimsWithIds(firm.id, 'live', sent);
        return rows.sort((one, two) => one.externalId.localeCompare(two.externalId));
      };
      const ids = ['none', 'T-1', 'T-2', 'T-3', 'T-4'];
      const numbers = ids.map((id) => `N-${id}`);
      const row1 = { id: open, externalId: 'T-1', claimNumber: 'N-T-1', closedAt: null };
      const row2 = { id: closed, externalId: 'T-2', claimNumber: 'N-T-2', closedAt };
      expect(await found(ids, numbers)).toEqual([row1, row1, row2]);
      expect(await found(numbers, ids)).toEqual([]);
    });

    test("a firm's revision changes with its claims alone", async () => {
      const { newFirm, newMember, use, stores } = fixture();
      const [firm, other] = [await newFirm(), await newFirm()];
      const svcId = await newMember(firm);
      const revisions = () => stores.boardReads.revisions([firm.id, other.id]);
      const before = await revisions();
      const id = await sendAt(firm, svcId);
      const sent = await revisions();
      await use.acceptClaim({ svcId }, id);
      const accepted = await revisions();
      await use.closeAcceptedClaim({ svcId }, id);
      const closed = await revisions();
      const seen = [before, sent, accepted, closed].map((each) => each.get(firm.id));
      expect(new Set(seen).size).toBe(4);
      expect(accepted.get(other.id)).toBe(before.get(other.id));
    });
  });
}
