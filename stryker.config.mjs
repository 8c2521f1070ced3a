// `pnpm test:mutation`: changes the rules expression by expression; a unit test of theirs must notice each change.
export default {
  mutate: [
    'packages/domain/src/**/*.ts',
    'packages/contract/src/parse-request.ts',
    'packages/contract/src/field-suggestion.ts',
  ],
  // Stryker's own Jest runner replaces the test runner, which ours must stay.
  testRunner: 'command',
  commandRunner: {
    command:
      'node --no-warnings node_modules/jest/bin/jest.js --selectProjects unit --bail --runInBand packages/domain packages/contract',
  },
  // A busy machine must not count as a change that was noticed.
  timeoutMS: 120_000,
  plugins: [],
  // Stryker rewrites this file in its copy with TypeScript's JavaScript API, which TypeScript 7 does not have.
  tsconfigFile: 'none',
  reporters: ['clear-text', 'progress'],
  thresholds: { high: 99, low: 97, break: 95 },
};
