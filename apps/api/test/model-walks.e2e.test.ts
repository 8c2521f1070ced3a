import { expect, test } from '@jest/globals';
import { createFixedClock } from '@svc/testkit';
import fc from 'fast-check';
import { DAY, Model, type Step } from './model.ts';
import { createWorld, REAL_ADJUSTERS } from './model-world.ts';
import { startServiceUnderTest } from './service-under-test.ts';

/** For more or other runs, for example: MODEL_RUNS=500 MODEL_SEED=7. */
const RUNS = Number(process.env.MODEL_RUNS ?? 16);
const SEED = Number(process.env.MODEL_SEED ?? 20_261_121);

const clock = createFixedClock(Date.now());
const service = await startServiceUnderTest({ clock });

const firm = fc.nat(1);
const env = fc.constantFrom('live' as const, 'live' as const, 'test' as const);
/** The real adjusters, then the test account of each firm. */
const adjuster = fc.nat(REAL_ADJUSTERS + 1);
const which = fc.nat(5);
const key = fc.nat(7);
const limit = fc.constantFrom(1, 2, 50);
const doing = <const D extends Step['do']>(...names: D[]) => fc.constantFrom(...names);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: doing('send'),
      firm,
      env,
      adjuster,
      external: fc.nat(7),
      claim: fc.nat(9),
      key,
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: doing('offer'), firm, env, which, adjuster, key }) },
  {
    weight: 7,
    arbitrary: fc.record({ do: doing('accept', 'reject', 'close', 'work', 'read'), adjuster, which }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: doing('leave', 'join', 'join', 'decline', 'pause', 'resume'),
      adjuster,
      firm,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: doing('invite', 'invite', 'invite', 'invite many', 'withdraw', 'withdraw'),
      firm,
      env,
      adjuster,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: doing('list'), firm, env, status: fc.nat(4), limit, since: fc.nat(30) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: doing('list'),
      firm,
      env,
      status: fc.constant(0),
      limit,
      since: fc.constant(0),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: doing('get'), firm, env, which }) },
  { weight: 1, arbitrary: fc.record({ do: doing('adjusters'), firm, env, limit }) },
  { weight: 1, arbitrary: fc.record({ do: doing('offers'), adjuster, status: fc.nat(2), limit }) },
  { weight: 1, arbitrary: fc.record({ do: doing('invitations', 'profile'), adjuster }) },
  { weight: 1, arbitrary: fc.record({ do: doing('operator closes'), which }) },
  { weight: 2, arbitrary: fc.record({ do: doing('take back', 'take back', 'firm closes'), firm, which }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: doing('wait'),
      ms: fc.constantFrom(1, 3, 1000, DAY - 1, DAY, 7 * DAY - 1, 7 * DAY),
    }),
  },
);

test('random operations have the results that the model predicts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 45, size: 'max' }), async (steps) => {
      const start = clock.now();
      const world = await createWorld(service, start);
      const people = [
        ...Array.from({ length: REAL_ADJUSTERS }, () => ({ testOf: null })),
        { testOf: 0 },
        { testOf: 1 },
      ];
      const model = new Model(people, start);
      for (const [at, adjuster] of [
        [0, 0],
        [0, 1],
        [1, 1],
        [0, REAL_ADJUSTERS],
        [1, REAL_ADJUSTERS + 1],
      ] as const) {
        model.join(at, adjuster);
      }
      for (const currentStep of steps) {
        if (currentStep.do === 'wait') clock.advance(currentStep.ms);
        const predicted = model.predict(currentStep);
        const result = await world.take(currentStep);
        const { status, code, replayed } = result;
        const { claim, assignment, listed } = predicted;
        expect({ currentStep, status, code, replayed }).toEqual({
          currentStep,
          status: predicted.status,
          code: predicted.code,
          replayed: predicted.replayed ?? false,
        });
        if (claim !== undefined)
          expect([result.claims, result.assignment]).toEqual([[claim], assignment?.status]);
        if (listed !== undefined) expect(result.claims).toEqual(listed);
      }
    }),
    { numRuns: RUNS, seed: SEED },
  );
}, 600_000);
