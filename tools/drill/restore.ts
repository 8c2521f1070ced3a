import { chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { launchApiProcess, waitUntilHealthy } from '../cluster/api-process.ts';
import { backUp, openPostgresServers, type PostgresServer } from '../cluster/postgres-server.ts';
import { runSvc } from '../cluster/svc.ts';
import { build } from '../services/build.ts';
import { openOperator } from '../services/operator.ts';
import { startRedis } from '../services/redis.ts';
import { compare, drillEnvironment, rehearse, startLoad, statusCounts, storedStatuses } from './load.ts';

/**
 * Restores the database under load to a time some seconds back, while a poller has read what came after.
 * @returns how many claims the poller had in a state that the restored database does not have, how many it missed after the
 * restamp or in the end, and how many confirmed ones do not exist in the end.
 */
export function runRestore({
  seconds,
  say,
}: {
  /** How long the load runs before the backup, until the time of the restore, and from then to the loss. */
  readonly seconds: number;
  readonly say: (line: string) => void;
}) {
  return rehearse(say, async (note, stops) => {
    const servers = await openPostgresServers(say);
    stops.push(() => servers.remove());
    const building = build();
    building.catch(() => {}); // awaited below
    const archive = join(servers.folder, 'archive');
    mkdirSync(archive);
    const { uid, gid } = statSync(servers.folder);
    chownSync(archive, uid, gid);
    const primary = await servers.server('primary', {
      archive_mode: 'on',
      archive_command: `cp %p ${archive}/%f`,
    });
    await primary.start();
    await building;
    const databaseUrl = `postgres://postgres@127.0.0.1:${primary.port}/postgres`;
    // It keeps the keys of claims that the restored database does not have.
    const redis = await startRedis({ log: say });
    stops.push(() => redis.stop());
    const env = { ...drillEnvironment, DATABASE_URL: databaseUrl, REDIS_URL: redis.url };
    const operator = await openOperator(databaseUrl);
    const firm = await operator.firm();
    await operator.close();
    const processes = [await launchApiProcess({ env }), await launchApiProcess({ env })];
    stops.push(() => Promise.all(processes.map((one) => one.kill())));
    await Promise.all(processes.map(waitUntilHealthy));
    const load = startLoad(
      processes.map(({ url }) => url),
      firm,
    );
    await sleep(seconds * 1000);

    await backUp(servers, primary, 'restored');
    note(`base backup taken under load: ${load.acknowledged.size} claims confirmed`);
    await sleep(seconds * 1000);
    const [{ at }] = await primary.query('SELECT clock_timestamp() AS at');
    const since = (at as Date).toISOString();
    note(`time of the restore: ${since}, ${load.acknowledged.size} claims confirmed`);
    await sleep(seconds * 1000);
    await load.pause();
    await load.caughtUp();
    note(`${load.acknowledged.size} claims confirmed, and the poller has read them; the data is damaged`);
    await archiveAll(primary);

    const stoppedAt = performance.now();
    await Promise.all(processes.map((one) => one.shutDown()));
    await primary.kill();
    note('service and server stopped');
    // The same port, so DATABASE_URL stays as it is.
    const settings = {
      restore_command: `cp ${archive}/%f %p`,
      recovery_target_time: since.replace('T', ' ').replace('Z', '+00'),
      recovery_target_action: 'promote',
      archive_mode: 'off',
    };
    const restored = await servers.server('restored', settings, { port: primary.port });
    writeFileSync(join(restored.dataDir, 'recovery.signal'), '');
    await restored.start();
    while ((await restored.query('SELECT pg_is_in_recovery() AS going'))[0].going) await sleep(50);
    const after = await storedStatuses(restored.query);
    const { lost: lostAtFirst, missed: behind } = compare(load, after);
    note(`restored: ${after.size} claims; the poller has another state of ${behind} of them`);

    const { claims } = await runSvc(['feed', 'restamp', '--since', since, '--as', 'drill'], env);
    note(`svc feed restamp: ${claims} claims moved to the end of the feed`);
    for (const one of processes) one.start();
    await Promise.all(processes.map(waitUntilHealthy));
    const downSeconds = ((performance.now() - stoppedAt) / 1000).toFixed(1);
    note(`both processes are healthy, ${downSeconds} s after the stop`);
    await load.caughtUp();
    const { missed: missedByPoller } = compare(load, await storedStatuses(restored.query));
    note(`the poller has polled as before: ${missedByPoller} claims differ`);

    const sentAgain = await load.sendLostAgain();
    note(`${lostAtFirst} confirmed changes were lost; the firm sent ${sentAgain} claims again`);
    load.resume();
    await sleep(seconds * 1000);
    const result = await load.stop();
    const stored = await storedStatuses(restored.query);
    const lost = [...result.acknowledged.values()].filter(({ id }) => !stored.has(id)).length;
    const missed = missedByPoller + compare(result, stored).missed;
    note(`responses: ${statusCounts(result)}`);
    note(
      `${result.acknowledged.size} confirmed claims, ${lost} missing, ${missed} unlike what the poller has`,
    );
    return { behind, missed, lost };
  });
}

/** Resolves once everything that is written so far is in the archive. */
async function archiveAll(primary: PostgresServer): Promise<void> {
  const [{ file }] = await primary.query('SELECT pg_walfile_name(pg_current_wal_lsn()) AS file');
  await primary.query('SELECT pg_switch_wal()');
  const lastArchived = async () =>
    (await primary.query('SELECT last_archived_wal AS last FROM pg_stat_archiver'))[0].last as string | null;
  while (((await lastArchived()) ?? '') < file) await sleep(50);
}
