import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import * as domain from '../src/index.ts';

it('RULES.md documents exactly the exported functions', async () => {
  const functions = Object.entries(domain).flatMap(([name, value]) =>
    typeof value === 'function' ? [name] : [],
  );
  const reference = await readFile(new URL('../RULES.md', import.meta.url), 'utf8');
  const named = [...reference.matchAll(/^(?:\| )?`(\w+)`/gm)].map(([, name]) => name);
  expect(named.sort()).toEqual(functions.sort());
});
