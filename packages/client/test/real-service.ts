import { launchApiProcess, waitUntilHealthy } from '../../../tools/cluster/api-process.ts';
import { atEnd } from '../../../tools/services/at-end.ts';
import { build } from '../../../tools/services/build.ts';
import { openOperator } from '../../../tools/services/operator.ts';
import { createDatabase } from '../../../tools/services/postgres.ts';

export type RealService = Awaited<ReturnType<typeof startRealService>>;

/** The service as a process with its own database, until the end of the test or file; called over HTTP only. */
export async function startRealService() {
  await build();
  const database = await createDatabase();
  const server = await launchApiProcess({
    env: { DATABASE_URL: database.url, LOG_LEVEL: 'error', EDGE_LIMIT_PER_MINUTE: '0' },
  });
  atEnd(() => server.shutDown());
  await waitUntilHealthy(server);
  const operator = await openOperator(database.url);
  atEnd(() => operator.close());
  return { url: server.url, operator };
}

export type Firm = Awaited<ReturnType<typeof createFirm>>;

/** With raised rate limits. */
export async function createFirm(service: RealService) {
  const { id, test, account } = await service.operator.firm();
  return {
    id,
    testKey: test,
    /** The firm's test account with this behavior. */
    account(behavior: string) {
      const found = Object.entries(account).find(([name]) => name === behavior)?.[1];
      if (found === undefined) throw new Error(`The firm has no test account that ${behavior}.`);
      return found;
    },
  };
}
