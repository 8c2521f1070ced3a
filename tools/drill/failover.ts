import { setTimeout as sleep } from 'node:timers/promises';
import { launchApiProcess, waitUntilHealthy } from '../cluster/api-process.ts';
import { addSynchronousStandby, openPostgresServers } from '../cluster/postgres-server.ts';
import { build } from '../services/build.ts';
import { openOperator } from '../services/operator.ts';
import { compare, drillEnvironment, startLoad, statusCounts, storedStatuses } from './load.ts';
import { createTranscript } from './transcript.ts';

interface FailoverOptions {
  /** How long the load runs before and after the failover. */
  readonly seconds: number;
  readonly say: (line: string) => void;
}

export interface FailoverResult {
  readonly lost: number;
  readonly missed: number;
}

/** How long an operator's tool takes to notice that the primary is gone. */
const DETECTION_MS = 2000;

/** A primary with a synchronous standby under load; the primary is killed, and the standby is promoted. */
export async function runFailover({ seconds, say }: FailoverOptions): Promise<FailoverResult> {
  const note = createTranscript(say);
  const stops: (() => unknown)[] = [];
  try {
    const servers = await openPostgresServers(say);
    stops.push(() => servers.remove());
    const building = build();
    building.catch(() => {}); // awaited below
    const primary = await servers.server('primary');
    await primary.start();
    const standby = await addSynchronousStandby(servers, primary, 'standby');
    note(`primary on ${primary.port}, synchronous standby on ${standby.port}`);

    await building;
    const databaseUrl = `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres?target_session_attrs=read-write`;
    const operator = await openOperator(databaseUrl);
    stops.push(() => operator.close());
    const env = drillEnvironment(databaseUrl);
    const processes = [await launchApiProcess({ env }), await launchApiProcess({ env })];
    stops.push(() => Promise.all(processes.map((one) => one.kill())));
    await Promise.all(processes.map(waitUntilHealthy));
    const firm = await operator.firm();
    const load = startLoad(
      processes.map(({ url }) => url),
      firm,
    );
    await sleep(seconds * 1000);
    note(`under load: ${load.acknowledged.size} claims confirmed`);

    await primary.kill();
    note('primary killed (SIGKILL)');
    await sleep(DETECTION_MS);
    const promotedAt = performance.now();
    const next = load.nextSends();
    await standby.query('SELECT pg_promote()');
    note('standby promoted');
    const servingAfterMs = Math.max(...(await next)) - promotedAt;
    note(`both processes confirm claims again, ${Math.round(servingAfterMs)} ms after the promotion`);

    await sleep(seconds * 1000);
    const result = await load.stop();
    const { lost, missed } = compare(result, await storedStatuses(standby));
    note(`responses: ${statusCounts(result)}`);
    note(`${result.acknowledged.size} confirmed claims, ${lost} lost, ${missed} missed by the poller`);
    return { lost, missed };
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}
