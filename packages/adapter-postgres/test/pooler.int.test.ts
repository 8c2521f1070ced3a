import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Job } from '@svc/application';
import { eventually } from '@svc/testkit/eventually';
import { type PgBouncer, startPgBouncer } from '../../../tools/services/pgbouncer.ts';
import { createDatabase, type TestDatabase, withClient } from '../../../tools/services/postgres.ts';
import { backUp, connect, migrate, restoreBackup, roleRights, schemaState } from '../src/index.ts';
import { aClaim, addClaim, aFirm } from './a-firm.ts';
import { openStores } from './fresh-database.ts';

describe('behind a pooler in transaction mode', () => {
  let database: TestDatabase;
  let pooler: PgBouncer;
  beforeAll(async () => {
    database = await createDatabase({ migrate: async () => {}, template: 'empty' });
    pooler = await startPgBouncer({ databaseUrl: database.url, poolSize: 4 });
  });

  test('more processes than the pooler has connections can migrate at once', async () => {
    await Promise.all(Array.from({ length: 6 }, () => migrate({ url: pooler.url })));
    expect(await schemaState({ url: pooler.url })).toMatchObject({ current: true });
  });

  test('the pooler is detected, and transactions, reads and jobs work', async () => {
    const stores = await openStores({ url: pooler.url, poolMax: 10, connectTimeoutMs: 10_000 });
    expect(stores.behindPooler).toBe(true);
    const done: Job[] = [];
    stores.startJobs(async (job) => {
      done.push(job);
    });
    const { firmId, svcId } = await aFirm(stores);
    const timestamps = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const claim = aClaim(firmId, svcId);
        const job = { kind: 'notify_offer', firmId, claimId: claim.id, svcId } as const;
        const added = await addClaim(stores, claim, () => [{ job }]);
        const page = await stores.firmReads.claims(firmId, 'live', {}, { after: null, limit: 200 });
        expect(page.rows.map(({ id }) => id)).toContain(claim.id);
        return added.updatedAt;
      }),
    );
    expect(new Set(timestamps).size).toBe(100);
    await eventually(() => done.length >= 100);
    expect(done).toHaveLength(100);
    expect(stores.metricSources.pools()).toMatchObject([{ max: 10 }, { max: 2 }]);
    expect(await roleRights(pooler.url)).toMatchObject({ behindPooler: true });
    expect(await roleRights(database.url)).toMatchObject({ behindPooler: false });
  });

  test('a restore is refused while a process uses the pooler, and not because the pooler keeps idle connections', async () => {
    const empty = await createDatabase();
    const shared = await startPgBouncer({ databaseUrl: empty.url, poolSize: 4 });
    await withClient(shared.url, (client) => client.query('SELECT 1 FROM firms'));
    const busy = await connect({ url: shared.url });
    const ping = setInterval(() => void busy.ping(2000).catch(() => {}), 500);
    const refused = restoreBackup(shared.url, backUp(database.url));
    await expect(refused).rejects.toThrow(
      /^Restoring a backup needs the database for itself, and it has \d+ other connections?: .*claim-assignment.* as \w+.* \((idle|active)\).*a pooler keeps idle connections/,
    );
    clearInterval(ping);
    await busy.close();
    expect((await restoreBackup(shared.url, backUp(database.url))).rows).toMatchObject({
      'public.firms': 1,
      'public.claims': 100,
    });
    // The settings of the restore do not stay on the pooler's connections.
    await withClient(shared.url, async (client) => {
      const { rows } = await client.query("SELECT current_setting('lock_timeout') AS timeout");
      expect(rows).toEqual([{ timeout: '0' }]);
    });
  });
});
