// Measures the service under growth, overload and with a new installation:
//   npx pnpm bench scale growth      three million claims against ten thousand, a large firm against a small one
//   npx pnpm bench scale overload    ten times the connections of full load
//   npx pnpm bench scale fairness    a firm beside one that exceeds its limit on 50 connections
//   npx pnpm bench scale costs       processor time, WAL and disk of each request, for docs/operating/scale.md
//   npx pnpm bench scale encryption  the hot paths with and without encryption of personal data
//   npx pnpm bench scale first       sends of a new installation's first minutes, and after a purge of keys
import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { migrate } from '@svc/adapter-postgres';
import { Command, InvalidArgumentError } from 'commander';
import { startPostgres, withClient } from '../services/postgres.ts';
import { childrenOf } from '../services/process-usage.ts';
import { startRedis } from '../services/redis.ts';
import type { BenchRequest } from './connection.ts';
import { type BenchData, loadData, reopenOffers, requestsOf } from './data.ts';
import { load, type Measured, measureCpu } from './load.ts';
import { connect, type LoadResult, overload, watchHealth } from './overload.ts';
import { PATHS } from './paths.ts';
import { median } from './report.ts';
import { type Server, startService } from './subject.ts';

const FIRMS = 200;
const EXPECTED = { get: 200, poll: 200, page: 200, send: 201, accept: 200 } as const;
type Kind = keyof typeof EXPECTED;
type Clients = Awaited<ReturnType<typeof connect>>;

const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};
const print = (document: unknown): void => {
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
};
const whole = (text: string): number => {
  if (!/^[1-9]\d{0,7}$/.test(text)) throw new InvalidArgumentError('Must be an integer of at least 1.');
  return Number(text);
};
const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits));

const program = new Command('bench scale').description(
  'Measures the service under growth, overload and with a new installation.',
);

program
  .command('growth')
  .description('Compares polls, reads and sends on a large and a small database.')
  .option('--rows <n>', 'claims of the large database', whole, 3_000_000)
  .option('--small <n>', 'claims of the small database', whole, 10_000)
  .option('--firms <n>', 'firms of each database', whole, FIRMS)
  .option('--rounds <n>', 'number of rounds', whole, 7)
  .option('--seconds <n>', 'load time per database and round', whole, 4)
  .action(({ rows, small, firms, rounds, seconds }) =>
    withServers(async ({ database, redisUrl }) => {
      // Without offers: of a few claims they would be all, and the response to an offer is a time more to read.
      const all = { firms, offersPerFirm: 0 };
      const little = await loadedService(await database('little'), redisUrl, { ...all, rows: small });
      // A firm with a hundred thousand claims, and one with a hundred.
      const url = await database('much');
      const much = await loadedService(url, redisUrl, { ...all, rows, sizes: [100_000, 100] });
      const size = await sizeOfClaims(url);
      say(`The large database: ${JSON.stringify(size)}`);
      await readWhole(url);
      const ofLittle = little.data.firms;
      const [large, tiny, ...others] = much.data.firms;
      if (large === undefined || tiny === undefined) throw new Error('firms are missing');
      const result: Record<string, unknown> = { rows, small, rounds, seconds, firms, size };
      for (const kind of ['poll', 'get', 'send'] as const) {
        result[kind] = await compared(kind, rounds, seconds, [
          { name: `${rows} claims`, subject: much.subject, next: requestsOf(kind, others) },
          { name: `${small} claims`, subject: little.subject, next: requestsOf(kind, ofLittle) },
        ]);
      }
      result.poll_of_large_firm = await compared('poll', rounds, seconds, [
        { name: 'firm of 100000', subject: much.subject, next: requestsOf('poll', [large]) },
        { name: 'firm of 100', subject: much.subject, next: requestsOf('poll', [tiny]) },
      ]);
      print(result);
    }),
  );

program
  .command('first')
  .description(
    'Compares sends in the first minutes of a new installation, and after a purge of idempotency keys, with those after ANALYZE.',
  )
  .option('--seconds <n>', 'length of the first minutes', whole, 120)
  .action(({ seconds }) =>
    withServers(async ({ database, redisUrl }) => {
      const result: Record<string, unknown> = { seconds };
      for (const statistics of [false, true]) {
        const url = await database(statistics ? 'analyzed' : 'new');
        const { subject, data } = await loadedService(url, redisUrl, { rows: 0, statistics });
        const next = data.requests('send');
        const slices = async (length: number) => {
          const found: { rps: number; blocks: number }[] = [];
          for (let passed = 0; passed < length; passed += 5) {
            const before = await blocksRead(url);
            const { responses, rps, wrong } = await load(subject.url, next, EXPECTED.send, 5);
            if (wrong > 0) throw new Error(`${wrong} responses to a send were not ${EXPECTED.send}`);
            const blocks = ((await blocksRead(url)) - before) / responses;
            found.push({ rps: rounded(rps, 0), blocks: rounded(blocks, 0) });
            say(JSON.stringify(found.at(-1)));
          }
          return found;
        };
        const first = await slices(seconds);
        await withClient(url, (client) => client.query('ANALYZE'));
        const analyzed = await slices(30);
        // As the purge and autovacuum leave the table after a quiet weekend.
        await withClient(url, async (client) => {
          await client.query('DELETE FROM idempotency_records WHERE random() < 0.999');
          await client.query('VACUUM ANALYZE idempotency_records');
        });
        const purged = await slices(30);
        type Slices = typeof first;
        const against = (these: Slices, of: (one: Slices[number]) => number): number =>
          rounded(median(these.map(of)) / median(analyzed.map(of)));
        const compared = (these: Slices) => ({
          rps: against(these, ({ rps }) => rps),
          blocks: against(these, ({ blocks }) => blocks),
        });
        const name = statistics ? 'analyzed_while_empty' : 'never_analyzed';
        result[name] = {
          first: compared(first),
          purged: compared(purged),
          slices: { first, analyzed, purged },
        };
        say(`${name}: ${JSON.stringify(result[name])}`);
        subject.stop();
      }
      print(result);
    }),
  );

program
  .command('overload')
  .description('Alternates full load with ten times as many connections.')
  .option('--rows <n>', 'claims in the database', whole, 20_000)
  .option('--rounds <n>', 'number of rounds', whole, 5)
  .option('--seconds <n>', 'duration of each load', whole, 4)
  .action(({ rows, rounds, seconds }) =>
    withServers(async ({ database, redisUrl }) => {
      const { subject, data } = await loadedService(await database('all'), redisUrl, { rows });
      const normalClients = await connect(subject.url, 32);
      const tenfoldClients = await connect(subject.url, 320);
      const result: Record<string, unknown> = { rows, rounds, seconds };
      for (const kind of ['get', 'send'] as const) {
        const next = requestsOf(kind, data.firms);
        const loadWith = (clients: Clients, length = seconds) =>
          overload(clients, next, { expected: EXPECTED[kind], seconds: length, pauseMs: 100 });
        await loadWith(normalClients, 3);
        let isOver = false;
        const watching = watchHealth(subject.url, () => isOver);
        const found: {
          normalLoad: LoadResult;
          tenfoldLoad: LoadResult;
          busy: number;
          afterwards: LoadResult;
        }[] = [];
        for (let round = 0; round < rounds; round += 1) {
          const normalLoad = await loadWith(normalClients);
          const cpuSince = measureCpu({ service: () => [subject.pid] });
          await loadWith(tenfoldClients, 2); // the burst before the limits apply
          const tenfoldLoad = await loadWith(tenfoldClients);
          const busy = rounded((cpuSince().service ?? 0) / (seconds + 2));
          found.push({ normalLoad, tenfoldLoad, busy, afterwards: await loadWith(normalClients, 1) });
          say(`${kind}: ${JSON.stringify(found.at(-1))}`);
        }
        isOver = true;
        const ratio = (of: (one: LoadResult) => number): number =>
          rounded(median(found.map(({ normalLoad, tenfoldLoad }) => of(tenfoldLoad) / of(normalLoad))));
        result[kind] = {
          p50: ratio(({ p50Ms }) => p50Ms),
          p99: ratio(({ p99Ms }) => p99Ms),
          admitted: ratio(({ expectedPerSecond }) => expectedPerSecond),
          health: await watching,
          rounds: found,
        };
      }
      print(result);
    }),
  );

program
  .command('fairness')
  .description('Alternates a firm alone with the same beside one that exceeds its limit on 50 connections.')
  .option('--rows <n>', 'claims in the database', whole, 20_000)
  .option('--rounds <n>', 'number of rounds', whole, 7)
  .option('--seconds <n>', 'duration of each load', whole, 4)
  .action(({ rows, rounds, seconds }) =>
    withServers(async ({ database, redisUrl }) => {
      const url = await database('all');
      const { subject, data } = await loadedService(url, redisUrl, { rows });
      const [limited, ...others] = data.firms;
      if (limited === undefined) throw new Error('firms are missing');
      await withClient(url, async (client) => {
        await client.query(
          'UPDATE firms SET requests_per_minute = NULL, writes_per_minute = NULL, burst = NULL WHERE id = $1',
          [limited.id],
        );
        await client.query('UPDATE registry_version SET version = version + 1');
      });
      await pause(2000);
      const gets = (clients: Clients, firms: typeof others, length = seconds) =>
        overload(clients, requestsOf('get', firms), { expected: 200, seconds: length, pauseMs: 0 });
      const calm = await connect(subject.url, 4);
      const hammering = await connect(subject.url, 50);
      await gets(calm, others);
      const found: { alone: LoadResult; beside: LoadResult; limited: LoadResult }[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const alone = await gets(calm, others);
        const rejecting = gets(hammering, [limited], seconds + 1);
        await pause(500);
        const beside = await gets(calm, others);
        found.push({ alone, beside, limited: await rejecting });
        say(JSON.stringify(found.at(-1)));
      }
      const ratio = (of: (one: LoadResult) => number): number =>
        rounded(median(found.map(({ alone, beside }) => of(beside) / of(alone))));
      print({
        rows,
        seconds,
        p50: ratio(({ p50Ms }) => p50Ms),
        p99: ratio(({ p99Ms }) => p99Ms),
        rounds: found,
      });
    }),
  );

/** Requests with their status and share of the load time: only what was accepted can be closed. */
const COSTS = [
  ['send', 201, 1],
  ['accept', 200, 1],
  ['close', 200, 0.5],
  ['get', 200, 1],
  ['poll', 200, 1],
  ['page', 200, 1],
] as const;

program
  .command('costs')
  .description(
    'Measures processor time, WAL and disk of each request under load, for docs/operating/scale.md.',
  )
  .option('--rows <n>', 'claims in the database', whole, 40_000)
  .option('--seconds <n>', 'load time of each request', whole, 8)
  .action(({ rows, seconds }) =>
    withServers(async ({ database, redisUrl, postgresPid }) => {
      const url = await database('all');
      const { subject, data } = await loadedService(url, redisUrl, { rows });
      const usage = () =>
        withClient(url, async (client) => {
          const { rows } = await client.query<{ wal: string; disk: string }>(
            `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal, pg_database_size(current_database()) AS disk`,
          );
          return {
            wal: Number(rows[0]?.wal),
            disk: Number(rows[0]?.disk),
          };
        });
      // Warm-up: the code is not compiled yet.
      await load(subject.url, requestsOf('send', data.firms), 201, 2);
      const result: Record<string, unknown> = { rows, seconds };
      for (const [kind, status, share] of COSTS) {
        const before = await usage();
        const cpuSince = measureCpu({
          service: () => [subject.pid],
          postgres: () => (postgresPid === undefined ? [] : childrenOf(postgresPid)),
        });
        const { responses, wrong } = await load(
          subject.url,
          requestsOf(kind, data.firms),
          status,
          seconds * share,
        );
        const cpu = cpuSince();
        const after = await usage();
        if (wrong > 0) throw new Error(`${wrong} responses to ${kind} were not ${status}`);
        const each = (used = 0): number => rounded(used / responses);
        result[kind] = {
          responses,
          service_ms: each((cpu.service ?? 0) * 1000),
          postgres_ms: each((cpu.postgres ?? 0) * 1000),
          wal_kb: each((after.wal - before.wal) / 1000),
          disk_kb: each((after.disk - before.disk) / 1000),
        };
        say(`${kind}: ${JSON.stringify(result[kind])}`);
      }
      print(result);
    }),
  );

program
  .command('encryption')
  .description('Compares each hot path with encryption of personal data and without it.')
  .option('--rows <n>', 'claims in each of the two databases', whole, 40_000)
  .option('--rounds <n>', 'number of rounds', whole, 9)
  .option('--seconds <n>', 'load time per service and round', whole, 2)
  .action(({ rows, rounds, seconds }) =>
    withServers(async ({ database, redisUrl, postgresPid }) => {
      const plainUrl = await database('plain');
      const encryptedUrl = await database('encrypted');
      const plain = await loadedService(plainUrl, redisUrl, { rows });
      const key = { ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64') };
      const encrypted = await loadedService(encryptedUrl, redisUrl, { rows }, key);
      say('Encrypting …');
      execFileSync(process.execPath, ['apps/api/dist/svc.js', 'encryption', 'apply'], {
        env: { ...process.env, ...key, DATABASE_URL: encryptedUrl, REDIS_URL: redisUrl },
        stdio: 'ignore',
      });
      for (const url of [plainUrl, encryptedUrl])
        await withClient(url, (client) => client.query('VACUUM ANALYZE'));
      const result = { rows, rounds, seconds };
      const sides = [
        { name: 'encrypted', subject: encrypted.subject, data: encrypted.data, url: encryptedUrl },
        { name: 'plain', subject: plain.subject, data: plain.data, url: plainUrl },
      ] as const;
      print({ ...result, ...(await costs(sides, { rounds, seconds, postgresPid })) });
    }),
  );

interface CostSide {
  readonly name: string;
  readonly subject: Server;
  readonly data: BenchData;
  readonly url: string;
}

/** After one slice, the code is compiled only in part. */
const WARM_UP_SLICES = 5;

/** Loads two services in turn, and divides the figures of the first by those of the second. */
async function costs(
  sides: readonly [CostSide, CostSide],
  { rounds, seconds, postgresPid }: { rounds: number; seconds: number; postgresPid: number | undefined },
): Promise<Record<string, unknown>> {
  const result: Record<string, unknown> = {};
  for (const path of PATHS) {
    interface Slice {
      readonly responses: number;
      readonly rps: number;
      readonly service: number;
      readonly postgres: number;
    }
    const found: Slice[][] = [[], []];
    const requests = new Map(sides.map(({ url, data }) => [url, data.requests(path)]));
    const accepted = new Map<string, number>();
    for (let round = -WARM_UP_SLICES; round < rounds; round += 1) {
      for (const i of round % 2 === 0 ? [0, 1] : [1, 0]) {
        const { subject, url } = sides[i] as CostSide;
        const cpuSince = measureCpu({
          service: () => [subject.pid],
          postgres: () => (postgresPid === undefined ? [] : childrenOf(postgresPid)),
        });
        const next = requests.get(url) as () => BenchRequest;
        const { responses, rps, wrong } = await load(subject.url, next, EXPECTED[path], seconds);
        const { service = 0, postgres = 0 } = cpuSince();
        if (wrong > 0) throw new Error(`${wrong} responses to ${path} were not ${EXPECTED[path]}`);
        if (round >= 0) found[i]?.push({ responses, rps, service, postgres });
        accepted.set(url, (accepted.get(url) ?? 0) + responses);
      }
      if (path !== 'accept') continue;
      for (const { url, data } of sides) {
        if ((accepted.get(url) ?? 0) < data.offers / 2) continue;
        await reopenOffers(url);
        requests.set(url, data.requests(path));
        accepted.set(url, 0);
      }
    }
    const [ours = [], theirs = []] = found;
    const total = (slices: readonly Slice[], name: keyof Slice): number =>
      slices.reduce((sum, slice) => sum + slice[name], 0);
    const cpuOf = (slices: readonly Slice[]) => {
      const each = (name: 'service' | 'postgres'): number =>
        rounded((total(slices, name) / total(slices, 'responses')) * 1e6, 0);
      return { service_us: each('service'), postgres_us: each('postgres') };
    };
    const ratios = ours.map(({ rps }, i) => rps / (theirs[i]?.rps ?? rps));
    result[path] = {
      rps_ratio: rounded(median(ratios)),
      geometric_mean: rounded(
        Math.exp(ratios.reduce((sum, one) => sum + Math.log(one), 0) / ratios.length),
        3,
      ),
      of_all_responses: rounded(total(ours, 'responses') / total(theirs, 'responses'), 3),
      lowest: rounded(Math.min(...ratios)),
      highest: rounded(Math.max(...ratios)),
      ...Object.fromEntries(sides.map(({ name }, i) => [name, cpuOf(found[i] ?? [])])),
    };
    say(`${path}: ${JSON.stringify(result[path])}`);
  }
  return result;
}

const stops: (() => unknown)[] = [];

interface Servers {
  database(name: string): Promise<string>;
  readonly redisUrl: string;
  readonly postgresPid: number | undefined;
  readonly redisPid: number;
}

async function withServers(work: (servers: Servers) => Promise<void>): Promise<void> {
  const postgres = await startPostgres(say, {
    shared_buffers: '1GB',
    // Of Debian's server, as it is installed.
    ...(process.env.TEST_POSTGRES === 'system' && { autovacuum_naptime: '1min' }),
  });
  const redis = await startRedis({ log: say });
  stops.push(
    () => postgres.stop(),
    () => redis.stop(),
  );
  try {
    await work({
      redisUrl: redis.url,
      redisPid: redis.pid,
      postgresPid: postgres.pid,
      async database(name) {
        const url = new URL(postgres.url);
        url.pathname = `/bench_${name}`;
        await withClient(
          postgres.url,
          async (client) => void (await client.query(`CREATE DATABASE bench_${name}`)),
        );
        await migrate({ url: url.href });
        return url.href;
      },
    });
  } finally {
    for (const stop of stops) await stop();
  }
}

async function loadedService(
  url: string,
  redisUrl: string,
  wanted: {
    rows: number;
    firms?: number;
    sizes?: readonly number[];
    offersPerFirm?: number;
    statistics?: boolean;
  },
  env: Record<string, string> = {},
): Promise<{ subject: Server; data: BenchData }> {
  const data = await loadData(url, { firms: FIRMS, ...wanted, say });
  const subject = await startService(url, redisUrl, env);
  stops.unshift(() => subject.stop());
  return { subject, data };
}

/** Size of the table `claims`, with what is stored apart from its rows. */
const sizeOfClaims = (databaseUrl: string) =>
  withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ claims: number; table: number; indexes: number }>(
      `SELECT (SELECT count(*) FROM claims)::float8 AS claims, pg_table_size('claims')::float8 AS table,
         pg_indexes_size('claims')::float8 AS indexes`,
    );
    const { claims = 0, table = 0, indexes = 0 } = rows[0] ?? {};
    return {
      claims,
      table_mb: rounded(table / 1e6, 0),
      indexes_mb: rounded(indexes / 1e6, 0),
      bytes_per_claim: rounded((table + indexes) / claims, 0),
    };
  });

/** Blocks of 8 kB that all statements have read, from memory or disk; unlike a rate, not affected by other work. */
const blocksRead = (databaseUrl: string): Promise<number> =>
  withClient(databaseUrl, async (client) => {
    await pause(1500); // connections report theirs about once a second
    const { rows } = await client.query(
      'SELECT (blks_hit + blks_read)::float8 AS blocks FROM pg_stat_database WHERE datname = current_database()',
    );
    return rows[0].blocks;
  });

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
  const once = async ({ subject, next }: Side, length: number): Promise<Measured> => {
    const measured = await load(subject.url, next, EXPECTED[kind], length);
    if (measured.wrong > 0)
      throw new Error(`${measured.wrong} responses to ${kind} were not ${EXPECTED[kind]}`);
    return measured;
  };
  for (const side of sides) await once(side, 3);
  const found: [Measured, Measured][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const [first, second] = sides;
    if (round % 2 === 0) found.push([await once(first, seconds), await once(second, seconds)]);
    else {
      const theirs = await once(second, seconds);
      found.push([await once(first, seconds), theirs]);
    }
  }
  const ratio = (of: (measured: Measured) => number): number =>
    rounded(median(found.map(([first, second]) => of(first) / of(second))));
  const result = {
    compared: sides.map(({ name }) => name),
    p50: ratio(({ p50 }) => p50),
    p99: ratio(({ p99 }) => p99),
    p50_ms: found.map(([first, second]) => [rounded(first.p50), rounded(second.p50)]),
    p99_ms: found.map(([first, second]) => [rounded(first.p99), rounded(second.p99)]),
  };
  say(`${kind}, ${result.compared.join(' and ')}: p50 ${result.p50}, p99 ${result.p99}`);
  return result;
}

await program.parseAsync();
