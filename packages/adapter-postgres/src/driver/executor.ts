import type { EntityManager } from 'typeorm';

/** One SQL statement. Its name is the name of the prepared statement, and identifies it in errors. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

const statements = new Map<string, Statement>();

export function sql(name: string, text: string): Statement {
  const statement = { name, text };
  statements.set(name, statement);
  return statement;
}

export const statementNamed = (name: string): Statement | undefined => statements.get(name);
export const statementNames = (): string[] => [...statements.keys()];

export type Value = string | number | boolean | null | readonly (string | null)[];

/** Runs statements: a transaction, or connections for statements outside transactions. */
export interface Executor {
  rows<R>(statement: Statement, values?: readonly Value[]): Promise<R[]>;
}

/** Runs each statement on its own connection, so that it can be canceled. */
export interface CancelableExecutor extends Executor {
  /** @param signal cancels the statement. */
  rows<R>(statement: Statement, values?: readonly Value[], signal?: AbortSignal): Promise<R[]>;
}

export interface TransactionExecutor extends Executor {
  /**
   * Sends a write without waiting for its result, so it needs no round trip. If it fails, the next statement or the
   * commit throws its error.
   * @param check checks the number of rows written, and returns an error if it is wrong.
   */
  send(statement: Statement, values: readonly Value[], check?: (count: number) => Error | null): void;
  /**
   * The last statement of the transaction. The commit is sent with it, so it needs no round trip; nothing is committed if
   * this statement or an earlier one fails.
   */
  rowsAndCommit<R>(statement: Statement, values?: readonly Value[]): Promise<R[]>;
  readonly orm: Orm;
}

/** What has begun one commits it or rolls it back. */
export interface OpenTransaction extends TransactionExecutor {
  commit(): Promise<void>;
  /** Does nothing after a commit, and never throws. */
  rollback(): Promise<void>;
  /** From sending COMMIT to its response, with the statement of `rowsAndCommit`. */
  readonly commitSeconds: number;
  /** The first error of any statement, or null. */
  readonly failure: unknown;
}

/** Work through TypeORM's entity manager, for statements that are not on a hot path. */
export type Orm = <T>(name: string, work: (manager: EntityManager) => Promise<T>) => Promise<T>;

/**
 * The row with a key, without a scan also by a plan that was made while the table was empty, when any index with its first
 * column or a join seemed as good: only the index of the key has this order. Further conditions belong outside.
 * @param key SQL for the value of each column, in the order of the index.
 */
export function rowByKey(
  table: string,
  key: Readonly<Record<string, string>>,
  { columns = '*', lock = '' }: { readonly columns?: string; readonly lock?: string } = {},
): string {
  const conditions = Object.entries(key);
  const [last = '', value = ''] = conditions.pop() ?? [];
  const equal = conditions.map(([column, value]) => `${column} = ${value} AND `).join('');
  return `SELECT ${columns} FROM ${table} WHERE ${equal}${last} BETWEEN ${value} AND ${value} ORDER BY ${last} LIMIT 1 ${lock}`;
}

export const first = <R>(rows: readonly R[]): R | null => rows[0] ?? null;

/** Of a statement that always returns a row. */
export function only<R>([row]: readonly R[]): R {
  if (row === undefined) throw new Error('A statement returned no row.');
  return row;
}
