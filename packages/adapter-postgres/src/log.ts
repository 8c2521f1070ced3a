/** Where the adapter reports what no request can: lost idle connections, a queue that starts again. Never values. */
export interface DatabaseLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

const nothing = (): void => {};
export const SILENT: DatabaseLog = { info: nothing, warn: nothing, error: nothing };
