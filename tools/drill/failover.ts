import { setTimeout as sleep } from 'node:timers/promises';
import { startCluster } from '../cluster/index.ts';
import { compare, drillEnvironment, rehearse, startLoad, statusCounts, storedStatuses } from './load.ts';

/** How long an operator's tool takes to notice that the primary is gone. */
const DETECTION_MS = 2000;

/**
 * A primary with a synchronous standby under load; the primary is killed, and the standby is promoted.
 *
 * @param options.seconds how long the load runs before and after the failover.
 */
export function runFailover({ seconds, say }: { seconds: number; say: (line: string) => void }) {
  return rehearse(say, async (note, stops) => {
    const cluster = await startCluster({ processes: 2, standby: true, env: drillEnvironment, log: say });
    stops.push(() => cluster.stop());
    const { postgres, urls, operator } = cluster;
    note('two processes on a primary with a synchronous standby');
    const load = startLoad(urls, await operator.firm());
    await sleep(seconds * 1000);
    note(`under load: ${load.acknowledged.size} claims confirmed`);

    let promotedAt = 0;
    let next: Promise<number[]> | undefined;
    await postgres.replication?.failOver(async () => {
      note('primary killed (SIGKILL)');
      await sleep(DETECTION_MS);
      promotedAt = performance.now();
      next = load.nextSends();
    });
    note('standby promoted');
    const servingAfterMs = Math.max(...((await next) ?? [])) - promotedAt;
    note(`both processes confirm claims again, ${Math.round(servingAfterMs)} ms after the promotion`);

    await sleep(seconds * 1000);
    const result = await load.stop();
    const client = await postgres.connect();
    const stored = await storedStatuses(async (text) => (await client.query(text)).rows);
    await client.end();
    const { lost, missed } = compare(result, stored);
    note(`responses: ${statusCounts(result)}`);
    note(`${result.acknowledged.size} confirmed claims, ${lost} lost, ${missed} missed by the poller`);
    return { lost, missed };
  });
}
