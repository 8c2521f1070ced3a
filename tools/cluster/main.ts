// `pnpm cluster`: several processes of the service behind a proxy, as in production, on this machine.

import { createDemo, walkThrough } from '@svc/api/tooling';
import { Command } from 'commander';
import pc from 'picocolors';
import { wholeNumber } from '../services/command.ts';
import { type Cluster, startCluster } from './index.ts';

const { processes, pgbouncer, port } = new Command('cluster')
  .description('Runs several processes of the service behind a proxy, with a temporary PostgreSQL and Redis.')
  .option('--processes <n>', 'number of processes', wholeNumber(1, 64), 3)
  .option('--pgbouncer', 'PgBouncer in transaction mode between them and PostgreSQL')
  .option('--port <n>', 'where the proxy listens; any free port when left out', wholeNumber(1, 65_535))
  .parse()
  .opts<{ processes: number; pgbouncer?: true; port?: number }>();

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

let cluster: Cluster | undefined;
let stopping = false;
const starting = startCluster({
  processes,
  pgbouncer: pgbouncer ?? false,
  ...(port !== undefined && { port }),
  env: { LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn' },
  log: (line) => process.stderr.write(`${pc.dim(line)}\n`),
  onLine: (line, n) => process.stderr.write(`${pc.dim(`[${n + 1}]`)} ${line}\n`),
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (stopping) return;
    stopping = true;
    say('Stopping …');
    void starting
      .then((started) => started.stop())
      .then(() => process.exit(0))
      .catch((error: Error) => {
        process.stderr.write(`Stopping failed: ${error.message}\n`);
        process.exit(1);
      });
  });
}

try {
  cluster = await starting;
  say(`The proxy listens on ${cluster.url}`);
  for (const [n, one] of cluster.processes.entries()) say(`  process ${n + 1}    ${one.url}  pid ${one.pid}`);
  if (pgbouncer) say(`  pgbouncer    ${cluster.databaseUrl}`);
  say(`  postgresql   ${cluster.postgres.url}`);
  say(`  redis        ${cluster.redis.url}`);
  say(`\nTo operate it: DATABASE_URL='${cluster.databaseUrl}' npx pnpm@12.21.0 svc firm list`);
  const demo = await createDemo(cluster.operator.services);
  if (demo !== null) say(`\n${walkThrough(cluster.url, demo)}`);
  say('Press Ctrl-C to stop everything and delete the data.');
} catch (error) {
  if (!stopping) {
    process.stderr.write(`${(error as Error).message}\n`);
    await cluster?.stop();
    process.exit(1);
  }
}
