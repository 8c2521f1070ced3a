import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { connect, migrate, schemaState } from '../src/index.ts';
import { MIGRATIONS } from '../src/schema/migrations/index.ts';
import { type FreshDatabase, freshDatabase } from './fresh-database.ts';

describe('migrations', () => {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.drop());

  test('the state of an empty database is not current, and reading it writes nothing', async () => {
    expect(await schemaState(database)).toMatchObject({ current: false, applied: [], queue: null });
    const { rows } = await database.sql.query(
      `SELECT 1 FROM pg_class WHERE relnamespace = 'public'::regnamespace`,
    );
    expect(rows).toEqual([]);
  });

  test('concurrent migrations are applied once', async () => {
    await Promise.all(Array.from({ length: 6 }, () => migrate(database)));
    const state = await schemaState(database);
    expect(state).toMatchObject({ current: true, pending: [], unknown: [], changed: [] });
    expect(state.applied.map(({ id }) => id)).toEqual(MIGRATIONS.map(({ id }) => id));
    expect(state.queue).toBeGreaterThanOrEqual(18);
  });

  test('migrating again changes nothing and keeps the generated secrets', async () => {
    const secret = async () => {
      const stores = await connect({ url: database.url });
      const value = await stores.serviceSecret('cursor_signing');
      await stores.close();
      return value;
    };
    const before = await secret();
    const applied = (await schemaState(database)).applied;
    await migrate(database);
    expect((await schemaState(database)).applied).toEqual(applied);
    expect(before).toHaveLength(32);
    expect(await secret()).toEqual(before);
  });

  test('reports unknown and edited migrations', async () => {
    await database.sql.query('BEGIN');
    await database.sql.query(
      `INSERT INTO schema_migrations (id, name, checksum) VALUES (999, 'from the future', 'x')`,
    );
    await database.sql.query(`UPDATE schema_migrations SET checksum = 'edited' WHERE id = 1`);
    await database.sql.query('COMMIT');
    expect(await schemaState(database)).toMatchObject({ current: false, unknown: [999], changed: [1] });
  });

  test('a failed migration leaves nothing behind', async () => {
    const other = await freshDatabase();
    // An existing table makes the first migration fail halfway.
    await other.sql.query('CREATE TABLE claims (x int)');
    await expect(migrate(other)).rejects.toThrow('42P07');
    const { rows } = await other.sql.query(
      `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace`,
    );
    expect(rows).toEqual([{ relname: 'claims' }]);
    await other.drop();
  });
});
