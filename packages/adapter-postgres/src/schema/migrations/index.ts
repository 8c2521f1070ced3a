import { FIRST_SCHEMA } from './0001-first-schema.ts';
import { REQUEST_LOG } from './0002-request-log.ts';
import { SIGN_IN_ATTEMPTS } from './0003-sign-in-attempts.ts';

export interface Migration {
  readonly id: number;
  readonly name: string;
  /** Runs inside the transaction of the whole migration. */
  readonly sql: string;
}

/** In order; what has been released is never edited, only followed by another. */
export const MIGRATIONS: readonly Migration[] = [
  { id: 1, name: 'first schema', sql: FIRST_SCHEMA },
  { id: 2, name: 'request log', sql: REQUEST_LOG },
  { id: 3, name: 'sign-in attempts', sql: SIGN_IN_ATTEMPTS },
];
