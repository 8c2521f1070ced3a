// One global scope for all test files of a worker, because modules belong to the scope in which they were loaded.
import { setFlagsFromString } from 'node:v8';
import { TestEnvironment } from 'jest-environment-node';

// Seven times V8's own threshold: tests call most functions too few times to gain from optimized code. Later versions
// of Node do not have this flag and would print an error.
if (process.version.startsWith('v20.')) setFlagsFromString('--interrupt-budget=500000');

class SharedEnvironment extends TestEnvironment {
  /** What jest-shared-modules.mjs keeps from one test file to the next. */
  loaded = { esm: new Map(), cjs: new Map(), jest: new Map(), sourceMaps: new Map() };
  variables = { ...this.global.process.env };

  /** Restores what a test file may have changed; the scope stays. */
  async teardown() {
    this.fakeTimersModern.useRealTimers();
    const { env } = this.global.process;
    for (const name of Object.keys(env)) if (!(name in this.variables)) delete env[name];
    Object.assign(env, this.variables);
  }
}

let shared;

/** Jest calls it with `new` for every test file. */
export default function Environment(config, context) {
  const { watch, watchAll } = config.globalConfig;
  // In watch mode, sources change between two runs.
  if (watch || watchAll) return new TestEnvironment(config, context);
  shared ??= new SharedEnvironment(config, context);
  return shared;
}
