export { type Distribution, distribute, type PlacedTable, type TablePlacement } from './citus/distribute.ts';
export { type ConnectOptions, connect, type PostgresStores } from './connect.ts';
export { DatabaseError } from './driver/errors.ts';
export { type DatabaseUrl, reportServers, type ServerReport } from './driver/servers.ts';
export { EncryptionKeyError, type WrappingKeySource } from './encryption/wrapping-keys.ts';
export type { JobHandler, JobOptions } from './jobs/job-worker.ts';
export type { PurgeCounts } from './jobs/purge.ts';
export type { RunningJobs } from './jobs/start-jobs.ts';
export type { DatabaseLog } from './log.ts';
export { backUp, type CopiedRows, restoreBackup } from './schema/backup.ts';
export {
  type MigrateOptions,
  migrate,
  type NamedMigration,
  SchemaError,
  type SchemaState,
  type ServiceSecret,
  schemaState,
} from './schema/migrate.ts';
export { type RoleRights, roleRights } from './schema/service-role.ts';
