// `pnpm drill failover`: rehearses what an operator does when a server is lost, on temporary servers on this machine.

import { Command } from 'commander';
import { runFailover } from './failover.ts';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const program = new Command('drill').description('Rehearses operations under load, with a timed transcript.');
program
  .command('failover')
  .description('kills a primary with a synchronous standby, and promotes the standby')
  .option('--seconds <n>', 'load before and after', '5')
  .action(async ({ seconds }: { seconds: string }) => {
    const { lost, missed } = await runFailover({ seconds: Number(seconds), say });
    process.exitCode = lost === 0 && missed === 0 ? 0 : 1;
  });
await program.parseAsync();
