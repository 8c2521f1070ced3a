import type { Firm, Firms } from '@svc/application';
import type { LimitOverrides } from '@svc/domain';
import type { EntityManager } from 'typeorm';
import { isUuid } from '../driver/column-types.ts';
import { sql, type TxSession } from '../driver/session.ts';
import { FIRM_ROWS, type FirmRow } from '../schema/entities.ts';
import { registryChanged } from './registry-version.ts';

export type LimitColumns = Pick<FirmRow, 'requests_per_minute' | 'writes_per_minute' | 'burst'>;

export const limitsFrom = (row: LimitColumns): LimitOverrides => ({
  requestsPerMinute: row.requests_per_minute,
  writesPerMinute: row.writes_per_minute,
  burst: row.burst,
});

export const firmFrom = (row: FirmRow): Firm => ({
  id: row.id,
  name: row.name,
  plan: row.plan,
  limits: limitsFrom(row),
  createdAt: row.created_at,
});

const toRow = ({ id, name, plan, limits, createdAt }: Firm): FirmRow => ({
  id,
  name,
  plan,
  requests_per_minute: limits.requestsPerMinute,
  writes_per_minute: limits.writesPerMinute,
  burst: limits.burst,
  created_at: createdAt,
});

/** A separate table, since every visible change of a claim locks this row. */
const ADD_FEED = sql('firm_feeds_add', `INSERT INTO firm_feeds (firm_id, last_stamp) VALUES ($1, 'epoch')`);

/** Blocks other transactions that add firms, not those that read them. */
const LOCK_TABLE = sql('firms_lock_table', 'LOCK TABLE firms IN SHARE ROW EXCLUSIVE MODE');

const repository = (manager: EntityManager) => manager.getRepository(FIRM_ROWS);

export function pgFirms(session: TxSession): Firms {
  return {
    async add(firm) {
      await session.orm('firms_add', (manager) => repository(manager).insert(toRow(firm)));
      session.send(ADD_FEED, [firm.id]);
    },

    async lock(id) {
      if (!isUuid(id)) return null;
      const lock = { mode: 'for_no_key_update' } as const;
      const row = await session.orm('firms_lock', (manager) =>
        repository(manager).findOne({ where: { id }, lock }),
      );
      return row === null ? null : firmFrom(row);
    },

    async save(firm) {
      const { id, created_at: _, ...changes } = toRow(firm);
      await session.orm('firms_save', (manager) => repository(manager).update({ id }, changes));
      registryChanged(session);
    },

    async count() {
      session.send(LOCK_TABLE, []);
      return session.orm('firms_count', (manager) => repository(manager).count());
    },
  };
}
