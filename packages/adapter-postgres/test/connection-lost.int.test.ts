import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { Unavailable } from '@svc/application';
import { eventually } from '@svc/testkit/eventually';
import { startTcpProxy } from '../../../tools/services/tcp-proxy.ts';
import { distributedDatabase, openStores } from './fresh-database.ts';

/** ReadyForQuery, the last message of the connection startup. */
const READY_FOR_QUERY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

function fatalError(): Buffer {
  const fields = Buffer.from(
    'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0',
  );
  const header = Buffer.alloc(5);
  header.write('E');
  header.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([header, fields]);
}

test('a FATAL error in the packet that opens a connection fails the statement, not the process', async () => {
  const database = await distributedDatabase();
  let ending = false;
  let ended = 0;
  const proxy = await startTcpProxy(database.url, ({ client }) => ({
    fromServer(chunk) {
      if (!ending || !chunk.subarray(-READY_FOR_QUERY.length).equals(READY_FOR_QUERY))
        return void client.write(chunk);
      ended += 1;
      client.end(Buffer.concat([chunk, fatalError()]));
    },
  }));

  const stores = await openStores({ url: proxy.through(database.url), poolMax: 4 });
  stores.startJobs(async () => {}, { pollIntervalMs: 20 });
  await stores.credentials.version();
  ending = true;
  proxy.cutAll();
  for (let turn = 0; turn < 10; turn += 1) {
    await expect(stores.unitOfWork.run((tx) => tx.firms.count())).rejects.toBeInstanceOf(Unavailable);
    await expect(stores.credentials.version()).rejects.toBeInstanceOf(Unavailable);
  }
  expect(ended).toBeGreaterThan(10);

  ending = false;
  await sleep(50);
  expect(await stores.unitOfWork.run((tx) => tx.firms.count())).toBe(0);
});

test('a connection lost during a read in its own transaction fails the read, not the process', async () => {
  const database = await distributedDatabase();
  // As behind a pooler. The first read gets the connection that was opened with the pool.
  const stores = await openStores({ url: database.url, pooler: true, poolMax: 4 });
  await database.sql.query('BEGIN; LOCK TABLE firms');
  const read = stores.operatorReads.firms();
  read.catch(() => {});
  await eventually(async () => {
    const { rowCount } = await database.sql.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rowCount === 1;
  });
  await expect(read).rejects.toBeInstanceOf(Unavailable);
  await database.sql.query('COMMIT');
  expect(await stores.operatorReads.firms()).toEqual([]);
});
