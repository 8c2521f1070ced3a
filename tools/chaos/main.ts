// `pnpm test:chaos`: the service on real servers, while everything that can die does.
import { Command } from 'commander';
import { runChaos } from './chaos.ts';
import { printReport } from './report.ts';

const program = new Command('test:chaos')
  .description(
    'Kills, freezes and cuts off whatever the service runs on, then checks that every promise held.',
  )
  .option('--seconds <n>', 'how long', '60')
  .option('--seed <text>', 'what everybody draws their lots from', String(Math.floor(Math.random() * 1e9)))
  .option('--processes <n>', 'how many processes of the service', '3')
  .option('--json', 'one JSON document on standard output and nothing else', false)
  .parse(process.argv.filter((arg, at) => !(arg === '--' && at === 2)));

const options = program.opts<{ seconds: string; seed: string; processes: string; json: boolean }>();
const seconds = Number(options.seconds);
const processes = Number(options.processes);
if (!(seconds > 0) || !Number.isInteger(processes) || processes < 1) program.help({ error: true });

const report = await runChaos({
  seconds,
  seed: options.seed,
  processes,
  log: (line) => process.stderr.write(`${line}\n`),
});
if (options.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
else printReport(report, (line) => console.log(line));
process.exit(report.violations.length === 0 ? 0 : 1);
