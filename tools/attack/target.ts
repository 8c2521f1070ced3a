import { launchApiProcess, waitUntilHealthy } from '../cluster/api-process.ts';
import { build } from '../services/build.ts';
import { openOperator } from '../services/operator.ts';
import { startPostgres } from '../services/postgres.ts';

/** The built service on a temporary PostgreSQL, without the limit of its proxy. */
export async function startTarget(
  env: Readonly<Record<string, string>> = {},
  onLine: (line: string) => void = () => {},
) {
  const [postgres] = await Promise.all([startPostgres(), build()]);
  const operator = await openOperator(postgres.url);
  const service = await launchApiProcess({
    env: { DATABASE_URL: postgres.url, EDGE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'warn', ...env },
    onLine,
  });
  await waitUntilHealthy(service);
  return {
    service,
    operator,
    async stop() {
      await service.shutDown();
      await operator.close();
      await postgres.stop();
    },
  };
}
