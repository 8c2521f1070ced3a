// `pnpm generate` writes fictional claims, one per line, to standard output.
import { once } from 'node:events';
import { Command } from 'commander';
import { scriptArguments, wholeNumber } from '../services/command.ts';
import { generateClaim, SAMPLE_ADJUSTER } from './claim.ts';

interface Flags {
  readonly rows: number;
  readonly seed: number;
  readonly from: number;
  readonly adjuster: readonly string[];
}

const ENOUGH_TO_WRITE = 64 * 1024;

// A reader such as head may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

await new Command('generate')
  .description(
    'Writes made-up claims as JSON Lines, each a body for POST /v1/claims. The same seed gives the same claims.',
  )
  .requiredOption('--rows <n>', 'number of claims', wholeNumber(0))
  .option('--seed <n>', 'seed of the random generator', wholeNumber(0), 1)
  .option('--from <n>', 'index of the first claim', wholeNumber(0), 0)
  .option('--adjuster <svcid...>', 'the SVCIDs to offer the claims to, in turn', [SAMPLE_ADJUSTER])
  .action(write)
  .parseAsync(scriptArguments());

async function write({ rows, seed, from, adjuster }: Flags): Promise<void> {
  let text = '';
  for (let index = from; index < from + rows; index++) {
    text += `${JSON.stringify(generateClaim(index, seed, adjuster[index % adjuster.length]))}\n`;
    if (text.length < ENOUGH_TO_WRITE) continue;
    // Waiting for the reader keeps a file of any length in no more memory than this.
    if (!process.stdout.write(text)) await once(process.stdout, 'drain');
    text = '';
  }
  process.stdout.write(text);
}
