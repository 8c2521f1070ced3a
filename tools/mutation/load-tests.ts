// Loads test files into this process, with mutants in the sources that they import. Jest would load every module again
// for each mutant; here a mutant is a switch, and a test runs in about a millisecond.
import { readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Module, SourceTextModule, SyntheticModule } from 'node:vm';
import { transformSync } from '@swc/core';
import { getState, resetState, type State } from 'jest-circus';

type DescribeBlock = State['rootDescribeBlock'];
type TestEntry = NonNullable<State['currentlyRunningTest']>;
type HookType = DescribeBlock['hooks'][number]['type'];

export interface LoadedTest {
  readonly id: string;
  readonly entry: TestEntry;
}

/** What instrumented code reads and writes: https://stryker-mutator.io/docs/mutation-testing-elements/mutant-states-and-metrics/ */
interface MutantSwitch {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: { static: Record<string, number>; perTest: Record<string, Record<string, number>> };
}

// Modules share the global scope of this process, so one object serves every load.
export const mutantSwitch: MutantSwitch = {};
Object.assign(globalThis, { __stryker__: mutantSwitch });

const JEST_GLOBALS: Record<string, unknown> = await import(
  new URL('../services/jest-globals.mjs', import.meta.url).href
);

const compiled = new Map<string, string>();
const external = new Map<string, Promise<Record<string, unknown>>>();

/** Every call loads all modules again: code that runs when a module loads then runs with the active mutant. */
export async function loadTests(
  files: readonly string[],
  sources: ReadonlyMap<string, string>,
  root: string,
): Promise<LoadedTest[]> {
  resetState();
  const modules = new Map<string, Module | Promise<Module>>();
  const load = (specifier: string, parent: string): Module | Promise<Module> => {
    if (specifier === '@jest/globals') return cached('@jest/globals', () => synthetic({ ...JEST_GLOBALS }));
    if (isBuiltin(specifier)) return cached(specifier, () => imported(specifier));
    const path = createRequire(parent).resolve(specifier);
    return cached(path, () => (path.endsWith('.ts') ? source(path) : imported(pathToFileURL(path).href)));
  };
  const cached = (key: string, create: () => Module | Promise<Module>): Module | Promise<Module> => {
    const module = modules.get(key) ?? create();
    modules.set(key, module);
    return module;
  };
  const source = (path: string): Module => {
    const code = compiled.get(path) ?? compile(sources.get(path) ?? readFileSync(path, 'utf8'));
    compiled.set(path, code);
    return new SourceTextModule(code, { identifier: path });
  };
  const tests: LoadedTest[] = [];
  for (const file of files) {
    const { children } = getState().rootDescribeBlock;
    const before = children.length;
    const module = await load(file, file);
    await module.link((specifier, parent) => load(specifier, parent.identifier));
    await module.evaluate();
    for (const entry of children.slice(before).flatMap(entries)) {
      tests.push({ id: `${relative(root, file)} ${tests.length} ${nameOf(entry)}`, entry });
    }
  }
  return tests;
}

/** Runs tests in order up to the first that fails. */
export async function firstFailure(
  tests: readonly LoadedTest[],
  timeoutMs: (test: LoadedTest) => number,
  onPass: (test: LoadedTest, durationMs: number) => void = () => {},
): Promise<{ test: LoadedTest; error: unknown } | null> {
  const opened: DescribeBlock[] = [];
  try {
    for (const each of tests) {
      const startedAt = performance.now();
      try {
        await within(timeoutMs(each), runTest(each, opened));
      } catch (error) {
        return { test: each, error };
      }
      onPass(each, performance.now() - startedAt);
    }
    return null;
  } finally {
    for (const block of opened.reverse())
      await Promise.allSettled(hooks(block, 'afterAll').map((run) => run()));
    mutantSwitch.currentTestId = undefined;
  }
}

async function runTest({ id, entry }: LoadedTest, opened: DescribeBlock[]): Promise<void> {
  const blocks: DescribeBlock[] = [];
  for (let block = entry.parent as DescribeBlock | undefined; block; block = block.parent)
    blocks.unshift(block);
  // Mutants that run in beforeAll affect every test of the block, so they are not counted for one test.
  mutantSwitch.currentTestId = undefined;
  for (const block of blocks.filter((each) => !opened.includes(each))) {
    opened.push(block);
    for (const run of hooks(block, 'beforeAll')) await run();
  }
  mutantSwitch.currentTestId = id;
  for (const block of blocks) for (const run of hooks(block, 'beforeEach')) await run();
  await call(entry.fn);
  for (const block of blocks.reverse()) for (const run of hooks(block, 'afterEach')) await run();
}

function hooks(block: DescribeBlock, type: HookType): (() => Promise<void>)[] {
  return block.hooks.filter((hook) => hook.type === type).map((hook) => () => call(hook.fn));
}

async function call(run: unknown): Promise<void> {
  await (run as () => unknown)();
}

async function within(timeoutMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no result within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function entries(child: DescribeBlock | TestEntry): TestEntry[] {
  return child.type === 'test' ? [child] : child.children.flatMap(entries);
}

function nameOf({ name, parent }: TestEntry): string {
  const names = [name];
  for (let block: DescribeBlock = parent; block.parent; block = block.parent) names.unshift(block.name);
  return names.join(' › ');
}

function compile(typescript: string): string {
  const { code } = transformSync(typescript, {
    configFile: false,
    swcrc: false,
    jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
    module: { type: 'es6' },
  });
  return code;
}

function synthetic(exported: Record<string, unknown>): Module {
  const module: SyntheticModule = new SyntheticModule(Object.keys(exported), () => {
    for (const [name, value] of Object.entries(exported)) module.setExport(name, value);
  });
  return module;
}

/** A package from npm or a built-in module. It has no mutants, so it is loaded once. */
async function imported(url: string): Promise<Module> {
  const loading = external.get(url) ?? import(url);
  external.set(url, loading);
  return synthetic({ ...(await loading) });
}
