import type { FaultStore } from '@svc/application';
import type { FaultKind } from '@svc/domain';
import { type Executor, first, sql } from '../driver/executor.ts';

const SET = sql(
  'faults_set',
  `INSERT INTO simulated_faults (firm_id, key_id, kind, remaining) VALUES ($1, $2, $3, $4)
   ON CONFLICT (firm_id, key_id) DO UPDATE SET kind = excluded.kind, remaining = excluded.remaining`,
);

const CLEAR = sql('faults_clear', 'DELETE FROM simulated_faults WHERE firm_id = $1 AND key_id = $2');

// A concurrent request waits for the row and reads the lower number, so together they take no more than was set.
const TAKE = sql(
  'faults_take',
  `UPDATE simulated_faults SET remaining = remaining - 1
    WHERE firm_id = $1 AND key_id = $2 AND remaining > 0 RETURNING kind`,
);

const GIVE_BACK = sql(
  'faults_give_back',
  'UPDATE simulated_faults SET remaining = remaining + 1 WHERE firm_id = $1 AND key_id = $2 AND kind = $3',
);

/** @param maintenance not the pipelined reads, which may repeat a statement after a lost connection. */
export const pgFaults = (maintenance: Executor): FaultStore => ({
  async set(firmId, keyId, faults) {
    if (faults === null) await maintenance.rows(CLEAR, [firmId, keyId]);
    else await maintenance.rows(SET, [firmId, keyId, faults.kind, faults.count]);
  },
  async take(firmId, keyId) {
    return first(await maintenance.rows<{ kind: FaultKind }>(TAKE, [firmId, keyId]))?.kind ?? null;
  },
  async giveBack(firmId, keyId, kind) {
    await maintenance.rows(GIVE_BACK, [firmId, keyId, kind]);
  },
});
