import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const readText = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const [standards, threats] = ['security-standards', 'threat-model'].map((name) =>
  readText(`docs/guides/${name}.md`),
) as [string, string];

it.each([
  ['OWASP and ASVS', standards],
  ['the threat model', threats],
])('every test that the page on %s names is in the file that it names', (_, page) => {
  const files = page.match(/`[^`]+\.ts`/g) ?? [];
  // A file, a colon, and the names of tests in quotation marks.
  const references = [...page.matchAll(/`([^`]+\.ts)`: ((?:"[^"]+"(?:, )?)+)/g)];
  expect(references.map(([, file]) => `\`${file}\``)).toEqual(files);
  expect(files.length).toBeGreaterThan(10);
  const wrong = references.flatMap(([, file = '', names = '']) => {
    if (!existsSync(join(ROOT, file))) return [file];
    const source = readText(file);
    return [...names.matchAll(/"([^"]+)"/g)]
      .map(([, name = '']) => name)
      .filter((name) => !["'", '"', '`'].some((quote) => source.includes(quote + name + quote)))
      .map((name) => `${file}: ${name}`);
  });
  expect(wrong).toEqual([]);
});

it('only items that are not used, documentation, or met by the proxy name no test', () => {
  const rows = standards.split('\n').filter((line) => /^\| (API|V)\d/.test(line));
  const without = rows.filter((row) => !row.includes('.ts`: "')).map((row) => row.split('|')[1]?.trim());
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
