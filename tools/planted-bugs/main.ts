// `pnpm test:planted-bugs`: plants each bug in a copy of the repository and runs suites there, one of which must fail.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { Command } from 'commander';
import { build } from '../services/build.ts';
import { scriptArguments, wholeNumber } from '../services/command.ts';
import { PLANTED_BUGS } from './bugs.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TSX = ['--conditions=source', '--import', 'tsx'];
const JEST = ['--no-warnings', 'node_modules/jest/bin/jest.js'];
/** The API is bundled from the sources. No suite here tests the sites or the command line with a planted bug. */
const BUILD = /(?<="build": ")[^"]+/;
const NOT_COPIED = new Set(['.git', '.data', 'node_modules']);

interface Suite {
  readonly args: (seed: string) => readonly string[];
  /** The first failure in the output. Does not match if the suite cannot start. */
  readonly failure: RegExp;
  /** Seconds until it was found, where the run has other parts too. */
  readonly foundAfter?: RegExp;
}

/** Without the catalogue's own test, which fails for each planted bug, and those of the docs, which need git. */
const PRODUCT = '/(packages|apps/(adjuster|api|claims|desk))/';

const FAILED_TEST = /^\s*● (?!Test suite failed to run)(.+)$/m;

const SUITES: Readonly<Record<string, Suite>> = {
  unit: {
    args: () => [...JEST, '--bail', '--selectProjects', 'unit', '--testPathPatterns', PRODUCT],
    failure: FAILED_TEST,
  },
  postgres: {
    args: () => [...TSX, 'tools/services/run-tests.ts', '--bail', 'packages/adapter-postgres'],
    failure: FAILED_TEST,
  },
  http: {
    args: () => [...TSX, 'tools/services/run-tests.ts', '--bail', 'apps/api/test/(firm|app|crash|model)'],
    failure: FAILED_TEST,
  },
  chaos: {
    args: (seed) => [
      ...TSX,
      'tools/chaos/main.ts',
      ...['--until-violation', '--seconds', options.seconds, '--seed', seed],
    ],
    failure: /^✗ (.+)$/m,
    foundAfter: /^violation found after (\d+) s/m,
  },
};

const program = new Command('test:planted-bugs')
  .description('Shows which suite finds which planted bug, and how fast.')
  .argument('[names...]', 'parts of the names of bugs; default: all')
  .option('--suite <names...>', `run until one finds the bug: ${Object.keys(SUITES).join(', ')}`, [
    'unit',
    'postgres',
  ])
  .option('--seeds <n...>', 'seeds of the suite, one run each', ['1'])
  .option('--seconds <n>', 'duration of chaos', '300')
  .option('--timeout <seconds>', 'for each run', wholeNumber(1), 600)
  .parse(scriptArguments());
const options = program.opts<{ suite: string[]; seeds: string[]; seconds: string; timeout: number }>();
const suites = options.suite.map((name) => SUITES[name] ?? program.help({ error: true }));

// Once, so that the copy builds only what a bug changes.
await build();
const copy = mkdtempSync(join(tmpdir(), 'claims-planted-'));
let missed = 0;
try {
  // Links between the packages are relative, so that they lead into the copy.
  cpSync(ROOT, copy, {
    recursive: true,
    preserveTimestamps: true,
    verbatimSymlinks: true,
    filter: (path) => !NOT_COPIED.has(relative(ROOT, path)),
  });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const manifest = join(copy, 'package.json');
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(BUILD, 'node apps/api/build.mjs'));
  const chosen = PLANTED_BUGS.filter(
    ({ name }) => program.args.length === 0 || program.args.some((part) => name.includes(part)),
  );
  for (const { name, file, from, to } of chosen) {
    const path = join(copy, file);
    const original = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      original.replace(from, () => to),
    );
    let isFound = false;
    for (const [n, suite] of suites.entries()) {
      for (const seed of options.seeds) {
        const { failure, seconds, isBroken } = run(suite, seed);
        isFound ||= failure !== null;
        const outcome = failure ?? (isBroken ? 'no result' : 'not found');
        console.log(`| ${name} | ${options.suite[n]} | ${seed} | ${seconds} s | ${outcome} |`);
      }
      if (isFound) break;
    }
    writeFileSync(path, original);
    if (!isFound) missed += 1;
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
process.exit(missed === 0 ? 0 : 1);

interface Run {
  /** Null: the suite found nothing. */
  readonly failure: string | null;
  readonly seconds: string;
  /** Neither passed nor found something, as when a server did not start. */
  readonly isBroken: boolean;
}

function run({ args, failure, foundAfter }: Suite, seed: string): Run {
  const startedAt = performance.now();
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args(seed), {
    cwd: copy,
    encoding: 'utf8',
    timeout: options.timeout * 1_000,
    maxBuffer: 256 * 1_048_576,
  });
  const output = stripVTControlCharacters(`${stdout}\n${stderr}`);
  const found = status !== 0 && signal === null ? (failure.exec(output)?.[1] ?? null) : null;
  const isBroken = status !== 0 && found === null;
  if (isBroken) process.stderr.write(`${output.slice(-2_000)}\n`);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  return { failure: found, seconds: foundAfter?.exec(output)?.[1] ?? seconds, isBroken };
}
