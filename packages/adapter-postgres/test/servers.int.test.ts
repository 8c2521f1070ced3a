import { expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { atEnd } from '../../../tools/services/at-end.ts';
import { ConnectionFailures } from '../src/driver/connection-failures.ts';
import { Servers } from '../src/driver/servers.ts';
import { connect, migrate, type PostgresStores, reportServers } from '../src/index.ts';
import { SILENT } from '../src/log.ts';
import { freshDatabase, openStores } from './fresh-database.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

const database = await freshDatabase();
const proxies = [await startTcpProxy(database.url), await startTcpProxy(database.url)];
const hosts = proxies.map(({ url }) => new URL(url).host).join(',');
const url = new URL(database.url);
const severalServers = `${database.url.replace(url.host, hosts)}?target_session_attrs=read-write`;
await migrate({ url: severalServers });

const write = ({ unitOfWork }: PostgresStores): Promise<number> => unitOfWork.run((tx) => tx.firms.count());
/** A transaction that was running may fail; the next ones find another server. */
const writesAgain = (stores: PostgresStores) =>
  eventually(
    () => write(stores).catch(() => false),
    (result) => result !== false,
  );

test('when the server in use is lost, transactions, reads and the clock go on with another one', async () => {
  const stores = await openStores({ url: severalServers, poolMax: 4, connectTimeoutMs: 3000 });
  const [one, two] = proxies as [TcpProxy, TcpProxy];
  for (const lost of [one, two]) {
    await write(stores);
    await lost.cut();
    await writesAgain(stores);
    await Promise.all([write(stores), write(stores), write(stores), stores.credentials.version()]);
    await lost.restore();
    expect(Math.abs(stores.clockAheadMs())).toBeLessThan(60_000);
  }
});

test('what fails as on a server that is going away is tried on another one, and nothing else is', async () => {
  const servers = new Servers(severalServers, SILENT, 10_000);
  const codes = ['ECONNRESET', 'EREADONLY', '08006', '57P01', '57P02', '57P03', undefined];
  const failures = new Set([...codes, '57P04', '57014', '28P01']);
  const tried = [...failures].map((code) =>
    servers.connect(async () => {
      if (failures.delete(code)) throw Object.assign(new Error('lost'), { code });
      return code;
    }),
  );
  const opened = (await Promise.allSettled(tried)).filter(({ status }) => status === 'fulfilled');
  expect(opened).toEqual(codes.map((value) => ({ status: 'fulfilled', value })));
});

test('while no server can be reached, transactions fail as unavailable, and each server is reported', async () => {
  const [silent] = proxies as [TcpProxy];
  silent.block();
  const problems = (await reportServers(severalServers)).map(({ problem }) => problem);
  expect(problems).toEqual(['timeout expired', null]);
  silent.unblock();
  const stores = await openStores({ url: severalServers, poolMax: 4, connectTimeoutMs: 500 });
  for (const proxy of proxies) await proxy.cut();
  await eventually(() =>
    write(stores).then(
      () => false,
      (error) => error.reason === 'database_unreachable',
    ),
  );
  // One that begins after the server was lost looks for another one.
  await expect(write(stores)).rejects.toMatchObject({ reason: 'database_unreachable' });
  const reports = await reportServers(severalServers);
  expect(reports.map(({ server }) => server).join()).toBe(hosts);
  expect(reports.filter(({ problem, isStandby }) => problem === null || isStandby)).toEqual([]);
  for (const proxy of proxies) await proxy.restore();
  await writesAgain(stores);
});

test('a server that is set to read-only is not used, also if it is met later, and is reported as such', async () => {
  await database.sql.query(
    `ALTER DATABASE "${new URL(database.url).pathname.slice(1)}" SET default_transaction_read_only = on`,
  );
  try {
    await expect(connect({ url: severalServers, connectTimeoutMs: 500 })).rejects.toThrow(
      `None of the servers in DATABASE_URL accepts writes: ${hosts.replace(',', ', ')}.`,
    );
    // The only server is used as it is.
    await openStores({ url: database.url });
    const reports = (await reportServers(severalServers)).map(({ server: _, ...report }) => report);
    expect(reports).toEqual(Array(2).fill({ problem: 'read-only (a standby)', isStandby: true }));
    const Client = new ConnectionFailures(SILENT).clientOf(new Servers(severalServers, SILENT, 0));
    const client = new Client();
    const ended = new Promise((resolve) => client.once('end', resolve));
    await expect(client.connect()).rejects.toMatchObject({ code: 'EREADONLY' });
    await ended;
  } finally {
    await database.sql.query(`ALTER DATABASE "${new URL(database.url).pathname.slice(1)}" RESET ALL`);
  }
});

test('while a password is changed, first in PostgreSQL and then in the file, no transaction fails', async () => {
  const role = `rotated_${process.pid}`;
  await database.sql.query(`CREATE ROLE ${role} SUPERUSER LOGIN PASSWORD 'first'`);
  atEnd(() => database.sql.query(`DROP ROLE ${role}`));
  const url = new URL(database.url);
  url.username = role;
  let password = 'first';
  const stores = await openStores({
    url() {
      url.password = password;
      return url.href;
    },
    poolMax: 4,
    connectTimeoutMs: 5000,
  });
  await write(stores);
  await database.sql.query(`ALTER ROLE ${role} PASSWORD 'second'`);
  await database.sql.query(
    `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = '${role}'`,
  );
  // A transaction on a connection that is being closed would fail for another reason than the password.
  await eventually(() => stores.metricSources.pools().every(({ open }) => open === 0));
  const writes = Array.from({ length: 20 }, () => write(stores));
  const rejected = async () =>
    (await connect({ url: url.href, connectTimeoutMs: 500 }).catch((error) => error.reason)) ===
    'database_rejected';
  expect(await rejected()).toBe(true);
  password = 'second';
  expect((await Promise.allSettled(writes)).filter(({ status }) => status === 'rejected')).toEqual([]);
});
