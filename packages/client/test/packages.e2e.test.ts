import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { publint } from 'publint';
import { createFirm, type Firm, type RealService, startRealService } from './real-service.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const NAMES = ['domain', 'contract', 'client'] as const;
type Name = (typeof NAMES)[number];
const VERSION = '0.1.0';

const manifestOf = async (folder: string) => JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));

let folder: string;
let service: RealService;
let firm: Firm;

const tarballOf = (name: Name): string => join(folder, `svc-${name}-${VERSION}.tgz`);
const installed = (name: Name): string => join(folder, 'node_modules/@svc', name);

/** The code blocks of a README, which together are one program. */
async function examplesOf(name: Name): Promise<string> {
  const readme = await readFile(join(installed(name), 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code);
  expect(blocks.length).toBeGreaterThan(0);
  return blocks.join('\n');
}

/** Runs a file with the tarballs installed outside the workspace. */
async function runInstalled(file: string, env: Record<string, string> = {}): Promise<string> {
  const { PATH = '' } = process.env;
  const { stdout, stderr } = await run(process.execPath, [join('out', file)], {
    cwd: folder,
    env: { PATH, ...env },
  });
  expect(stderr).toBe('');
  return stdout;
}

beforeAll(async () => {
  // Starting the service builds the packages.
  service = await startRealService();
  [folder, firm] = await Promise.all([mkdtemp(join(tmpdir(), 'claims-packages-')), createFirm(service)]);
  const filters = NAMES.flatMap((name) => ['--filter', `@svc/${name}`]);
  await run('npx', ['pnpm', '-r', ...filters, 'pack', '--pack-destination', folder], { cwd: ROOT });

  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  // zod is the only dependency from the registry.
  const options = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...options, ...NAMES.map(tarballOf)], { cwd: folder });

  await mkdir(join(folder, 'src'));
  for (const name of NAMES) {
    await writeFile(join(folder, `src/${name}.ts`), await examplesOf(name));
  }
  await writeFile(
    join(folder, 'src/decide.mjs'),
    await readFile(join(installed('domain'), 'examples/decide.mjs')),
  );
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        target: 'ES2023',
        module: 'NodeNext',
        strict: true,
        allowJs: true,
        checkJs: true,
        rootDir: 'src',
        outDir: 'out',
        typeRoots: [join(ROOT, 'node_modules/@types')],
        types: ['node'],
      },
      include: ['src'],
    }),
  );
});
afterAll(async () => {
  await service?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

describe.each(NAMES)('the packed @svc/%s', (name) => {
  it('passes publint and attw', async () => {
    const tarball = await readFile(tarballOf(name));
    const { buffer, byteOffset, byteLength } = tarball;
    const bytes = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
    const { messages } = await publint({ pack: { tarball: bytes }, strict: true });
    expect(messages).toEqual([]);
    const attw = join(ROOT, 'node_modules/.bin/attw');
    await run(attw, [tarballOf(name), '--profile', 'esm-only'], { cwd: ROOT });
  });

  it('contains exactly the files it needs', async () => {
    const files = (await readdir(installed(name), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name: file }) => join(parentPath, file).slice(installed(name).length + 1));
    expect(files).toEqual(
      expect.arrayContaining(['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'dist/index.d.ts']),
    );
    const documents = /^(README|CHANGELOG|RULES)\.md$|^LICENSE$|^package\.json$|^examples\/[a-z-]+\.mjs$/;
    expect(
      files.filter((file) => !/^dist\/[a-z-]+\.(d\.ts|js|js\.map)$/.test(file) && !documents.test(file)),
    ).toEqual([]);
  });

  it('resolves outside the workspace, with source maps and their sources', async () => {
    const manifest = await manifestOf(installed(name));
    expect(JSON.stringify(manifest)).not.toMatch(/workspace:|catalog:|"source"|"private"/);
    expect(manifest).toMatchObject({ version: VERSION, type: 'module', license: 'SEE LICENSE IN LICENSE' });
    const map = JSON.parse(await readFile(join(installed(name), 'dist/index.js.map'), 'utf8'));
    expect(map.sourcesContent).toHaveLength(map.sources.length);
    // One copy of each package.
    expect(
      await readdir(join(folder, 'node_modules')).then((all) => all.filter((one) => !one.startsWith('.'))),
    ).toEqual(['@svc', 'zod']);
    expect(await readdir(installed(name))).not.toContain('node_modules');
  });

  it('names its version in the changelog', async () => {
    expect(await readFile(join(installed(name), 'CHANGELOG.md'), 'utf8')).toContain(`## ${VERSION}\n`);
  });
});

describe('README examples', () => {
  beforeAll(async () => {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    // Also type-checks the declarations.
    await run(process.execPath, [tsc, '-p', folder]).catch(({ stdout }) => {
      throw new Error(`The examples do not type-check:\n${stdout}`);
    });
  });

  it('of domain decide without the service', async () => {
    expect((await runInstalled('domain.js')).split('\n').slice(0, 2)).toEqual([
      'accepted',
      'offer_not_pending',
    ]);
    expect(await runInstalled('decide.mjs')).toBe(
      [
        'may be offered: yes',
        'may be offered while paused: adjuster_not_accepting',
        'the offer may be accepted: yes',
        'by another adjuster: not_found',
        'a second time: offer_not_pending',
        'the book becomes: {"name":"PALMETTO MUTUAL INSURANCE","phone":"1-803-555-0144","email":"desk@palmetto.example","address":{"street":"1 Main Street","city":"Columbia","state":"SC","zip":"29201"}}',
        'gained: address differing: email',
        '',
      ].join('\n'),
    );
  });

  it('of contract find the errors that the service finds', async () => {
    const stdout = await runInstalled('contract.js');
    expect(stdout).toMatch(/^\/loss\/date .+\n/);
    expect(stdout).toMatch(/^\/claim_numbre .*claim_number/m);
    expect(stdout).toMatch(/^429 30 200$/m);
    expect(stdout).toMatch(/^3\.1\.0 true$/m);
  });

  it('of client work against the service', async () => {
    const env = { CLAIMS_URL: service.url, CLAIMS_API_KEY: firm.testKey, ADJUSTER: firm.account('accepts') };
    const stdout = await runInstalled('client.js', env);
    expect(stdout).toContain('Gulf Adjusting Partners, test: claims:create');
    expect(stdout).toMatch(/[0-9a-f-]{36} pending_acceptance/);
    expect(stdout).toMatch(/already sent: [0-9a-f-]{36}/);
    expect(stdout).toContain('1 claims on a page');
    expect(stdout).toContain('CMS-2026-004418 accepted');
    expect(JSON.parse(await readFile(join(folder, 'position.json'), 'utf8'))).toHaveProperty('latest');
  });
});

it('RULES.md documents exactly the exported functions', async () => {
  const domain = await import(pathToFileURL(join(installed('domain'), 'dist/index.js')).href);
  const functions = Object.entries(domain).flatMap(([name, value]) =>
    typeof value === 'function' ? [name] : [],
  );
  const reference = await readFile(join(installed('domain'), 'RULES.md'), 'utf8');
  const named = [...reference.matchAll(/^(?:\| )?`(\w+)`/gm)].map(([, name]) => name);
  expect(named.sort()).toEqual(functions.sort());
});
