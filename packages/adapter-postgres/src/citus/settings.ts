import type { SessionSettings } from '../driver/session-settings.ts';

/** Settings of the database, besides those of plans. */
export const CITUS_SETTINGS: SessionSettings = {
  // After statements on several shards at once, Citus would reject a change of `firms` or `adjusters`.
  'citus.multi_shard_modify_mode': 'sequential',
};

/** Before migrations: functions stay on the coordinator. PostgreSQL ignores settings of an extension that it does not have. */
export const BEFORE_MIGRATIONS = "SET LOCAL citus.create_object_propagation = 'deferred'";
