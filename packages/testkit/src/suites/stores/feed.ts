import { describe, expect, test } from '@jest/globals';
import {
  auditEntriesFrom,
  type ClaimFilter,
  type ClaimView,
  SERVICE_CHAIN,
  type Tx,
  type UnitOfWork,
} from '@svc/application';
import { type ClaimId, HOUR, type Instant, MINUTE, type Svcid } from '@svc/domain';
import { everyPage, type Fixture, OPERATOR, type TestFirm } from '../../fixture.ts';

export function feedBehavior(fixture: () => Fixture): void {
  const feed = (
    firm: TestFirm,
    filter: ClaimFilter = {},
    limit = 3,
    betweenPages?: (rows: readonly ClaimView[]) => Promise<unknown>,
  ): Promise<ClaimView[]> =>
    everyPage(
      (page) => fixture().stores.firmReads.claims(firm.id, 'live', filter, page),
      limit,
      betweenPages,
    );
  const idsOf = (views: readonly ClaimView[]): ClaimId[] => views.map(({ id }) => id);

  const setUp = async (claims: number): Promise<{ firm: TestFirm; svcId: Svcid; ids: ClaimId[] }> => {
    const { newTeam, sendId } = fixture();
    const { firm, svcId } = await newTeam();
    const ids: ClaimId[] = [];
    for (let n = 0; n < claims; n++) ids.push(await sendId(firm.live, svcId));
    return { firm, svcId, ids };
  };

  describe("the firm's change feed", () => {
    test('change timestamps are unique and increase, also within one millisecond', async () => {
      const { use, clock } = fixture();
      clock.advance(1);
      const { firm, svcId, ids } = await setUp(5);
      const at = clock.now();
      expect((await feed(firm)).map(({ updatedAt }) => updatedAt)).toEqual([
        at,
        at + 1,
        at + 2,
        at + 3,
        at + 4,
      ]);
      await use.acceptClaim({ svcId }, ids[1] as ClaimId);
      await use.rejectClaim({ svcId }, ids[0] as ClaimId, null);
      const after = await feed(firm);
      expect(idsOf(after)).toEqual([ids[2], ids[3], ids[4], ids[1], ids[0]]);
      expect(after.slice(-2).map(({ updatedAt }) => updatedAt)).toEqual([at + 5, at + 6]);
    });

    test('a clock set back does not decrease change timestamps', async () => {
      const { use, clock } = fixture();
      const { firm, svcId, ids } = await setUp(2);
      const last = (await feed(firm)).at(-1)?.updatedAt ?? 0;
      clock.advance(-60_000);
      await use.acceptClaim({ svcId }, ids[0] as ClaimId);
      clock.advance(60_000);
      expect((await feed(firm)).at(-1)).toMatchObject({ id: ids[0], updatedAt: last + 1 });
    });

    test('change timestamps of firms are independent', async () => {
      const { clock } = fixture();
      clock.advance(60_000);
      const [one, two] = [await setUp(3), await setUp(1)];
      expect((await feed(one.firm))[0]?.updatedAt).toBe(clock.now());
      expect((await feed(two.firm))[0]?.updatedAt).toBe(clock.now());
    });

    test('updated_since is inclusive to the millisecond', async () => {
      const { firm, ids } = await setUp(3);
      const timestamps = (await feed(firm)).map(({ updatedAt }) => updatedAt);
      const since = async (at: Instant) => idsOf(await feed(firm, { updatedSince: at }));
      const [, second = 0] = timestamps;
      expect(await since(second - 1)).toEqual(ids);
      expect(await since(second)).toEqual(ids.slice(1));
      expect(await since(second + 1)).toEqual(ids.slice(2));
      expect(await since((timestamps[2] ?? 0) + 1)).toEqual([]);
      expect(await since(0)).toEqual(ids);
      expect(await since(Date.parse('9999-12-31T23:59:59.999Z'))).toEqual([]);
      // A cursor from before that time, of a list without it.
      const page = { after: { at: timestamps[0] ?? 0, id: ids[0] ?? '' }, limit: 9 };
      const filter = { updatedSince: second + 1 };
      const { rows } = await fixture().stores.firmReads.claims(firm.id, 'live', filter, page);
      expect(idsOf(rows)).toEqual(ids.slice(2));
    });

    test('finds claims by assignment status, external id, or both', async () => {
      const { use, newClaim, sendId } = fixture();
      const { firm, svcId, ids } = await setUp(4);
      const [pending, accepted, rejected, unassigned] = ids as [ClaimId, ClaimId, ClaimId, ClaimId];
      const leaver = await fixture().newMember(firm);
      await use.acceptClaim({ svcId }, accepted);
      await use.rejectClaim({ svcId }, rejected, null);
      await fixture().offer(firm.live, unassigned, leaver);
      await use.leaveFirm({ svcId: leaver }, firm.id);
      for (const [assignmentStatus, id] of [
        ['pending_acceptance', pending],
        ['accepted', accepted],
        ['rejected', rejected],
        ['unassigned', unassigned],
      ] as const) {
        expect(idsOf(await feed(firm, { assignmentStatus }))).toEqual([id]);
      }
      const claim = newClaim();
      const { externalId } = claim.facts;
      const id = await sendId(firm.live, svcId, { claim });
      expect(idsOf(await feed(firm, { externalId }))).toEqual([id]);
      expect(await feed(firm, { externalId, assignmentStatus: 'accepted' })).toEqual([]);
      const { updatedAt } = (await feed(firm, { externalId }))[0] ?? { updatedAt: 0 };
      expect(idsOf(await feed(firm, { externalId, updatedSince: updatedAt }))).toEqual([id]);
      expect(await feed(firm, { externalId, updatedSince: updatedAt + 1 })).toEqual([]);
      const assignmentStatus = 'pending_acceptance';
      expect(idsOf(await feed(firm, { assignmentStatus }, 1))).toEqual([pending, id]);
      expect(idsOf(await feed(firm, { assignmentStatus, updatedSince: updatedAt }, 1))).toEqual([id]);
      expect(await feed(firm, { externalId: externalId.toLowerCase() })).toEqual([]);
      expect(await feed(firm, { externalId: '%' })).toEqual([]);
    });

    test('a live key also reads test claims, except by external id; a test key reads only those', async () => {
      const { newClaim, sendId, stores } = fixture();
      const { firm, svcId } = await setUp(0);
      const claim = newClaim();
      const { externalId } = claim.facts;
      const live = await sendId(firm.live, svcId, { claim });
      const tested = await sendId(firm.test, firm.accounts.manual, { claim });
      const found = async (environment: 'live' | 'test', filter: ClaimFilter = {}) =>
        idsOf((await stores.firmReads.claims(firm.id, environment, filter, { after: null, limit: 9 })).rows);
      for (const filter of [{}, { assignmentStatus: 'pending_acceptance' }] as const) {
        expect(await found('live', filter)).toEqual([live, tested]);
        expect(await found('test', filter)).toEqual([tested]);
      }
      expect(await found('live', { externalId })).toEqual([live]);
      expect(await found('test', { externalId })).toEqual([tested]);
      expect(await stores.firmReads.claim(firm.id, 'test', live)).toBeNull();
      expect(await stores.firmReads.claim(firm.id, 'test', tested)).not.toBeNull();
      expect(await stores.firmReads.claim(firm.id, 'live', tested)).not.toBeNull();
    });

    test('pages contain every claim exactly once, and only the last has no next', async () => {
      const { firm, ids } = await setUp(6);
      for (const limit of [1, 2, 5, 6, 7, 200]) expect(idsOf(await feed(firm, {}, limit))).toEqual(ids);
    });

    test('a claim that changes while pages are read appears again with its new state; none is missed', async () => {
      const { use } = fixture();
      const { firm, svcId, ids } = await setUp(12);
      const toAccept = [ids[0], ids[11], ids[5], ids[1]] as ClaimId[];
      const found = await feed(firm, {}, 3, async () => {
        const id = toAccept.shift();
        if (id !== undefined) await use.acceptClaim({ svcId }, id);
      });
      const lastSeen = new Map(found.map((view) => [view.id, view]));
      expect([...lastSeen.keys()].sort()).toEqual([...ids].sort());
      for (const view of await feed(firm)) expect(lastSeen.get(view.id)).toEqual(view);
      const timestamps = found.map(({ updatedAt }) => updatedAt);
      expect(timestamps).toEqual([...new Set(timestamps)].sort((a, b) => a - b));
    });
  });

  describe('restamping the feeds after a restore to an earlier time', () => {
    const silent = (): void => {};
    const restamp = (since: Instant) => fixture().use.restampFeeds(since, silent);
    const statesOf = (views: readonly ClaimView[]) =>
      views.map(({ id, assignment }) => `${id} ${assignment.status}`);

    /** One claim in each status, and a closed one, all sent before the time of the restore. */
    const restored = async () => {
      const { use, clock, newMember, sendId } = fixture();
      clock.advance(HOUR);
      const { firm, svcId, ids } = await setUp(4);
      const [rejected, accepted, pending, closed] = ids as [ClaimId, ClaimId, ClaimId, ClaimId];
      await use.acceptClaim({ svcId }, accepted);
      await use.rejectClaim({ svcId }, rejected, null);
      const leaver = await newMember(firm);
      const unassigned = await sendId(firm.live, leaver);
      await use.leaveFirm({ svcId: leaver }, firm.id);
      await use.closeClaimAsOperator(closed);
      return { firm, svcId, pending, accepted, rejected, unassigned, closed, to: clock.advance(1000) };
    };

    test('a poller that is ahead gets every claim whose later change may be lost, in order', async () => {
      const { clock } = fixture();
      const { firm, pending, rejected, unassigned, to } = await restored();
      const before = await feed(firm);
      // It has read changes of ten minutes that the database does not have.
      const latest = clock.advance(10 * MINUTE);
      const poll = () => feed(firm, { updatedSince: latest - MINUTE }, 2);
      clock.advance(2 * MINUTE);
      expect(await poll()).toEqual([]);
      await restamp(to);
      const received = await poll();
      const expected = before.filter(({ id }) => [pending, rejected, unassigned].includes(id));
      expect(statesOf(received)).toEqual(statesOf(expected));
      const timestamps = received.map(({ updatedAt }) => updatedAt);
      expect(timestamps.filter((at) => at <= latest)).toEqual([]);
      expect(new Set(timestamps).size).toBe(3);
      expect(statesOf(await feed(firm)).sort()).toEqual(statesOf(before).sort());
    });

    test('a poller with a cursor from before the restore gets them on its next page', async () => {
      const { clock, stores } = fixture();
      const { firm, pending, rejected, unassigned, to } = await restored();
      const last = (await feed(firm)).at(-1);
      const after = { at: clock.now() + 5 * MINUTE, id: last?.id ?? '' };
      clock.advance(6 * MINUTE);
      await restamp(to);
      const page = await stores.firmReads.claims(firm.id, 'live', {}, { after, limit: 50 });
      expect(idsOf(page.rows.slice()).sort()).toEqual([pending, rejected, unassigned].sort());
    });

    test('claims that changed since the time of the restore are delivered as well, accepted ones too', async () => {
      const { use, clock } = fixture();
      const { firm, svcId, pending, accepted, to } = await restored();
      await use.acceptClaim({ svcId }, pending);
      const latest = clock.advance(MINUTE);
      await restamp(to);
      const received = idsOf(await feed(firm, { updatedSince: latest }));
      expect(received).toContain(pending);
      expect(received).not.toContain(accepted);
    });

    type Restamp = Tx['feeds']['restamp'];
    /** The use cases on a store that restamps otherwise. */
    const useWith = (changed: (restamp: Restamp) => Restamp) => {
      const { stores, useOn } = fixture();
      const run: UnitOfWork['run'] = (work) =>
        stores.unitOfWork.run((tx) =>
          work({ ...tx, feeds: { ...tx.feeds, restamp: changed(tx.feeds.restamp) } }),
        );
      return useOn({ unitOfWork: { run } });
    };

    test('moves claims in batches until none is left, and reports how many so far, and in the end', async () => {
      const { clock, auditOf } = fixture();
      const [{ firm, to }] = [await restored(), await restored()];
      const at = clock.advance(MINUTE);
      const progress: number[] = [];
      // Two are a whole batch.
      const inBatches = useWith((restamp) => async (firmId, of, limit) => {
        const count = await restamp(firmId, of, 2);
        return count === 2 ? limit : count;
      });
      const total = await inBatches.restampFeeds(to, (done) => progress.push(done));
      expect(progress.length).toBeGreaterThanOrEqual(4);
      expect(progress.at(-1)).toBe(total);
      expect(progress).toEqual([...new Set(progress)].sort((a, b) => a - b));
      expect(progress[0]).toBeGreaterThan(0);
      expect(await feed(firm, { updatedSince: at })).toHaveLength(3);
      const batches = (await auditOf(firm.id)).filter(({ action }) => action === 'feed.restamp');
      expect(batches).toHaveLength(2);
    });

    test('an interrupted run is finished by the next, without delivering a claim twice', async () => {
      const { clock, stores } = fixture();
      const firms = [await restored(), await restored()] as const;
      const to = clock.advance(MINUTE);
      clock.advance(MINUTE);
      const interrupted = useWith((restamp) => async (firmId, ...rest) => {
        if (firmId === firms[1].firm.id) throw new Error('killed');
        return restamp(firmId, ...rest);
      });
      await expect(interrupted.restampFeeds(to, silent)).rejects.toThrow('killed');
      const unfinished = `interrupted; finish it first with --since ${new Date(to).toISOString()}`;
      await expect(restamp(to - 1)).rejects.toThrow(unfinished);
      const restampedAt = clock.now();
      const isDone = ({ updatedAt }: ClaimView) => updatedAt > restampedAt;
      const half = (await Promise.all(firms.map(({ firm }) => feed(firm)))).flat().filter(isDone);
      expect(half).toHaveLength(3);
      clock.advance(HOUR);
      await restamp(to);
      const whole = (await Promise.all(firms.map(({ firm }) => feed(firm)))).flat().filter(isDone);
      expect(whole).toEqual(expect.arrayContaining(half));
      expect(whole).toHaveLength(6);
      const restamped = { since: to, startedAt: restampedAt, finishedAt: clock.now() };
      expect(await stores.operatorReads.latestRestamp()).toEqual(restamped);
    });

    test('refuses a time in the future and a second run', async () => {
      const { clock, stores } = fixture();
      const { firm, to } = await restored();
      await expect(restamp(clock.now() + 1)).rejects.toThrow('in the future');
      await restamp(to);
      const done = await feed(firm);
      await expect(restamp(to)).rejects.toThrow('once more');
      expect(await feed(firm)).toEqual(done);
      expect((await stores.operatorReads.latestRestamp())?.since).toBe(to);
    });

    test('continues after timestamps of a process whose clock was ahead, so that clients get every claim', async () => {
      const { clock, stores } = fixture();
      const { firm, to } = await restored();
      const known = await feed(firm);
      const latest = Math.max(...known.map(({ updatedAt }) => updatedAt));
      clock.advance(-20 * MINUTE);
      await restamp(to - 30 * MINUTE);
      const delivered = await feed(firm);
      expect(delivered.map(({ id }) => id).toSorted()).toEqual(known.map(({ id }) => id).toSorted());
      for (const { updatedAt } of delivered) expect(updatedAt).toBeGreaterThan(latest);
      expect((await stores.operatorReads.latestRestamp())?.finishedAt).toBe(clock.now());
      clock.advance(20 * MINUTE);
    });

    test('is in the audit trail of each firm concerned and of the service, with the operator', async () => {
      const { clock, auditOf, newFirm, stores } = fixture();
      const without = await newFirm();
      const { firm, to } = await restored();
      clock.advance(MINUTE);
      await restamp(to);
      expect((await auditOf(firm.id)).at(-1)).toMatchObject({
        actor: OPERATOR.actor,
        action: 'feed.restamp',
        object: `firm:${firm.id}`,
      });
      expect((await auditOf(without.id)).map(({ action }) => action)).toEqual(['firm.create']);
      const [ofService] = await stores.auditReads.latest(SERVICE_CHAIN, { limit: 1 });
      expect(auditEntriesFrom(ofService?.text ?? '')).toMatchObject([
        {
          ...{ at: clock.now(), actor: OPERATOR.actor, action: 'feed.restamp' },
          object: `since:${new Date(to).toISOString()}`,
        },
      ]);
    });
  });
}
