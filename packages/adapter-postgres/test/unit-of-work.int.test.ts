import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Unavailable } from '@svc/application';
import type { Claim, ClaimId, Svcid } from '@svc/domain';
import { eventually } from '@svc/testkit/eventually';
import type { PostgresStores } from '../src/index.ts';
import { aClaim, addClaim, aFirm, aMembership, NOW, newId } from './a-firm.ts';
import { distributedDatabase, type FreshDatabase, openStores } from './fresh-database.ts';

/** Also as behind a pooler: settings per transaction, no prepared statements, no pipelined reads. */
describe.each([{ pooler: false }, { pooler: true }])('a unit of work, %j', ({ pooler }) => {
  let database: FreshDatabase;
  let stores: PostgresStores;
  beforeAll(async () => {
    database = await distributedDatabase();
    stores = await openStores({ url: database.url, poolMax: 30, pooler, connectTimeoutMs: 10_000 });
  });

  const run: PostgresStores['unitOfWork']['run'] = (work) => stores.unitOfWork.run(work);

  test('a failed write fails the unit, even if the work catches the error', async () => {
    const { firmId, svcId } = await aFirm(stores);
    const unit = run(async (tx) => {
      await tx.memberships.save(aMembership(firmId, svcId, { status: 'pending' }));
      await tx.claims.lock(firmId, newId()).catch(() => {});
    });
    await expect(unit).rejects.toMatchObject({ name: 'DatabaseError' });
  });

  test('the error of a rejected statement quotes none of its values', async () => {
    const { firmId } = await aFirm(stores);
    const svcId = 'a-secret-name' as Svcid;
    const unit = run((tx) => tx.memberships.save(aMembership(firmId, svcId)));
    const error = await unit.then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ name: 'DatabaseError' });
    expect(JSON.stringify({ ...(error as Error), text: String((error as Error).stack) })).not.toContain(
      svcId,
    );
    expect((error as Error).cause).toBeUndefined();
  });

  test('work that continues after the end of its unit writes nothing', async () => {
    const { firmId, svcId } = await aFirm(stores);
    let late: Promise<unknown> = Promise.resolve();
    await run(async (tx) => {
      const writes = () => [tx.memberships.save(aMembership(firmId, svcId)), tx.emailChanges.remove(svcId)];
      late = sleep(20).then(() => Promise.all(writes().map((write) => write.catch(String))));
    });
    const refused = expect.stringContaining('after the end of its transaction');
    expect(await late).toEqual([refused, refused]);
  });

  test('polling without overlap misses no claim of slow transactions', async () => {
    const { firmId, svcId } = await aFirm(stores);
    const claims = await Promise.all(
      Array.from({ length: 96 }, () => addClaim(stores, aClaim(firmId, svcId))),
    );
    const last = Math.max(...claims.map(({ updatedAt }) => updatedAt));
    const seen = new Set<string>();
    let writing = true;
    const poller = (async () => {
      let after = { at: last, id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
      for (let more = true; more; ) {
        const last = !writing;
        const { rows } = await stores.firmReads.claims(firmId, 'live', {}, { after, limit: 3 });
        for (const row of rows) seen.add(row.id);
        const end = rows.at(-1);
        if (end !== undefined) after = { at: end.updatedAt, id: end.id };
        more = !last || rows.length > 0;
      }
    })();
    const added: string[] = [];
    await Promise.all(
      Array.from({ length: 12 }, async (_, writer) => {
        for (let n = 0; n < 8; n += 1) {
          const claim = claims[writer * 8 + n] as Claim;
          const unit = run(async (tx) => {
            await sleep(Math.random() * 10);
            await tx.claims.save(claim);
            await sleep((writer + n) % 4 === 0 ? 15 : 0);
            if ((writer + n) % 7 === 0) throw new Error('fails after its timestamp');
          });
          await unit.then(
            () => added.push(claim.id),
            () => {},
          );
        }
      }),
    );
    writing = false;
    await poller;
    expect(added.length).toBeGreaterThan(70);
    expect(added.filter((id) => !seen.has(id))).toEqual([]);
  });

  test('a claim without new details of its carrier does not wait for locks on the book', async () => {
    const { firmId, svcId } = await aFirm(stores);
    const carrier = { name: 'Busy Carrier', phone: '1' };
    await addClaim(stores, aClaim(firmId, svcId, { carrier }));
    await database.sql.query('BEGIN');
    await database.sql.query('SELECT 1 FROM carriers WHERE firm_id = $1 FOR UPDATE', [firmId]);
    await addClaim(stores, aClaim(firmId, svcId, { carrier: { ...carrier, phone: '2' } }));
    await database.sql.query('ROLLBACK');
  });

  test('a lock on a membership that does not exist yet makes others wait and see the one that is added', async () => {
    const { firmId } = await aFirm(stores);
    const svcId = newId<Svcid>();
    await run((tx) =>
      tx.adjusters.add({ svcId, firstName: null, lastName: null, email: null, testOf: null }, null),
    );
    const invite = () =>
      run(async (tx) => {
        const before = await tx.memberships.lock(firmId, svcId);
        await sleep(30);
        if (before === null) await tx.memberships.save(aMembership(firmId, svcId));
        return before;
      });
    const seen = await Promise.all([invite(), invite(), invite()]);
    expect(seen.filter((before) => before === null)).toHaveLength(1);
  });

  test('shared locks do not wait for each other, and an exclusive lock waits for them', async () => {
    const { firmId, svcId } = await aFirm(stores);
    const [one, two] = [
      await addClaim(stores, aClaim(firmId, svcId)),
      await addClaim(stores, aClaim(firmId, svcId)),
    ];
    const order: string[] = [];
    let change: Promise<void> = Promise.resolve();
    await run(async (tx) => {
      await tx.claims.lockOfferedTo(svcId, one.id);
      await run((other) => other.claims.lockOfferedTo(svcId, two.id));
      change = run(async (other) => {
        await other.memberships.lock(firmId, svcId);
        order.push('changed');
      });
      change.catch(() => {});
      await sleep(60);
      order.push('read');
    });
    await change;
    expect(order).toEqual(['read', 'changed']);
  });

  test('a lock on an account makes changes of it wait', async () => {
    const { svcId } = await aFirm(stores);
    const order: string[] = [];
    let change: Promise<void> = Promise.resolve();
    await run(async (tx) => {
      await tx.adjusters.lock(svcId);
      change = run((other) => other.adjusters.setDisabled(svcId, NOW)).then(() => {
        order.push('disabled');
      });
      await sleep(60);
      order.push('read');
    });
    await change;
    expect(order).toEqual(['read', 'disabled']);
    expect(await run((tx) => tx.adjusters.lock(svcId))).toMatchObject({ disabledAt: NOW });
  });

  test('a unit that locks an account and changes a membership holds up none of other accounts', async () => {
    const [one, other] = [await aFirm(stores), await aFirm(stores)];
    const inTurn = [one, other].reduceRight<() => Promise<void>>(
      (next, { firmId, svcId }) =>
        () =>
          run(async (tx) => {
            await tx.adjusters.lock(svcId);
            await tx.memberships.save(aMembership(firmId, svcId, { acceptingAssignments: false }));
            await next();
          }),
      async () => {},
    );
    await inTurn();
  });

  test('after a deadlock the work runs again, and both units succeed, also if it throws an error of its own', async () => {
    const { firmId, svcId } = await aFirm(stores);
    const [a, b] = [aClaim(firmId, svcId), aClaim(firmId, svcId)];
    for (const claim of [a, b]) await addClaim(stores, claim);
    let runs = 0;
    let locked = 0;
    const both = (first: ClaimId, second: ClaimId) =>
      run(async (tx) => {
        runs += 1;
        await tx.claims.lock(firmId, first);
        locked += 1;
        await eventually(() => locked > 1);
        await tx.claims.lock(firmId, second).catch(() => {
          throw new Error('of the work');
        });
      });
    await Promise.all([both(a.id, b.id), both(b.id, a.id)]);
    expect(runs).toBeGreaterThan(2);
  });

  test('waiting for a lock times out with Unavailable', async () => {
    const shortTimeout = await openStores({ url: database.url, poolMax: 4, pooler, lockTimeoutMs: 100 });
    const { firmId, svcId } = await aFirm(stores);
    const claim = aClaim(firmId, svcId);
    await addClaim(stores, claim);
    await database.sql.query('BEGIN');
    await database.sql.query('SELECT 1 FROM claims WHERE firm_id = $1 AND id = $2 FOR UPDATE', [
      firmId,
      claim.id,
    ]);
    const waiting = shortTimeout.unitOfWork.run((tx) => tx.claims.lock(firmId, claim.id));
    await expect(waiting).rejects.toBeInstanceOf(Unavailable);
    await database.sql.query('ROLLBACK');
    expect(await shortTimeout.unitOfWork.run((tx) => tx.claims.lock(firmId, claim.id))).not.toBeNull();
  });
});
