import { CommanderError } from 'commander';
import { createProgram } from './program.ts';

const FAILED = 1;
const USAGE = 2;

/**
 * Runs one command.
 *
 * @param args what follows the program's name.
 * @returns the exit code: 0, 1 when it could not be done, 2 when it was asked for wrongly.
 */
export async function run(args: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
    process.stderr.write(`svc: ${error instanceof Error ? error.message : String(error)}\n`);
    return FAILED;
  }
}
