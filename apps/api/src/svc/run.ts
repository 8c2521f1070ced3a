import { CommanderError } from 'commander';
import { withoutControls } from './output.ts';
import { createProgram } from './program.ts';
import type { Sessions } from './session.ts';

const FAILED = 1;
const USAGE_ERROR = 2;

/**
 * Runs one command.
 *
 * @param args without the program's name.
 * @returns the exit code: 0, 1 when the command failed, 2 for a usage error.
 */
export async function run(args: readonly string[], sessions?: Sessions): Promise<number> {
  try {
    await createProgram(sessions).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR;
    // The reader has closed the pipe, as in `svc firm export | head`.
    if ((error as NodeJS.ErrnoException | null)?.code === 'EPIPE') return 0;
    process.stderr.write(`svc: ${withoutControls(error instanceof Error ? error.message : String(error))}\n`);
    return FAILED;
  }
}
