// Jest's runner: runs test files as plain Node modules, so that the files of a worker share the product they load.
// Jest's own runner loads it again for every file, which took more than half of the processor time.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'jest-worker';

/**
 * Seven times V8's own threshold: tests call most functions too few times to gain from optimized code. Later versions of
 * Node do not have this flag.
 */
const OPTIMIZE_LATER = ['--interrupt-budget=500000'];

/** The product keeps the page that it was loaded for, so a file with a fake page shares no process with others. */
const needsOwnProcess = ({ path }) => readFileSync(path, 'utf8').includes('/fake-page.ts');

export default class NodeRunner {
  supportsEventEmitters = false;
  #config;

  constructor(globalConfig) {
    this.#config = globalConfig;
  }

  async runTests(tests, ...callbacks) {
    // A machine in UTC would hide that a day is taken in UTC instead of where its person is.
    const isUnit = ({ context }) => context.config.displayName?.name === 'unit';
    const units = tests.filter(isUnit);
    const others = tests.filter((test) => !isUnit(test));
    await this.#run(units, { env: { ...process.env, TZ: 'America/Chicago' } }, ...callbacks);
    await this.#run(others, {}, ...callbacks);
  }

  async #run(tests, forkOptions, watcher, onStart, onResult, onFailure) {
    if (tests.length === 0) return;
    const { maxWorkers, testNamePattern, testTimeout, workerIdleMemoryLimit } = this.#config;
    // New processes for each run, because sources change in watch mode.
    const start = (numWorkers) =>
      new Worker(new URL('./jest-file.mjs', import.meta.url), {
        exposedMethods: ['runFile'],
        numWorkers,
        maxRetries: 0,
        idleMemoryLimit: workerIdleMemoryLimit,
        forkOptions: {
          execArgv: [
            '--conditions=source',
            '--no-warnings',
            ...(process.version.startsWith('v20.') ? OPTIMIZE_LATER : []),
            '--import',
            fileURLToPath(new URL('./jest-modules.mjs', import.meta.url)),
          ],
          stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
          ...forkOptions,
        },
      });
    const workers = start(Math.min(maxWorkers, tests.length));
    const waiting = [...tests];
    const next = async () => {
      for (let test = waiting.shift(); test && !watcher.isInterrupted(); test = waiting.shift()) {
        const { config } = test.context;
        await onStart(test);
        const worker = needsOwnProcess(test) ? start(1) : workers;
        try {
          await onResult(test, await worker.runFile(test.path, config, { testNamePattern, testTimeout }));
        } catch (error) {
          await onFailure(test, error);
        }
        if (worker !== workers) await worker.end();
      }
    };
    await Promise.all(Array.from({ length: maxWorkers }, next));
    await workers.end();
  }
}
