// Runs a test file with jest-circus, but keeps what earlier files of the worker have loaded: loading the product for
// every file took more than half of the processor time. Test code is loaded again, since it holds functions of Jest.
import vm from 'node:vm';
import circus from 'jest-circus/runner';

/** What imports `@jest/globals`, itself or through another module, and what did not load. */
function testCode(modules) {
  const found = new Set([...modules.keys()].filter((key) => key.startsWith('@jest/globals')));
  const isTestCode = (key, module) =>
    module.status !== 'evaluated' ||
    module.dependencySpecifiers.some(
      (name) => /^@(jest\/globals|svc\/testkit)/.test(name) || found.has(new URL(name, key).href),
    );
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [key, module] of modules)
      if (module instanceof vm.SourceTextModule && isTestCode(key, module)) found.add(key);
  }
  return found;
}

export default async function runFile(globalConfig, config, environment, runtime, testPath, sendMessage) {
  const { loaded } = environment;
  if (loaded !== undefined) {
    for (const key of testCode(loaded.esm)) loaded.esm.delete(key);
    runtime.registries.esModuleRegistry = loaded.esm;
    runtime.registries.moduleRegistry = loaded.cjs;
    const sourceMaps = runtime.getSourceMaps();
    for (const [file, map] of loaded.sourceMaps) sourceMaps.set(file, map);
    loaded.sourceMaps = sourceMaps;
    // A kept module goes on importing through the runtime that loaded it, which therefore never ends.
    runtime.leaveTestCode = () => {};
    runtime.teardown = () => runtime.restoreAllMocks();
    // jest-circus adds its handlers to those it finds.
    delete environment.global[Symbol.for('EVENT_HANDLERS')];
  }
  return circus.default(globalConfig, config, environment, runtime, testPath, sendMessage);
}
