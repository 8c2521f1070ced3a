import type { Svcid } from '@svc/domain';
import { sql, type TxSession } from '../driver/session.ts';

const COUNT_EDIT = sql(
  'adjuster_edits_count',
  `INSERT INTO adjuster_edits AS held (svc_id, count) VALUES ($1, 1)
   ON CONFLICT (svc_id) DO UPDATE SET count = held.count + 1`,
);

/** Lets the adjuster's other devices notice a change that none of their lists shows. */
export const countEdit = (session: TxSession, svcId: Svcid): void => session.send(COUNT_EDIT, [svcId]);
