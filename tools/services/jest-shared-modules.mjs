// Runs a test file with jest-circus, but keeps what earlier files of the worker have loaded: loading the product for
// every file took more than half of the processor time. Test code is loaded again, since it holds functions of Jest.
import { AsyncLocalStorage } from 'node:async_hooks';
import circus from 'jest-circus/runner';

/** What imports `@jest/globals`, itself or through another module, and what did not load. */
function testCode(modules) {
  const found = new Set([...modules.keys()].filter((key) => key.startsWith('@jest/globals')));
  // Modules that are not ES modules import nothing, and have no specifiers.
  const isTestCode = (key, { status, dependencySpecifiers: names }) =>
    names !== undefined &&
    (status !== 'evaluated' ||
      names.some(
        (name) => /^@(jest\/globals|svc\/testkit)/.test(name) || found.has(new URL(name, key).href),
      ));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [key, module] of modules) if (isTestCode(key, module)) found.add(key);
  }
  return found;
}

/** Other storages in use. They are disabled after each file, since Node 20 copies all of them with every promise. */
const storages = new Set();
/** The context of the current test, by the storage of jest-circus. */
const contexts = new Map();
const { getStore, run } = AsyncLocalStorage.prototype;

/**
 * jest-circus keeps the current test in a storage, for tests that run at the same time. Ours run one after another, and
 * Node 20 takes a tenth of the processor time for a storage in use.
 */
AsyncLocalStorage.prototype.run = function (...args) {
  const [context, callback] = args;
  if (context?.test === undefined && context?.hook === undefined) {
    storages.add(this);
    return run.apply(this, args);
  }
  const outer = contexts.get(this);
  contexts.set(this, context);
  return callback().finally(() => contexts.set(this, outer));
};
AsyncLocalStorage.prototype.getStore = function () {
  return contexts.has(this) ? contexts.get(this) : getStore.call(this);
};

function disableStorages() {
  for (const storage of storages) storage.disable();
  storages.clear();
  contexts.clear();
}

export default async function runFile(globalConfig, config, environment, runtime, testPath, sendMessage) {
  const { loaded } = environment;
  // Jest sets 100. Each frame of a stack that is read is mapped to its source.
  environment.global.Error.stackTraceLimit = 25;
  if (loaded !== undefined) {
    for (const key of testCode(loaded.esm)) loaded.esm.delete(key);
    runtime.registries.esModuleRegistry = loaded.esm;
    runtime.registries.moduleRegistry = loaded.cjs;
    // Jest's modules, such as `expect`. Those of jest-circus hold the state of a file.
    for (const key of loaded.jest.keys()) if (key.includes('/jest-circus/')) loaded.jest.delete(key);
    runtime.registries.internalModuleRegistry = loaded.jest;
    const sourceMaps = runtime.getSourceMaps();
    for (const [file, map] of loaded.sourceMaps) sourceMaps.set(file, map);
    loaded.sourceMaps = sourceMaps;
    // A kept module goes on importing through the runtime that loaded it, which therefore never ends.
    runtime.leaveTestCode = () => {};
    runtime.teardown = () => runtime.restoreAllMocks();
    // jest-circus adds its handlers to those it finds.
    delete environment.global[Symbol.for('EVENT_HANDLERS')];
  }
  return circus
    .default(globalConfig, config, environment, runtime, testPath, sendMessage)
    .finally(disableStorages);
}
