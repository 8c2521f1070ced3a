import { describe, expect, test } from '@jest/globals';
import { type AuditAction, type ClaimId, DAY, type FirmId, type Instant, MINUTE } from '@svc/domain';
import { createFixedClock, sha256 } from '@svc/testkit';
import fc from 'fast-check';
import {
  type AuditEntry,
  type AuditItem,
  type AuditReads,
  makeListAudit,
  makeVerifyAudit,
  storedAuditEntries,
} from '../../src/index.ts';
import { CHAIN, chainOf, entry, readsOf, textOf } from '../audit-chain-fixture.ts';
import { memoryFixture } from '../memory-fixture.ts';

const FIRM = CHAIN as string as FirmId;
type Filter = Parameters<ReturnType<typeof makeListAudit>>[1];

async function pagesOf(auditReads: AuditReads, filter: Filter, limit: number, maxBytes?: number) {
  const pages: (readonly AuditItem[])[] = [];
  for (let after: Parameters<ReturnType<typeof makeListAudit>>[2]['after'] | undefined; after !== null; ) {
    const page = await makeListAudit({ auditReads })(FIRM, filter, { after: after ?? null, limit, maxBytes });
    pages.push(page.rows);
    after = page.next;
  }
  return pages;
}
const timesOn = (pages: readonly (readonly AuditItem[])[]): number[][] =>
  pages.map((items) => items.map((item) => Date.parse(item.entry.at)));

describe('the list of audit events', () => {
  const ACTORS = ['key:1', 'key:12'];
  const ACTIONS: AuditAction[] = ['claim.read', 'claim.send'];
  const rowsOfEvents = fc.array(
    fc.array(fc.record({ actor: fc.nat(1), action: fc.nat(1), object: fc.nat(1), request: fc.nat(2) }), {
      minLength: 1,
      maxLength: 4,
    }),
    { maxLength: 12 },
  );
  const ABSENT = { nil: undefined, freq: 2 };
  const [maybe, time] = [fc.option(fc.nat(1), ABSENT), fc.option(fc.nat(14), ABSENT)];

  test('has each event of the filter once, each with another id, the latest first, in pages within their limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        rowsOfEvents,
        fc.record({ actor: maybe, action: maybe, object: maybe, request: maybe, since: time, until: time }),
        fc.integer({ min: 1, max: 5 }),
        fc.nat(3),
        async (rows, { actor, action, object, request, since, until }, limit, purged) => {
          fc.pre(purged < Math.max(1, rows.length));
          const entriesOf = (seq: number): AuditEntry[] =>
            (rows[seq - 1] ?? []).map((event, n) => ({
              ...entry(seq + n),
              actor: ACTORS[event.actor] as string,
              action: ACTIONS[event.action] as AuditAction,
              object: `claim:${10 ** event.object}`,
              requestId: event.request === 2 ? null : `r-${10 ** event.request}`,
              claims: event.request === 2 ? ['10' as ClaimId] : undefined,
            }));
          const chain = chainOf(rows.length, purged, (seq) => textOf(...(entriesOf(seq) as [AuditEntry])));
          const filter: Filter = {
            actor: actor === undefined ? undefined : ACTORS[actor],
            action: action === undefined ? undefined : ACTIONS[action],
            object: object === undefined ? undefined : `claim:${10 ** object}`,
            requestId: request === undefined ? undefined : `r-${10 ** request}`,
            ...{ since, until },
          };
          const matches = ({ entry: each }: AuditItem): boolean =>
            (filter.actor ?? each.actor) === each.actor &&
            (filter.action ?? each.action) === each.action &&
            (filter.object ?? each.object) === each.object &&
            (filter.requestId ?? each.request_id) === each.request_id &&
            Date.parse(each.at) >= (since ?? 0) &&
            Date.parse(each.at) < (until ?? Number.POSITIVE_INFINITY);
          const expected = chain.rows
            .flatMap(({ seq, hash, text }) =>
              [JSON.parse(text)]
                .flat()
                .map((each, n): AuditItem => ({ id: `${seq}.${n}`, seq, hash, entry: each })),
            )
            .filter(matches)
            .reverse();
          const pages = await pagesOf(readsOf(chain), filter, limit);
          expect(pages.flat()).toEqual(expected);
          expect(new Set(expected.map(({ id }) => id)).size).toBe(expected.length);
          for (const page of pages) expect(page.length).toBeLessThanOrEqual(limit);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('reads 4,000 rows for one page at most, and shows that there are more', async () => {
    const reads = readsOf(chainOf(9000, 0, (seq) => textOf({ ...entry(seq), actor: seq === 1 ? 'a' : 'b' })));
    let read = 0;
    const counted: AuditReads = {
      ...reads,
      rows: async (chain, query) => {
        const rows = await reads.rows(chain, query);
        read += rows.length;
        return rows;
      },
    };
    const first = { after: null, limit: 9 };
    const page = await makeListAudit({ auditReads: counted })(FIRM, { actor: 'a' }, first);
    expect(page.rows).toEqual([]);
    expect(page.next?.at).toBe(5001);
    expect(read).toBe(4000);
    const noTime = async () => false;
    const brief = await makeListAudit({ auditReads: counted })(FIRM, { actor: 'a' }, first, noTime);
    expect([brief.next?.at, read]).toEqual([8901, 4100]);
    expect(timesOn(await pagesOf(reads, { actor: 'a' }, 9)).flat()).toEqual([1]);
  });

  test('stops a day before the period, since a row is stored within a day of its event', async () => {
    const chain = chainOf(900, 0, (seq) => textOf(entry(seq * DAY)));
    const rows = chain.rows.map((row) => ({ ...row, at: row.seq * DAY }));
    const read: number[] = [];
    const all = readsOf({ ...chain, rows });
    const reads: AuditReads = {
      ...all,
      rows: async (id, query) => {
        read.push(query.after);
        return all.rows(id, query);
      },
    };
    expect(timesOn(await pagesOf(reads, { since: 899 * DAY }, 9))).toEqual([[900 * DAY, 899 * DAY]]);
    expect(timesOn(await pagesOf(reads, { since: 99 * DAY, until: 101 * DAY }, 9)).flat()).toEqual([
      100 * DAY,
      99 * DAY,
    ]);
    expect(read.splice(2)).toEqual([0]);
    // 100 rows at once: those after 800 begin long before the period, and those after 700 are all before it.
    expect(read).toEqual([800, 700]);
    // A row is searched from a day before the period on.
    for (const day of [902, 901])
      expect(timesOn(await pagesOf(reads, { since: day * DAY }, 9))).toEqual([[]]);
    expect(read).toEqual([800, 700, 800, 700]);
    // Rows from before the period may be stored after those of it.
    const times = (seq: number): number => (seq <= 100 ? 2 * DAY : 2 * DAY - 1);
    const late = chainOf(200, 0, (seq) => textOf(entry(times(seq))));
    const stored = late.rows.map((row) => ({ ...row, at: times(row.seq) }));
    const found = await pagesOf(readsOf({ ...late, rows: stored }), { since: 2 * DAY }, 200);
    expect(found.flat()).toHaveLength(100);
  });

  test('ends a page at its bytes, with one event at least', async () => {
    const reads = readsOf(chainOf(5));
    expect(timesOn(await pagesOf(reads, {}, 9, 1))).toEqual([[5], [4], [3], [2], [1]]);
    const pairs = readsOf(chainOf(2, 0, (seq) => textOf(entry(seq), entry(seq + 2))));
    const bytes = textOf(entry(1)).length;
    expect(timesOn(await pagesOf(pairs, {}, 9, 2 * bytes))).toEqual([
      [4, 2],
      [3, 1],
    ]);
  });

  test('is empty for a chain without rows, and where there is no chain', async () => {
    expect(await pagesOf(readsOf(chainOf(0)), {}, 9)).toEqual([[]]);
    const none: AuditReads = { ...readsOf(chainOf(0)), chain: async () => null };
    expect(await pagesOf(none, {}, 9)).toEqual([[]]);
  });
});

describe('a verification by staff', () => {
  /** Of a chain whose last row is of now, and each one before as much older; `changed`: the row with another text. */
  const verify = async (
    count: number,
    changed: number | null,
    period: (now: Instant) => Parameters<ReturnType<typeof makeVerifyAudit>>[2] = () => ({}),
    everyMs = DAY,
    nextPiece?: Parameters<ReturnType<typeof makeVerifyAudit>>[3],
  ) => {
    const { memory, clock } = memoryFixture();
    const now = clock.now();
    const timeOf = (seq: number): Instant => now + (seq - count) * everyMs;
    const chain = chainOf(count, 0, (seq) => textOf(entry(timeOf(seq))));
    const rows = chain.rows.map((row) => ({
      ...row,
      at: timeOf(row.seq),
      text: row.seq === changed ? textOf({ ...entry(timeOf(row.seq)), outcome: 'other' }) : row.text,
    }));
    const reads = readsOf({ ...chain, rows });
    const auditReads = count === 0 ? { ...reads, chain: async () => null } : reads;
    const deps = { uow: memory.unitOfWork, auditReads, sha256, clock };
    const caller = { actor: 'staff:s-1', address: '192.0.2.1', requestId: 'r-1' };
    const found = await makeVerifyAudit(deps)(caller, FIRM, period(now), nextPiece);
    const [row] = await memory.auditReads.latest(FIRM, { limit: 1 });
    return { found, recorded: storedAuditEntries(row?.text ?? '[]') };
  };

  test('is an event with what was found, and none of a chain that does not exist', async () => {
    expect(await verify(0, null)).toEqual({ found: null, recorded: [] });
    expect(await verify(3, null)).toMatchObject({
      found: { intact: true, rows: 3 },
      recorded: [
        {
          at: new Date(createFixedClock().now()).toISOString(),
          actor: 'staff:s-1',
          address: '192.0.2.1',
          action: 'audit.verify',
          object: `firm:${FIRM}`,
          outcome: 'ok',
          request_id: 'r-1',
        },
      ],
    });
    expect(await verify(3, 2)).toMatchObject({
      found: { intact: false, seq: 2, problem: 'changed' },
      recorded: [{ action: 'audit.verify', outcome: 'changed' }],
    });
  });

  test('that ends with the time of its request is continued where it ended', async () => {
    const noTime = async () => false;
    const { found, recorded } = await verify(250, 150, undefined, MINUTE, noTime);
    expect(found).toMatchObject({ intact: true, rows: 100, next: { at: 100 } });
    expect(recorded).toMatchObject([{ outcome: 'ok' }]);
    const restOf = (changed: number | null, nextPiece?: typeof noTime) =>
      verify(250, changed, () => ({ since: 0, after: found?.next ?? null }), MINUTE, nextPiece);
    expect((await restOf(250, noTime)).found).toMatchObject({ rows: 100, next: { at: 200 } });
    expect((await restOf(150)).found).toMatchObject({ intact: false, seq: 150, next: null });
    expect((await restOf(null)).found).toMatchObject({ intact: true, rows: 150, next: null });
  });

  test.each<[string, [first: number, last: number], Parameters<typeof verify>[2]]>([
    ['31 days up to now', [29, 60], undefined],
    ['31 days of a longer period', [29, 60], () => ({ since: 0 })],
    ['31 days before the end of the period', [18, 50], (now) => ({ since: 0, until: now - 10 * DAY })],
    ['a shorter period', [57, 60], (now) => ({ since: now - 2 * DAY })],
  ])('covers %s, with the rows beside them', async (_, [first, last], period) => {
    const isFound = async (seq: number) => (await verify(60, seq, period)).found?.intact === false;
    expect([await isFound(first - 1), await isFound(first), await isFound(last)]).toEqual([
      false,
      true,
      true,
    ]);
    if (last < 60) expect(await isFound(last + 1)).toBe(false);
  });
});
