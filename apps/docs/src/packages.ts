import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DocsAddresses } from './pages.ts';

// The packages that the service offers for download, packed from the same build as the service.

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Contains the packed files. */
export const PACKED_FOLDER = fileURLToPath(new URL('../dist/packages', import.meta.url));
const MANIFEST = join(PACKED_FOLDER, 'packages.json');

const FOLDERS = ['packages/client', 'apps/claims', 'packages/contract', 'packages/domain'] as const;

export interface PackedPackage {
  /** Such as `client`. */
  readonly key: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly file: string;
  readonly sha256: string;
}

interface Manifest {
  readonly digest: string;
  readonly packages: readonly PackedPackage[];
}

export const packageUrl = (file: string, { baseUrl }: DocsAddresses): string =>
  `${baseUrl}/docs/packages/${file}`;

let packed: readonly PackedPackage[] | undefined;

/** Packs the packages unless their files have not changed since the last time. */
export function packages(): readonly PackedPackage[] {
  packed ??= pack();
  return packed;
}

function pack(): readonly PackedPackage[] {
  const digest = digestOfFiles();
  if (existsSync(MANIFEST)) {
    const existing = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Manifest;
    if (existing.digest === digest) return existing.packages;
  }
  rmSync(PACKED_FOLDER, { recursive: true, force: true });
  mkdirSync(PACKED_FOLDER, { recursive: true });
  const manifests = FOLDERS.map((folder) =>
    JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')),
  );
  const filters = manifests.flatMap(({ name }) => ['--filter', name]);
  // Replaces references into the workspace and applies `publishConfig`, which npm would not.
  // pnpm is on the PATH of its scripts, and npx takes four seconds of processor time to find it.
  const [command, found] = spawnSync('pnpm', ['--version']).status === 0 ? ['pnpm', []] : ['npx', ['pnpm']];
  execFileSync(command, [...found, '-r', ...filters, 'pack', '--pack-destination', PACKED_FOLDER], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const all = manifests.map(({ name, version, description }): PackedPackage => {
    const file = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
    const bytes = readFileSync(join(PACKED_FOLDER, file));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { key: name.split('/')[1], name, version, description, file, sha256 };
  });
  writeFileSync(MANIFEST, JSON.stringify({ digest, packages: all } satisfies Manifest));
  return all;
}

function digestOfFiles(): string {
  const hash = createHash('sha256').update(readFileSync(join(ROOT, 'LICENSE')));
  for (const folder of FOLDERS) {
    const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /^(dist\/.*\.(m?js|map|d\.ts)|examples\/.*|[^/]+\.(md|json))$/.test(name))
      .sort();
    for (const file of files)
      hash.update(`${folder}/${file}\0`).update(readFileSync(join(ROOT, folder, file)));
  }
  return hash.digest('hex');
}
