import { CommanderError } from 'commander';
import { type Environment, UsageError } from './environment.ts';
import { failureFrom, failureLines } from './failure.ts';
import { jsonLine } from './output.ts';
import { createProgram } from './program.ts';

const FAILED = 1;
const USAGE = 2;
/** 128 + SIGINT, as shells report it. */
const INTERRUPTED = 130;

/** Returns the exit code. Prints errors to standard error, as JSON with --json. */
export async function run(args: readonly string[], environment: Environment): Promise<number> {
  let succeeded = true;
  const program = createProgram(environment, (result) => {
    succeeded = result;
  });
  // Parsed here too, because errors of the parser must also be printed as JSON. No options follow `--`.
  const options = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  const json = options.includes('--json');
  const printError = (error: unknown) =>
    environment.stderr.write(
      json
        ? jsonLine({ error: failureFrom(error) })
        : `claims: ${failureLines(failureFrom(error)).join('\n')}\n`,
    );
  try {
    await program.parseAsync([...args], { from: 'user' });
    if (succeeded) return 0;
    return environment.signal.aborted ? INTERRUPTED : FAILED;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
    if (environment.signal.aborted) return INTERRUPTED;
    printError(error);
    return error instanceof UsageError || error instanceof TypeError ? USAGE : FAILED;
  }
}
