import { FIRST_SCHEMA } from './0001-first-schema.ts';

export interface Migration {
  readonly id: number;
  readonly name: string;
  /** Runs inside the transaction of the whole migration. */
  readonly sql: string;
}

/** In order; what has been released is never edited, only followed by another. */
export const MIGRATIONS: readonly Migration[] = [{ id: 1, name: 'first schema', sql: FIRST_SCHEMA }];
