import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { build } from '../../../tools/services/build.ts';

test('a change of a rule of the domain that the app uses builds the app again', async () => {
  await build();
  const { bundled } = JSON.parse(readFileSync(new URL('../dist/.inputs', import.meta.url), 'utf8'));
  expect(bundled).toContain('../../packages/domain/src/availability.ts');
});
