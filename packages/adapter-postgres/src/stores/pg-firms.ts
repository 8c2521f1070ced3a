import type { Firms } from '@svc/application';
import { isUuid } from '../driver/column-types.ts';
import { sql, type TxSession } from '../driver/session.ts';
import { FIRMS } from '../schema/entities.ts';
import { registryChanged } from './registry-version.ts';

/** A separate table, since every visible change of a claim locks this row. */
const ADD_FEED = sql('firm_feeds_add', `INSERT INTO firm_feeds (firm_id, last_stamp) VALUES ($1, 'epoch')`);

/** Blocks other transactions that add firms, not those that read them. */
const LOCK_TABLE = sql('firms_lock_table', 'LOCK TABLE firms IN SHARE ROW EXCLUSIVE MODE');

export function pgFirms(session: TxSession): Firms {
  return {
    async add(firm) {
      await session.orm('firms_add', (manager) => manager.insert(FIRMS, firm));
      session.send(ADD_FEED, [firm.id]);
    },

    async lock(id) {
      if (!isUuid(id)) return null;
      const lock = { mode: 'for_no_key_update' } as const;
      return session.orm('firms_lock', (manager) => manager.findOne(FIRMS, { where: { id }, lock }));
    },

    async planOf(id) {
      if (!isUuid(id)) return null;
      return (
        (await session.orm('firms_plan_of', (manager) => manager.findOneBy(FIRMS, { id })))?.plan ?? null
      );
    },

    async save({ id, name, plan, limits }) {
      await session.orm('firms_save', (manager) => manager.update(FIRMS, { id }, { name, plan, limits }));
      registryChanged(session);
    },

    async count() {
      session.send(LOCK_TABLE, []);
      return session.orm('firms_count', (manager) => manager.count(FIRMS));
    },
  };
}
