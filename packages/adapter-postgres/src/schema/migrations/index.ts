import { FIRST_SCHEMA } from './0001-first-schema.ts';

export interface Migration {
  readonly id: number;
  readonly name: string;
  /** Runs in one transaction with all pending migrations. */
  readonly sql: string;
}

/**
 * A line between statements that are sent one by one, as a distributed database requires of those that it repeats on its servers: any
 * change of a distributed table, with one action for each ALTER TABLE.
 */
const NEXT_STATEMENT = /^-- Next statement$/m;

export const statementsOf = ({ sql }: Migration): readonly string[] => sql.split(NEXT_STATEMENT);

/** In order. A released migration is never edited; changes are new migrations. */
export const MIGRATIONS: readonly Migration[] = [{ id: 1, name: 'first schema', sql: FIRST_SCHEMA }];
