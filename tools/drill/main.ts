// `pnpm drill failover`, `restore` and `upgrade`: rehearse operations on temporary servers on this machine.
import { Command } from 'commander';
import { wholeNumber } from '../services/command.ts';
import { runFailover } from './failover.ts';
import { runPowerLoss } from './power-loss.ts';
import { runRestore } from './restore.ts';
import { runUpgrade } from './upgrade.ts';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const program = new Command('drill').description('Rehearses operations under load, with a timed transcript.');
program
  .command('failover')
  .description('kills a primary with a synchronous standby, and promotes the standby')
  .option('--seconds <n>', 'load before and after', wholeNumber(1), 5)
  .action(async ({ seconds }: { seconds: number }) => {
    const { lost, missed } = await runFailover({ seconds, say });
    process.exitCode = lost === 0 && missed === 0 ? 0 : 1;
  });
program
  .command('restore')
  .description('restores a base backup with archived WAL to an earlier time, and restamps the change feeds')
  .option(
    '--seconds <n>',
    'load before the backup, after it, and after the time of the restore',
    wholeNumber(1),
    5,
  )
  .action(async ({ seconds }: { seconds: number }) => {
    const { behind, missed, lost } = await runRestore({ seconds, say });
    // Without a claim whose state was lost, the drill would show nothing.
    process.exitCode = behind > 0 && missed === 0 && lost === 0 ? 0 : 1;
  });
program
  .command('power-loss')
  .description('kills service and embedded database, and drops what was not synced, with LazyFS')
  .requiredOption('--lazyfs <command>', 'its program')
  .option('--rounds <n>', 'losses', wholeNumber(1), 3)
  .option('--seconds <n>', 'load before each', wholeNumber(1), 5)
  .action(async (options: { lazyfs: string; rounds: number; seconds: number }) => {
    const { lost, unverified } = await runPowerLoss({ ...options, say });
    process.exitCode = lost === 0 && unverified === 0 ? 0 : 1;
  });
program
  .command('upgrade')
  .description('runs the last release and this checkout side by side on one database')
  .option('--from <commit>', 'the earlier release; by default the last tag v*')
  .option('--seconds <n>', 'load before, during and after', wholeNumber(1), 10)
  .action(async (options: { from?: string; seconds: number }) => {
    const { failed, violations } = await runUpgrade({ ...options, say });
    process.exitCode = failed === 0 && violations.length === 0 ? 0 : 1;
  });
try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`drill: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
