// Peers are not dependencies of this repository. Their packages are installed into a temporary folder, in the versions
// that peers/<name>/package.json pins.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCES = fileURLToPath(new URL('peers', import.meta.url));
/** Peers that use the sources in peers/shared. */
const PEERS_WITH_SHARED_SOURCES: ReadonlySet<string> = new Set(['fastify', 'trpc']);
const INSTALL = [
  ...['install', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'],
  // Transitive dependencies are resolved as of this day; change it with an upgrade.
  '--before=2026-11-21',
  // Fail soon without a network.
  ...['--loglevel=http', '--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-timeout=60000'],
];
const TIMEOUT_MS = 300_000;
const PROGRESS_MS = 3000;

export interface Installed {
  readonly folder: string;
  /** Node's entry point in the folder. */
  readonly main: string;
  /** The pinned packages. */
  readonly versions: Readonly<Record<string, string>>;
}

/** A folder for all peers of a run, deleted when the process ends. */
export function createTemporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'claims-bench-peers-'));
  const remove = (): void => rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  process.once('exit', remove);
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.once(signal, () => process.exit(code));
  }
  return { path, remove };
}

/** Copies a peer's sources into the folder, installs and builds it. */
export async function install(name: string, parent: string, say: (line: string) => void): Promise<Installed> {
  const folder = join(parent, name);
  cpSync(join(SOURCES, name), folder, { recursive: true });
  if (PEERS_WITH_SHARED_SOURCES.has(name))
    cpSync(join(SOURCES, 'shared'), join(folder, 'src/shared'), { recursive: true });
  const { main, scripts, dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    main: string;
    scripts?: { build?: string };
    dependencies: Record<string, string>;
  };
  const pinned = Object.entries(dependencies).map(([packageName, version]) => `${packageName} ${version}`);
  say(`${name}: installing ${pinned.join(', ')}`);
  const started = performance.now();
  const elapsed = (): string => `${((performance.now() - started) / 1000).toFixed(0)} s`;
  let fetched = 0;
  const progress = setInterval(() => say(`${name}: ${fetched} fetched, ${elapsed()}`), PROGRESS_MS);
  try {
    await npm(folder, INSTALL, (line) => {
      if (/^npm http (fetch|cache) /.test(line)) fetched += 1;
    });
  } finally {
    clearInterval(progress);
  }
  say(`${name}: installed in ${elapsed()}`);
  if (scripts?.build !== undefined) await npm(folder, ['run', 'build'], () => {});
  return { folder, main, versions: dependencies };
}

function npm(folder: string, args: readonly string[], line: (line: string) => void): Promise<void> {
  const child = spawn('npm', args, {
    cwd: folder,
    // On Windows it is a script for the shell.
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
  });
  const kill = (): unknown => child.kill();
  process.prependOnceListener('exit', kill);
  return new Promise((resolve, reject) => {
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      let partialLine = '';
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
        const lines = (partialLine + chunk).split('\n');
        partialLine = lines.pop() ?? '';
        for (const text of lines) line(text);
      });
    }
    child.once('error', reject);
    child.once('close', (code, signal) => {
      process.removeListener('exit', kill);
      if (code === 0) resolve();
      else
        reject(new Error(`npm ${args[0]} ${signal === null ? 'failed' : 'timed out'}: ${causeOf(output)}`));
    });
  });
}

/** npm's error lines, or else its last output. */
function causeOf(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const errors = lines.filter((line) => /^npm error|error TS/.test(line) && !line.includes('complete log'));
  return (errors.length > 0 ? errors : lines).slice(0, 4).join(' | ').replaceAll('npm error ', '');
}
