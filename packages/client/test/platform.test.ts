import { expect, it, jest } from '@jest/globals';
import { platform } from '../src/platform.ts';

it('the real clock shows Unix time, a canceled timer does not fire, and no two keys are the same', async () => {
  expect(Math.abs(platform.now() - Date.now())).toBeLessThan(60_000);
  const fired: string[] = [];
  platform.after(1, () => fired.push('canceled'))();
  await new Promise<void>((resolve) => platform.after(1, () => resolve(void fired.push('due'))));
  expect(fired).toEqual(['due']);
  expect(platform.newKey()).not.toBe(platform.newKey());
  expect(platform.random()).not.toBe(platform.random());
  // A pause must not be longer where the clock of the machine is set back.
  const before = platform.now();
  const clock = jest.spyOn(Date, 'now').mockReturnValue(0);
  expect(platform.now()).toBeGreaterThanOrEqual(before);
  clock.mockRestore();
});
