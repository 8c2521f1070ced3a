// `pnpm test:fuzz`: requests made of the interface's own document, sound and bent, against a real service.
import { Command } from 'commander';
import { healthy, launchApiProcess } from '../cluster/api-process.ts';
import { keepAlive } from '../cluster/keep-alive.ts';
import { build } from '../services/build.ts';
import { openOperator } from '../services/operator.ts';
import { startPostgres } from '../services/postgres.ts';
import { fuzz } from './fuzzer.ts';

const program = new Command('test:fuzz')
  .description('Sends sound and bent requests, and holds every answer to the interface.')
  .option('--requests <n>', 'how many', '50000')
  .option('--seed <text>', 'what the requests are drawn from', String(Math.floor(Math.random() * 1e9)))
  .option('--json', 'one JSON document on standard output and nothing else', false)
  .parse(process.argv.filter((arg, at) => !(arg === '--' && at === 2)));
const options = program.opts<{ requests: string; seed: string; json: boolean }>();
const requests = Number(options.requests);
if (!Number.isInteger(requests) || requests < 1) program.help({ error: true });

const [postgres] = await Promise.all([startPostgres(), build()]);
const operator = await openOperator(postgres.url);
const service = await launchApiProcess({
  env: { DATABASE_URL: postgres.url, EDGE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'warn' },
});
await healthy(service);
const kept = keepAlive(service);
const log = (line: string): void => void process.stderr.write(`${line}\n`);
const report = await fuzz({ url: service.url, operator, requests, seed: options.seed, log });
kept.letGo();
await service.term();
await operator.close();
await postgres.stop();

if (options.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
else {
  console.log(`seed ${report.seed}: ${report.requests} requests, ${report.mutations} mutations`);
  console.log(
    Object.entries(report.byStatus)
      .map(([status, count]) => `${status}: ${count}`)
      .join('  '),
  );
  console.log(
    Object.entries(report.byCode)
      .map(([code, count]) => `${code}: ${count}`)
      .join('  '),
  );
  for (const finding of report.findings)
    console.log(
      `✗ ${finding.what}\n  ${JSON.stringify(finding.request).slice(0, 1500)}\n  ${JSON.stringify(finding.answer).slice(0, 800)}`,
    );
  for (const death of kept.deaths) console.log(`✗ the process ended by itself: ${death}`);
  console.log(`${report.findings.length} findings`);
}
process.exit(report.findings.length + kept.deaths.length === 0 ? 0 : 1);
