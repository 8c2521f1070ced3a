import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Unavailable } from '@svc/application';
import { eventually, later } from '@svc/testkit/eventually';
import { atEnd } from '../../../tools/services/at-end.ts';
import { openDatabase } from '../src/driver/database.ts';
import { sql } from '../src/driver/executor.ts';
import { connect, migrate, type PostgresStores, schemaState } from '../src/index.ts';
import { aClaim, addClaim, aFirm, aMembership, newId } from './a-firm.ts';
import { type FreshDatabase, openStores, undistributedDatabase } from './fresh-database.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

describe('when PostgreSQL goes away', () => {
  let database: FreshDatabase;
  let proxy: TcpProxy;
  let stores: PostgresStores;
  beforeAll(async () => {
    database = await undistributedDatabase();
  });
  beforeEach(async () => {
    proxy = await startTcpProxy(database.url);
    stores = await openStores({
      url: proxy.url,
      poolMax: 6,
      statementTimeoutMs: 500,
      connectTimeoutMs: 3000,
    });
  });

  const terminateAll = () =>
    database.sql.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );

  /** Every error until then must be `Unavailable`. */
  const recovers = () =>
    eventually(async () => {
      try {
        await stores.credentials.version();
        await stores.unitOfWork.run((tx) => tx.firms.count());
        return true;
      } catch (error) {
        expect(error).toBeInstanceOf(Unavailable);
        return false;
      }
    });

  test('when too many transactions wait for a connection, a further one fails at once, and reads and metrics go on', async () => {
    await stores.credentials.version();
    const { promise: held, resolve: release } = later();
    const outcomes = Array.from({ length: 400 }, () =>
      stores.unitOfWork
        .run(() => held)
        .then(
          () => 'completed',
          (error: Unavailable) => error.reason,
        ),
    );
    expect(await outcomes.at(-1)).toBe('database_pool');
    const { pools, ...sources } = stores.metricSources;
    await eventually(() =>
      pools().every(({ max, open, idle, waiting }) => max === 6 && open > 4 && idle === 0 && waiting > 100),
    );
    await stores.credentials.version();
    expect(await Promise.all(Object.values(sources).map((read) => read()))).toHaveLength(5);
    release();
    // 40 for each of the 4 connections for transactions wait.
    const completed = (await Promise.all(outcomes)).filter((outcome) => outcome === 'completed');
    expect(Math.floor(completed.length / 10)).toBe(16);
    expect(await stores.unitOfWork.run(async () => 'completed')).toBe('completed');
  });

  test.each([0, 50])(
    'a connection lost %d ms before the next statement of a transaction fails it, and nothing is saved',
    async (before) => {
      const { firmId, svcId } = await aFirm(stores);
      const unit = stores.unitOfWork.run(async (tx) => {
        await tx.memberships.save(aMembership(firmId, svcId, { canAcceptClaims: false }));
        await terminateAll();
        if (before > 0) await sleep(before);
        await tx.memberships.lock(firmId, svcId);
      });
      await expect(unit).rejects.toBeInstanceOf(Unavailable);
      await recovers();
      expect((await stores.firmReads.adjuster(firmId, svcId))?.membership.canAcceptClaims).toBe(true);
    },
  );

  test('every call throws Unavailable during the outage, and recovers after it', async () => {
    const { firmId, svcId } = await aFirm(stores);
    await proxy.cut();
    for (let n = 0; n < 5; n += 1) {
      const calls = [
        stores.credentials.version(),
        stores.firmReads.claims(firmId, 'live', {}, { after: null, limit: 1 }),
        addClaim(stores, aClaim(firmId, svcId)),
        stores.purge(0),
        stores.ping(1000),
      ];
      for (const result of await Promise.allSettled(calls)) {
        expect(result).toMatchObject({ status: 'rejected', reason: expect.any(Unavailable) });
      }
    }
    await proxy.restore();
    await recovers();
  });

  test('a server that does not respond is given up after the timeout', async () => {
    const { firmId, svcId } = await aFirm(stores);
    await stores.credentials.version();
    const jobs = stores.startJobs(async () => {});
    proxy.block();
    // Each call has its own timeout: the shorter one ends first.
    const order: number[] = [];
    const { url } = proxy;
    const ends = (timeoutMs: number, call: Promise<unknown>) =>
      expect(call.finally(() => order.push(timeoutMs))).rejects.toBeInstanceOf(Unavailable);
    await Promise.all([
      ends(1300, stores.ping(1300)),
      ends(1000, schemaState({ url, connectTimeoutMs: 1000 })),
      ends(700, migrate({ url, connectTimeoutMs: 700 })),
      ends(400, connect({ url, connectTimeoutMs: 400 })),
      ends(100, stores.ping(100)),
    ]);
    expect(order).toEqual([100, 400, 700, 1000, 1300]);
    const calls = [
      stores.credentials.version(),
      addClaim(stores, aClaim(firmId, svcId)),
      stores.unitOfWork.run((tx) => tx.firms.count()),
    ];
    for (const result of await Promise.allSettled(calls)) {
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(Unavailable) });
    }
    await jobs.stop();
    proxy.unblock();
    await recovers();
  });

  test.each([
    ['before', false],
    ['after', true],
  ] as const)(
    'a connection lost %s the server receives COMMIT throws Unavailable, and the work runs once',
    async (when, committed) => {
      const { firmId, svcId } = await aFirm(stores);
      let runs = 0;
      const unit = stores.unitOfWork.run(async (tx) => {
        runs += 1;
        proxy.cutOn('COMMIT', when);
        await tx.memberships.save(aMembership(firmId, svcId, { canAcceptClaims: false }));
      });
      await expect(unit).rejects.toBeInstanceOf(Unavailable);
      await recovers();
      const claim = aClaim(firmId, svcId);
      const sent = addClaim(stores, claim, () => {
        runs += 1;
        proxy.cutOn('COMMIT', when);
        return [];
      });
      await expect(sent).rejects.toBeInstanceOf(Unavailable);
      await recovers();
      expect(runs).toBe(2);
      const member = await stores.firmReads.adjuster(firmId, svcId);
      const found = await stores.firmReads.claim(firmId, 'live', claim.id);
      expect(member?.membership.canAcceptClaims).toBe(!committed);
      // Afterwards the server may also notice the loss while it runs the statements sent before COMMIT.
      if (!committed) expect(found).toBeNull();
    },
  );

  test('a write of maintenance whose COMMIT gets no response is given up, and its connection becomes free', async () => {
    await database.sql.query(`
      CREATE TABLE slow (id integer);
      CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_sleep(0.3); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER slowly AFTER INSERT ON slow DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION slowly();
    `);
    const opened = await openDatabase({
      url: proxy.url,
      poolMax: 4,
      connectTimeoutMs: 3000,
      statementTimeoutMs: 500,
      lockTimeoutMs: 500,
    });
    atEnd(() => opened.close());
    const ONE = sql('one', 'SELECT 1 AS one');
    await Promise.all([opened.maintenance.rows(ONE), opened.maintenance.rows(ONE)]);
    const write = sql('write', 'INSERT INTO slow VALUES (1)');
    const writes = [opened.maintenance.rows(write), opened.reserved.writes.rows(write)];
    const outcomes = Promise.allSettled(writes);
    await sleep(150);
    proxy.block();
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(Unavailable) });
    proxy.unblock();
    await eventually(async () => {
      const again = [opened.maintenance, opened.reserved.writes].map((session) => session.rows(ONE));
      const results = await Promise.allSettled(again);
      return results.every(({ status }) => status === 'fulfilled');
    });
  });

  test('a statement timeout ends the statement, and its connection stays usable', async () => {
    const { firmId, svcId } = await aFirm(stores);
    await database.sql.query('BEGIN; LOCK TABLE claims IN ACCESS EXCLUSIVE MODE');
    const reading = stores.firmReads.claims(firmId, 'live', {}, { after: null, limit: 1 });
    const writing = addClaim(stores, aClaim(firmId, svcId));
    await expect(reading).rejects.toBeInstanceOf(Unavailable);
    await expect(writing).rejects.toBeInstanceOf(Unavailable);
    await database.sql.query('ROLLBACK');
    await stores.firmReads.claims(firmId, 'live', {}, { after: null, limit: 1 });
  });

  test('an idle transaction loses its locks after the timeout', async () => {
    const slow = await openStores({ url: database.url, poolMax: 3, idleInTransactionTimeoutMs: 100 });
    const { firmId, svcId } = await aFirm(stores);
    const lock = (on: PostgresStores, holdMs: number) =>
      on.unitOfWork.run(async (tx) => {
        await tx.memberships.lock(firmId, svcId);
        await sleep(holdMs);
      });
    const unit = lock(slow, 400);
    await sleep(50);
    await lock(stores, 0);
    await expect(unit).rejects.toBeInstanceOf(Unavailable);
  });

  test('waiting for a free connection times out with Unavailable, and the pool stays usable', async () => {
    const { promise: held, resolve: release } = later();
    const units = Array.from({ length: 20 }, () =>
      stores.unitOfWork.run(async (tx) => {
        await tx.memberships.activeFirmsOf(newId());
        await held;
      }),
    );
    // At most six of the twenty can have a connection; they end when the others have timed out.
    let timeouts = 0;
    for (const unit of units)
      unit.catch(() => {
        timeouts += 1;
        if (timeouts === 14) release();
      });
    const results = await Promise.allSettled(units);
    const timedOut = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    for (const error of timedOut) expect(error).toBeInstanceOf(Unavailable);
    // The others could not connect.
    expect(timedOut.filter(({ reason }) => reason === 'database_pool').length).toBeGreaterThanOrEqual(14);
    await recovers();
  });

  test('connecting to an unreachable server throws Unavailable', async () => {
    await proxy.cut();
    await expect(connect({ url: proxy.url })).rejects.toBeInstanceOf(Unavailable);
    await expect(migrate({ url: proxy.url })).rejects.toBeInstanceOf(Unavailable);
    await proxy.restore();
  });
});
