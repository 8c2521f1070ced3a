export { distribute, type TablePlacement } from './citus/distribute.ts';
export { connect, type PostgresStores } from './connect.ts';
export { DatabaseError } from './driver/errors.ts';
export { type DatabaseUrl, reportServers } from './driver/servers.ts';
export { EncryptionKeyError, type WrappingKeySource } from './encryption/wrapping-keys.ts';
export type { JobHandler } from './jobs/job-worker.ts';
export type { DatabaseLog } from './log.ts';
export { backUp, type CopiedRows, restoreBackup } from './schema/backup.ts';
export {
  migrate,
  type NamedMigration,
  type SchemaState,
  schemaState,
} from './schema/migrate.ts';
export { type RoleRights, roleRights, SchemaError } from './schema/service-role.ts';
