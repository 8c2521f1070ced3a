import { ClaimsError } from '@svc/client';
import { CommanderError } from 'commander';
import { type Environment, UsageError } from './environment.ts';
import { failureFrom, failureLines } from './failure.ts';
import { jsonLine } from './output.ts';
import { createProgram } from './program.ts';

const FAILED = 1;
const USAGE = 2;
/** As shells tell of a program that Ctrl-C ended. */
const INTERRUPTED = 130;

/** The exit code. What goes wrong is said on the error output, as JSON where JSON was asked for. */
export async function run(args: readonly string[], around: Environment): Promise<number> {
  let succeeded = true;
  const program = createProgram(around, (ending) => {
    succeeded = ending;
  });
  // Whatever stands behind `--` is no option; whether JSON was asked for must be known even where parsing failed.
  const options = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  const json = options.includes('--json');
  const tell = (error: unknown) =>
    around.stderr.write(
      json
        ? jsonLine({ error: failureFrom(error) })
        : `claims: ${failureLines(failureFrom(error)).join('\n')}\n`,
    );
  try {
    await program.parseAsync([...args], { from: 'user' });
    if (succeeded) return 0;
    return around.signal.aborted ? INTERRUPTED : FAILED;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
    if (around.signal.aborted && !(error instanceof ClaimsError)) return INTERRUPTED;
    tell(error);
    return error instanceof UsageError || error instanceof TypeError ? USAGE : FAILED;
  }
}
