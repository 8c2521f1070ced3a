// `pnpm test:chaos`: the service on real servers under fault injection.
import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { say, scriptArguments, wholeNumber } from '../services/command.ts';
import { runChaos } from './chaos.ts';
import { markdownTables, printReport } from './report.ts';
import { COMPLETE_AFTER_SECONDS } from './sometimes.ts';

const program = new Command('test:chaos')
  .description(
    'Kills, freezes and disconnects everything the service runs on, and checks that every guarantee holds.',
  )
  .option('--seconds <n>', 'duration', wholeNumber(1), 60)
  .option('--seed <text>', 'seed of the random generator', String(Math.floor(Math.random() * 1e9)))
  .option('--processes <n>', 'processes of the service', wholeNumber(1), 3)
  .option('--citus', 'on a Citus cluster of the PostgreSQL of this machine', false)
  .option('--failover', 'on a primary with a synchronous standby, which fails over too', false)
  .option('--until-violation', 'judge after every fault too, and stop at the first violation', false)
  .option('--history <file>', 'where to write the recorded requests as JSON Lines')
  .option('--markdown <file>', 'where to write the results as Markdown tables')
  .parse(scriptArguments());

const options = program.opts<{
  seconds: number;
  seed: string;
  processes: number;
  citus: boolean;
  history?: string;
  failover: boolean;
  untilViolation: boolean;
  markdown?: string;
}>();
if (options.citus) process.env.TEST_POSTGRES = 'citus';
if (options.citus && options.failover) program.error('--failover is not possible with --citus');

const report = await runChaos({
  ...options,
  ...(options.history !== undefined && { historyFile: options.history }),
  log: say,
});
if (options.markdown !== undefined) writeFileSync(options.markdown, markdownTables(report));
printReport(report);
const isComplete = options.seconds < COMPLETE_AFTER_SECONDS || report.neverSeen.length === 0;
if (!isComplete) console.log(`incomplete: the run never met ${report.neverSeen.join('; ')}`);
process.exit(report.violations.length === 0 && isComplete ? 0 : 1);
