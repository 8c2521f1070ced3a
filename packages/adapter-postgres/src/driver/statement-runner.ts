import type { Socket } from 'node:net';
import pg from 'pg';
import { corkWrites } from './cork-writes.ts';
import type { Statement, Value } from './session.ts';

/** What a statement came to. */
export interface QueryResult<R> {
  readonly rows: R[];
  /** Rows read or written; null where a statement does neither. */
  readonly rowCount: number | null;
  readonly command: string;
}

/** The columns of an answer, as the driver works with them. */
interface Columns {
  readonly fields: unknown[];
  readonly _parsers: unknown[] | undefined;
  readonly _prebuiltEmptyResultObject: object | null;
}

interface DriverConnection {
  readonly stream: Socket;
  describe(what: object): void;
}

/** What the driver's query is made of, as far as it is used here. Its version is pinned. */
interface DriverQuery {
  name: string;
  readonly _result: Columns;
  _accumulateRows: boolean;
  prepare(connection: DriverConnection): void;
  handleReadyForQuery(connection: DriverConnection): void;
}

type Done<R> = (error: unknown, answer: QueryResult<R>) => void;

const DriverQuery = pg.Query as unknown as new (
  text: string,
  values: readonly Value[],
  done: Done<never>,
) => DriverQuery;

/** What has been learned of a connection: the columns of its statements, and how to ask without asking for them. */
interface Learned {
  readonly columns: Map<string, Columns>;
  readonly undescribed: DriverConnection;
}

const learned = new WeakMap<DriverConnection, Learned>();

function learnedOf(connection: DriverConnection): Learned {
  let of = learned.get(connection);
  if (of === undefined) {
    const undescribed = Object.create(connection, { describe: { value() {} } }) as DriverConnection;
    of = { columns: new Map(), undescribed };
    learned.set(connection, of);
  }
  return of;
}

/**
 * A prepared statement that asks what its columns are once for each connection. The driver asks every time, and works
 * as long on the description as on a row. Columns that have changed since do no harm: PostgreSQL refuses a prepared
 * statement whose result would be another one than before.
 */
class PreparedQuery extends DriverQuery {
  constructor({ name, text }: Statement, values: readonly Value[], done: Done<never>) {
    super(text, values, done);
    this.name = name;
  }

  override prepare(connection: DriverConnection): void {
    const { columns, undescribed } = learnedOf(connection);
    const known = columns.get(this.name);
    if (known === undefined) {
      super.prepare(connection);
      return;
    }
    Object.assign(this._result, known);
    this._accumulateRows = true;
    super.prepare(undescribed);
  }

  override handleReadyForQuery(connection: DriverConnection): void {
    const { columns } = learnedOf(connection);
    if (!columns.has(this.name)) {
      const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
      columns.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject });
    }
    super.handleReadyForQuery(connection);
  }
}

interface Asked {
  readonly client: pg.PoolClient;
  readonly until: number;
}

/** How often it is looked which connections have been silent for too long. */
const LOOK_EVERY_MS = 500;

/**
 * Asks on connections that carry several questions at once, and breaks off one that stays silent: everyone who waits
 * for it is told. One clock looks after all connections; the driver's own timeout is a timer for each statement.
 */
export class StatementRunner {
  readonly #asked = new Set<Asked>();
  #clock: NodeJS.Timeout | undefined;

  constructor(private readonly timeoutMs: number) {}

  /** A statement that the connection prepares, the first time, under its name. */
  prepared<R>(
    client: pg.PoolClient,
    statement: Statement,
    values: readonly Value[],
  ): Promise<QueryResult<R>> {
    return new Promise((resolve, reject) => {
      const asked = this.#await(client);
      const done: Done<R> = (error, answer) => {
        this.#asked.delete(asked);
        if (error) reject(error);
        else resolve(answer);
      };
      corkWrites(client);
      client.query(new PreparedQuery(statement, values, done) as unknown as pg.Submittable);
    });
  }

  unprepared<R>(
    client: pg.PoolClient,
    text: string,
    values: readonly Value[] = [],
  ): Promise<pg.QueryResult & QueryResult<R>> {
    corkWrites(client);
    return this.withTimeout(client, client.query(text, values as unknown[]));
  }

  /** Waits for work on this connection, and breaks the connection off rather than waiting forever. */
  async withTimeout<T>(client: pg.PoolClient, work: Promise<T>): Promise<T> {
    const asked = this.#await(client);
    try {
      return await work;
    } finally {
      this.#asked.delete(asked);
    }
  }

  #await(client: pg.PoolClient): Asked {
    const asked: Asked = { client, until: performance.now() + this.timeoutMs };
    this.#asked.add(asked);
    this.#clock ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
    return asked;
  }

  #look(): void {
    if (this.#asked.size === 0) {
      clearInterval(this.#clock);
      this.#clock = undefined;
      return;
    }
    const now = performance.now();
    for (const { client, until } of this.#asked) {
      if (until > now) continue;
      (client as unknown as { connection: DriverConnection }).connection.stream.destroy();
    }
  }
}
