import type { Svcid } from '@svc/domain';
import { type Executor, type Layout, type Statement, sql, type Value } from './executor.ts';

export const ONE_SERVER: Layout = {
  joinsFirms: true,
  formOf: (statement) => statement,
  firmsOf: async () => null,
  async addFirmOf() {},
  lockByKey() {},
  lockSharedTables() {},
  runAfterCommit: (_, job, run) => run(job),
};

/** A statement over `memberships m` of the adjusters `$1`. */
export interface ByAdjuster {
  readonly everywhere: Statement;
  /** Names the firms, so that it runs on their servers alone. */
  readonly inFirms: Statement;
}

/** @param text given the condition that names the firms; on one server, nothing. */
export function byAdjuster(name: string, text: (inFirms: string) => string): ByAdjuster {
  const everywhere = text('');
  const values = [...everywhere.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
  const firms = `$${Math.max(...values) + 1}::uuid[]`;
  return {
    everywhere: sql(name, everywhere),
    inFirms: sql(`${name}_in_firms`, text(`AND m.firm_id = ANY (${firms})`)),
  };
}

export async function rowsByAdjuster<R>(
  executor: Executor,
  { everywhere, inFirms }: ByAdjuster,
  values: readonly [adjusters: Svcid | readonly Svcid[], ...others: Value[]],
): Promise<R[]> {
  const [adjusters] = values;
  const firms = await executor.layout.firmsOf(
    executor,
    typeof adjusters === 'string' ? [adjusters] : adjusters,
  );
  if (firms === null) return executor.rows<R>(everywhere, values);
  return firms.length === 0 ? [] : executor.rows<R>(inFirms, [...values, firms]);
}
