import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createFirm, type Firm, type RealService, startRealService } from './real-service.ts';

const run = promisify(execFile);
const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
/** Within the package, so that the examples can import it by its name. */
const FOLDER = join(PACKAGE, 'dist/readme');

let service: RealService;
let firm: Firm;

beforeAll(async () => {
  service = await startRealService();
  firm = await createFirm(service);
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const readme = await readFile(join(PACKAGE, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code);
  expect(blocks.length).toBeGreaterThanOrEqual(6);
  // One after the other they are one program, as a reader who follows along would have it.
  await writeFile(join(FOLDER, 'examples.ts'), blocks.join('\n'));
  await writeFile(
    join(FOLDER, 'tsconfig.json'),
    JSON.stringify({
      extends: '../../../../tsconfig.base.json',
      compilerOptions: { composite: false, declaration: false, noEmit: true, rootDir: '../../../..' },
      include: ['examples.ts'],
    }),
  );
});
afterAll(async () => {
  await service?.stop();
  await rm(FOLDER, { recursive: true, force: true });
});

it('the examples of the README are type-checked', async () => {
  const tsc = join(PACKAGE, '../../node_modules/typescript/bin/tsc');
  await expect(run(process.execPath, [tsc, '-p', FOLDER])).resolves.toMatchObject({ stdout: '' });
});

it('the examples of the README do what they say', async () => {
  const { PATH = '' } = process.env;
  const { stdout, stderr } = await run(
    process.execPath,
    ['--conditions=source', '--no-warnings', '--import', import.meta.resolve('tsx'), 'examples.ts'],
    {
      cwd: FOLDER,
      env: { PATH, CLAIMS_URL: service.url, CLAIMS_API_KEY: firm.testKey, ADJUSTER: firm.account('accepts') },
    },
  );
  expect(stderr).toBe('');
  expect(stdout).toContain('Gulf Adjusting Partners, test: claims:create');
  expect(stdout).toMatch(/[0-9a-f-]{36} pending_acceptance/);
  expect(stdout).toMatch(/there already: [0-9a-f-]{36}/);
  expect(stdout).toContain('1 claims on a page');
  expect(stdout).toContain('CMS-2026-004418 accepted');
  expect(JSON.parse(await readFile(join(FOLDER, 'position.json'), 'utf8'))).toHaveProperty('latest');
});
