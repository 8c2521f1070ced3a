import fc from 'fast-check';
import { runSchedule, schedule } from './simulation.ts';
import { createWorld } from './world.ts';

export interface SimulationResult {
  readonly schedules: number;
  /** Transactions that changed several claims. */
  readonly together: number;
  /** The violated guarantee and the schedule, with the options that repeat it. */
  readonly failure: string | null;
}

/** Runs schedules until one violates a guarantee. The same seed gives the same schedules. */
export async function simulate(options: {
  readonly schedules: number;
  readonly seed: number;
  /** Of an earlier failure: repeats only its schedule. */
  readonly path?: string | undefined;
}): Promise<SimulationResult> {
  const world = await createWorld();
  const counts = { together: 0 };
  const run = await fc.check(
    fc.asyncProperty(schedule, (each) => runSchedule(world, each, counts)),
    {
      numRuns: options.schedules,
      seed: options.seed,
      ...(options.path !== undefined && { path: options.path }),
      // Schedules are short, and shrinking one takes much longer than finding it.
      endOnFailure: true,
    },
  );
  if (!run.failed) return { schedules: run.numRuns, ...counts, failure: null };
  const error = run.errorInstance instanceof Error ? run.errorInstance.stack : String(run.errorInstance);
  const repeat = `--seed ${run.seed} --path ${run.counterexamplePath}`;
  return {
    schedules: run.numRuns,
    ...counts,
    failure: [error, fc.stringify(run.counterexample), repeat].join('\n'),
  };
}
