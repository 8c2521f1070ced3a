import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { type AuditAction, type ClaimId, SHORTEST_AUDIT_RETENTION_MS } from '@svc/domain';
import { sha256 } from '@svc/testkit';
import fc from 'fast-check';
import {
  type AuditLink,
  type AuditReads,
  type AuditRow,
  auditEntriesFrom,
  auditEvent,
  BY_SERVICE,
  firstLink,
  nextLink,
  storedAuditEntries,
  verifyAuditChain,
} from '../src/index.ts';
import { CHAIN, chainOf, entry, purgeOf, readsOf, textOf } from './audit-chain-fixture.ts';

type Check = Parameters<typeof verifyAuditChain>[2];
const verify = (chain: ReturnType<typeof chainOf>, check?: Check) =>
  verifyAuditChain({ reads: readsOf(chain), sha256 }, CHAIN, check);

test('the hash of a row is SHA-256 of the hash before and of SHA-256 of the text, as bytes', () => {
  const digest = (...parts: (string | Buffer)[]): Buffer =>
    parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
  const first = digest(CHAIN);
  expect(firstLink(CHAIN, sha256)).toEqual({ seq: 0, hash: first.toString('hex') });
  expect(nextLink({ seq: 0, hash: first.toString('hex') }, 'Renée', sha256)).toEqual({
    seq: 1,
    hash: digest(first, digest('Renée')).toString('hex'),
  });
});

const entries = fc.record(
  {
    at: fc.nat(3),
    actor: fc.constantFrom('key:key_1', 'adjuster:12345'),
    address: fc.constantFrom(null, '127.0.0.1'),
    action: fc.constantFrom<AuditAction>('claim.read', 'claims.read'),
    object: fc.constantFrom(null, 'claim:1', 'claim:2'),
    claims: fc.array(fc.constantFrom('1', '2') as fc.Arbitrary<ClaimId>, { maxLength: 2 }),
    device: fc.record({ answeredAt: fc.nat(3), keptOfflineSince: fc.option(fc.nat(3)) }),
    changes: fc.constantFrom({}, { paused: { from: null, to: 'gone' }, count: { from: 1, to: 2 } }),
    outcome: fc.constantFrom('ok', 'not_found'),
    requestId: fc.constantFrom(null, 'request 1', 'request 2'),
  },
  { requiredKeys: ['at', 'actor', 'address', 'action', 'object', 'outcome', 'requestId'] },
);

test('any events of a row are read back as they were recorded, and one alone is no list', () => {
  expect(JSON.parse(textOf(entry(1)))).toMatchObject({ at: '1970-01-01T00:00:00.001Z', request_id: null });
  fc.assert(
    fc.property(entries, fc.array(entries, { maxLength: 4 }), (first, others) => {
      expect(auditEntriesFrom(textOf(first, ...others))).toEqual([first, ...others]);
    }),
  );
});

test('a member that a later release adds to an event is kept', () => {
  const text = textOf(entry(1), entry(2)).replace('002Z"', '002Z","device":"phone"');
  expect(storedAuditEntries(text)[1]).toMatchObject({
    actor: 'key:key_1',
    object: 'claim:2',
    device: 'phone',
  });
});

test.each([0, 1, 2_000, 2_001])('a chain of %d rows verifies up to the last one', async (count) => {
  const chain = chainOf(count);
  expect(await verify(chain)).toEqual({ intact: true, rows: count, last: chain.last });
});

test('a check in pieces that has no more time is continued where it ended, and finds the same', async () => {
  const chain = chainOf(350);
  const pieces = async (of: typeof chain) => {
    const found: unknown[] = [];
    for (let after: AuditLink | undefined; ; ) {
      let count = 0;
      const nextPiece = async (): Promise<boolean> => {
        count += 1;
        return count <= 2;
      };
      const deps = { reads: readsOf(of), sha256, nextPiece };
      const part = await verifyAuditChain(deps, CHAIN, { since: 1, until: 351, after });
      found.push(part);
      if (part?.intact !== true || part.isPart !== true) return found;
      after = part.last;
    }
  };
  const last = (seq: number) => ({ seq, hash: chain.rows[seq - 1]?.hash });
  expect(await pieces(chain)).toEqual([
    { intact: true, rows: 200, last: last(200), isPart: true },
    { intact: true, rows: 150, last: last(350) },
  ]);
  const rows = chain.rows.map((row) => (row.seq === 201 ? { ...row, text: textOf(entry(1)) } : row));
  expect(await pieces({ ...chain, rows })).toEqual([
    expect.objectContaining({ isPart: true }),
    { intact: false, seq: 201, problem: 'changed' },
  ]);
});

test('what retention has left verifies, also from a noted row at its start, but not from one before', async () => {
  const chain = chainOf(9, 4);
  const known = (seq: number) => {
    const link = chainOf(seq).last;
    return link === undefined ? {} : { known: link };
  };
  const intact = { intact: true, rows: 5, last: chain.last };
  expect(await verify(chain)).toEqual(intact);
  expect(await verify(chain, known(4))).toEqual(intact);
  expect(await verify(chain, known(7))).toEqual(intact);
  // A check that is continued from a row that retention has deleted since.
  expect(await verify(chain, { after: chainOf(3).last })).toEqual(intact);
  expect(await verify(chain, known(3))).toEqual({ intact: false, seq: 3, problem: 'missing' });
  expect(await verify(chain, { known: { seq: 4, hash: 'other' } })).toEqual({
    ...{ intact: false, seq: 4, problem: 'changed' },
  });
});

test.each([
  [{}, 9, 1, 9],
  [{ since: 6 }, 4, 5, 9],
  [{ until: 6 }, 5, 1, 6],
  [{ since: 5, until: 7 }, 2, 4, 7],
  [{ since: 7, until: 7 }, 0, 6, 7],
  [{ since: 10 }, 0, 9, 9],
  [{ until: 1 }, 0, 1, 1],
  [{ since: 3, until: 5, known: 7 }, 2, 2, 7],
  [{ since: 7, until: 9, known: 2 }, 2, 2, 9],
])(
  'of the period %j, %d rows are counted, and rows %d to %d are compared',
  async (period, count, begin, end) => {
    const chain = chainOf(9);
    const noted = chain.rows.find(({ seq }) => 'known' in period && seq === period.known);
    const check = { ...period, known: noted };
    expect(await verify(chain, check)).toEqual({
      ...{ intact: true, rows: count },
      last: { seq: end, hash: chain.rows[end - 1]?.hash },
    });
    const changed = (at: number) => ({
      ...chain,
      rows: chain.rows.map((row) => (row.seq === at ? { ...row, text: textOf(entry(99)) } : row)),
    });
    const found = { intact: false, problem: 'changed' };
    for (const seq of [begin, end])
      expect(await verify(changed(seq), check)).toMatchObject({ ...found, seq });
    for (const seq of [begin - 1, end + 1])
      expect(await verify(changed(seq), check)).toMatchObject({ intact: true });
  },
);

test('a changed first or last hash of the chain shows, the last one only when it is compared', async () => {
  const chain = chainOf(3);
  const [first, last] = [
    { ...chain, purged: { seq: 0, hash: 'x' } },
    { ...chain, last: { seq: 3, hash: 'x' } },
  ];
  expect(await verify(first)).toEqual({ intact: false, seq: 0, problem: 'changed' });
  for (const check of [{}, { since: 2 }])
    expect(await verify(last, check)).toEqual({ intact: false, seq: 3, problem: 'changed' });
  expect(await verify(last, { until: 2 })).toMatchObject({ intact: true });
});

test('a noted row at the start of what retention has left is connected with a later period', async () => {
  const chain = chainOf(9, 4);
  const rows = chain.rows.map((row) => (row.seq === 5 ? { ...row, text: textOf(entry(99)) } : row));
  expect(await verify({ ...chain, rows }, { since: 8 })).toMatchObject({ intact: true });
  expect(await verify({ ...chain, rows }, { since: 8, known: chain.purged })).toEqual({
    ...{ intact: false, seq: 5, problem: 'changed' },
  });
});

test('rows that were exchanged show', async () => {
  const chain = chainOf(3);
  const [one, two, three] = chain.rows as [AuditRow, AuditRow, AuditRow];
  const rows = [one, { ...three, seq: 2 }, { ...two, seq: 3 }];
  expect(await verify({ ...chain, rows })).toEqual({ intact: false, seq: 2, problem: 'changed' });
});

test('rows before the start of the chain and behind its end show', async () => {
  const { rows, purged, last } = chainOf(6, 3);
  const [one] = chainOf(6).rows;
  const outside = (seq: number) => ({ intact: false, seq, problem: 'outside' });
  const withRow = (row: AuditRow | undefined) => ({ rows: row ? [row, ...rows] : rows, purged, last });
  expect(await verify(withRow(one))).toEqual(outside(1));
  const later = withRow(one && { ...one, seq: 100_006 });
  for (const check of [{}, { since: 5, after: last }])
    expect(await verify(later, check)).toEqual(outside(100_006));
  expect(await verify({ rows, purged: last ?? purged, last })).toEqual(outside(4));
});

test('deleted rows show in a whole chain unless an event names the last of them and all were old enough', async () => {
  const purged = { intact: false, seq: 3, problem: 'purged' };
  const withoutEvent = chainOf(6, 3, (seq) => textOf(entry(seq)));
  expect(await verify(withoutEvent)).toEqual(purged);
  for (const period of [{ since: 1 }, { until: 5 }])
    expect(await verify(withoutEvent, period)).toMatchObject({ intact: true });
  const withEvent = (deleted: (link: AuditLink) => AuditLink, ageMs?: number) =>
    chainOf(6, 3, (seq, link) =>
      // The one of an earlier purge is still there.
      seq === 5
        ? purgeOf(chainOf(2).last ?? link, seq)
        : seq === 6
          ? purgeOf(deleted(link), seq, ageMs)
          : textOf(entry(seq)),
    );
  expect(await verify(withEvent((link) => link))).toMatchObject({ intact: true, rows: 3 });
  expect(await verify(withEvent(({ hash }) => ({ seq: 2, hash })))).toEqual(purged);
  expect(await verify(withEvent(({ seq }) => ({ seq, hash: 'x' })))).toEqual(purged);
  for (const period of [{}, { since: 6 }])
    expect(
      await verify(
        withEvent((link) => link, SHORTEST_AUDIT_RETENTION_MS - 1),
        period,
      ),
    ).toEqual(purged);
  const unreadable = { ...entry(6), action: 'audit.purge' } as const;
  for (const event of [unreadable, { ...unreadable, changes: {} }])
    expect(await verify(chainOf(6, 3, (seq) => textOf(seq === 6 ? event : entry(seq))))).toEqual({
      ...purged,
      seq: 6,
    });
});

test('removed rows at the end show, and one that a later period would begin after', async () => {
  const { rows, ...ends } = chainOf(3);
  const missing = (seq: number) => ({ intact: false, seq, problem: 'missing' });
  expect(await verify({ ...ends, rows: rows.slice(0, 2) })).toEqual(missing(3));
  expect(await verify({ ...ends, rows: [] })).toEqual(missing(1));
  const longer = chainOf(9);
  const without = { ...longer, rows: longer.rows.filter(({ seq }) => seq !== 4) };
  expect(await verify(without, { since: 6 })).toEqual(missing(4));
});

test('a row whose text is not an event does not verify, although its hash is right', async () => {
  const chain = chainOf(3, 0, (seq) => (seq === 2 ? 'no JSON' : textOf(entry(seq))));
  expect(await verify(chain)).toEqual({ intact: false, seq: 2, problem: 'changed' });
});

test('rows that retention deletes during the check are not missing, those of an erased chain are', async () => {
  const [before, after] = [chainOf(6), chainOf(6, 3)];
  const reads = readsOf(after);
  let calls = 0;
  const chain: AuditReads['chain'] = async () => {
    calls += 1;
    return { purged: (calls === 1 ? before : after).purged, last: after.last ?? after.purged };
  };
  for (const [check, rows] of [
    [{}, 3],
    [{ since: 5 }, 2],
  ] as const) {
    const found = await verifyAuditChain({ reads: { ...reads, chain }, sha256 }, CHAIN, check);
    expect(found).toEqual({ intact: true, rows, last: after.last });
    calls = 0;
  }
  const erased = { ...reads, chain: async (id: typeof CHAIN) => (calls === 0 ? chain(id) : null) };
  expect(await verifyAuditChain({ reads: erased, sha256 }, CHAIN)).toEqual({
    ...{ intact: false, seq: 1, problem: 'missing' },
  });
});

test('an event has the values that it changed and what the device says, and without them neither', () => {
  const audited = { at: 1, action: 'claim.read', object: null } as const;
  const more = { device: { answeredAt: 1, keptOfflineSince: null }, changes: { n: { from: 0, to: null } } };
  expect(auditEvent(CHAIN, BY_SERVICE, { ...audited, ...more }).entry).toMatchObject(more);
  const { entry } = auditEvent(CHAIN, BY_SERVICE, { ...audited, changes: null });
  expect(Object.keys(entry).sort()).toEqual([
    'action',
    'actor',
    'address',
    'at',
    'object',
    'outcome',
    'requestId',
  ]);
});
