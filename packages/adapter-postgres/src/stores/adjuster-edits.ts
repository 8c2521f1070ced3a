import type { Svcid } from '@svc/domain';
import { sql, type TransactionExecutor } from '../driver/executor.ts';

const COUNT_EDIT = sql(
  'adjuster_edits_count',
  `INSERT INTO adjuster_edits AS edits (svc_id, count) VALUES ($1, 1)
   ON CONFLICT (svc_id) DO UPDATE SET count = edits.count + 1`,
);

/** Lets the adjuster's other devices notice a change that none of their lists shows. */
export const countEdit = (executor: TransactionExecutor, svcId: Svcid): void =>
  executor.send(COUNT_EDIT, [svcId]);
