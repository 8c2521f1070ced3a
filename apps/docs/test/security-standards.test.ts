import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const page = readFileSync(join(ROOT, 'docs/guides/security-standards.md'), 'utf8');

/** The rows of the tables: item, how it is met, tests, what is left. */
const rows = page
  .split('\n')
  .filter((line) => /^\| (API|V)\d/.test(line))
  .map((line) => line.slice(1, -1).split('|'));

/** "`file`: "name", "name"", separated by line breaks. */
const references = rows.flatMap(([item = '', , tests = '']) =>
  tests
    .trim()
    .split('<br>')
    .filter((reference) => reference !== '')
    .map((reference) => {
      const [, file = '', names = ''] = /^`([^`]+)`: (".+")$/.exec(reference) ?? [];
      return {
        item: item.trim(),
        file,
        names: [...names.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name),
      };
    }),
);

it('every test that the page on security standards names is in the file that it names', () => {
  expect(references.length).toBeGreaterThan(80);
  const wrong = references.flatMap(({ item, file, names }) => {
    if (file === '' || !existsSync(join(ROOT, file))) return [`${item}: no file ${file}`];
    const source = readFileSync(join(ROOT, file), 'utf8');
    const missing = names.filter(
      (name) => !["'", '"', '`'].some((quote) => source.includes(quote + name + quote)),
    );
    return missing.map((name) => `${item}: no "${name}" in ${file}`);
  });
  expect(wrong).toEqual([]);
});

it('only items that are not used, documentation, or the part of others name no test', () => {
  const without = rows.filter(([, , tests = '']) => tests.trim() === '').map(([item = '']) => item.trim());
  expect(without).toEqual([
    'V4.3, V4.4 GraphQL, WebSocket',
    'V6.2 Passwords',
    'V6.8, V10 Identity providers, OAuth',
    'V7.6 Federated sessions',
    'V11.4.2, V11.4.4 Passwords',
    'V12.1.1 – V12.2.2 HTTPS',
    'V13.1.1 Documentation',
    'V15.1.1 – V15.1.3 Documentation',
    'V16.1.1 Documentation',
    'V17 WebRTC',
  ]);
});
