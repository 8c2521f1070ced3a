// The process that runs mutants. It reports each mutant before running it, so the parent can replace a hung process.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import fc from 'fast-check';
import { firstFailure, type LoadedTest, loadTests, mutantSwitch } from './load-tests.ts';

export interface Work {
  readonly root: string;
  /** Absolute paths. */
  readonly sources: readonly string[];
  readonly tests: readonly string[];
  /** Mutants that an earlier process of this run has finished. */
  readonly finished: readonly string[];
}

export interface MutantFound {
  readonly id: string;
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** The text of that line. */
  readonly text: string;
  readonly code: string;
  readonly replacement: string;
}

export type Report =
  | { readonly kind: 'mutants'; readonly mutants: readonly MutantFound[] }
  | { readonly kind: 'started'; readonly id: string }
  | {
      readonly kind: 'finished';
      readonly id: string;
      readonly killedBy: string | null;
      readonly tests: number;
    }
  | { readonly kind: 'broken'; readonly message: string }
  | { readonly kind: 'end' };

/** A mutant that is hit this many times as often as without mutants is in an endless loop. */
const HIT_FACTOR = 100;
const NEVER_MS = 2 ** 31 - 1;

const send = (report: Report): void => {
  process.send?.(report);
};

// A mutant can cause errors outside of the test's promise: in a timer, or in a promise that is not awaited.
process.on('unhandledRejection', () => {});
process.on('uncaughtException', () => {});
process.on('disconnect', () => process.exit());
process.on('message', (work: Work) => {
  const broken = (error: unknown): void => send({ kind: 'broken', message: String(error) });
  run(work).then(() => send({ kind: 'end' }), broken);
});

async function run({ root, sources, tests: testFiles, finished }: Work): Promise<void> {
  // The same examples for each mutant: a survivor does not depend on the seed.
  fc.configureGlobal({ seed: 17 });
  const { mutants, instrumented } = await instrument(root, sources);
  send({ kind: 'mutants', mutants });

  const load = (files = testFiles): Promise<LoadedTest[]> => loadTests(files, instrumented, root);
  let tests = await load();
  const durations = new Map<string, number>();
  const broken = await firstFailure(
    tests,
    () => NEVER_MS,
    ({ id }, ms) => durations.set(id, ms),
  );
  if (broken !== null) {
    send({ kind: 'broken', message: `${broken.test.id} fails without a mutant: ${String(broken.error)}` });
    return;
  }
  const coverage = mutantSwitch.mutantCoverage ?? { static: {}, perTest: {} };
  const duration = ({ id }: LoadedTest): number => durations.get(id) ?? 0;
  const timeoutMs = (test: LoadedTest): number => 3_000 + 10 * duration(test);
  const byDuration = (some: readonly LoadedTest[]): LoadedTest[] =>
    [...some].sort((a, b) => duration(a) - duration(b));
  const coveredBy = (mutant: string, some = tests): LoadedTest[] =>
    byDuration(some.filter(({ id }) => coverage.perTest[id]?.[mutant] !== undefined));
  const hits = (mutant: string): number =>
    Object.values(coverage.perTest).reduce(
      (sum, hitsOfTest) => sum + (hitsOfTest[mutant] ?? 0),
      coverage.static[mutant] ?? 0,
    );

  const findKiller = async (id: string, chosen: readonly LoadedTest[]): Promise<string | null> => {
    Object.assign(mutantSwitch, { activeMutant: id, hitCount: 0, hitLimit: 1_000 + HIT_FACTOR * hits(id) });
    try {
      return (await firstFailure(chosen, timeoutMs))?.test.id ?? null;
    } finally {
      mutantSwitch.activeMutant = undefined;
    }
  };
  /** With modules that no other mutant has run in, since they may cache results. */
  const findKillerInNewModules = async ({ id, file }: MutantFound): Promise<string | null> => {
    const [, name] = file.split('/');
    const isOfPackage = (path: string): boolean => path.startsWith(join(root, 'packages', `${name}`, 'test'));
    // The tests up to those of its package are loaded in a fraction of the time, and find most.
    for (const count of new Set([testFiles.findLastIndex(isOfPackage) + 1, testFiles.length])) {
      mutantSwitch.activeMutant = id;
      try {
        const loaded = await load(testFiles.slice(0, count));
        // A mutant that runs when a module loads may matter to every test.
        const isStatic = coverage.static[id] !== undefined;
        const killer = await findKiller(id, isStatic ? byDuration(loaded) : coveredBy(id, loaded));
        if (killer !== null) return killer;
      } catch (error) {
        return `loading: ${String(error)}`;
      } finally {
        mutantSwitch.activeMutant = undefined;
      }
    }
    return null;
  };

  let hasRunMutant = false;
  for (const mutant of mutants) {
    const { id } = mutant;
    if (finished.includes(id)) continue;
    send({ kind: 'started', id });
    if (hasRunMutant && coveredBy(id).length > 0) {
      tests = await load();
      hasRunMutant = false;
    }
    let killedBy = await findKiller(id, coveredBy(id));
    const again = tests.filter((test) => test.id === killedBy);
    if (hits(id) > 0 && (killedBy === null || (await firstFailure(again, timeoutMs)) !== null)) {
      killedBy = await findKillerInNewModules(mutant);
      hasRunMutant = true;
    }
    send({ kind: 'finished', id, killedBy, tests: coveredBy(id).length });
  }
}

async function instrument(root: string, sources: readonly string[]) {
  const silent = () => {};
  const no = () => false;
  const logger = {
    trace: silent,
    debug: silent,
    info: silent,
    warn: silent,
    error: silent,
    fatal: silent,
    isTraceEnabled: no,
    isDebugEnabled: no,
    isInfoEnabled: no,
    isWarnEnabled: no,
    isErrorEnabled: no,
    isFatalEnabled: no,
  };
  const files = sources.map((name) => ({ name, content: readFileSync(name, 'utf8'), mutate: true }));
  const result = await new Instrumenter(logger).instrument(files, {
    plugins: null,
    excludedMutations: [],
    ignorers: [],
  });
  const texts = new Map(files.map(({ name, content }) => [name, content]));
  const mutants = result.mutants.map(
    ({ id, fileName, location: { start, end }, replacement }): MutantFound => {
      const lines = (texts.get(fileName) ?? '').split('\n').slice(start.line, end.line + 1);
      const text = lines[0] ?? '';
      lines.push((lines.pop() ?? '').slice(0, end.column));
      const code = lines.join('\n').slice(start.column);
      return {
        id,
        file: relative(root, fileName),
        line: start.line + 1,
        text: text.trim(),
        code,
        replacement,
      };
    },
  );
  return { mutants, instrumented: new Map(result.files.map(({ name, content }) => [name, content])) };
}
