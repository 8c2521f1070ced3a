import { describe, expect, test } from '@jest/globals';
import type { ClaimFilter, ClaimView } from '@svc/application';
import type { ClaimId, Instant, Svcid } from '@svc/domain';
import { everyPage, type Fixture, type TestFirm } from '../../fixture.ts';

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

  const started = async (claims: number): Promise<{ firm: TestFirm; svcId: Svcid; ids: ClaimId[] }> => {
    const { newFirm, newMember, sendId } = fixture();
    const firm = await newFirm();
    const svcId = await newMember(firm);
    const ids: ClaimId[] = [];
    for (let n = 0; n < claims; n++) ids.push(await sendId(firm.live, svcId));
    return { firm, svcId, ids };
  };

  describe("the firm's change feed", () => {
    test('change timestamps are unique and increase, also within one millisecond', async () => {
      const { use, clock } = fixture();
      clock.advance(1);
      const { firm, svcId, ids } = await started(5);
      const at = clock.now();
      expect((await feed(firm)).map(({ updatedAt }) => updatedAt)).toEqual([
        at,
        at + 1,
        at + 2,
        at + 3,
        at + 4,
      ]);
      await use.acceptOffer({ svcId }, ids[1] as ClaimId);
      await use.rejectOffer({ svcId }, ids[0] as ClaimId, null);
      const after = await feed(firm);
      expect(idsOf(after)).toEqual([ids[2], ids[3], ids[4], ids[1], ids[0]]);
      expect(after.slice(-2).map(({ updatedAt }) => updatedAt)).toEqual([at + 5, at + 6]);
    });

    test('created_at is the first change timestamp', async () => {
      const { firm } = await started(3);
      for (const view of await feed(firm)) expect(view.createdAt).toBe(view.updatedAt);
    });

    test('a clock set back does not decrease change timestamps', async () => {
      const { use, clock } = fixture();
      const { firm, svcId, ids } = await started(2);
      const last = (await feed(firm)).at(-1)?.updatedAt ?? 0;
      clock.advance(-60_000);
      await use.acceptOffer({ svcId }, ids[0] as ClaimId);
      clock.advance(60_000);
      expect((await feed(firm)).at(-1)).toMatchObject({ id: ids[0], updatedAt: last + 1 });
    });

    test('change timestamps of firms are independent', async () => {
      const { clock } = fixture();
      clock.advance(60_000);
      const [one, two] = [await started(3), await started(1)];
      expect((await feed(one.firm))[0]?.updatedAt).toBe(clock.now());
      expect((await feed(two.firm))[0]?.updatedAt).toBe(clock.now());
    });

    test('updated_since is inclusive to the millisecond', async () => {
      const { firm, ids } = await started(3);
      const timestamps = (await feed(firm)).map(({ updatedAt }) => updatedAt);
      const since = async (at: Instant) => idsOf(await feed(firm, { updatedSince: at }));
      const [, second = 0] = timestamps;
      expect(await since(second - 1)).toEqual(ids);
      expect(await since(second)).toEqual(ids.slice(1));
      expect(await since(second + 1)).toEqual(ids.slice(2));
      expect(await since((timestamps[2] ?? 0) + 1)).toEqual([]);
      expect(await since(0)).toEqual(ids);
      expect(await since(Date.parse('9999-12-31T23:59:59.999Z'))).toEqual([]);
    });

    test('finds claims by assignment status, external id, or both', async () => {
      const { use, newClaim, sendId } = fixture();
      const { firm, svcId, ids } = await started(4);
      const [pending, accepted, rejected, unassigned] = ids as [ClaimId, ClaimId, ClaimId, ClaimId];
      const leaver = await fixture().newMember(firm);
      await use.acceptOffer({ svcId }, accepted);
      await use.rejectOffer({ svcId }, rejected, null);
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
      expect(await feed(firm, { externalId: externalId.toLowerCase() })).toEqual([]);
      expect(await feed(firm, { externalId: '%' })).toEqual([]);
    });

    test('a live key also reads test claims, except by external id; a test key reads only those', async () => {
      const { newClaim, sendId, stores } = fixture();
      const { firm, svcId } = await started(0);
      const claim = newClaim();
      const { externalId } = claim.facts;
      const live = await sendId(firm.live, svcId, { claim });
      const tested = await sendId(firm.test, firm.accounts.manual, { claim });
      const found = async (environment: 'live' | 'test', filter: ClaimFilter = {}) =>
        idsOf(
          (
            await stores.firmReads.claims(firm.id, environment, filter, { after: null, limit: 9 })
          ).rows.slice(),
        );
      expect(await found('live')).toEqual([live, tested]);
      expect(await found('live', { externalId })).toEqual([live]);
      expect(await found('test')).toEqual([tested]);
      expect(await found('test', { externalId })).toEqual([tested]);
      expect(await stores.firmReads.claim(firm.id, 'test', live)).toBeNull();
      expect(await stores.firmReads.claim(firm.id, 'test', tested)).not.toBeNull();
      expect(await stores.firmReads.claim(firm.id, 'live', tested)).not.toBeNull();
    });

    test.each([1, 2, 5, 6, 7, 200])(
      'pages of %d contain every claim exactly once, and only the last has no next',
      async (limit) => {
        const { firm, ids } = await started(6);
        expect(idsOf(await feed(firm, {}, limit))).toEqual(ids);
      },
    );

    test('a claim that changes while pages are read appears again with its new state; none is missed', async () => {
      const { use } = fixture();
      const { firm, svcId, ids } = await started(12);
      const toAccept = [ids[0], ids[11], ids[5], ids[1]] as ClaimId[];
      const found = await feed(firm, {}, 3, async () => {
        const id = toAccept.shift();
        if (id !== undefined) await use.acceptOffer({ svcId }, id);
      });
      const lastSeen = new Map(found.map((view) => [view.id, view]));
      expect([...lastSeen.keys()].sort()).toEqual([...ids].sort());
      for (const view of await feed(firm)) expect(lastSeen.get(view.id)).toEqual(view);
      const timestamps = found.map(({ updatedAt }) => updatedAt);
      expect(timestamps).toEqual([...new Set(timestamps)].sort((a, b) => a - b));
    });

    test('a poller without overlap misses no change of concurrent writers', async () => {
      const { use, sendId, newMember, clock, offer } = fixture();
      const { firm } = await started(0);
      const writers = await Promise.all(Array.from({ length: 6 }, () => newMember(firm)));
      let writing = true;
      const seen = new Map<Instant, ClaimId>();
      let since = 0;
      const poll = async () => {
        const changes = await feed(firm, { updatedSince: since }, 7);
        for (const { updatedAt, id } of changes) {
          seen.set(updatedAt, id);
          since = Math.max(since, updatedAt + 1);
        }
      };
      const polling = (async () => {
        while (writing) await poll();
        await poll();
      })();
      // Only the last change between two polls is visible: the state at the end of the feed.
      const timestamps: Instant[] = [];
      await Promise.all(
        writers.map(async (svcId, w) => {
          for (let n = 0; n < 8; n++) {
            if (w === 0) clock.advance(n % 3);
            const id = await sendId(firm.live, svcId);
            if (n % 3 === 1) await use.acceptOffer({ svcId }, id);
            if (n % 3 === 2) await offer(firm.live, id, writers[(w + 1) % writers.length] as Svcid);
          }
        }),
      );
      writing = false;
      await polling;
      for (const { updatedAt, id } of await feed(firm, {}, 200)) {
        timestamps.push(updatedAt);
        expect([updatedAt, seen.get(updatedAt)]).toEqual([updatedAt, id]);
      }
      expect(timestamps).toHaveLength(48);
      expect(new Set(timestamps).size).toBe(48);
    });

    test('concurrent changes have distinct timestamps, none before the clock', async () => {
      const { use, clock } = fixture();
      const { firm, svcId, ids } = await started(20);
      const at = clock.advance(1_000);
      await Promise.all(ids.map((id) => use.acceptOffer({ svcId }, id)));
      const timestamps = (await feed(firm, { updatedSince: at }, 50)).map(({ updatedAt }) => updatedAt);
      expect(timestamps).toEqual(Array.from({ length: 20 }, (_, n) => at + n));
    });
  });
}
