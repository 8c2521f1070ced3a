import type { EntityManager } from 'typeorm';

/** One SQL statement with the name under which a connection prepares it; the name also stands for it in errors. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export const sql = (name: string, text: string): Statement => ({ name, text });

export type Value = string | number | boolean | null | readonly string[];

/** Whatever can run a statement: a transaction, or the connections for reads. */
export interface Session {
  rows<R>(statement: Statement, values?: readonly Value[]): Promise<R[]>;
}

/** One transaction's view of the connection. */
export interface TxSession extends Session {
  /**
   * Sends a write whose answer nobody waits for. It shares the way to the server with what follows; if it fails, the
   * next statement or the commit reports it.
   *
   * @param judge looks at how many rows were written, and returns the error when that is not as it should be.
   */
  send(statement: Statement, values: readonly Value[], judge?: (count: number) => Error | null): void;
  /** Work through the entity manager, for what is rare enough to be written the comfortable way. */
  orm<T>(name: string, work: (manager: EntityManager) => Promise<T>): Promise<T>;
}

export const first = <R>(rows: readonly R[]): R | null => rows[0] ?? null;
