// `pnpm test:mutation`: changes one expression after another, and lists the changes that no unit test notices.
import { fork } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import type { MutantFound, Report, Work } from './worker.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** A mutant that does not end within this is in an endless loop that the worker cannot leave. */
const HANGING_MS = 120_000;

/** Which unit tests judge which sources, and the least score in percent. */
const SCOPES = [
  { sources: 'packages/domain/src', tests: ['domain', 'application', 'adapter-memory'], least: 97 },
  { sources: 'packages/application/src', tests: ['domain', 'application', 'adapter-memory'], least: 95 },
  { sources: 'packages/contract/src/parse-request.ts', tests: ['contract'], least: 95 },
  { sources: 'packages/contract/src/field-suggestion.ts', tests: ['contract'], least: 95 },
];

const program = new Command('test:mutation')
  .description('Shows which changes to the code no unit test notices.')
  .argument(
    '[paths...]',
    `parts of the paths of sources below ${SCOPES.map(({ sources }) => sources).join(', ')}`,
  )
  .parse(process.argv.filter((arg, at) => !(arg === '--' && at === 2)));

let failed = false;
let judged = 0;
for (const { sources, tests, least } of SCOPES) {
  const chosen = typescript(sources).filter(
    (path) => program.args.length === 0 || program.args.some((part) => path.includes(part)),
  );
  if (chosen.length === 0) continue;
  const testFiles = tests.flatMap((name) => typescript(`packages/${name}/test`).filter(isUnitTest));
  await judge({ root: ROOT, sources: chosen.map(absolute), tests: testFiles.map(absolute) }, least);
}
if (judged === 0) program.help({ error: true });
process.exit(failed ? 1 : 0);

/** Runs all mutants, prints each survivor, and then the score of each folder. */
async function judge(work: Omit<Work, 'finished'>, least: number): Promise<void> {
  let mutants: readonly MutantFound[] = [];
  const finished = new Map<string, string | null>();
  for (let ended = false; !ended; ) {
    ended = await new Promise<boolean>((done, fail) => {
      const child = fork(fileURLToPath(new URL('worker.ts', import.meta.url)), {
        execArgv: ['--conditions=source', '--experimental-vm-modules', '--no-warnings', '--import', 'tsx'],
      });
      let current: string | undefined;
      let watchdog: NodeJS.Timeout | undefined;
      const replaceWorker = (): void => {
        if (current !== undefined) finished.set(current, 'no end');
        done(false);
        child.kill('SIGKILL');
      };
      child.on('message', (report: Report) => {
        clearTimeout(watchdog);
        if (report.kind === 'mutants') mutants = report.mutants;
        if (report.kind === 'started') {
          current = report.id;
          watchdog = setTimeout(replaceWorker, HANGING_MS);
        }
        if (report.kind === 'finished') {
          finished.set(report.id, report.killedBy);
          const mutant = mutants.find(({ id }) => id === report.id);
          if (report.killedBy === null && mutant !== undefined) print(mutant, report.tests);
        }
        if (report.kind === 'broken') fail(new Error(report.message));
        if (report.kind === 'end') {
          done(true);
          child.disconnect();
        }
      });
      child.on('exit', (code, signal) => {
        clearTimeout(watchdog);
        fail(new Error(`The worker ended early: ${signal ?? code}`));
      });
      child.send({ ...work, finished: [...finished.keys()] } satisfies Work);
    });
  }
  judged += mutants.length;
  const score = (of: readonly MutantFound[]): number =>
    (100 * of.filter(({ id }) => finished.get(id) !== null).length) / of.length;
  const folders = new Map<string, MutantFound[]>();
  for (const mutant of mutants) {
    for (const folder of new Set([mutant.file, dirname(mutant.file)])) {
      folders.set(folder, [...(folders.get(folder) ?? []), mutant]);
    }
  }
  for (const [folder, of] of [...folders].sort())
    console.log(`${score(of).toFixed(1)} %  of ${of.length}  ${folder}`);
  console.log(`${score(mutants).toFixed(1)} %  of ${mutants.length}  in all; at least ${least} %`);
  if (score(mutants) < least) failed = true;
}

function print(mutant: MutantFound, tests: number): void {
  console.log(`\n${mutant.file}:${mutant.line}  survived ${tests} tests`);
  console.log(`  ${mutant.text}\n- ${oneLine(mutant.code)}\n+ ${oneLine(mutant.replacement)}`);
}

/** Formatting aside: the replacement is printed by another program than the source. */
function oneLine(code: string): string {
  return code.replace(/\s+/g, ' ');
}

function typescript(path: string): string[] {
  if (path.endsWith('.ts')) return [path];
  return readdirSync(absolute(path), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(path, name))
    .sort();
}

function isUnitTest(path: string): boolean {
  return /(?<!\.(int|e2e))\.test\.ts$/.test(path);
}

function absolute(path: string): string {
  return join(ROOT, path);
}
