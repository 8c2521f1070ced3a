import { beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import pg from 'pg';
import { atEnd } from '../../../tools/services/at-end.ts';
import { aFirm, newId } from './a-firm.ts';
import { type FreshDatabase, openStores, undistributedDatabase } from './fresh-database.ts';

const REFRESH = 'SELECT refresh_statistics() AS analyzed';

describe('statistics', () => {
  let database: FreshDatabase;

  beforeEach(async () => {
    database = await undistributedDatabase();
    await database.sql.query('ALTER TABLE carriers SET (autovacuum_enabled = false)');
  });

  const addCarriers = (count: number) =>
    database.sql.query(
      `INSERT INTO carriers (firm_id, name_key, name) SELECT gen_random_uuid(), n, 'c' FROM generate_series(1, $1) n`,
      [count],
    );
  const refreshed = async (): Promise<boolean> =>
    (await database.sql.query(REFRESH)).rows[0].analyzed.includes('carriers');
  const knownRows = async (): Promise<number> =>
    (await database.sql.query(`SELECT reltuples FROM pg_class WHERE oid = 'public.carriers'::regclass`))
      .rows[0].reltuples;

  test('of a table are refreshed once it has rows, and whenever its size has more than doubled', async () => {
    await database.sql.query('ANALYZE carriers');
    expect(await refreshed()).toBe(false);
    await addCarriers(500);
    expect(await refreshed()).toBe(true);
    expect(await refreshed()).toBe(false);
    await addCarriers(400);
    expect(await refreshed()).toBe(false);
    await addCarriers(400);
    expect(await refreshed()).toBe(true);
    expect(await knownRows()).toBe(1300);
  });

  test('are refreshed by one process at a time, which does not wait for the lock of a table', async () => {
    await addCarriers(1);
    const other = new pg.Client(database.url);
    await other.connect();
    atEnd(() => other.end());
    await other.query('BEGIN; LOCK TABLE carriers IN SHARE UPDATE EXCLUSIVE MODE');
    await refreshed();
    expect(await knownRows()).toBe(-1);
    await other.query('COMMIT; BEGIN');
    await other.query(REFRESH);
    await addCarriers(500);
    expect(await refreshed()).toBe(false);
    await other.query('COMMIT');
    expect(await refreshed()).toBe(true);
  });

  test('are refreshed while the service runs', async () => {
    const stores = await openStores({ url: database.url });
    await aFirm(stores);
    await addCarriers(500);
    stores.startJobs(async () => {});
    expect(await eventually(knownRows, (rows) => rows === 500)).toBe(500);
  });

  test('can be refreshed by the role of the service, which may not analyze tables, and by no other', async () => {
    const { sql } = database;
    const name = `analyst_${newId().slice(0, 8)}`;
    await sql.query(`CREATE ROLE ${name}`);
    atEnd(() => sql.query(`RESET ROLE; DROP OWNED BY ${name}; DROP ROLE ${name}`));
    await addCarriers(500);
    await sql.query(`SET ROLE ${name}`);
    await expect(sql.query(REFRESH)).rejects.toMatchObject({ code: '42501' });
    await sql.query(`RESET ROLE; GRANT EXECUTE ON FUNCTION refresh_statistics TO ${name}; SET ROLE ${name}`);
    // Found instead of the service's table, it would be analyzed.
    await sql.query('CREATE TEMPORARY TABLE carriers (id integer)');
    await sql.query('ANALYZE public.carriers');
    expect(await knownRows()).toBe(-1);
    expect(await refreshed()).toBe(true);
    expect(await knownRows()).toBe(500);
  });
});
