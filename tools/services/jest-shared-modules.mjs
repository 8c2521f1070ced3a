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

/** Those in use: jest-circus creates one for each file, and Node 20 copies all of them with every promise. */
const storages = new Set();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...args) {
  storages.add(this);
  return run.apply(this, args);
};

/** `run` enables them again. */
function disableStorages() {
  for (const storage of storages) storage.disable();
  storages.clear();
}

export default async function runFile(globalConfig, config, environment, runtime, testPath, sendMessage) {
  const { loaded } = environment;
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
