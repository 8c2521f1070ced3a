import { type Executor, only, sql } from '../driver/executor.ts';

/** The function is part of the schema: the service's role may not analyze tables. */
const REFRESH = sql('refresh_statistics', 'SELECT refresh_statistics() AS analyzed');

/**
 * Analyzes tables that have outgrown their statistics. PostgreSQL then plans the statements on them again.
 *
 * @returns their names.
 */
export const refreshStatistics = async (executor: Executor): Promise<readonly string[]> =>
  only(await executor.rows<{ analyzed: readonly string[] }>(REFRESH)).analyzed;
