// `pnpm test`: all checks, one stage each. Arguments are passed to Jest and select tests (`pnpm test -t name`,
// `pnpm test packages/domain`). `--system-postgres` uses the system's PostgreSQL instead of the embedded one, and
// `--citus` a Citus cluster of it.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { startWatchdog } from '@svc/embedded-postgres';
import pc from 'picocolors';
import { build } from './build.ts';
import { startTestServers, type TestServers } from './test-servers.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const STAGE_TIMEOUT_MS = 20 * 60_000;
/** Runs of Jest. Tests with servers run together, so that others run while some wait. */
const WITH_SERVERS = { name: 'with servers', projects: ['integration', 'e2e'] } as const;
const STAGES = [{ name: 'unit', projects: ['unit'] }, WITH_SERVERS] as const;
type Stage = (typeof STAGES)[number];
/** More than the cores, because tests that wait for a server, a timer or a browser leave a core idle. */
const WORKERS = availableParallelism() * 2;

/** The first line that Jest prints of a test file, with its duration. */
const FINISHED_FILE = /^ *(PASS|FAIL) /;
/** Of a check or test file, in the summary of a failed run. */
const REASON_LINES = 12;

const interactive = process.stdout.isTTY === true;
const paint = pc.createColors(interactive && !process.env.NO_COLOR);
// One build and one schema for all stages.
process.env.TEST_RUN_ID ??= randomBytes(4).toString('hex');
const reports = mkdtempSync(join(tmpdir(), 'claims-test-reports-'));

interface Outcome {
  readonly ok: boolean;
  readonly passed: number;
  readonly failed: number;
  /** Printed after the stage's time. */
  readonly note: string;
  readonly output: string;
  /** Test files that failed, each with the first lines of its reason. */
  readonly failedFiles?: readonly string[];
}

interface Finished {
  readonly code: number | null;
  readonly timedOut: boolean;
  readonly output: string;
}

const children = new Set<ChildProcess>();
/** Stages and test files, repeated at the end: logs are often cut. */
const failures: string[] = [];
let servers: Promise<TestServers> | undefined;
let built: Promise<void> | undefined;

const args = process.argv.slice(2);
// pnpm passes on the `--` of `pnpm test -- -t name`, after which Jest would read `-t` as a path.
if (args[0] === '--') args.shift();
/** Other servers than the embedded one. Without them the tests that need no server have nothing new to show. */
const otherServer = { '--system-postgres': 'system', '--citus': 'citus' }[args[0] ?? ''];
if (otherServer) {
  args.shift();
  process.env.TEST_POSTGRES = otherServer;
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  process.once(signal, () => void quit(code));
}

const outcomes = args.length > 0 ? [await onlyTests(args)] : await everything();
await quit(conclude(outcomes));

/** Runs all stages at once; tests with servers start when the servers run and the build is done. */
async function everything(): Promise<Outcome[]> {
  servers = startTestServers((line) => console.log(paint.dim(line)));
  // Awaited below; a failure before then must not count as unhandled.
  servers.catch(() => {});
  built = build();
  built.catch(() => {});
  if (otherServer) return [await stage(WITH_SERVERS.name, () => runStage(WITH_SERVERS))];
  const [checks, tests] = await Promise.all([runChecks(), runTests()]);
  return [...checks, ...tests];
}

async function runChecks(): Promise<Outcome[]> {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const outcomes: Outcome[] = [];
  for (const [name, script] of [
    ['types', scripts.types],
    ['lint', scripts.lint],
    ['lint:deps', scripts['lint:deps']],
  ] as const) {
    outcomes.push(await stage(name, () => check(name, script)));
  }
  return outcomes;
}

async function runTests(): Promise<Outcome[]> {
  return Promise.all(STAGES.map((one) => stage(one.name, () => runStage(one))));
}

async function check(name: string, script: string | undefined): Promise<Outcome> {
  if (!script) throw new Error(`package.json has no script for ${name}.`);
  const { code, timedOut, output } = await run('/bin/sh', ['-c', script]);
  return { ok: code === 0 && !timedOut, passed: 0, failed: 0, note: timedOut ? overtime() : '', output };
}

async function runStage({ name, projects }: Stage): Promise<Outcome> {
  const variables = name === 'unit' ? {} : (await servers)?.variables;
  const workers = name === 'unit' ? [] : [`--maxWorkers=${WORKERS}`];
  if (name !== 'unit') await built;
  const report = join(reports, `${name}.json`);
  const options = { ...(variables && { variables }), showFiles: true };
  return judge(await jest(['--selectProjects', ...projects, ...workers], report, options), report);
}

/** Shows Jest's own output. Jest's setup starts the servers if the selected tests need any. */
async function onlyTests(args: string[]): Promise<Outcome> {
  const report = join(reports, 'report.json');
  const finished = await jest(args, report, {
    inherit: true,
    watching: args.some((arg) => arg.startsWith('--watch')),
  });
  const outcome = judge(finished, report);
  if (outcome.passed + outcome.failed === 0) console.log(`\n${outcome.note}`);
  return outcome;
}

function jest(args: string[], report: string, options: RunOptions): Promise<Finished> {
  const command = [
    '--no-warnings',
    join(ROOT, 'node_modules/jest/bin/jest.js'),
    ...args,
    '--json',
    `--outputFile=${report}`,
  ];
  return run(process.execPath, command, options);
}

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  /** Files that failed before their first test. */
  readonly numRuntimeErrorTestSuites: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
  }[];
}

function judge({ code, timedOut, output }: Finished, file: string): Outcome {
  let report: Report | undefined;
  try {
    report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    // Jest ended before it wrote a report.
  }
  const passed = report?.numPassedTests ?? 0;
  const failed = (report?.numFailedTests ?? 0) + (report?.numRuntimeErrorTestSuites ?? 0);
  const skipped = (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0);
  const ran = passed + failed > 0;
  const counts = [`${passed} passed`, failed && `${failed} failed`, skipped && `${skipped} skipped`];
  const note = timedOut ? overtime() : ran ? counts.filter(Boolean).join(', ') : 'no test ran';
  const failedFiles = (report?.testResults ?? [])
    .filter(({ status }) => status === 'failed')
    .map(({ name, message }) => `${relative(ROOT, name)}\n${firstLines(message)}`);
  return { ok: code === 0 && !timedOut && ran, passed, failed, note, output, failedFiles };
}

function firstLines(text: string): string {
  const lines = stripVTControlCharacters(text).split('\n');
  const filled = lines.filter((line) => line.trim() !== '');
  return filled.slice(0, REASON_LINES).join('\n');
}

function overtime(): string {
  return `ended after ${STAGE_TIMEOUT_MS / 60_000} minutes`;
}

async function stage(name: string, work: () => Promise<Outcome>): Promise<Outcome> {
  const since = performance.now();
  const outcome = await work().catch(
    (error: Error): Outcome => ({
      ok: false,
      passed: 0,
      failed: 0,
      note: 'did not run',
      output: error.message,
    }),
  );
  const seconds = `${((performance.now() - since) / 1000).toFixed(1)} s`;
  const mark = outcome.ok ? paint.green('✓') : paint.red('✗');
  if (!outcome.ok) {
    const { failedFiles = [] } = outcome;
    // What failed in a test file was shown when the file ended.
    if (failedFiles.length === 0) console.log(`\n${outcome.output.trim()}\n`);
    failures.push(
      `${mark} ${name} ${outcome.note}`.trimEnd(),
      ...(failedFiles.length > 0 ? failedFiles : [firstLines(outcome.output)]),
    );
  }
  console.log(`${mark} ${name.padEnd(12)} ${seconds.padStart(8)}  ${paint.dim(outcome.note)}`.trimEnd());
  return outcome;
}

/** The last line is also read by scripts, and never says "0 failed" of a failed run. */
function conclude(outcomes: readonly Outcome[]): number {
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
  const failed = outcomes.reduce((sum, outcome) => sum + Math.max(outcome.failed, outcome.ok ? 0 : 1), 0);
  for (const failure of failures) console.log(`\n${failure}`);
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0 ? 0 : 1;
}

interface RunOptions {
  readonly variables?: Readonly<Record<string, string>>;
  readonly inherit?: boolean;
  readonly watching?: boolean;
  /** Prints a line for each test file that Jest has finished, and what failed in it. */
  readonly showFiles?: boolean;
}

function run(command: string, args: string[], options: RunOptions = {}): Promise<Finished> {
  const { variables = {}, inherit = false, watching = false, showFiles = false } = options;
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      env: {
        ...process.env,
        ...variables,
        PATH: `${join(ROOT, 'node_modules/.bin')}${delimiter}${process.env.PATH ?? ''}`,
        ...(interactive ? { FORCE_COLOR: '1' } : { FORCE_COLOR: '0', NO_COLOR: '1' }),
      },
      // A process group, so that a timeout ends all workers. Watch mode needs the terminal.
      detached: !watching,
      stdio: inherit ? [watching ? 'inherit' : 'ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    });
    children.add(child);
    const watchdog = child.pid === undefined ? undefined : startWatchdog({ pid: child.pid, signal: 'KILL' });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      const show = showFiles ? fileReporter() : () => {};
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
        show(chunk);
      });
    }
    let timedOut = false;
    const timer = watching
      ? undefined
      : setTimeout(() => {
          timedOut = true;
          endGroup(child);
        }, STAGE_TIMEOUT_MS);
    const finish = (code: number | null) => {
      clearTimeout(timer);
      children.delete(child);
      watchdog?.cancel();
      resolve({ code, timedOut, output });
    };
    child.once('error', (error) => {
      output += error.message;
      finish(null);
    });
    child.once('close', finish);
  });
}

/** Prints the part of Jest's output that belongs in a summary: the name of each file, and what failed in it. */
function fileReporter(): (chunk: string) => void {
  let unfinished = '';
  let isFailed = false;
  return (chunk) => {
    const lines = (unfinished + chunk).split('\n');
    unfinished = lines.pop() ?? '';
    for (const line of lines) {
      const plain = stripVTControlCharacters(line);
      const [, result] = FINISHED_FILE.exec(plain) ?? [];
      if (result) isFailed = result === 'FAIL';
      if (result === 'PASS') console.log(paint.dim(plain));
      else if (isFailed) console.log(line);
    }
  };
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
}

async function quit(code: number): Promise<never> {
  for (const child of children) endGroup(child);
  await servers?.then(
    (started) => started.stop(),
    () => {},
  );
  rmSync(reports, { recursive: true, force: true });
  process.exit(code);
}
