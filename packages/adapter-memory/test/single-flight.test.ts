import { describe, expect, test } from '@jest/globals';
import type { IdempotencySlot, KeyedResult } from '@svc/application';
import type { ClaimId, FirmId } from '@svc/domain';
import { createMemorySingleFlight } from '../src/single-flight.ts';

describe('the single flight runs concurrent duplicates once', () => {
  const { run } = createMemorySingleFlight();

  test('an attempt that finds an earlier result reports it as a replay', async () => {
    const outcome = { claimId: aClaim(), replayed: true };
    expect(await run(aSlot(), 'a', async () => outcome)).toEqual(outcome);
  });

  test('of 40 concurrent duplicates one runs, and all get its claim', async () => {
    const slot = aSlot();
    const store = new Bindings();
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, () => run(slot, 'a', () => store.bind(slot))),
    );
    expect(store.created).toHaveLength(1);
    expect(new Set(outcomes.map(({ claimId }) => claimId))).toEqual(new Set(store.created));
    expect(outcomes.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  test('a duplicate waits while the attempt is running', async () => {
    const slot = aSlot();
    const work = new Gate<KeyedResult>();
    const one = run(slot, 'a', work.pass);
    await work.reached;
    let duplicateRan = false;
    const duplicate = run(slot, 'a', async () => {
      duplicateRan = true;
      return work.opened;
    });
    const claimId = aClaim();
    await settle();
    expect(duplicateRan).toBe(false);
    work.open({ claimId, replayed: false });
    expect(await one).toEqual({ claimId, replayed: false });
    expect(await duplicate).toEqual({ claimId, replayed: true });
    expect(duplicateRan).toBe(false);
  });

  test('a different request fails while an attempt is running, without running itself', async () => {
    const slot = aSlot();
    const work = new Gate<KeyedResult>();
    const one = run(slot, 'a', work.pass);
    await work.reached;
    let attempted = false;
    const other = run(slot, 'b', async () => {
      attempted = true;
      return { claimId: aClaim(), replayed: false };
    });
    await expect(other).rejects.toMatchObject({ name: 'DomainError', code: 'idempotency_key_reused' });
    expect(attempted).toBe(false);
    const claimId = aClaim();
    work.open({ claimId, replayed: false });
    expect(await one).toEqual({ claimId, replayed: false });
  });

  test('a failed attempt rejects its caller, and a corrected request can use the key', async () => {
    const slot = aSlot();
    const failure = new Error('failed');
    await expect(run(slot, 'a', () => Promise.reject(failure))).rejects.toBe(failure);
    const outcome = { claimId: aClaim(), replayed: false };
    expect(await run(slot, 'b', async () => outcome)).toEqual(outcome);
  });

  test('an attempt that throws synchronously fails like any other', async () => {
    const slot = aSlot();
    const failure = new Error('thrown');
    const thrown = run(slot, 'a', () => {
      throw failure;
    });
    await expect(thrown).rejects.toBe(failure);
    const outcome = { claimId: aClaim(), replayed: false };
    expect(await run(slot, 'a', async () => outcome)).toEqual(outcome);
  });

  test('after failures, waiting duplicates run one at a time until one succeeds', async () => {
    const slot = aSlot();
    const store = new Bindings();
    let attempts = 0;
    let running = 0;
    let mostRunning = 0;
    const results = await Promise.allSettled(
      Array.from({ length: 12 }, () =>
        run(slot, 'a', async () => {
          attempts += 1;
          const attempt = attempts;
          running += 1;
          mostRunning = Math.max(mostRunning, running);
          await settle();
          running -= 1;
          if (attempt <= 4) throw new Error(`failure ${attempt}`);
          return store.bind(slot);
        }),
      ),
    );
    expect(mostRunning).toBe(1);
    expect(store.created).toHaveLength(1);
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(4);
  });

  test('slots are separate by firm, environment and key, for any characters in the key', async () => {
    const slot = aSlot();
    const slots: IdempotencySlot[] = [
      slot,
      { ...slot, firmId: `${slot.firmId}0` as FirmId },
      { ...slot, environment: 'test' },
      { ...slot, key: `${slot.key} ` },
      { ...slot, key: '{}' },
      { ...slot, key: '}{' },
      { ...slot, key: '*\r\n' },
      { ...slot, key: 'é\u{1F600}' },
      { ...slot, key: 'x'.repeat(255) },
      { ...slot, key: `${'x'.repeat(254)}y` },
    ];
    const gates = slots.map(() => new Gate<KeyedResult>());
    // If two slots were equal, the second would fail or wait and never reach its gate.
    const all = slots.map((each, n) => run(each, `print-${n}`, gates[n]?.pass ?? Promise.reject));
    await Promise.all(gates.map(({ reached }) => reached));
    const claims = slots.map(() => aClaim());
    gates.forEach((gate, n) => {
      gate.open({ claimId: claims[n] as ClaimId, replayed: false });
    });
    expect((await Promise.all(all)).map(({ claimId }) => claimId)).toEqual(claims);
  });
});

test('the single flight keeps nothing after an attempt, whether it succeeded or failed', async () => {
  const singleFlight = createMemorySingleFlight();
  const slot = { firmId: 'firm' as FirmId, environment: 'live', key: 'k' } as const;
  const success = Promise.all(
    [1, 2, 3].map(() =>
      singleFlight.run(slot, 'a', async () => ({ claimId: 'c' as ClaimId, replayed: false })),
    ),
  );
  expect(singleFlight.size).toBe(1);
  await success;
  expect(singleFlight.size).toBe(0);
  await Promise.allSettled(
    [1, 2, 3].map(() => singleFlight.run(slot, 'a', () => Promise.reject(new Error('no')))),
  );
  expect(singleFlight.size).toBe(0);
});

let count = 0;
const nextUuid = (): string =>
  `00000000-0000-4000-8000-${(++count).toString(16).padStart(4, '0')}${Math.random().toString(16).slice(2, 10).padEnd(8, '0')}`;
const aClaim = (): ClaimId => nextUuid() as ClaimId;
const aSlot = (): IdempotencySlot => ({
  firmId: nextUuid() as FirmId,
  environment: 'live',
  key: `key ${count}`,
});

/** Lets pending work run without advancing time. */
const settle = async (): Promise<void> => {
  for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
};

/** An attempt that waits until the test opens it. */
class Gate<T> {
  private arrive!: () => void;
  open!: (value: T) => void;
  readonly reached = new Promise<void>((resolve) => {
    this.arrive = resolve;
  });
  readonly opened = new Promise<T>((resolve) => {
    this.open = resolve;
  });
  readonly pass = (): Promise<T> => {
    this.arrive();
    return this.opened;
  };
}

/** Replaces the stored record: the first caller creates the claim, later ones find it. */
class Bindings {
  readonly created: ClaimId[] = [];
  private readonly bound = new Map<string, ClaimId>();

  async bind(slot: IdempotencySlot): Promise<KeyedResult> {
    await settle();
    const name = JSON.stringify(slot);
    const existing = this.bound.get(name);
    if (existing) return { claimId: existing, replayed: true };
    const claimId = aClaim();
    this.bound.set(name, claimId);
    this.created.push(claimId);
    return { claimId, replayed: false };
  }
}
