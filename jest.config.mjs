// One configuration for every test. The ending of a file says what it may touch:
//   *.test.ts      nothing outside of its process but files and git
//   *.int.test.ts  a real server, such as PostgreSQL or Redis, or another program
//   *.e2e.test.ts  the service over HTTP
//   *.nightly.ts   slow programs from outside: languages, package managers, proxies (`pnpm test:nightly tests`)
//   *.browsers.ts  Firefox and WebKit (`pnpm test:browsers`)
const shared = {
  runner: '<rootDir>/tools/services/jest-runner.mjs',
  roots: ['<rootDir>/packages', '<rootDir>/apps', '<rootDir>/tools'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['/dist/'],
};

const withServers = {
  ...shared,
  globalSetup: '<rootDir>/tools/services/jest-setup.mjs',
  globalTeardown: '<rootDir>/tools/services/jest-teardown.mjs',
};

export default {
  testSequencer: '<rootDir>/tools/services/longest-first.mjs',
  // For what hangs, not for what is slow: a busy machine must not fail a test.
  testTimeout: 240_000,
  // Jest's module registries pile up in a worker; one that has grown is replaced between files.
  workerIdleMemoryLimit: '1500MB',
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['**/*.test.ts'],
      testPathIgnorePatterns: [...shared.testPathIgnorePatterns, '\\.(int|e2e)\\.test\\.ts$'],
    },
    { ...withServers, displayName: 'integration', testMatch: ['**/*.int.test.ts'] },
    { ...withServers, displayName: 'e2e', testMatch: ['**/*.e2e.test.ts'] },
    // Named explicitly, so that `pnpm test <path>` needs nothing that they need.
    ...['nightly', 'browsers']
      .filter((name) => process.argv.includes(name))
      .map((name) => ({ ...withServers, displayName: name, testMatch: [`**/*.${name}.ts`] })),
  ],
};
