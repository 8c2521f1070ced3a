import type { Firms } from '@svc/application';
import type { Instant } from '@svc/domain';
import { isUuid, timestamp } from '../driver/column-types.ts';
import { first, sql, type TransactionExecutor } from '../driver/executor.ts';
import { FIRMS } from '../schema/entities.ts';
import { registryChanged } from './registry-version.ts';

/** A separate table, since every visible change of a claim locks this row. */
const ADD_FEED = sql('firm_feeds_add', `INSERT INTO firm_feeds (firm_id, last_stamp) VALUES ($1, 'epoch')`);

const LOCK = sql('firms_lock', 'SELECT FROM firms WHERE id = $1 FOR NO KEY UPDATE');

/** Blocks other transactions that add firms, not those that read them. */
const LOCK_TABLE = sql('firms_lock_table', 'LOCK TABLE firms IN SHARE ROW EXCLUSIVE MODE');

const HOLD = sql('legal_holds_find', 'SELECT since FROM legal_holds WHERE firm_id = $1');
const SET_HOLD = sql(
  'legal_holds_set',
  'INSERT INTO legal_holds (firm_id, since) VALUES ($1, $2) ON CONFLICT (firm_id) DO NOTHING',
);
const RELEASE = sql('legal_holds_release', 'DELETE FROM legal_holds WHERE firm_id = $1');

const DELETE_KEYS = sql('firms_delete_keys', 'DELETE FROM api_keys WHERE firm_id = $1');
const DELETE_MEMBERSHIPS = sql('firms_delete_memberships', 'DELETE FROM memberships WHERE firm_id = $1');

export function pgFirms(executor: TransactionExecutor): Firms {
  return {
    async add(firm) {
      executor.layout.lockSharedTables(executor);
      await executor.orm('firms_add', (manager) => manager.insert(FIRMS, firm));
      executor.send(ADD_FEED, [firm.id]);
    },

    async lock(id) {
      if (!isUuid(id)) return null;
      executor.send(LOCK, [id]);
      return executor.orm('firms_find', (manager) => manager.findOneBy(FIRMS, { id }));
    },

    async planOf(id) {
      if (!isUuid(id)) return null;
      return (
        (await executor.orm('firms_plan_of', (manager) => manager.findOneBy(FIRMS, { id })))?.plan ?? null
      );
    },

    async legalHoldSince(id) {
      if (!isUuid(id)) return null;
      return first(await executor.rows<{ since: Instant }>(HOLD, [id]))?.since ?? null;
    },

    async setLegalHold(id, since) {
      if (since === null) executor.send(RELEASE, [id]);
      else executor.send(SET_HOLD, [id, timestamp(since)]);
    },

    async save({ id, createdAt: _, ...changes }) {
      executor.layout.lockSharedTables(executor);
      await executor.orm('firms_save', (manager) => manager.update(FIRMS, { id }, changes));
      registryChanged(executor);
    },

    async endAccess(id) {
      executor.send(DELETE_KEYS, [id]);
      executor.send(DELETE_MEMBERSHIPS, [id]);
    },

    async count() {
      executor.send(LOCK_TABLE, []);
      return executor.orm('firms_count', (manager) => manager.count(FIRMS));
    },
  };
}
