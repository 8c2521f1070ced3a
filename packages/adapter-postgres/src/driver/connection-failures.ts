import type pg from 'pg';
import type { DatabaseLog } from '../log.ts';

/** Every request tries again while PostgreSQL refuses connections; the same cause is logged once in this time. */
const LOG_AGAIN_AFTER_MS = 60_000;

/** Logs why connections cannot be opened (a changed password, a missing database, no server). */
export class ConnectionFailures {
  #cause: string | undefined;
  #loggedAt = 0;

  constructor(private readonly log: DatabaseLog) {}

  watch(pool: pg.Pool): void {
    const note = (error: Error | null): void => this.#note(error);
    // The pool creates its clients itself, and reports only those that could connect.
    const settings = pool as unknown as { Client: typeof pg.Client };
    settings.Client = class extends settings.Client {
      // biome-ignore lint/suspicious/noExplicitAny: the driver's two overloads; the pool uses the one with a callback
      override connect(callback?: any): any {
        if (callback === undefined) return super.connect();
        return super.connect((error?: Error) => {
          note(error ?? null);
          callback(error);
        });
      }
    };
  }

  #note(error: (Error & { code?: string }) | null): void {
    if (error === null) {
      if (this.#cause !== undefined) this.log.info('PostgreSQL accepts connections again');
      this.#cause = undefined;
      return;
    }
    const cause = error.code ?? 'connection';
    const now = Date.now();
    if (cause === this.#cause && now - this.#loggedAt < LOG_AGAIN_AFTER_MS) return;
    this.#cause = cause;
    this.#loggedAt = now;
    this.log.error('PostgreSQL could not be connected to', { code: cause, reason: error.message });
  }
}
