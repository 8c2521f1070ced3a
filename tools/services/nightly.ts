// `pnpm test:nightly`: what takes too long for each change, one step after another. `docs/nightly.md` says what and why.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import pc from 'picocolors';
import { scriptArguments } from './command.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Each is a script of package.json with its arguments. */
const STEPS = {
  tests: ['test', '--selectProjects', 'nightly'],
  browsers: ['test:browsers'],
  generators: ['test:generators'],
  debian: ['test', '--system-postgres'],
  attack: ['test:attack'],
  fuzz: ['test:attack', 'fuzz'],
  chaos: ['test:chaos', '--seconds', '600', '--failover'],
  failover: ['drill', 'failover'],
  restore: ['drill', 'restore'],
  upgrade: ['drill', 'upgrade'],
  'planted-bugs': ['test:planted-bugs'],
  mutation: ['test:mutation'],
} as const satisfies Record<string, readonly string[]>;
type Step = keyof typeof STEPS;

const program = new Command('test:nightly')
  .description('Runs what takes too long for each change, or the named steps of it.')
  .argument('[step...]', `any of: ${Object.keys(STEPS).join(', ')}`)
  .parse(scriptArguments());
const unknown = program.args.find((name) => !(name in STEPS));
if (unknown !== undefined)
  program.error(`There is no step ${JSON.stringify(unknown)}; there are: ${Object.keys(STEPS).join(', ')}.`);
const chosen = (program.args.length > 0 ? program.args : Object.keys(STEPS)) as Step[];

/** With the pnpm that runs this. */
const run = (script: readonly string[]): Promise<number | null> =>
  new Promise((resolve) => {
    const child = spawn('pnpm', ['-s', ...script], { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  });

const lines: string[] = [];
let failed = 0;
for (const name of chosen) {
  console.log(`\n${name}: pnpm ${STEPS[name].join(' ')}`);
  const since = performance.now();
  const isPassed = (await run(STEPS[name])) === 0;
  const minutes = ((performance.now() - since) / 60_000).toFixed(1);
  if (!isPassed) failed += 1;
  lines.push(`${isPassed ? pc.green('✓') : pc.red('✗')} ${name.padEnd(14)} ${minutes.padStart(6)} min`);
}
console.log(`\n${lines.join('\n')}\n\n${chosen.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
