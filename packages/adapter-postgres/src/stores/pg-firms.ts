import type { Firm, Firms } from '@svc/application';
import type { FirmId, Instant } from '@svc/domain';
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
/** With how they sign in. */
const DELETE_STAFF = ['sessions', 'passkeys', 'staff'].map((table) =>
  sql(`firms_delete_${table}`, `DELETE FROM ${table} WHERE firm_id = $1`),
);

export function pgFirms(executor: TransactionExecutor): Firms {
  const find = async (id: FirmId): Promise<Firm | null> =>
    isUuid(id) ? executor.orm('firms_find', (manager) => manager.findOneBy(FIRMS, { id })) : null;
  return {
    async add(firm) {
      await executor.orm('firms_add', (manager) => manager.insert(FIRMS, firm));
      executor.send(ADD_FEED, [firm.id]);
    },

    async lock(id) {
      if (isUuid(id)) executor.send(LOCK, [id]);
      return find(id);
    },

    find,

    async legalHoldSince(id) {
      if (!isUuid(id)) return null;
      return first(await executor.rows<{ since: Instant }>(HOLD, [id]))?.since ?? null;
    },

    async setLegalHold(id, since) {
      if (since === null) executor.send(RELEASE, [id]);
      else executor.send(SET_HOLD, [id, timestamp(since)]);
    },

    async save({ id, createdAt: _, ...changes }) {
      await executor.orm('firms_save', (manager) => manager.update(FIRMS, { id }, changes));
      registryChanged(executor);
    },

    async endAccess(id) {
      executor.send(DELETE_KEYS, [id]);
      executor.send(DELETE_MEMBERSHIPS, [id]);
      for (const statement of DELETE_STAFF) executor.send(statement, [id]);
    },

    async count() {
      executor.send(LOCK_TABLE, []);
      return executor.orm('firms_count', (manager) => manager.count(FIRMS));
    },
  };
}
