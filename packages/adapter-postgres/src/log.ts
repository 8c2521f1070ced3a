/** Events outside of requests: lost idle connections, restarts of the job queue. Never includes values of rows. */
export interface DatabaseLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

const noop = (): void => {};
export const SILENT: DatabaseLog = { info: noop, warn: noop, error: noop };
