// Benchmarks: the service and the hand-written baseline take turns under the same load and data on one machine. Compare the
// ratio; absolute figures depend on the machine.
import { writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { migrate } from '@svc/adapter-postgres';
import { Command, InvalidArgumentError } from 'commander';
import pc from 'picocolors';
import { startPostgres } from '../services/postgres.ts';
import { childrenOf } from '../services/process-usage.ts';
import { startRedis } from '../services/redis.ts';
import type { BenchRequest } from './connection.ts';
import { type BenchData, jobsDone, loadData, reopenOffers } from './data.ts';
import { load, type Measured, measureCpu } from './load.ts';
import { PATHS, type Path } from './paths.ts';
import { median, plot, type Round, type Summary, summarize, table } from './report.ts';
import { type Server, start, startService } from './subject.ts';

const EXPECTED: Readonly<Record<Path, number>> = { get: 200, page: 200, send: 201, accept: 200 };

interface Options {
  readonly path: Path[];
  readonly rounds: number;
  readonly rows: number;
  readonly seconds: number;
  readonly quick?: boolean;
  readonly json?: boolean;
  readonly svg?: string;
}

const whole = (text: string): number => {
  if (!/^[1-9]\d{0,7}$/.test(text)) throw new InvalidArgumentError('Must be an integer of at least 1.');
  return Number(text);
};

const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

const options = new Command('bench')
  .description('Compares the service with a hand-written baseline on the same data.')
  .addHelpText('after', '\nbench scale measures growth, overload and more; bench scale --help lists them.')
  .option('--path <path...>', `paths to measure: ${PATHS.join(', ')} (default: all)`)
  .option('--rounds <n>', 'number of rounds', whole, 5)
  .option('--rows <n>', 'claims in the database, for 200 firms', whole, 200_000)
  .option('--seconds <n>', 'load time per subject and round', whole, 5)
  .option('--quick', 'fewer rows and shorter rounds, under two minutes')
  .option('--json', 'print one JSON document')
  .option('--svg <file>', 'write a chart of the ratios')
  .parse()
  .opts<Options>();

const wanted = options.path ?? [...PATHS];
const unknown = wanted.find((path) => !PATHS.includes(path));
if (unknown !== undefined) {
  say(`bench: unknown --path ${unknown}; allowed: ${PATHS.join(', ')}`);
  process.exit(2);
}
const rounds = options.quick ? Math.min(options.rounds, 5) : options.rounds;
const rows = options.quick ? Math.min(options.rows, 20_000) : options.rows;
const seconds = options.quick ? 2 : options.seconds;

// A quarter of a server with 4 GB, as PostgreSQL's documentation recommends. The default of 128 MB is less than the claims.
const postgres = await startPostgres(say, { shared_buffers: '1GB' });
const redis = await startRedis({ log: say });
const stops: (() => unknown)[] = [() => postgres.stop(), () => redis.stop()];
try {
  const databaseUrl = postgres.url;
  await migrate({ url: databaseUrl });
  const data = await loadData(databaseUrl, { firms: 200, rows, say });
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: redis.url };
  const service = await startService(databaseUrl, redis.url);
  const baseline = await start(
    'baseline',
    ['--conditions=source', '--import', 'tsx', 'tools/bench/baseline.ts'],
    env,
  );
  stops.unshift(
    () => service.stop(),
    () => baseline.stop(),
  );

  const summaries: Partial<Record<Path, Summary>> = {};
  for (const path of wanted) {
    await checkSameResponses(path, data, [service, baseline]);
    summaries[path] = summarize(await measure(path, data, service, baseline, databaseUrl));
  }
  const document = {
    rows,
    firms: 200,
    rounds,
    seconds,
    connections: 32,
    node: process.version,
    paths: summaries,
  };
  if (options.json) process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  else process.stdout.write(table(summaries));
  if (options.svg !== undefined) writeFileSync(options.svg, plot(summaries));
} finally {
  for (const stop of stops) await stop();
}

async function measure(
  path: Path,
  data: BenchData,
  service: Server,
  baseline: Server,
  databaseUrl: string,
): Promise<Round[]> {
  const measured: Round[] = [];
  const once = async (subject: Server, length: number) => {
    if (path === 'accept') await reopenOffers(databaseUrl);
    if (path === 'send') await jobsDone(databaseUrl);
    const cpuSince = measureCpu({
      node: () => [subject.pid],
      database: () => (postgres.pid === undefined ? [] : childrenOf(postgres.pid)),
      redis: () => [redis.pid],
      load: () => [process.pid],
    });
    const result: Measured = await load(subject.url, data.requests(path), EXPECTED[path], length);
    const cpu = cpuSince();
    if (result.wrong > 0)
      throw new Error(`${subject.name}: ${result.wrong} responses to ${path} were not ${EXPECTED[path]}`);
    return { ...result, cpu };
  };
  // Warm-up, not measured: JIT compilation and PostgreSQL's plans.
  for (const subject of [service, baseline]) await once(subject, Math.min(2, seconds));
  for (let round = 0; round < rounds; round += 1) {
    // Alternate the order, because later subjects find warmer caches.
    const serviceFirst = round % 2 === 0 ? await once(service, seconds) : null;
    const baselineResult = await once(baseline, seconds);
    const serviceResult = serviceFirst ?? (await once(service, seconds));
    measured.push({ service: serviceResult, baseline: baselineResult });
    const ratio = median(measured.map((one) => one.service.rps / one.baseline.rps));
    say(
      pc.dim(
        `${path} round ${round + 1} of ${rounds}: ${serviceResult.rps.toFixed(0)} and ${baselineResult.rps.toFixed(0)} responses/s, median ratio ${ratio.toFixed(2)}`,
      ),
    );
  }
  return measured;
}

/** Checks that all subjects return the same response, except for generated values. */
async function checkSameResponses(path: Path, data: BenchData, subjects: readonly Server[]): Promise<void> {
  const bodies: unknown[] = [];
  const request = data.requests(path)();
  for (const [i, subject] of subjects.entries()) {
    if (path === 'accept') await reopenOffers(postgres.url);
    const own: BenchRequest = path === 'send' && i > 0 ? data.requests(path)() : request;
    const response = await fetch(subject.url + own.path, {
      method: own.method,
      headers: own.headers,
      ...(own.body !== undefined && { body: own.body }),
    });
    if (response.status !== EXPECTED[path]) {
      throw new Error(`${subject.name} returned ${response.status} for ${path}: ${await response.text()}`);
    }
    const body: unknown = await response.json();
    if (path === 'send') await mustBeStored(body, own, subject.name, subjects[0]);
    bodies.push(comparable(path, body));
  }
  if (!isDeepStrictEqual(bodies[0], bodies[1])) {
    throw new Error(`the responses to ${path} differ:\n${JSON.stringify(bodies, null, 2)}`);
  }
}

/** A claim created by one subject must be readable through another. */
async function mustBeStored(
  body: unknown,
  sent: BenchRequest,
  by: string,
  reader: Server | undefined,
): Promise<void> {
  const { id, external_id } = body as { id: string; external_id: string };
  const { authorization = '' } = sent.headers;
  const response = await fetch(`${reader?.url}/v1/claims/${id}`, { headers: { authorization } });
  const sentBody = JSON.parse(sent.body ?? '') as { external_id: string };
  if (external_id !== sentBody.external_id || !isDeepStrictEqual(await response.json(), body)) {
    throw new Error(`${by} did not store the claim as returned`);
  }
}

/** Removes values that differ between responses; of a new claim only the structure is compared. */
function comparable(path: Path, json: unknown): unknown {
  if (path === 'page') return { ...(json as object), next_cursor: 'a cursor' };
  if (path === 'accept') {
    const { updated_at: _, assignment, ...rest } = json as { updated_at: string; assignment: object };
    return { ...rest, assignment: { ...assignment, responded_at: 'now' } };
  }
  return path === 'send' ? shapeOf(json) : json;
}

function shapeOf(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return value === null ? null : typeof value;
  // Only fields that every claim has.
  const always = [
    'id',
    'test',
    'created_at',
    'updated_at',
    'assignment',
    'external_id',
    'claim_number',
    'loss',
  ];
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => always.includes(name))
      .map(([name, inner]) => [name, typeof inner])
      .sort(),
  );
}
