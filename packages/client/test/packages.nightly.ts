import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Analysis, checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { publint } from 'publint';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { createFirm, type Firm, type RealService, startRealService } from './real-service.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const NAMES = ['domain', 'contract', 'client'] as const;
type Name = (typeof NAMES)[number];
const versionOf = (name: Name | 'claims'): string => (name === 'client' ? '0.2.0' : '0.1.0');

const manifestOf = async (folder: string) => JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));

let folder: string;
let service: RealService;
let firm: Firm;

const fileOf = (name: Name | 'claims'): string => `svc-${name}-${versionOf(name)}.tgz`;
const tarballOf = (name: Name): string => join(folder, fileOf(name));
/** Where the service offers the package. */
const urlOf = (name: Name | 'claims'): string => `${service.url}/docs/packages/${fileOf(name)}`;
const NPM_OPTIONS = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];

async function download(name: Name | 'claims'): Promise<void> {
  const response = await fetch(urlOf(name));
  expect(response.headers.get('content-type')).toBe('application/gzip');
  await writeFile(join(folder, fileOf(name)), Buffer.from(await response.arrayBuffer()));
}
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
  folder = temporaryFolder();
  firm = await createFirm(service);
  await Promise.all([...NAMES, 'claims' as const].map(download));

  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  // zod is the only dependency from the registry.
  await run('npm', ['install', ...NPM_OPTIONS, ...NAMES.map(urlOf)], { cwd: folder });

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

describe.each(NAMES)('the packed @svc/%s', (name) => {
  it('passes publint and attw', async () => {
    const tarball = await readFile(tarballOf(name));
    const { buffer, byteOffset, byteLength } = tarball;
    const bytes = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
    const { messages } = await publint({ pack: { tarball: bytes }, strict: true });
    expect(messages).toEqual([]);
    const { types, problems = [] } = (await checkPackage(
      createPackageFromTarballData(new Uint8Array(bytes)),
    )) as Analysis;
    expect(types).toEqual({ kind: 'included' });
    // CommonJS and the resolution of Node 10 are not supported.
    expect(
      problems.filter((one) => !('resolutionKind' in one) || !/^node(10|16-cjs)$/.test(one.resolutionKind)),
    ).toEqual([]);
  });

  it('contains exactly the files it needs', async () => {
    const files = (await readdir(installed(name), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name: file }) => join(parentPath, file).slice(installed(name).length + 1));
    expect(files).toEqual(
      expect.arrayContaining(['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'dist/index.d.ts']),
    );
    expect(files.includes('RULES.md')).toBe(name === 'domain');
    const documents = /^(README|CHANGELOG|RULES)\.md$|^LICENSE$|^package\.json$|^examples\/[a-z-]+\.mjs$/;
    expect(
      files.filter(
        (file) => !/^dist\/(desk\/)?[a-z-]+\.(d\.ts|js|js\.map)$/.test(file) && !documents.test(file),
      ),
    ).toEqual([]);
  });

  it('resolves outside the workspace, with source maps and their sources', async () => {
    const manifest = await manifestOf(installed(name));
    expect(JSON.stringify(manifest)).not.toMatch(/workspace:|catalog:|"source"|"private"/);
    expect(manifest).toMatchObject({
      version: versionOf(name),
      type: 'module',
      license: 'SEE LICENSE IN LICENSE',
    });
    const map = JSON.parse(await readFile(join(installed(name), 'dist/index.js.map'), 'utf8'));
    expect(map.sourcesContent).toHaveLength(map.sources.length);
    // One copy of each package.
    expect(
      await readdir(join(folder, 'node_modules')).then((all) => all.filter((one) => !one.startsWith('.'))),
    ).toEqual(['@svc', 'zod']);
    expect(await readdir(installed(name))).not.toContain('node_modules');
  });

  it('names its version in the changelog', async () => {
    expect(await readFile(join(installed(name), 'CHANGELOG.md'), 'utf8')).toContain(
      `## ${versionOf(name)}\n`,
    );
  });
});

describe('the packages that the service offers', () => {
  it('have the checksums on their page and in the list', async () => {
    const page = await (await fetch(`${service.url}/docs/packages/`)).text();
    const list = await (await fetch(`${service.url}/docs/packages/SHA256SUMS.txt`)).text();
    const sums = await Promise.all(
      (['client', 'claims', 'contract', 'domain'] as const).map(async (name) => {
        const bytes = await readFile(join(folder, fileOf(name)));
        return { name, sum: createHash('sha256').update(bytes).digest('hex') };
      }),
    );
    expect(list).toBe(sums.map(({ name, sum }) => `${sum}  ${fileOf(name)}\n`).join(''));
    expect(sums.filter(({ name, sum }) => !page.includes(sum) || !page.includes(urlOf(name)))).toEqual([]);
  });

  it('install in an empty folder, the SDK and the command line without a registry', async () => {
    const empty = temporaryFolder();
    const args = [
      'install',
      ...NPM_OPTIONS,
      '--registry',
      'http://127.0.0.1:9',
      urlOf('client'),
      urlOf('claims'),
    ];
    await run('npm', args, { cwd: empty });
    expect(await readdir(join(empty, 'node_modules/@svc'))).toEqual(['claims', 'client']);
    const { PATH = '' } = process.env;
    const env = { PATH, CLAIMS_URL: service.url, CLAIMS_API_KEY: firm.testKey };
    const { stdout } = await run(join(empty, 'node_modules/.bin/claims'), ['whoami', '--json'], { env });
    expect(JSON.parse(stdout)).toMatchObject({ firm: { id: firm.id }, key: { environment: 'test' } });
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
    const env = {
      CLAIMS_URL: service.url,
      CLAIMS_API_KEY: firm.testKey,
      ADJUSTER: firm.account('accepts'),
      MANUAL: firm.account('manual'),
    };
    const stdout = await runInstalled('client.js', env);
    expect(stdout).toContain('Gulf Adjusting Partners, test: claims:create');
    expect(stdout).toMatch(/[0-9a-f-]{36} pending_acceptance/);
    expect(stdout).toMatch(/already sent: [0-9a-f-]{36}/);
    expect(stdout).toMatch(/^sent CMS-2026-004501\nsent CMS-2026-004502\nsent CMS-2026-004503$/m);
    expect(stdout).toContain('rejected Too far.');
    // The poll ends with the first acceptance; several offers wait for the same test account.
    expect(stdout).toMatch(/^CMS-2026-004(418|50[123]) accepted/m);
    expect(JSON.parse(await readFile(join(folder, 'position.json'), 'utf8'))).toHaveProperty('latest');
  });
});
