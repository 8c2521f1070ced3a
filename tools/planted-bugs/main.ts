// `pnpm test:planted-bugs`: plants each bug in a copy of the repository and runs a suite there, which must fail.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { PLANTED_BUGS } from './bugs.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TSX = ['--conditions=source', '--import', 'tsx'];
const JEST = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js'];
const UNIT = ['packages/domain', 'packages/application', 'packages/adapter-memory'];

/** Arguments of Node for each suite. */
const SUITES: Readonly<Record<string, (seed: string) => string[]>> = {
  unit: () => [...JEST, '--bail', '--selectProjects', 'unit', '--testPathPatterns', ...UNIT],
  simulate: (seed) => [
    ...TSX,
    'tools/simulate/main.ts',
    '--schedules',
    '10000',
    '--processes',
    '1',
    '--seed',
    seed,
  ],
  chaos: (seed) => [...TSX, 'tools/chaos/main.ts', '--seconds', '300', '--seed', seed],
};

const program = new Command('test:planted-bugs')
  .description('Shows which suite finds which planted bug, and how fast.')
  .argument('[names...]', 'parts of the names of bugs; default: all')
  .option('--suite <name>', Object.keys(SUITES).join(', '), 'simulate')
  .option('--seed <n>', 'seed of the suite', '1')
  .option('--timeout <seconds>', 'for each bug', '600')
  .parse(process.argv.filter((arg, at) => !(arg === '--' && at === 2)));
const options = program.opts<{ suite: string; seed: string; timeout: string }>();
const suite = SUITES[options.suite] ?? program.help({ error: true });

const copy = mkdtempSync(join(tmpdir(), 'claims-planted-'));
let missed = 0;
try {
  // Links between the packages are relative, so that they lead into the copy.
  for (const name of [
    'packages',
    'apps',
    'tools',
    'package.json',
    'jest.config.mjs',
    'tsconfig.base.json',
    'LICENSE',
  ])
    cpSync(join(ROOT, name), join(copy, name), { recursive: true, verbatimSymlinks: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const chosen = PLANTED_BUGS.filter(
    ({ name }) => program.args.length === 0 || program.args.some((part) => name.includes(part)),
  );
  for (const { name, file, edits } of chosen) {
    const path = join(copy, file);
    const original = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      edits.reduce((text, [from, to]) => text.replace(from, () => to), original),
    );
    const startedAt = performance.now();
    const { status, signal, stdout } = spawnSync(process.execPath, suite(options.seed), {
      cwd: copy,
      encoding: 'utf8',
      timeout: Number(options.timeout) * 1_000,
    });
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    // A suite that cannot start finds nothing.
    const found = status !== 0 && signal === null && /InvariantBroken|●|✗|\bError: /.test(stdout);
    if (!found) missed += 1;
    const reason =
      /^(?:InvariantBroken: )?.*?(\w[^:\n]*):/m.exec(stdout.replace(/^.*per second.*\n/gm, ''))?.[1] ?? '';
    console.log(`| ${name} | ${found ? 'found' : 'not found'} | ${seconds} s | ${found ? reason : ''} |`);
    writeFileSync(path, original);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
process.exit(missed === 0 ? 0 : 1);
