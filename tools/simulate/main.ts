// `pnpm test:simulate`: many schedules, in a process for each core.
import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { type SimulationResult, simulate } from './simulate.ts';

/** Schedules of one seed; the next ones have the next seed. */
const BATCH = 5_000;

const program = new Command('test:simulate')
  .description('Runs the use cases on a simulated database, in every order and with faults.')
  .option('--schedules <n>', 'number of schedules', '1000000')
  .option('--seed <n>', 'seed of the first batch', String(Math.floor(Math.random() * 1e9)))
  .option('--path <path>', 'repeats one schedule of a failure')
  .option('--processes <n>', 'processes', String(availableParallelism()))
  .parse(process.argv.filter((arg, at) => !(arg === '--' && at === 2)));
const options = program.opts<{ schedules: string; seed: string; path?: string; processes: string }>();
const [schedules, seed, processes] = [options.schedules, options.seed, options.processes].map(Number);
if (!schedules || seed === undefined || !processes || Number.isNaN(seed)) program.help({ error: true });

if (process.send !== undefined) {
  // A process started below: runs the batches it gets.
  process.on('disconnect', () => process.exit());
  process.on('message', (batch: { schedules: number; seed: number }) => {
    void simulate(batch).then((result) => process.send?.(result));
  });
} else if (options.path !== undefined) {
  conclude(await simulate({ schedules: BATCH, seed: seed ?? 0, path: options.path }));
} else {
  const startedAt = performance.now();
  let [started, done, next] = [0, 0, seed ?? 0];
  const children: ChildProcess[] = [];
  const start = (child: ChildProcess): void => {
    const count = Math.min(BATCH, (schedules ?? 0) - started);
    if (count <= 0) {
      child.disconnect();
      return;
    }
    started += count;
    child.send({ schedules: count, seed: next });
    next += 1;
  };
  for (let n = 0; n < (processes ?? 1); n += 1) {
    const child = fork(fileURLToPath(import.meta.url), process.argv.slice(2));
    children.push(child);
    // Also a process that was killed, which has no exit code.
    child.on('exit', (code) => {
      if (code === 0) return;
      console.error(`A process of the simulation ended early (exit code ${code ?? 'none'}).`);
      process.exit(1);
    });
    child.on('message', (result: SimulationResult) => {
      done += result.schedules;
      const perSecond = done / ((performance.now() - startedAt) / 1_000);
      console.log(`${done} schedules, ${perSecond.toFixed(0)} per second, seeds from ${seed}`);
      if (result.failure === null) return start(child);
      for (const each of children) each.kill();
      conclude(result);
    });
    start(child);
  }
}

function conclude({ failure }: SimulationResult): void {
  console.log(failure ?? 'no violation');
  process.exit(failure === null ? 0 : 1);
}
