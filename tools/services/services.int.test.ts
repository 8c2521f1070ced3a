import { expect, test } from '@jest/globals';
import pg from 'pg';
import { createDatabase } from './postgres.ts';

async function rows(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test('each database starts as migrated, whatever was written to the others, and migrating happens once', async () => {
  let migrations = 0;
  const migrate = async (url: string) => {
    migrations += 1;
    await rows(url, 'CREATE TABLE marker (n int)');
  };
  const [first, second] = await Promise.all([
    createDatabase({ migrate, template: 'services_test' }),
    createDatabase({ migrate, template: 'services_test' }),
  ]);
  await rows(first.url, 'INSERT INTO marker VALUES (1)');
  expect(await rows(first.url, 'SELECT n FROM marker')).toEqual([{ n: 1 }]);
  expect(await rows(second.url, 'SELECT n FROM marker')).toEqual([]);
  expect(migrations).toBe(1);
  await first.drop();
  await second.drop();
  await expect(rows(first.url, 'SELECT 1')).rejects.toThrow(/does not exist/);
});
