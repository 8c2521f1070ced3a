import { emailTaken, tlsProblem, Unavailable } from '@svc/application';
import { DomainError } from '@svc/domain';
import pg from 'pg';
import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { COMMIT_FAILED_ON_WORKER, constraintOfShard, losesNode, namesColumn } from '../citus/errors.ts';

/**
 * An unexpected database error. Carries names and codes only: the driver's message quotes values
 * ("Key (email)=(…) already exists"), which may be personal data or secrets.
 */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
}

/** A concurrent transaction changed the same rows; the same work, run again, sees its result. */
export class ConcurrencyConflict extends Error {
  override readonly name = 'ConcurrencyConflict';
}

/** Unique keys that a concurrent duplicate may insert first. */
const CONTENDED_KEYS: ReadonlySet<string> = new Set([
  'claims_external_id_key',
  'idempotency_records_pkey',
  'memberships_pkey',
  'carriers_pkey',
]);

/** `idempotency_bind` writes null to the fingerprint if a concurrent request bound the key first. */
const isBoundKey = (error: ErrorFields): boolean =>
  error.code === '23502' &&
  (error.column === 'fingerprint' || (error.column === undefined && namesColumn(error, 'fingerprint')));

/** No space left on the device. */
const DISK_FULL = '53100';

const SERIALIZATION_FAILURES = new Set(['40001', '40P01']);

/**
 * SQLSTATEs of temporary errors: connection exceptions, insufficient resources, operator intervention (shutdown,
 * statement_timeout), lock_timeout, the idle and transaction timeouts, a server demoted to read-only, I/O errors.
 */
const TEMPORARY = /^(08...|53...|57...|58...|55P03|25P0[345]|25006|26000|42P05)$/;

/**
 * The name of a prepared statement is unknown, since the statement that should have prepared it failed or something
 * dropped it; or it is taken. Only a new connection knows for certain which names are prepared.
 */
const UNPREPARED: ReadonlySet<string> = new Set(['26000', '42P05']);

/**
 * Functions of the server that warn during a COMMIT, which then succeeds: it failed on a worker, or the wait for a
 * synchronous standby was canceled. The warnings have no SQLSTATE, and their texts may be translated.
 */
const WARN_OF_UNCONFIRMED_COMMIT = new Set([COMMIT_FAILED_ON_WORKER, 'SyncRepWaitForLSN']);

/** Whether some server may not have, or not show, what a COMMIT that succeeded has changed. */
export const reportsUnconfirmedCommit = ({ routine }: ErrorFields): boolean =>
  WARN_OF_UNCONFIRMED_COMMIT.has(String(routine));

interface ErrorFields {
  readonly code?: unknown;
  readonly severity?: unknown;
  readonly constraint?: unknown;
  readonly table?: unknown;
  readonly column?: unknown;
  readonly message?: unknown;
  readonly where?: unknown;
  readonly routine?: unknown;
}

const unwrap = (error: unknown): unknown => (error instanceof QueryFailedError ? error.driverError : error);

const isDatabaseError = (error: unknown): boolean => error instanceof pg.DatabaseError;

/** A statement that waited longer than `lock_timeout`, or that had to wait for another that waits for its own locks. */
export const isLockFailure = (error: unknown): boolean => ['55P03', '40P01'].includes(codeOf(error));

const constraintOf = (error: ErrorFields): string | undefined =>
  typeof error.constraint === 'string' ? error.constraint : constraintOfShard(error);

/** ECONNREFUSED, ENOTFOUND and so on, also as an AggregateError for a host with several addresses. */
const isNetworkError = (error: unknown): boolean =>
  /^E[A-Z_]+$/.test(String((error as ErrorFields)?.code ?? ''));

/** An error of the driver without a code, such as a connection that was terminated, or a timeout. */
export const isDriverError = (error: unknown): boolean =>
  error instanceof Error && error.name === 'Error' && (error as ErrorFields).code === undefined;

/** Whether the connection is broken, so that the outcome of the statement is unknown. */
export function losesConnection(error: unknown): boolean {
  const cause = unwrap(error);
  if (!isDatabaseError(cause)) {
    return isNetworkError(cause) || isDriverError(cause) || cause instanceof QueryRunnerAlreadyReleasedError;
  }
  const { severity } = cause as ErrorFields;
  return severity === 'FATAL' || severity === 'PANIC';
}

const codeOf = (error: unknown): string => String((unwrap(error) as ErrorFields)?.code);

export const isUnprepared = (error: unknown): boolean => UNPREPARED.has(codeOf(error));

/** Whether the connection must be closed: it is broken, or its server has become a read-only standby. */
export const breaksConnection = (error: unknown): boolean =>
  losesConnection(error) || isUnprepared(error) || codeOf(error) === '25006';

/**
 * The error for callers of this package.
 *
 * @param statement the statement's name, for the message.
 */
export function translateError(error: unknown, statement: string): unknown {
  const cause = unwrap(error);
  if (cause instanceof DomainError || cause instanceof Unavailable) return cause;
  if (cause instanceof DatabaseError || cause instanceof ConcurrencyConflict) return cause;
  if (!isDatabaseError(cause)) {
    const problem = tlsProblem(cause);
    if (problem !== null)
      return new Unavailable(
        `Could not connect to PostgreSQL: ${problem} (${statement}).`,
        'database_unreachable',
      );
    if (!breaksConnection(cause)) return cause;
    const code = String((cause as ErrorFields).code ?? 'connection');
    const unknownHost = code === 'ENOTFOUND' ? ': its host name is unknown' : '';
    return new Unavailable(
      `PostgreSQL could not be reached${unknownHost} (${code}, ${statement}).`,
      'database_unreachable',
    );
  }
  const { code, table, severity, message, file, line } = cause as Record<string, string | undefined> & {
    code: string;
  };
  const constraint = constraintOf(cause as ErrorFields);
  if (code === DISK_FULL)
    return new Unavailable(
      `PostgreSQL could not run ${statement}: its disk is full (${code}).`,
      'database_full',
    );
  // The connection was closed or rejected (a changed password, a missing database). Such messages contain only users,
  // databases and addresses, which an operator needs.
  if (severity === 'FATAL' || severity === 'PANIC')
    return new Unavailable(`PostgreSQL rejected ${statement}: ${code} (${message}).`, 'database_rejected');
  // An internal error is identified by its line in the server's source.
  const source = code === 'XX000' && file !== undefined ? `${file}:${line}` : undefined;
  if (TEMPORARY.test(code) || losesNode(cause as ErrorFields))
    return new Unavailable(
      `PostgreSQL is temporarily unable to run ${statement} (${[code, source].filter(Boolean).join(', ')}).`,
      'database_busy',
    );
  if (SERIALIZATION_FAILURES.has(code)) return new ConcurrencyConflict(`${statement}: ${code}`);
  if (code === '23505' && CONTENDED_KEYS.has(constraint ?? ''))
    return new ConcurrencyConflict(`${statement}: ${constraint}`);
  if (isBoundKey(cause as ErrorFields))
    return new ConcurrencyConflict(`${statement}: a concurrent request bound the key`);
  if (code === '23505' && constraint === 'adjusters_email_key') {
    return emailTaken();
  }
  const where = source ?? [constraint, table].filter(Boolean).join(' on ');
  return new DatabaseError(`PostgreSQL rejected ${statement}: ${code}${where ? ` (${where})` : ''}.`);
}
