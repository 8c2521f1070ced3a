import { Unavailable } from '@svc/application';
import { DomainError } from '@svc/domain';
import pg from 'pg';
import { QueryFailedError } from 'typeorm';

/**
 * A statement PostgreSQL refused for a reason nobody expected. Carries names and codes only: the driver's own error
 * quotes the values in the way ("Key (email)=(…) already exists"), and those may be personal data or secrets.
 */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseFault';
}

/** A concurrent unit was faster; the same work, run again, will see what that unit left behind. */
export class ConcurrencyConflict extends Error {
  override readonly name = 'Outrun';
}

/** Unique keys that a concurrent twin may take first. */
const TWIN_KEYS: ReadonlySet<string> = new Set([
  'claims_external_id_key',
  'idempotency_records_pkey',
  'memberships_pkey',
  'carriers_pkey',
]);

const SERIALIZATION = new Set(['40001', '40P01']);

/**
 * SQLSTATEs that mean "not now": connection exceptions, too few resources, operator intervention (shutdown,
 * statement_timeout), lock_timeout, the idle and transaction timeouts, a server demoted to read-only, disk trouble.
 */
const NOT_NOW = /^(08...|53...|57...|58...|55P03|25P0[345]|25006)$/;

/** The driver's own complaints about a connection; they carry no code. */
const BROKEN_CONNECTION =
  /connection terminated|connection ended|timeout exceeded when trying to connect|timeout expired|query read timeout|not queryable|server does not support ssl|calling end on the pool|queryrunner/i;

interface Coded {
  readonly code?: unknown;
  readonly severity?: unknown;
  readonly constraint?: unknown;
  readonly table?: unknown;
  readonly message?: unknown;
}

const unwrapped = (error: unknown): unknown =>
  error instanceof QueryFailedError ? error.driverError : error;

const isDatabaseError = (error: unknown): boolean => error instanceof pg.DatabaseError;

/** ECONNREFUSED, ENOTFOUND and their kin, also as the several failures of a host with several addresses. */
const isNetworkError = (error: unknown): boolean => /^E[A-Z_]+$/.test(String((error as Coded)?.code ?? ''));

/** Whether the connection can no longer be used, or is not the one we want (a server that has become a standby). */
export function breaksConnection(error: unknown): boolean {
  const cause = unwrapped(error);
  if (!isDatabaseError(cause)) {
    return isNetworkError(cause) || BROKEN_CONNECTION.test(String((cause as Coded)?.message ?? ''));
  }
  const { severity, code } = cause as Coded;
  return severity === 'FATAL' || severity === 'PANIC' || code === '25006';
}

/** @param statement the statement's name, for the log. */
export function translateError(error: unknown, statement: string): unknown {
  const cause = unwrapped(error);
  if (cause instanceof DomainError || cause instanceof Unavailable) return cause;
  if (cause instanceof DatabaseError || cause instanceof ConcurrencyConflict) return cause;
  if (!isDatabaseError(cause)) {
    if (!breaksConnection(cause)) return cause;
    const code = String((cause as Coded).code ?? 'connection');
    return new Unavailable(`PostgreSQL could not be reached (${code}, ${statement}).`);
  }
  const { code, constraint, table, severity, message } = cause as Record<string, string | undefined> & {
    code: string;
  };
  // What ends or refuses a connection (a changed password, a missing database) is no fault of the request. Its message
  // is about users, databases and addresses, which an operator needs.
  if (severity === 'FATAL' || severity === 'PANIC')
    return new Unavailable(`PostgreSQL refused ${statement}: ${code} (${message}).`);
  if (NOT_NOW.test(code)) return new Unavailable(`PostgreSQL did not answer (${code}, ${statement}).`);
  if (SERIALIZATION.has(code)) return new ConcurrencyConflict(`${statement}: ${code}`);
  if (code === '23505' && TWIN_KEYS.has(constraint ?? ''))
    return new ConcurrencyConflict(`${statement}: ${constraint}`);
  if (code === '23505' && constraint === 'adjusters_email_key') {
    return new DomainError('email_taken', 'Another account uses this e-mail address.');
  }
  const where = [constraint, table].filter(Boolean).join(' on ');
  return new DatabaseError(`PostgreSQL refused ${statement}: ${code}${where ? ` (${where})` : ''}.`);
}
