import { expect, test } from '@jest/globals';
import { CRASH_OPERATIONS, LEFT_OUT, STEPS } from './crash-operations.ts';

test('every operation that writes is run at crash points and in model walks, or left out with a reason', () => {
  expect(Object.keys(LEFT_OUT).filter((id) => id in CRASH_OPERATIONS && id in STEPS)).toEqual([]);
});
