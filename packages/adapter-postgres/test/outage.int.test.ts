import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Unavailable } from '@svc/application';
import type { ClaimId } from '@svc/domain';
import { eventually } from '@svc/testkit/eventually';
import { connect, migrate, type PostgresStores } from '../src/index.ts';
import { aClaim, aFirm } from './a-firm.ts';
import { type FreshDatabase, freshDatabase } from './fresh-database.ts';
import { aWire, type Wire } from './tcp-proxy.ts';

describe('when PostgreSQL goes away', () => {
  let database: FreshDatabase;
  let wire: Wire;
  let stores: PostgresStores;
  beforeAll(async () => {
    database = await freshDatabase();
    await migrate(database);
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    wire = await aWire(database.url);
    stores = await connect({ url: wire.url, poolMax: 6, statementTimeoutMs: 500, connectTimeoutMs: 3000 });
  });
  afterEach(async () => {
    await stores.close();
    await wire.close();
  });

  const terminateAll = () =>
    database.sql.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );

  /** Asks no more often than a client would; what fails before has to be `Unavailable`. */
  const comesBack = () =>
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

  test('connections that were ended while idle are replaced', async () => {
    await aFirm(stores);
    await stores.credentials.version();
    await terminateAll();
    await sleep(50);
    await comesBack();
  });

  test('a connection ended in the middle of a unit fails it, and nothing of it stays', async () => {
    const { firmId, svcId } = await aFirm(stores);
    const claim = aClaim(firmId, svcId);
    const unit = stores.unitOfWork.run(async (tx) => {
      await tx.claims.add(claim);
      await terminateAll();
      await tx.claims.lock(firmId, claim.id);
    });
    await expect(unit).rejects.toBeInstanceOf(Unavailable);
    await comesBack();
    expect(await stores.firmReads.claim(firmId, 'live', claim.id)).toBeNull();
  });

  test('a connection ended between two statements fails the unit at the next one', async () => {
    const { firmId, svcId } = await aFirm(stores);
    const unit = stores.unitOfWork.run(async (tx) => {
      await tx.adjusters.find(svcId);
      await terminateAll();
      await sleep(50);
      await tx.claims.add(aClaim(firmId, svcId));
    });
    await expect(unit).rejects.toBeInstanceOf(Unavailable);
    await comesBack();
  });

  test('while it is away every call says so, and work goes on by itself afterwards', async () => {
    const { firmId, svcId } = await aFirm(stores);
    await wire.cut();
    for (let n = 0; n < 5; n += 1) {
      const calls = [
        stores.credentials.version(),
        stores.firmReads.claims(firmId, 'live', {}, { after: null, limit: 1 }),
        stores.unitOfWork.run((tx) => tx.claims.add(aClaim(firmId, svcId))),
        stores.purge(0),
        stores.ping(1000),
      ];
      for (const result of await Promise.allSettled(calls)) {
        expect(result).toMatchObject({ status: 'rejected', reason: expect.any(Unavailable) });
      }
    }
    await wire.mend();
    await comesBack();
  });

  test('a server that says nothing any more is not waited for until it answers', async () => {
    const { firmId, svcId } = await aFirm(stores);
    await stores.credentials.version();
    wire.block();
    // Agreed upon with each call, and not one for all: the shorter wait ends first.
    const order: string[] = [];
    const ping = (name: string, timeoutMs: number) =>
      expect(stores.ping(timeoutMs).finally(() => order.push(name))).rejects.toBeInstanceOf(Unavailable);
    await Promise.all([ping('longer', 1000), ping('shorter', 100)]);
    expect(order).toEqual(['shorter', 'longer']);
    const calls = [
      stores.credentials.version(),
      stores.unitOfWork.run((tx) => tx.claims.add(aClaim(firmId, svcId))),
      stores.unitOfWork.run((tx) => tx.firms.count()),
    ];
    for (const result of await Promise.allSettled(calls)) {
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(Unavailable) });
    }
    wire.unblock();
    await comesBack();
  });

  test.each([
    ['before', false],
    ['after', true],
  ] as const)('a commit lost %s the server saw it is reported, never run again', async (when, happened) => {
    const { firmId, svcId } = await aFirm(stores);
    const claim = aClaim(firmId, svcId);
    let runs = 0;
    const unit = stores.unitOfWork.run(async (tx) => {
      runs += 1;
      await tx.claims.add(claim);
      wire.cutOn('COMMIT', when);
    });
    await expect(unit).rejects.toBeInstanceOf(Unavailable);
    expect(runs).toBe(1);
    await comesBack();
    const found = await stores.firmReads.claim(firmId, 'live', claim.id as ClaimId);
    expect(found !== null).toBe(happened);
  });

  test('a statement that runs too long is ended, and its connection goes on', async () => {
    const { firmId, svcId } = await aFirm(stores);
    await database.sql.query('BEGIN; LOCK TABLE claims IN ACCESS EXCLUSIVE MODE');
    const reading = stores.firmReads.claims(firmId, 'live', {}, { after: null, limit: 1 });
    const writing = stores.unitOfWork.run((tx) => tx.claims.add(aClaim(firmId, svcId)));
    await expect(reading).rejects.toBeInstanceOf(Unavailable);
    await expect(writing).rejects.toBeInstanceOf(Unavailable);
    await database.sql.query('ROLLBACK');
    await stores.firmReads.claims(firmId, 'live', {}, { after: null, limit: 1 });
  });

  test('a unit that dawdles does not hold its locks for ever', async () => {
    const dawdler = await connect({ url: database.url, poolMax: 3, idleInTransactionTimeoutMs: 100 });
    const { firmId, svcId } = await aFirm(dawdler);
    const unit = dawdler.unitOfWork.run(async (tx) => {
      await tx.claims.add(aClaim(firmId, svcId));
      await sleep(400);
    });
    await sleep(50);
    await stores.unitOfWork.run((tx) => tx.claims.add(aClaim(firmId, svcId)));
    await expect(unit).rejects.toBeInstanceOf(Unavailable);
    await dawdler.close();
  });

  test('whoever finds no free connection in time is told so, and the pool stays whole', async () => {
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const units = Array.from({ length: 20 }, () =>
      stores.unitOfWork.run(async (tx) => {
        await tx.firms.count();
        await held;
      }),
    );
    // At most six of the twenty can have a connection; they end when the others have been refused.
    let refusals = 0;
    for (const unit of units)
      unit.catch(() => {
        refusals += 1;
        if (refusals === 14) release();
      });
    const results = await Promise.allSettled(units);
    const refused = results.filter((result) => result.status === 'rejected');
    // At most six of the twenty can have had a connection.
    expect(refused.length).toBeGreaterThanOrEqual(14);
    for (const { reason } of refused) expect(reason).toBeInstanceOf(Unavailable);
    await comesBack();
  });

  test('connecting to a server that is not there says so', async () => {
    await wire.cut();
    await expect(connect({ url: wire.url })).rejects.toBeInstanceOf(Unavailable);
    await expect(migrate({ url: wire.url })).rejects.toBeInstanceOf(Unavailable);
    await wire.mend();
  });
});
