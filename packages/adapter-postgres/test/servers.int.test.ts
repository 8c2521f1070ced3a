import { afterAll, afterEach, expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { connect, migrate, type PostgresStores, reportServers } from '../src/index.ts';
import { freshDatabase } from './fresh-database.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

const database = await freshDatabase();
const proxies = [await startTcpProxy(database.url), await startTcpProxy(database.url)];
const hosts = proxies.map(({ url }) => new URL(url).host).join(',');
const url = new URL(database.url);
const severalServers = `${database.url.replace(url.host, hosts)}?target_session_attrs=read-write`;
await migrate({ url: severalServers });
afterAll(async () => {
  for (const proxy of proxies) await proxy.close();
  await database.drop();
});

let stores: PostgresStores | undefined;
afterEach(async () => {
  await stores?.close();
  stores = undefined;
});

const write = (): Promise<number> => {
  if (stores === undefined) throw new Error('not connected');
  return stores.unitOfWork.run((tx) => tx.firms.count());
};

test('when the server in use is lost, transactions and reads go on with another one', async () => {
  stores = await connect({ url: severalServers, poolMax: 4, connectTimeoutMs: 3000 });
  const [one, two] = proxies as [TcpProxy, TcpProxy];
  for (const lost of [one, two]) {
    await write();
    await lost.cut();
    // A transaction that was running fails; the next ones find the other server.
    await eventually(
      () => write().catch(() => false),
      (result) => result !== false,
    );
    await Promise.all([write(), write(), write(), stores.credentials.version()]);
    await lost.restore();
  }
});

test('while no server can be reached, transactions fail as unavailable, and each server is reported', async () => {
  stores = await connect({ url: severalServers, poolMax: 4, connectTimeoutMs: 500 });
  for (const proxy of proxies) await proxy.cut();
  await eventually(() =>
    write().then(
      () => false,
      (error) => error.reason === 'database_unreachable',
    ),
  );
  const reports = await reportServers(severalServers);
  expect(reports.map(({ server }) => server)).toEqual(proxies.map(({ url }) => new URL(url).host));
  expect(reports.filter(({ problem }) => problem === null)).toEqual([]);
  for (const proxy of proxies) await proxy.restore();
  await eventually(
    () => write().catch(() => false),
    (result) => result !== false,
  );
});

test('a server that is set to read-only is not used, and is reported as such', async () => {
  await database.sql.query(
    `ALTER DATABASE "${new URL(database.url).pathname.slice(1)}" SET default_transaction_read_only = on`,
  );
  try {
    await expect(connect({ url: severalServers, connectTimeoutMs: 500 })).rejects.toThrow(/accepts writes/);
    const problems = (await reportServers(severalServers)).map(({ problem }) => problem);
    expect(problems).toEqual(['read-only (a standby)', 'read-only (a standby)']);
  } finally {
    await database.sql.query(`ALTER DATABASE "${new URL(database.url).pathname.slice(1)}" RESET ALL`);
  }
});

test('while a password is changed, first in PostgreSQL and then in the file, no transaction fails', async () => {
  const role = `rotated_${process.pid}`;
  await database.sql.query(`CREATE ROLE ${role} SUPERUSER LOGIN PASSWORD 'first'`);
  const url = new URL(database.url);
  url.username = role;
  let password = 'first';
  stores = await connect({
    url() {
      url.password = password;
      return url.href;
    },
    poolMax: 4,
    connectTimeoutMs: 5000,
  });
  await write();
  await database.sql.query(`ALTER ROLE ${role} PASSWORD 'second'`);
  await database.sql.query(
    `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = '${role}'`,
  );
  // A transaction on a connection that is being closed would fail for another reason than the password.
  await eventually(() => stores?.metricSources.pools().every(({ open }) => open === 0) ?? false);
  const writes = Array.from({ length: 20 }, write);
  const rejected = async () =>
    (await connect({ url: url.href, connectTimeoutMs: 500 }).catch((error) => error.reason)) ===
    'database_rejected';
  expect(await rejected()).toBe(true);
  password = 'second';
  expect((await Promise.allSettled(writes)).filter(({ status }) => status === 'rejected')).toEqual([]);
  await stores.close();
  stores = undefined;
  await database.sql.query(`DROP ROLE ${role}`);
});
