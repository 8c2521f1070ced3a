// Measures the service under growth and a storm:
//   npx pnpm bench scale growth      three million claims against ten thousand, a large firm against a small one
//   npx pnpm bench scale costs       processor time, WAL and disk of each request, for docs/operating/scale.md
//   npx pnpm bench scale storm       a storm's first hour with boards and webhooks, against the same without
import { setTimeout as pause } from 'node:timers/promises';
import { Command } from 'commander';
import { say, wholeNumber } from '../services/command.ts';
import { withClient } from '../services/postgres.ts';
import type { BenchRequest } from './connection.ts';
import { EXPECTED, type Kind, loadData, requestsOf } from './data.ts';
import { alternately, load, type Measured, measureCpu } from './load.ts';
import { median, rounded } from './report.ts';
import { type Server, type Servers, withServers } from './servers.ts';
import { addDesks, addDevices, figures, stormLoad } from './storm.ts';

const FIRMS = 200;

const print = (document: unknown): void => {
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
};
const medianRatio = <T>(found: readonly (readonly [T, T])[], of: (one: T) => number): number =>
  rounded(median(found.map(([one, other]) => of(one) / of(other))));

const program = new Command('bench scale').description('Measures the service under growth and a storm.');

program
  .command('growth')
  .description('Compares polls, reads and sends on a large and a small database.')
  .option('--rows <n>', 'claims of the large database', wholeNumber(1), 3_000_000)
  .option('--small <n>', 'claims of the small database', wholeNumber(1), 10_000)
  .option('--firms <n>', 'firms of each database', wholeNumber(1), FIRMS)
  .option('--rounds <n>', 'number of rounds', wholeNumber(1), 7)
  .option('--seconds <n>', 'load time per database and round', wholeNumber(1), 4)
  .action(({ rows, small, firms, rounds, seconds }) =>
    withServers(async (servers) => {
      // Without offers: of a few claims they would be all, and the response to an offer is a time more to read.
      const all = { firms, offersPerFirm: 0 };
      const little = await loadedService(servers, 'little', { ...all, rows: small });
      // A firm with a hundred thousand claims, and one with a hundred.
      const much = await loadedService(servers, 'much', { ...all, rows, sizes: [100_000, 100] });
      const size = await sizeOfClaims(much.url);
      say(`The large database: ${JSON.stringify(size)}`);
      await readWhole(much.url);
      const [large, tiny, ...others] = much.data.firms;
      if (large === undefined || tiny === undefined) throw new Error('firms are missing');
      const compare = (kind: Kind, ...sides: [Side, Side]) => compared(kind, rounds, seconds, sides);
      const side = (name: string, { subject }: Loaded, next: () => BenchRequest): Side => ({
        name,
        subject,
        next,
      });
      const result: Record<string, unknown> = { rows, small, rounds, seconds, firms, size };
      for (const kind of ['poll', 'get', 'send'] as const)
        result[kind] = await compare(
          kind,
          side(`${rows} claims`, much, requestsOf(kind, others)),
          side(`${small} claims`, little, little.data.requests(kind)),
        );
      result.poll_of_large_firm = await compare(
        'poll',
        side('firm of 100000', much, requestsOf('poll', [large])),
        side('firm of 100', much, requestsOf('poll', [tiny])),
      );
      print(result);
    }),
  );

program
  .command('storm')
  .description(
    "Plays a storm's first hour faster, with open boards and webhooks of which a fifth is dead, against the same without.",
  )
  .option('--rows <n>', 'claims in each of the two databases', wholeNumber(1), 15_000)
  .option('--firms <n>', 'firms', wholeNumber(1), 50)
  .option('--staff <n>', 'staff with the board open', wholeNumber(1), 200)
  .option('--speed <n>', 'how many times faster than the hour', wholeNumber(1), 4)
  .option('--rounds <n>', 'number of rounds', wholeNumber(1), 8)
  .option('--seconds <n>', 'duration of each side of a round', wholeNumber(1), 20)
  .action(({ rows, firms, staff, speed, rounds, seconds }) =>
    withServers(async (servers) => {
      const bare = await loadedService(servers, 'bare', { rows, firms });
      const storm = await loadedService(servers, 'storm', { rows, firms });
      const devices = await Promise.all(
        [storm, bare].map(({ subject, data }) => addDevices(subject.url, data)),
      );
      const desks = await addDesks(storm.url, storm.subject.url, storm.data, { staff });
      const once = ({ subject, data }: Loaded, length = seconds) =>
        stormLoad(subject.url, data.firms, { seconds: length, speed });
      const warmUp = await once(storm, 5);
      await once(bare, 5);
      const found = await alternately([storm, bare], rounds, once, () => say('A round is done'));
      // What is late has arrived by then.
      await pause(10_000);
      const all = (side: 0 | 1, kind: 'send' | 'poll') =>
        figures(found.flatMap((round) => round[side][kind]));
      const compare = (kind: 'send' | 'poll') => {
        const [with_, without] = [all(0, kind), all(1, kind)];
        return { with: with_, without, p99_ratio: rounded(with_.p99 / without.p99) };
      };
      const sent = [warmUp, ...found.map(([side]) => side)].flatMap(({ sent }) => sent);
      const delay = (of: number[]) => ({ ...figures(of), max: of.at(-1) });
      print({
        ...{ rows, firms, staff, speed, rounds, seconds },
        send: compare('send'),
        poll: compare('poll'),
        rejected: ([0, 1] as const).map((side) => found.map((round) => round[side].rejected)),
        board_reads: desks.boardReads(),
        signal_ms: delay(desks.delays(sent)),
        push_ms: delay(devices[0]?.delays(sent) ?? []),
      });
      for (const each of [desks, ...devices]) await each.stop();
    }),
  );

/** Requests with their share of the load time: only what was accepted can be closed. */
const COSTS = { send: 1, accept: 1, close: 0.5, get: 1, poll: 1, page: 1 } as const;

/** CPU seconds of the service and of PostgreSQL during a load. */
async function loadWithCpu(
  { postgresPids }: Servers,
  { pid, url }: Server,
  kind: Kind,
  next: () => BenchRequest,
  seconds: number,
) {
  const cpuSince = measureCpu({ service: () => [pid], postgres: postgresPids });
  const { responses, rps } = await load(url, next, EXPECTED[kind], seconds);
  return { responses, rps, ...cpuSince() };
}

program
  .command('costs')
  .description(
    'Measures processor time, WAL and disk of each request under load, for docs/operating/scale.md.',
  )
  .option('--rows <n>', 'claims in the database', wholeNumber(1), 40_000)
  .option('--seconds <n>', 'load time of each request', wholeNumber(1), 8)
  .action(({ rows, seconds }) =>
    withServers(async (servers) => {
      const { url, subject, data } = await loadedService(servers, 'all', { rows });
      const usage = async (): Promise<{ wal: number; disk: number }> =>
        firstRow(
          url,
          `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS wal,
             pg_database_size(current_database())::float8 AS disk`,
        );
      // Warm-up: the code is not compiled yet.
      await load(subject.url, data.requests('send'), EXPECTED.send, 2);
      const result: Record<string, unknown> = { rows, seconds };
      for (const [kind, share] of Object.entries(COSTS) as [keyof typeof COSTS, number][]) {
        const before = await usage();
        const used = await loadWithCpu(servers, subject, kind, data.requests(kind), seconds * share);
        const after = await usage();
        const each = (all: number): number => rounded(all / used.responses);
        result[kind] = {
          responses: used.responses,
          service_ms: each(used.service * 1000),
          postgres_ms: each(used.postgres * 1000),
          wal_kb: each((after.wal - before.wal) / 1000),
          disk_kb: each((after.disk - before.disk) / 1000),
        };
        say(`${kind}: ${JSON.stringify(result[kind])}`);
      }
      print(result);
    }),
  );

type Loaded = Awaited<ReturnType<typeof loadedService>>;

async function loadedService(
  { database, startService }: Servers,
  name: string,
  wanted: Omit<Parameters<typeof loadData>[1], 'firms'> & { firms?: number },
) {
  const url = await database(name);
  const data = await loadData(url, { firms: FIRMS, ...wanted });
  return { url, data, subject: await startService(url) };
}

// biome-ignore lint/suspicious/noExplicitAny: rows of any shape
const firstRow = (databaseUrl: string, sql: string): Promise<any> =>
  withClient(databaseUrl, async (client) => (await client.query(sql)).rows[0]);

/** Size of the table `claims`, with what is stored apart from its rows. */
async function sizeOfClaims(databaseUrl: string) {
  const { claims, table, indexes } = await firstRow(
    databaseUrl,
    `SELECT (SELECT count(*) FROM claims)::float8 AS claims, pg_table_size('claims')::float8 AS table,
       pg_indexes_size('claims')::float8 AS indexes`,
  );
  return {
    claims,
    table_mb: rounded(table / 1e6, 0),
    indexes_mb: rounded(indexes / 1e6, 0),
    bytes_per_claim: rounded((table + indexes) / claims, 0),
  };
}

/** So that the operating system caches what fits, as on a server that has run for a day. */
const readWhole = (databaseUrl: string): Promise<unknown> =>
  withClient(databaseUrl, (client) =>
    client.query(
      'SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off; SELECT count(document) FROM claims',
    ),
  );

interface Side {
  readonly name: string;
  readonly subject: Server;
  readonly next: () => BenchRequest;
}

/** Compares the latency of two sides in alternating rounds. */
async function compared(
  kind: Kind,
  rounds: number,
  seconds: number,
  sides: readonly [Side, Side],
): Promise<Record<string, unknown>> {
  const once = ({ subject, next }: Side, length = seconds) => load(subject.url, next, EXPECTED[kind], length);
  for (const side of sides) await once(side, 3);
  const found = await alternately(sides, rounds, once);
  const both = (of: (measured: Measured) => number) =>
    found.map((pair) => pair.map((one) => rounded(of(one), 2)));
  const result = {
    compared: sides.map(({ name }) => name),
    p50: medianRatio(found, ({ p50 }) => p50),
    p99: medianRatio(found, ({ p99 }) => p99),
    p50_ms: both(({ p50 }) => p50),
    p99_ms: both(({ p99 }) => p99),
  };
  say(`${kind}, ${result.compared.join(' and ')}: p50 ${result.p50}, p99 ${result.p99}`);
  return result;
}

await program.parseAsync();
