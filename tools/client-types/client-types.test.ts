import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { CLIENT_TYPES_FILE, clientTypes } from './types.ts';

it('the types of the SDK are those of the contract; after a change of it, run pnpm types', () => {
  expect(readFileSync(CLIENT_TYPES_FILE, 'utf8')).toBe(clientTypes());
});
