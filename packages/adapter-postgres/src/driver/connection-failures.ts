import pg from 'pg';
import type { DatabaseLog } from '../log.ts';
import type { Servers } from './servers.ts';
import { type SessionSettings, urlWithSettings } from './session-settings.ts';

/** Every request tries to connect while PostgreSQL is down; the same cause is logged once in this time. */
const LOG_INTERVAL_MS = 60_000;

/** Logs why connections cannot be opened (a changed password, a missing database, no server). */
export class ConnectionFailures {
  #cause: string | undefined;
  #loggedAtMs = 0;

  constructor(private readonly log: DatabaseLog) {}

  /**
   * The class of a pool's clients, for the pool's option `Client`: the pool emits no event for a failed connect, and has
   * one URL.
   */
  clientOf(servers: Servers, settings: SessionSettings = {}): new (config?: pg.ClientConfig) => pg.Client {
    const note = (error: Error | null): void => this.#note(error);
    return class extends pg.Client {
      readonly #problem: () => Error | null;

      constructor(config?: pg.ClientConfig) {
        super({ ...config, connectionString: urlWithSettings(servers.url(), settings) });
        this.#problem = servers.watch(this);
        // The pool listens to idle clients only. Without a listener, a connection lost while in use would emit an
        // unhandled `error` and end the process. The statements on it fail in any case.
        this.on('error', () => {});
      }

      // biome-ignore lint/suspicious/noExplicitAny: the driver's two overloads; the pool uses the one with a callback
      override connect(callback?: any): any {
        if (callback === undefined) return super.connect();
        return super.connect((failed?: Error) => {
          const error = failed ?? this.#problem();
          if (failed === undefined && error !== null) this.end().catch(() => {});
          note(error ?? null);
          callback(error ?? undefined);
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
    if (cause === this.#cause && now - this.#loggedAtMs < LOG_INTERVAL_MS) return;
    this.#cause = cause;
    this.#loggedAtMs = now;
    this.log.error('could not connect to PostgreSQL', { code: cause, reason: error.message });
  }
}
