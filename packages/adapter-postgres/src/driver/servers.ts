import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '@svc/application';
import pg from 'pg';
import { type DatabaseLog, SILENT } from '../log.ts';
import { isDriverError, translateError } from './errors.ts';
import { type SessionSettings, urlWithSettings } from './session-settings.ts';

/**
 * One server or several (`postgres://user:password@one:5432,two:5432/claims`), of which the one that accepts writes is
 * used. A function is called for each connection, so that a changed password needs no restart.
 */
export type DatabaseUrl = string | (() => string);

export interface ServerReport {
  /** Host and port. */
  readonly server: string;
  /** Null: it accepts writes. */
  readonly problem: string | null;
  readonly isStandby: boolean;
}

const PROBE_TIMEOUT_MS = 1000;
/** While no server accepts writes, they are probed this often. */
const PROBE_INTERVAL_MS = 200;
const MIN_RETRY_DELAY_MS = 20;

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?]*@)?)([^/?]*)(.*)$/i;

/** Modes that the driver treats as `verify-full`, with a warning on standard error. */
const SAME_AS_VERIFY_FULL = /([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/;

/** One URL for each server, without parameters that only choose among them. */
export function urlsOfServers(url: string): readonly string[] {
  const [whole, start = '', hosts = '', end = ''] = PARTS.exec(url) ?? [];
  if (whole === undefined) return [url];
  const parameters = end.replace(/([?&])target_session_attrs=[^&]*&?/, '$1').replace(/[?&]$/, '');
  const rest = /[?&]uselibpqcompat=true/.test(parameters)
    ? parameters
    : parameters.replace(SAME_AS_VERIFY_FULL, '$1verify-full');
  return hosts.split(',').map((host) => `${start}${host}${rest}`);
}

const nameOf = (url: string): string => {
  const { hostname, port } = new URL(url);
  return `${hostname || 'localhost'}:${port || '5432'}`;
};

/** A standby, or a server that was set to read-only. */
class ReadOnlyServer extends Error {
  override readonly name = 'ReadOnlyServer';
  readonly code = 'EREADONLY';
}

/** Network errors, and shutdown and startup of a server. */
const OTHER_SERVER = /^(E[A-Z_]+|08...|57P0[123])$/;

const REJECTED_CREDENTIALS = new Set(['28P01', '28000']);

/** Finds the server that accepts writes, and the current credentials. */
export class Servers {
  /** The file may change passwords, and which servers there are, but not whether there are several. */
  readonly #areSeveral: boolean;
  #current: string | null = null;
  #logged: string | null = null;
  #locating: Promise<void> | null = null;
  #notFoundUntil = 0;

  constructor(
    private readonly databaseUrl: DatabaseUrl,
    private readonly log: DatabaseLog,
    private readonly connectTimeoutMs: number,
  ) {
    this.#areSeveral = this.#urls.length > 1;
  }

  #isLocated(): boolean {
    return !this.#areSeveral || this.#current !== null;
  }

  get #urls(): readonly string[] {
    return urlsOfServers(typeof this.databaseUrl === 'string' ? this.databaseUrl : this.databaseUrl());
  }

  /** The URL for a new connection: of the server that accepts writes, with the current credentials. */
  url(): string {
    const urls = this.#urls;
    return urls.find((url) => nameOf(url) === this.#current) ?? urls[0] ?? '';
  }

  /** Called when a connection ended: its server may no longer accept writes. */
  forget(): void {
    this.#current = null;
  }

  /** Runs `open` on the server that accepts writes, and again with new credentials or on another server. */
  connect<T>(open: () => Promise<T>): Promise<T> {
    // At once: whoever counts the callers that wait for a connection must see this one.
    if (this.#isLocated()) return open().catch((error) => this.#retry(open, error));
    return this.locate()
      .then(open)
      .catch((error) => this.#retry(open, error));
  }

  async #retry<T>(open: () => Promise<T>, first: unknown): Promise<T> {
    const deadline = performance.now() + this.connectTimeoutMs;
    let error = first;
    for (let delayMs = MIN_RETRY_DELAY_MS; ; delayMs *= 2) {
      if (!this.#mayRecover(error) || performance.now() + delayMs > deadline) throw error;
      await sleep(delayMs);
      try {
        await this.locate();
        return await open();
      } catch (next) {
        error = next;
      }
    }
  }

  /** @throws Unavailable when none of several servers accepts writes. */
  async locate(): Promise<void> {
    if (this.#isLocated()) return;
    const urls = this.#urls;
    if (performance.now() < this.#notFoundUntil) throw noServer(urls);
    this.#locating ??= this.#findServer(urls).finally(() => {
      this.#locating = null;
    });
    await this.#locating;
  }

  /** The state of every server. */
  report(): Promise<ServerReport[]> {
    return Promise.all(
      this.#urls.map(async (url) => {
        try {
          const isWritable = await acceptsWrites(url);
          const problem = isWritable ? null : 'read-only (a standby)';
          return { server: nameOf(url), problem, isStandby: !isWritable };
        } catch (error) {
          const { code, message } = error as { code?: string; message: string };
          return {
            server: nameOf(url),
            problem: [code, message].filter(Boolean).join(': '),
            isStandby: false,
          };
        }
      }),
    );
  }

  /**
   * Runs work on a connection of its own to the server that accepts writes.
   *
   * @param name names the work in errors.
   */
  async onConnection<T>(
    name: string,
    config: pg.ClientConfig,
    work: (client: pg.Client) => Promise<T>,
    settings: SessionSettings = {},
  ): Promise<T> {
    try {
      await this.locate();
      const connectionString = urlWithSettings(this.url(), settings);
      const where = { connectionString, connectionTimeoutMillis: this.connectTimeoutMs };
      return await withClient({ ...config, ...where }, work);
    } catch (error) {
      throw translateError(error, name);
    }
  }

  /** @throws ReadOnlyServer where there are several servers, of which this client's has become a standby. */
  async requireWritable(client: pg.Client): Promise<void> {
    if (this.#areSeveral && !(await isWritable(client))) throw new ReadOnlyServer('The server is read-only.');
  }

  async #findServer(urls: readonly string[]): Promise<void> {
    const writable = urls.map(async (url) => {
      if (!(await acceptsWrites(url))) throw new ReadOnlyServer(nameOf(url));
      return nameOf(url);
    });
    try {
      this.#current = await Promise.any(writable);
    } catch {
      this.#notFoundUntil = performance.now() + PROBE_INTERVAL_MS;
      throw noServer(urls);
    }
    if (this.#current === this.#logged) return;
    this.#logged = this.#current;
    this.log.info('PostgreSQL accepts writes here', { server: this.#current });
  }

  #mayRecover(error: unknown): boolean {
    const { code } = error as { code?: string };
    // A file with the new password may follow a moment later; until then an open connection may become free.
    if (REJECTED_CREDENTIALS.has(code ?? '')) return typeof this.databaseUrl === 'function';
    if (!this.#areSeveral || !(OTHER_SERVER.test(code ?? '') || isDriverError(error))) return false;
    this.forget();
    return true;
  }
}

/** Which of the servers accepts writes, and what is wrong with the others. */
export const reportServers = (url: DatabaseUrl): Promise<ServerReport[]> =>
  new Servers(url, SILENT, 0).report();

const noServer = (urls: readonly string[]): Unavailable =>
  new Unavailable(
    `None of the servers in DATABASE_URL accepts writes: ${urls.map(nameOf).join(', ')}.`,
    'database_unreachable',
  );

const acceptsWrites = (url: string): Promise<boolean> =>
  withClient(
    {
      connectionString: url,
      application_name: 'claim-assignment-probe',
      connectionTimeoutMillis: PROBE_TIMEOUT_MS,
      query_timeout: PROBE_TIMEOUT_MS,
    },
    isWritable,
  );

async function withClient<T>(config: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(config);
  client.on('error', () => {}); // fails the statement
  try {
    await client.connect();
    return await work(client);
  } finally {
    client.end().catch(() => {});
  }
}

async function isWritable(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT NOT pg_is_in_recovery() AND current_setting('default_transaction_read_only') = 'off' AS writable`,
  );
  return rows[0].writable;
}
