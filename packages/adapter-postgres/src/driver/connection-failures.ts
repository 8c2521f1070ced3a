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
      constructor(config?: pg.ClientConfig) {
        super({ ...config, connectionString: urlWithSettings(servers.url(), settings) });
        this.once('end', () => servers.forget());
        // The pool listens to idle clients only. Without a listener, a connection lost while in use would emit an
        // unhandled `error` and end the process. The statements on it fail in any case.
        this.on('error', () => {});
      }

      // biome-ignore lint/suspicious/noExplicitAny: the driver's two overloads
      override connect(callback?: any): any {
        const connecting = this.#connect();
        if (callback === undefined) return connecting;
        connecting.then(
          () => callback(undefined, this),
          (error) => callback(error),
        );
      }

      async #connect(): Promise<this> {
        try {
          await super.connect();
          await servers.requireWritable(this);
        } catch (error) {
          note(error as Error);
          this.end().catch(() => {});
          throw error;
        }
        note(null);
        return this;
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
