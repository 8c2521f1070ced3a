interface CitusError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly where?: unknown;
  readonly routine?: unknown;
}

/** What libpq says of a connection, also of one with TLS; nothing if it does not know more. */
const LOST_CONNECTION = /^\s*$|connection|SSL|EOF|server closed|could not (send|receive)/i;

/**
 * How Citus reports that it lost a worker, or that its own server was killed, during a statement or a commit. It gives
 * the SQLSTATE of an internal error, and repeats what libpq says of a connection, which depends on its encryption.
 */
export function losesNode({ code, message, where, routine }: CitusError): boolean {
  if (code !== 'XX000') return false;
  // ReportCopyError: of rows that the coordinator copies to a worker for a join.
  const ofWorker = /while executing command on \S+:\d+/.test(String(where)) || routine === 'ReportCopyError';
  if (ofWorker && LOST_CONNECTION.test(String(message))) return true;
  return /marked as essential|failed to prepare transaction|could not commit transaction for shard|multiple connection failures|could not connect to any active placements|postmaster was shut down/.test(
    String(message),
  );
}

/** Warns that the second phase of a commit failed on a worker, where the changes can be seen only after recovery. */
export const COMMIT_FAILED_ON_WORKER = 'FinishRemoteTransactionCommit';

/** The constraint of which the message names that of the shard, with a number at the end; Citus sends no field for it. */
export const constraintOfShard = ({ message }: CitusError): string | undefined =>
  /unique constraint "([^"]+?)(?:_\d{6,})?"/.exec(String(message))?.[1];

/** Citus names the column only in the message, whose quotes depend on the language. */
export const namesColumn = ({ message }: CitusError, column: string): boolean =>
  new RegExp(`\\b${column}\\b`).test(String(message));
