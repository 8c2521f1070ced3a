// What tests import as `@jest/globals`, from the packages that it stands for.
import { ModernFakeTimers } from '@jest/fake-timers';
import * as circus from 'jest-circus';
import { ModuleMocker } from 'jest-mock';

export { expect } from 'expect';

let timeoutMs;
let namePattern;
/** The titles of the blocks around the test that is declared. */
const blocks = [];

/** Before each test file. */
export function configure(config) {
  timeoutMs = config.testTimeout;
  namePattern = config.testNamePattern ? new RegExp(config.testNamePattern, 'i') : null;
}

const isWanted = (title) => namePattern === null || namePattern.test([...blocks, title].join(' '));
const declarationOf = (title) => (isWanted(title) ? circus.test : circus.test.skip);
const hook =
  (declare) =>
  (work, ms = timeoutMs) =>
    declare(work, ms);

export const afterAll = hook(circus.afterAll);
export const afterEach = hook(circus.afterEach);
export const beforeAll = hook(circus.beforeAll);
export const beforeEach = hook(circus.beforeEach);

export const test = (title, work, ms = timeoutMs) => declarationOf(title)(title, work, ms);
test.each =
  (...table) =>
  (title, work, ms = timeoutMs) =>
    declarationOf(title).each(...table)(title, work, ms);
export const it = test;

const inBlock =
  (title, declare) =>
  (...row) => {
    blocks.push(title);
    declare(...row);
    blocks.pop();
  };
export const describe = (title, declare) => circus.describe(title, inBlock(title, declare));
describe.each =
  (...table) =>
  (title, declare) =>
    circus.describe.each(...table)(title, inBlock(title, declare));

const mocks = new ModuleMocker(globalThis);
const timers = new ModernFakeTimers({ global: globalThis, config: { fakeTimers: {} } });

export const jest = {
  fn: (implementation) => mocks.fn(implementation),
  spyOn: (...method) => mocks.spyOn(...method),
  restoreAllMocks: () => mocks.restoreAllMocks(),
  setTimeout: (ms) => {
    timeoutMs = ms;
  },
  // Node itself calls `process.nextTick` as a member of `process`.
  useFakeTimers: ({ doNotFake = [], ...options } = {}) =>
    timers.useFakeTimers({ ...options, doNotFake: [...doNotFake, 'nextTick'] }),
  useRealTimers: () => timers.useRealTimers(),
  setSystemTime: (now) => timers.setSystemTime(now),
  advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
  advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
  getTimerCount: () => timers.getTimerCount(),
};
