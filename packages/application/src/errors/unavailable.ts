/** Why something could not be done now. */
export type UnavailableReason =
  /** The process is shutting down. */
  | 'draining'
  /** The request took longer than its deadline. */
  | 'deadline'
  /** No connection to the database, or it was lost. */
  | 'database_unreachable'
  /** The database rejected the connection: a changed password, a missing database. */
  | 'database_rejected'
  /** No connection of the pool became free in time. */
  | 'database_pool'
  /** A statement, or its wait for a lock, took too long, or the database lacks resources. */
  | 'database_busy'
  /** The disk of the database is full. */
  | 'database_full'
  /** Concurrent transactions changed the same rows again and again. */
  | 'conflicts'
  /** More requests than the process or the database can process: rejected before any work. */
  | 'overload'
  /** Requests in flight hold as much memory as they may. */
  | 'memory'
  /** The clock of the process is too far from that of the database. */
  | 'clock'
  | 'other';

/** A store was unreachable or timed out. The client may retry. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
  constructor(
    message: string,
    readonly reason: UnavailableReason = 'other',
  ) {
    super(message);
  }
}
