// `pnpm test:attack fuzz`: valid and invalid requests generated from the OpenAPI document, against a real service.
import { Command } from 'commander';
import { keepAlive } from '../cluster/keep-alive.ts';
import { scriptArguments, wholeNumber } from '../services/command.ts';
import { fuzz } from './fuzzer.ts';
import { startTarget } from './target.ts';

const program = new Command('test:attack fuzz')
  .description('Sends valid and invalid requests, and checks every response against the OpenAPI document.')
  .option('--requests <n>', 'number of requests', wholeNumber(1), 50_000)
  .option('--seed <text>', 'seed of the random generator', String(Math.floor(Math.random() * 1e9)))
  .parse(scriptArguments());
const options = program.opts<{ requests: number; seed: string }>();

const { service, operator, stop } = await startTarget({ SESSION_LIMIT_PER_MINUTE: '0' }, (line) => {
  if (line.includes('"level":"error"')) console.error(line);
});
const kept = keepAlive(service);
const report = await fuzz({ url: service.url, operator, ...options, log: console.error });
kept.stop();
await stop();

const counts = (by: Readonly<Record<string, number>>): string =>
  Object.entries(by)
    .map(([name, count]) => `${name}: ${count}`)
    .join('  ');
console.log(`seed ${report.seed}: ${report.requests} requests, ${report.mutations} mutations`);
console.log(counts(report.byStatus));
console.log(counts(report.byCode));
for (const finding of report.findings) console.log(`✗ ${finding}`);
for (const exit of kept.unexpectedExits) console.log(`✗ the process ended unexpectedly: ${exit}`);
console.log(`${report.findings.length} findings`);
process.exit(report.findings.length + kept.unexpectedExits.length === 0 ? 0 : 1);
