// Benchmarks: the service and the hand-written baseline take turns under the same load and data on one machine. Compare the
// ratio; absolute figures depend on the machine.
import { writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { Command } from 'commander';
import pc from 'picocolors';
import { say, wholeNumber } from '../services/command.ts';
import type { BenchRequest } from './connection.ts';
import { type BenchData, EXPECTED, jobsDone, loadData, PATHS, type Path, reopenOffers } from './data.ts';
import { alternately, load, measureCpu } from './load.ts';
import { median, plot, type Summary, summarize, table } from './report.ts';
import { type Server, withServers } from './servers.ts';

interface Options {
  readonly path: Path[];
  readonly rounds: number;
  readonly rows: number;
  readonly seconds: number;
  readonly quick?: boolean;
  readonly json?: boolean;
  readonly svg?: string;
}

const options = new Command('bench')
  .description('Compares the service with a hand-written baseline on the same data.')
  .addHelpText('after', '\nbench scale measures growth, costs and a storm; bench scale --help lists them.')
  .option('--path <path...>', `paths to measure: ${PATHS.join(', ')} (default: all)`)
  .option('--rounds <n>', 'number of rounds', wholeNumber(1), 5)
  .option('--rows <n>', 'claims in the database, for 200 firms', wholeNumber(1), 200_000)
  .option('--seconds <n>', 'load time per subject and round', wholeNumber(1), 5)
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

await withServers(async ({ database, redisPid, postgresPids, startService, startBaseline }) => {
  const databaseUrl = await database('all');
  const data = await loadData(databaseUrl, { firms: 200, rows });
  const service = await startService(databaseUrl);
  const baseline = await startBaseline(databaseUrl);

  const summaries: Record<string, Summary> = {};
  for (const path of wanted) {
    await checkSameResponses(path, data, [service, baseline], databaseUrl);
    const once = async (subject: Server, length = seconds) => {
      if (path === 'accept') await reopenOffers(databaseUrl);
      if (path === 'send') await jobsDone(databaseUrl);
      const cpuSince = measureCpu({
        node: () => [subject.pid],
        database: postgresPids,
        redis: () => [redisPid],
        load: () => [process.pid],
      });
      const result = await load(subject.url, data.requests(path), EXPECTED[path], length);
      return { ...result, cpu: cpuSince() };
    };
    // Warm-up, not measured: JIT compilation and PostgreSQL's plans.
    for (const subject of [service, baseline]) await once(subject, Math.min(2, seconds));
    const found = await alternately([service, baseline], rounds, once, (measured) => {
      const [ours, theirs] = measured.at(-1) ?? [];
      const ratio = median(measured.map(([one, other]) => one.rps / other.rps));
      say(
        pc.dim(
          `${path} round ${measured.length} of ${rounds}: ${ours?.rps.toFixed(0)} and ${theirs?.rps.toFixed(0)} responses/s, median ratio ${ratio.toFixed(2)}`,
        ),
      );
    });
    summaries[path] = summarize(found.map(([ours, theirs]) => ({ service: ours, baseline: theirs })));
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
});

/** Checks that all subjects return the same response, except for generated values. */
async function checkSameResponses(
  path: Path,
  data: BenchData,
  subjects: readonly Server[],
  databaseUrl: string,
): Promise<void> {
  const bodies: unknown[] = [];
  const request = data.requests(path)();
  for (const [i, subject] of subjects.entries()) {
    if (path === 'accept') await reopenOffers(databaseUrl);
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
