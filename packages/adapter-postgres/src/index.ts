export { type ConnectOptions, connect, type PostgresStores } from './connect.ts';
export { DatabaseFault } from './faults.ts';
export type { JobHandler, JobOptions, RunningJobs } from './jobs.ts';
export type { DatabaseLog } from './log.ts';
export type { Purged } from './purge.ts';
export {
  type MigrateOptions,
  migrate,
  type SchemaState,
  type ServiceSecret,
  schemaState,
} from './schema/migrate.ts';
