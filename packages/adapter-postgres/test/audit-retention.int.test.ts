import { describe, expect, jest, test } from '@jest/globals';
import { auditEntriesFrom, verifyAuditChain } from '@svc/application';
import { DAY, type FirmId, PLAN_RETENTION } from '@svc/domain';
import { eventually } from '@svc/testkit/eventually';
import { sha256 } from '@svc/testkit/test-secrets';
import { withClient } from '../../../tools/services/postgres.ts';
import { aClaim, addClaim, aFirm, NOW, newId } from './a-firm.ts';
import { distributedDatabase, openStores } from './fresh-database.ts';

const database = await distributedDatabase();
const stores = await openStores({ url: database.url });

const { auditMs } = PLAN_RETENTION.standard;

async function readAt(chain: FirmId, at: number): Promise<void> {
  const caller = { actor: 'key:key_1', address: null, requestId: null };
  const entry = { at, ...caller, action: 'claim.read', object: `claim:${at}`, outcome: 'ok' } as const;
  await stores.audit.append([{ chain, entry }]);
}
const eventsOf = async (firmId: FirmId) =>
  (await stores.auditReads.rows(firmId, { after: 0, limit: 100 })).flatMap(({ text }) =>
    auditEntriesFrom(text),
  );
const verify = (firmId: FirmId) => verifyAuditChain({ reads: stores.auditReads, sha256 }, firmId);
/** The database's clock has the last word on retention. */
const EXPIRED = Date.now() - auditMs - 10 * DAY;

test('events older than the plan allows are deleted, which is an event itself, and the rest of the chain verifies', async () => {
  const { firmId } = await aFirm(stores);
  for (const at of [-2, -1, 0, 1]) await readAt(firmId, EXPIRED + at * DAY);
  expect((await stores.purge(EXPIRED + auditMs - DAY)).audit).toBe(2);
  const [first, second, purge] = await eventsOf(firmId);
  expect([first?.at, second?.at]).toEqual([EXPIRED, EXPIRED + DAY]);
  expect(purge).toMatchObject({
    ...{ actor: 'service', action: 'audit.purge', outcome: 'ok' },
    changes: {
      purged_seq: { from: 0, to: 2 },
      purged_until: { from: null, to: new Date(EXPIRED - DAY).toISOString() },
    },
  });
  expect(await verify(firmId)).toMatchObject({ intact: true, rows: 3 });
  await readAt(firmId, NOW);
  expect((await stores.purge(EXPIRED + auditMs + DAY)).audit).toBe(2);
  expect((await eventsOf(firmId)).map(({ action }) => action)).toEqual([
    ...['audit.purge', 'claim.read', 'audit.purge'],
  ]);
  expect(await verify(firmId)).toMatchObject({ intact: true, rows: 3 });
});

test('a batch deletes so many rows at most, and those of a firm by its own plan', async () => {
  const firms = [await aFirm(stores), await aFirm(stores), await aFirm(stores)].map(({ firmId }) => firmId);
  const [readOnly = '' as FirmId] = firms.splice(1, 1);
  await database.sql.query(`UPDATE firms SET plan = 'read_only' WHERE id = $1`, [readOnly]);
  for (const firmId of [...firms, readOnly])
    for (const day of [0, 1, 2]) await readAt(firmId, EXPIRED + day * DAY);
  const removed: unknown[] = [];
  for (const maxRows of [2, 100, 100]) {
    const batch = "SELECT purge_audit('{standard,read_only}', '{infinity,-infinity}', $1)::int AS removed";
    removed.push((await database.sql.query(batch, [maxRows])).rows[0].removed);
  }
  expect(removed).toEqual([2, 4, 0]);
  const actions = async (firmId: FirmId) => (await eventsOf(firmId)).map(({ action }) => action);
  // The first of them in two batches.
  const left = (await Promise.all(firms.map(actions))).sort((a, b) => a.length - b.length);
  expect(left).toEqual([['audit.purge'], ['audit.purge', 'audit.purge']]);
  expect(await actions(readOnly)).toEqual(['claim.read', 'claim.read', 'claim.read']);
  for (const firmId of firms) expect(await verify(firmId)).toMatchObject({ intact: true });
});

test('nothing of a firm under legal hold is deleted until it is released', async () => {
  const { firmId } = await aFirm(stores);
  await readAt(firmId, EXPIRED);
  const hold = (since: number | null) => stores.unitOfWork.run((tx) => tx.firms.setLegalHold(firmId, since));
  const actions = async () => (await eventsOf(firmId)).map(({ action }) => action);
  await hold(NOW);
  await stores.purge(NOW + auditMs);
  expect(await actions()).toEqual(['claim.read']);
  await hold(null);
  await stores.purge(NOW + auditMs);
  expect(await actions()).toEqual(['audit.purge']);
  expect(await verify(firmId)).toMatchObject({ intact: true, rows: 1 });
});

describe('whoever may write the tables of the trail', () => {
  /** The chain of a firm with rows of these times, changed by statements with the firm's id as `$1`. */
  async function changed(times: readonly number[], ...statements: string[]): Promise<FirmId> {
    const { firmId } = await aFirm(stores);
    for (const at of times) await readAt(firmId, at);
    await withClient(database.url, async (client) => {
      for (const statement of statements) await client.query(statement.replaceAll('$1', `'${firmId}'::uuid`));
    });
    return firmId;
  }
  const backdated = (seq: string) =>
    `INSERT INTO audit_log SELECT firm_id, ${seq}, '2000-01-01Z', entry, hash FROM audit_log WHERE firm_id = $1 AND seq = 1`;
  const setFeed = (columns: string) => `UPDATE firm_feeds SET ${columns} WHERE firm_id = $1`;
  const recent = NOW - DAY;

  test.each([
    ['a backdated row behind the latest', [backdated('4')]],
    ['a backdated row far behind the latest', [backdated('100000')]],
    ['a later end of the chain', [backdated('4'), setFeed('audit_seq = 4')]],
    ['a start behind the rows', [setFeed('audit_purged_seq = 3, audit_purged_hash = audit_hash')]],
    [
      'a start behind the rows and backdated rows behind it',
      [backdated('4'), setFeed('audit_purged_seq = 3, audit_purged_hash = audit_hash, audit_seq = 4')],
    ],
    ['an empty chain', [setFeed('audit_seq = 0, audit_hash = NULL')]],
  ])('deletes no recent row with %s, and verification fails', async (_, statements) => {
    const firmId = await changed([recent, recent, recent], ...statements);
    await stores.purge(NOW + auditMs);
    await withClient(database.url, async (client) => {
      const { rows } = await client.query(
        'SELECT seq FROM audit_log WHERE firm_id = $1 AND seq <= 3 ORDER BY seq',
        [firmId],
      );
      expect(rows).toEqual([{ seq: '1' }, { seq: '2' }, { seq: '3' }]);
    });
    expect(await verify(firmId)).toMatchObject({ intact: false });
  });

  test('adds no row outside of a chain that is read as part of it, and verification names it', async () => {
    const firmId = await changed([recent], backdated('100002'), backdated('100001'));
    const { auditReads } = stores;
    expect((await auditReads.rows(firmId, { after: 0, limit: 10 })).map(({ seq }) => seq)).toEqual([1]);
    expect((await auditReads.latest(firmId, { limit: 10 })).map(({ seq }) => seq)).toEqual([1]);
    expect(await verify(firmId)).toEqual({ intact: false, seq: 100_001, problem: 'outside' });
  });

  test('cannot hide all rows by removing the ends of the chain', async () => {
    const firmId = await changed([recent], 'DELETE FROM firm_feeds WHERE firm_id = $1');
    expect(await stores.auditReads.outside(firmId)).toBe(1);
    expect(await verify(firmId)).toBeNull();
  });

  test('cannot have a row that retention has deleted replaced', async () => {
    const firmId = await changed([EXPIRED, recent]);
    await stores.purge(Date.now());
    await withClient(database.url, (client) =>
      client.query(
        'INSERT INTO audit_log SELECT firm_id, 1, at, entry, hash FROM audit_log WHERE firm_id = $1 AND seq = 2',
        [firmId],
      ),
    );
    expect(await verify(firmId)).toEqual({ intact: false, seq: 1, problem: 'outside' });
  });

  test('cannot hide a legal hold behind a temporary table', async () => {
    const { firmId } = await aFirm(stores);
    await readAt(firmId, EXPIRED);
    await stores.unitOfWork.run((tx) => tx.firms.setLegalHold(firmId, NOW));
    await withClient(database.url, async (client) => {
      await client.query('CREATE TEMPORARY TABLE legal_holds (firm_id uuid)');
      await client.query("SELECT purge_audit('{standard}', '{infinity}', 100)");
    });
    expect((await eventsOf(firmId)).map(({ action }) => action)).toEqual(['claim.read']);
  });
});

test('claims closed longer ago than the operator keeps them are deleted, except under legal hold', async () => {
  const clock = { now: () => NOW + 2 * DAY };
  const retaining = await openStores({ url: database.url, clock, closedClaimRetentionMs: 10 * DAY });
  const [one, held, another] = [await aFirm(stores), await aFirm(stores), await aFirm(stores)];
  const closedAt = (days: number | null) => ({ closedAt: days === null ? null : NOW - days * DAY });
  const add = async ({ firmId, svcId }: typeof one, days: number | null) => {
    const claim = aClaim(firmId, svcId, closedAt(days));
    await addClaim(stores, claim);
    await database.sql.query(
      `INSERT INTO offers (firm_id, claim_id, offered_at, environment, adjuster_svc_id, status, ended_at)
       VALUES ($1, $2, '2026-08-01Z', 'live', $3, 'withdrawn', '2026-08-02Z')`,
      [firmId, claim.id, svcId],
    );
    return claim.id;
  };
  const offersOf = async ({ firmId }: typeof one) =>
    (await stores.firmData.offers(firmId, null, 10)).map(({ claimId }) => claimId).sort();
  const [old, recent, open] = [await add(one, 11), await add(one, 9), await add(one, null)];
  const kept = await add(held, 11);
  const ofAnother = await add(another, 10);
  await stores.unitOfWork.run((tx) => tx.firms.setLegalHold(held.firmId, NOW));
  const idsOf = async ({ firmId }: typeof one) =>
    (await stores.firmData.claims(firmId, null, 10)).map(({ id }) => id).sort();

  expect((await stores.purge(NOW)).closedClaims).toBe(0);
  expect((await retaining.purge(NOW)).closedClaims).toBe(2);
  for (const left of [idsOf, offersOf])
    expect(await Promise.all([one, held, another].map(left))).toEqual([[recent, open].sort(), [kept], []]);
  for (const [{ firmId }, id] of [
    [one, old],
    [another, ofAnother],
  ] as const)
    expect((await eventsOf(firmId)).filter(({ action }) => action !== 'claim.send')).toEqual([
      expect.objectContaining({ at: NOW, actor: 'service', action: 'claims.purge', claims: [id] }),
    ]);
  await stores.unitOfWork.run((tx) => tx.firms.setLegalHold(held.firmId, null));
  // More than a batch.
  await database.sql.query(
    `INSERT INTO claims SELECT (json_populate_record(c, json_build_object(
         'id', gen_random_uuid(), 'external_id', n::text, 'claim_number', n::text))).*
       FROM claims c, generate_series(1, 400) n WHERE c.id = $1`,
    [kept],
  );
  expect((await retaining.purge(NOW)).closedClaims).toBe(401);
  const purged = (await eventsOf(held.firmId)).filter(({ action }) => action === 'claims.purge');
  expect(purged.map(({ claims }) => claims?.length)).toEqual([200, 200, 1]);
  // As a process does at some time in the hour after its start, two days later.
  const random = jest.spyOn(Math, 'random').mockReturnValue(0);
  retaining.startJobs(async () => {});
  random.mockRestore();
  await eventually(async () => (await idsOf(one)).join() === open);
});

test('reads of a firm that a restore has lost start its chain, and are kept as those of a standard plan', async () => {
  const firmId = newId<FirmId>();
  for (const at of [0, 1]) await readAt(firmId, EXPIRED + at);
  expect(await verify(firmId)).toMatchObject({ intact: true, rows: 2 });
  await stores.purge(EXPIRED + auditMs);
  expect((await eventsOf(firmId)).map(({ action }) => action)).toEqual(['claim.read', 'audit.purge']);
});
