import { beforeAll, describe, expect, test } from '@jest/globals';
import type { ClaimFilter } from '@svc/application';
import type { ClaimAsSent, ClaimId, FirmId, Svcid } from '@svc/domain';
import { everyPage } from '@svc/testkit';
import { onCitus } from '../../../tools/services/citus.ts';
import { executorOnCitus } from '../src/citus/database.ts';
import type { Executor, Statement, Value } from '../src/driver/executor.ts';
import { NO_ENCRYPTION } from '../src/encryption/encryption.ts';
import type { PostgresStores } from '../src/index.ts';
import { withLargeValues } from '../src/reads/large-columns.ts';
import { pgFirmReads } from '../src/reads/pg-firm-reads.ts';
import { readMaintenanceState, readReplicationState } from '../src/reads/pg-metric-sources.ts';
import { aClaim, addClaim, aFirm, NOW, newId } from './a-firm.ts';
import { distributedDatabase, type FreshDatabase, openStores } from './fresh-database.ts';

describe('reads', () => {
  let database: FreshDatabase;
  let stores: PostgresStores;
  let firmId: FirmId;
  let svcId: Svcid;
  beforeAll(async () => {
    database = await distributedDatabase();
    // No timestamp may depend on the time zone of the database.
    await database.sql.query(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET timezone = %L', current_database(), 'Asia/Kathmandu'); END $$`,
    );
    stores = await openStores({ url: database.url, clock: { now: () => NOW } });
    ({ firmId, svcId } = await aFirm(stores));
  });

  test.each([
    ['the order of keys', '{"b":1,"a":2,"b2":{"z":1,"y":2}}'],
    ['a duplicate key', '{"a":1,"a":2}'],
    ['numbers as they were written', '{"a":2500.10,"b":2.5e3,"c":-0.0,"d":12345678901234567890.123456789}'],
    ['whitespace', '{ "a" :\t1 ,  "b": [ ] }'],
    ['characters of every kind', '{"a":"Peña 東京 😀 \u2028 ß"}'],
    ['escapes', '{"a":"\\u00e9\\n\\/\\ud83d\\ude00\\u0000"}'],
    ['a long text', JSON.stringify({ instructions: 'é"\\'.repeat(100_000) })],
  ])('the JSON of a claim is returned byte for byte: %s', async (_, text) => {
    const claim = aClaim(firmId, svcId, { asSent: text as ClaimAsSent });
    await addClaim(stores, claim);
    expect((await stores.firmReads.claim(firmId, 'live', claim.id))?.asSent).toBe(text);
    expect((await stores.appReads.claim(svcId, claim.id))?.asSent).toBe(text);
    const locked = await stores.unitOfWork.run((tx) => tx.claims.lock(firmId, claim.id));
    expect(locked?.asSent).toBe(text);
  });

  test('offers that wait longer than their firm does are counted for the operator', async () => {
    const patient = await aFirm(stores);
    await stores.unitOfWork.run(async (tx) => {
      const firm = await tx.firms.lock(patient.firmId);
      if (firm !== null) await tx.firms.save({ ...firm, offerWaitHours: 48 });
    });
    const counted = async (owner: { firmId: FirmId; svcId: Svcid }, hours: number, changes = {}) => {
      const claim = aClaim(owner.firmId, owner.svcId, changes);
      await addClaim(stores, claim);
      const before = await stores.metricSources.overdueOffers();
      await database.sql.query(
        `UPDATE claims SET created_at = at, updated_at = at
           FROM (SELECT now() - make_interval(hours => $2) AS at) ago WHERE firm_id = $3 AND id = $1`,
        [claim.id, hours, owner.firmId],
      );
      return (await stores.metricSources.overdueOffers()) - before;
    };
    const usual = await aFirm(stores);
    expect(await counted(usual, 25)).toBe(1);
    expect(await counted(usual, 23)).toBe(0);
    expect(await counted(patient, 25)).toBe(0);
    expect(await counted(patient, 49)).toBe(1);
    expect(await counted(usual, 25, { environment: 'test' })).toBe(0);
    expect(await counted(usual, 25, { closedAt: NOW })).toBe(0);
    expect(await counted(usual, 29 * 24)).toBe(1);
    expect(await counted(usual, 31 * 24)).toBe(0);
    const { assignment } = aClaim(usual.firmId, usual.svcId);
    const rejected = { assignment: { ...assignment, status: 'rejected', respondedAt: NOW } };
    expect(await counted(usual, 25, rejected)).toBe(0);
  });

  test('endpoints that took no signal for an hour are counted as failing', async () => {
    const owner = await aFirm(stores);
    const before = await stores.metricSources.webhookEndpoints();
    const endpoint = (environment: string, paused: string | null) =>
      database.sql
        .query(
          `INSERT INTO webhook_endpoints (firm_id, id, environment, url, secret, created_at, paused, signalled_until, next_signal_at)
           VALUES ($1, gen_random_uuid(), $2, 'https://example.com', 'whsec_', now(), $3, now(), now()) RETURNING id`,
          [owner.firmId, environment, paused],
        )
        .then(({ rows: [{ id }] }) => id as string);
    const pending = (id: string, attempts: number, minutes: number) =>
      database.sql.query(
        `INSERT INTO webhook_deliveries (firm_id, id, endpoint_id, type, created_at, status, next_attempt_at, attempt_count, attempts)
         VALUES ($1, gen_random_uuid(), $2, 'claims.changed', now() - make_interval(mins => $4), 'pending', now(), $3, '[]')`,
        [owner.firmId, id, attempts, minutes],
      );
    await pending(await endpoint('live', null), 3, 61);
    await pending(await endpoint('live', null), 3, 59);
    await pending(await endpoint('live', null), 0, 61);
    await pending(await endpoint('test', null), 3, 61);
    await pending(await endpoint('live', 'failing'), 3, 61);
    await endpoint('live', 'gone');
    await endpoint('live', 'requested');
    const { active, failing, paused } = await stores.metricSources.webhookEndpoints();
    expect([active - before.active, failing - before.failing, paused - before.paused]).toEqual([2, 1, 2]);
  });

  test('standbys, the archive and the age of transaction ids are reported as the server shows them', async () => {
    const { sql } = database;
    const executor: Executor = {
      rows: async ({ text }, values = []) => (await sql.query(text, [...values])).rows,
    };
    // Views and functions that replace the server's own in this transaction.
    await sql.query(`BEGIN; CREATE SCHEMA shown; SET LOCAL search_path = shown, pg_catalog, public;
      CREATE TABLE pg_stat_replication (application_name text, state text, sync_state text, replay_lag interval);
      CREATE TABLE pg_stat_archiver (last_failed_time timestamptz, last_archived_time timestamptz);
      CREATE TABLE pg_database AS VALUES (7, 40), (9, 20), (8, 30);
      ALTER TABLE pg_database RENAME column1 TO datfrozenxid; ALTER TABLE pg_database RENAME column2 TO datminmxid;
      CREATE FUNCTION age(integer) RETURNS integer LANGUAGE sql AS 'SELECT $1';
      CREATE FUNCTION mxid_age(integer) RETURNS integer LANGUAGE sql AS 'SELECT $1';
      CREATE FUNCTION pg_ls_archive_statusdir() RETURNS TABLE (name text) LANGUAGE sql AS
        $$ VALUES ('1.ready'), ('2.done'), ('3.ready') $$;
      CREATE FUNCTION current_setting(text) RETURNS text LANGUAGE sql AS
        $$ SELECT pg_catalog.current_setting('shown.' || $1) $$;
      INSERT INTO pg_stat_archiver VALUES (NULL, NULL);
      SET LOCAL shown.archive_mode = off; SET LOCAL shown.synchronous_standby_names = '';
      REVOKE EXECUTE ON FUNCTION pg_ls_archive_statusdir() FROM PUBLIC;
      GRANT USAGE ON SCHEMA shown TO pg_monitor; GRANT SELECT ON ALL TABLES IN SCHEMA shown TO pg_monitor`);
    try {
      const ages = { transactionIdAge: 9, multixactIdAge: 40 };
      expect(await readMaintenanceState(executor)).toEqual({ archive: null, ...ages });
      const archives: unknown[] = [];
      for (const [mode, failed, archived] of [
        ['on', null, null],
        ['on', '2026-01-02', null],
        ['always', '2026-01-02', '2026-01-01'],
        ['on', '2026-01-01', '2026-01-02'],
        ['on', null, '2026-01-01'],
      ]) {
        await sql.query('UPDATE pg_stat_archiver SET last_failed_time = $1, last_archived_time = $2', [
          failed,
          archived,
        ]);
        await sql.query(`SET LOCAL shown.archive_mode = ${mode}`);
        archives.push((await readMaintenanceState(executor)).archive);
      }
      expect(archives).toEqual(
        [false, true, true, false, false].map((isFailing) => ({ isFailing, waitingSegments: 2 })),
      );
      await sql.query('SET LOCAL ROLE pg_monitor');
      const { archive } = await readMaintenanceState(executor);
      expect(archive).toEqual({ isFailing: false, waitingSegments: null });
      await sql.query('RESET ROLE');

      const state = () => readReplicationState(executor);
      const none = {
        standbys: 0,
        synchronousStandbys: 0,
        requiredSynchronousStandbys: 0,
        maxLagSeconds: null,
      };
      expect(await state()).toEqual(none);
      await sql.query(`INSERT INTO pg_stat_replication VALUES ('a', 'streaming', 'sync', '1 s'),
        ('b', 'streaming', 'quorum', '3.5 s'), (NULL, 'catchup', 'async', '2 s'), ('c', 'streaming', 'potential', NULL),
        ('pg_basebackup', 'backup', 'async', '9 s')`);
      const required: unknown[] = [];
      for (const names of ['a', '*', 'ANY 2 (a, b, c)', ' first 3 (a, b, c, d)', '2 (a, b, c)', '"s-1", b']) {
        await sql.query(`SET LOCAL shown.synchronous_standby_names = '${names}'`);
        const { requiredSynchronousStandbys, ...others } = (await state()) ?? none;
        required.push(requiredSynchronousStandbys);
        expect(others).toEqual({ standbys: 4, synchronousStandbys: 2, maxLagSeconds: 3.5 });
      }
      expect(required).toEqual([1, 1, 2, 3, 2, 1]);
      await sql.query('UPDATE pg_stat_replication SET state = NULL WHERE application_name IS NULL');
      expect(await state()).toBeNull();
    } finally {
      await sql.query('ROLLBACK');
    }
  });

  test('claims read at once are seen only by keys of their firm and environment', async () => {
    const other = await aFirm(stores);
    const [live, inTest, ofOther] = [
      aClaim(firmId, svcId),
      aClaim(firmId, svcId, { environment: 'test' }),
      aClaim(other.firmId, other.svcId),
    ];
    for (const claim of [live, inTest, ofOther]) await addClaim(stores, claim);
    const reads = [
      { as: [firmId, 'live'], id: live.id, sees: live.id },
      { as: [firmId, 'test'], id: live.id, sees: null },
      { as: [firmId, 'live'], id: inTest.id, sees: inTest.id },
      { as: [firmId, 'test'], id: inTest.id, sees: inTest.id },
      { as: [firmId, 'live'], id: ofOther.id, sees: null },
      { as: [other.firmId, 'live'], id: ofOther.id, sees: ofOther.id },
      { as: [firmId, 'live'], id: newId<ClaimId>(), sees: null },
      { as: [firmId, 'live'], id: 'no UUID' as ClaimId, sees: null },
    ] as const;
    const seenBy = async ({ as: [firm, environment], id }: (typeof reads)[number]) =>
      (await stores.firmReads.claim(firm, environment, id))?.id ?? null;
    expect(await Promise.all(reads.map(seenBy))).toEqual(reads.map(({ sees }) => sees));
  });

  test.each([
    0,
    1,
    999,
    -62_135_596_800_000,
    Date.UTC(1969, 11, 31, 23, 59, 59, 999),
    Date.UTC(9999, 11, 31),
  ])('the timestamp %i is returned to the millisecond', async (offeredAt) => {
    const { assignment, ...rest } = aClaim(firmId, svcId);
    const claim = { ...rest, assignment: { ...assignment, offeredAt } };
    await addClaim(stores, claim);
    const view = await stores.firmReads.claim(firmId, 'live', claim.id);
    expect(view?.assignment.offeredAt).toBe(offeredAt);
  });

  test('a list reads no more large claims than its page returns', async () => {
    const { firmId, svcId } = await aFirm(stores);
    const asSent = JSON.stringify({ instructions: 'x'.repeat(100_000) }) as ClaimAsSent;
    for (let n = 0; n < 10; n++) {
      await addClaim(stores, aClaim(firmId, svcId, { asSent }));
    }
    let bytesRead = 0;
    const executor: Executor = {
      async rows<R>({ text }: Statement, values: readonly Value[] = []): Promise<R[]> {
        const types = { getTypeParser: () => (value: string) => value };
        const { rows } = await database.sql.query({ text, values: [...values], types });
        bytesRead += JSON.stringify(rows).length;
        return rows;
      },
    };
    const page = { after: null, limit: 200, maxBytes: 350_000 };
    const reads = onCitus() ? executorOnCitus(executor) : executor;
    const inFeed = await pgFirmReads(reads, NO_ENCRYPTION).claims(firmId, 'live', {}, page);
    expect(inFeed.rows.map((claim) => claim.asSent)).toEqual([asSent, asSent, asSent]);
    expect(bytesRead).toBeLessThan(350_000);
    // One is erased before its large values are read.
    const small = { id: newId<ClaimId>(), document: '{}', work_details: null };
    const erased = { ...small, id: newId<ClaimId>(), work_details: '9000' };
    expect(await withLargeValues(reads, [small, erased], () => firmId)).toEqual([small]);
  });

  test('the ids of more claims than are read at once are those of all, each once, in their order', async () => {
    const { firmId, svcId } = await aFirm(stores);
    const { id } = await addClaim(stores, aClaim(firmId, svcId));
    await database.sql.query(
      `INSERT INTO claims SELECT (json_populate_record(c, json_build_object(
           'id', gen_random_uuid(), 'external_id', n::text, 'claim_number', n::text,
           'offered_at', c.offered_at - n % 2 * interval '1 s'))).*
         FROM claims c, generate_series(1, 4100) n WHERE c.firm_id = $1 AND c.id = $2`,
      [firmId, id],
    );
    let pauses = 0;
    const found = await stores.appReads.claimIds(svcId, 'pending_acceptance', async () => {
      pauses += 1;
      return true;
    });
    const { rows } = await database.sql.query(
      'SELECT id FROM claims WHERE firm_id = $1 ORDER BY offered_at, id',
      [firmId],
    );
    expect([found, pauses]).toEqual([rows.map((row) => row.id), 2]);
  });

  describe('of a change feed', () => {
    let feed: FirmId;
    const ids: ClaimId[] = [];
    beforeAll(async () => {
      const firm = await aFirm(stores);
      feed = firm.firmId;
      for (let n = 0; n < 9; n += 1) ids.push((await addClaim(stores, aClaim(feed, firm.svcId))).id);
    });
    const all = async (filter: ClaimFilter, limit: number): Promise<ClaimId[]> => {
      const found = await everyPage((page) => stores.firmReads.claims(feed, 'live', filter, page), limit);
      return found.map(({ id }) => id);
    };

    test('rows with the same timestamp are ordered by id', async () => {
      await database.sql.query('UPDATE claims SET created_at = $2, updated_at = $2 WHERE firm_id = $1', [
        feed,
        new Date(NOW),
      ]);
      const sorted = [...ids].sort();
      for (const limit of [1, 2, 4, 9]) {
        expect(await all({}, limit)).toEqual(sorted);
        expect(await all({ updatedSince: NOW }, limit)).toEqual(sorted);
        expect(await all({ updatedSince: NOW + 1 }, limit)).toEqual([]);
      }
    });

    test('updatedSince may be outside the years that PostgreSQL supports', async () => {
      const year0 = Date.parse('0000-01-01T00:00:00+01:00');
      const year10000 = Date.parse('+010000-01-01T00:00:00Z');
      expect(await all({ updatedSince: year0 }, 9)).toHaveLength(9);
      expect(await all({ updatedSince: year10000 }, 9)).toHaveLength(0);
    });
  });
});
