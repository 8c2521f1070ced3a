import { readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import { beforeAll, expect, test } from '@jest/globals';
import { build } from '../../../tools/services/build.ts';

beforeAll(build);

const fileOf = (app: string, path: string): Buffer =>
  readFileSync(new URL(`../../${app}/dist/${path}`, import.meta.url));

test('a change of a rule of the domain that the app uses builds the app again', () => {
  const { bundled } = JSON.parse(String(fileOf('adjuster', '.inputs')));
  expect(bundled).toContain('../../packages/domain/src/availability.ts');
});

test('the first load of the desk is at most 45 kB', () => {
  const files = [...String(fileOf('desk', 'index.html')).matchAll(/(?:src|href)="\.\/(\S+\.(?:js|css))"/g)];
  expect(files.length).toBeGreaterThan(1);
  const sizes = files.map(([, path = '']) => brotliCompressSync(fileOf('desk', path)).length);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(45_000);
});
