import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { CLIENT_TYPES_FILE, formattedClientTypes } from './file.ts';

it('the types of the SDK are those of the contract; if not, run pnpm client-types', () => {
  expect(readFileSync(CLIENT_TYPES_FILE, 'utf8')).toBe(formattedClientTypes());
});
