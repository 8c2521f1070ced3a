// `pnpm generate openfema`: prints the claims of an OpenFEMA file as JSON Lines, for `claims send -`.
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { mapRow, type Note } from './map-row.ts';
import { readFile, UnreadableFile } from './read-rows.ts';

const program = new Command('generate openfema')
  .description(
    'Prints the claims of an OpenFEMA NFIP claims file as JSON Lines; what was changed goes to standard error.',
  )
  .argument('<file>', 'the CSV file, or - for standard input')
  .requiredOption('--adjuster <svcid>', 'SVCID of the adjuster to offer the claims to')
  .addHelpText('after', '\nExit codes: 0 all rows are claims, 1 some are not, 2 the file cannot be read.')
  // pnpm passes on the `--` of `pnpm generate openfema -- file`.
  .parse(process.argv.filter((arg, at) => !(arg === '--' && at === 2)));
const [path = '-'] = program.args;
const { adjuster } = program.opts<{ adjuster: string }>();

const say = (line: string): void => void process.stderr.write(`${line}\n`);

// A reader such as head may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

let rows = 0;
const skipped: number[] = [];
try {
  // pnpm runs scripts at the root of the workspace.
  const folder = process.env.INIT_CWD ?? process.cwd();
  const file = await readFile(path === '-' ? process.stdin : createReadStream(resolve(folder, path)));
  const { withoutField, unknown } = file.header;
  if (withoutField.length > 0) say(`Columns without a field in a claim: ${withoutField.join(', ')}`);
  if (unknown.length > 0) say(`Unknown or repeated columns: ${unknown.join(', ')}`);
  for await (const { number, row, values } of file.rows) {
    rows += 1;
    const mapped = row === null ? null : mapRow(row, adjuster);
    if (mapped === null) say(`row ${number}: skipped: ${values} values, unlike the header`);
    for (const note of mapped?.notes ?? []) say(`row ${number}: ${noteLine(note)}`);
    if (!mapped?.ok) skipped.push(number);
    else if (!process.stdout.write(`${JSON.stringify(mapped.body)}\n`))
      await new Promise((written) => process.stdout.once('drain', written));
  }
  process.exitCode = skipped.length === 0 ? 0 : 1;
} catch (error) {
  if (!(error instanceof UnreadableFile)) throw error;
  say(error.message);
  process.exitCode = 2;
}
say(`${rows - skipped.length} of ${rows} rows are claims`);

function noteLine({ column, value, action, what: reason }: Note): string {
  return `${column} ${JSON.stringify(value)}: ${action.replace('_', ' ')}: ${reason}`;
}
