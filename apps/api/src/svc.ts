import { OperatorRefusal } from '@svc/application';
import { DomainError } from '@svc/domain';
import { CommanderError } from 'commander';
import { ConfigError } from './config.ts';
import { createProgram } from './svc/program.ts';

const USAGE = 2;

async function main(): Promise<number> {
  try {
    await createProgram().parseAsync(process.argv);
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
    const expected =
      error instanceof OperatorRefusal || error instanceof DomainError || error instanceof ConfigError;
    process.stderr.write(
      `svc: ${expected || error instanceof Error ? (error as Error).message : String(error)}\n`,
    );
    return 1;
  }
}

process.exitCode = await main();
