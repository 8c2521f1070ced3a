import type { Firms } from '@svc/application';
import type { Instant } from '@svc/domain';
import { isUuid, timestamp } from '../driver/column-types.ts';
import { first, sql, type TxSession } from '../driver/session.ts';
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

export function pgFirms(session: TxSession): Firms {
  return {
    async add(firm) {
      session.layout.lockSharedTables(session);
      await session.orm('firms_add', (manager) => manager.insert(FIRMS, firm));
      session.send(ADD_FEED, [firm.id]);
    },

    async lock(id) {
      if (!isUuid(id)) return null;
      session.send(LOCK, [id]);
      return session.orm('firms_find', (manager) => manager.findOneBy(FIRMS, { id }));
    },

    async planOf(id) {
      if (!isUuid(id)) return null;
      return (
        (await session.orm('firms_plan_of', (manager) => manager.findOneBy(FIRMS, { id })))?.plan ?? null
      );
    },

    async legalHoldSince(id) {
      if (!isUuid(id)) return null;
      return first(await session.rows<{ since: Instant }>(HOLD, [id]))?.since ?? null;
    },

    async setLegalHold(id, since) {
      if (since === null) session.send(RELEASE, [id]);
      else session.send(SET_HOLD, [id, timestamp(since)]);
    },

    async save({ id, createdAt: _, ...changes }) {
      session.layout.lockSharedTables(session);
      await session.orm('firms_save', (manager) => manager.update(FIRMS, { id }, changes));
      registryChanged(session);
    },

    async endAccess(id) {
      session.send(DELETE_KEYS, [id]);
      session.send(DELETE_MEMBERSHIPS, [id]);
    },

    async count() {
      session.send(LOCK_TABLE, []);
      return session.orm('firms_count', (manager) => manager.count(FIRMS));
    },
  };
}
