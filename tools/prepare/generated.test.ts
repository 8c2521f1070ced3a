import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { GENERATED } from './files.ts';

it.each(GENERATED)('$file.pathname follows from sources; after a change of them, run pnpm types', (one) => {
  expect(readFileSync(one.file, 'utf8')).toBe(one.text());
});
