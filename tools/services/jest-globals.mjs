// What tests import as `@jest/globals`, from the packages that it stands for.
import { ModernFakeTimers } from '@jest/fake-timers';
import { getState } from 'jest-circus';
import { ModuleMocker } from 'jest-mock';

export { expect } from 'expect';
export { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } from 'jest-circus';

const mocks = new ModuleMocker(globalThis);
const timers = new ModernFakeTimers({ global: globalThis, config: { fakeTimers: {} } });

export const jest = {
  fn: (implementation) => mocks.fn(implementation),
  spyOn: (...method) => mocks.spyOn(...method),
  restoreAllMocks: () => mocks.restoreAllMocks(),
  setTimeout: (timeoutMs) => {
    getState().testTimeout = timeoutMs;
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
