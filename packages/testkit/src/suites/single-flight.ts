import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Attempt, IdempotencySlot, SingleFlight } from '@svc/application';
import type { ClaimId, FirmId } from '@svc/domain';

export interface SingleFlightUnderTest {
  /** One process, or several that share a store. */
  readonly processes: readonly [SingleFlight, ...SingleFlight[]];
  close?(): Promise<void>;
}

/** What every implementation of twins does, whether the twins meet in one process or in several. */
export function singleFlightSuite(name: string, make: () => Promise<SingleFlightUnderTest>): void {
  describe(`${name} keeps twins apart`, () => {
    let underTest: SingleFlightUnderTest;
    const first = () => underTest.processes[0];
    const last = () => underTest.processes.at(-1) ?? underTest.processes[0];
    const any = (n: number) => underTest.processes[n % underTest.processes.length] ?? first();

    beforeAll(async () => {
      underTest = await make();
    });
    afterAll(() => underTest?.close?.());

    test('a request alone makes its attempt and gets its outcome', async () => {
      const outcome = { claimId: aClaim(), replayed: false };
      expect(await first().run(aSlot(), 'a', async () => outcome)).toEqual(outcome);
    });

    test('what the attempt found done before is handed on as a replay', async () => {
      const outcome = { claimId: aClaim(), replayed: true };
      expect(await first().run(aSlot(), 'a', async () => outcome)).toEqual(outcome);
    });

    test('of 40 twins that arrive together one does the work, and all get its claim', async () => {
      const slot = aSlot();
      const store = new Bindings();
      const outcomes = await Promise.all(
        Array.from({ length: 40 }, (_, n) => any(n).run(slot, 'a', () => store.bind(slot))),
      );
      expect(store.created).toHaveLength(1);
      expect(new Set(outcomes.map(({ claimId }) => claimId))).toEqual(new Set(store.created));
      expect(outcomes.filter(({ replayed }) => !replayed)).toHaveLength(1);
    });

    test('a twin waits as long as the attempt is under way', async () => {
      const slot = aSlot();
      const work = new Gate<Attempt>();
      const one = first().run(slot, 'a', work.pass);
      await work.reached;
      let twinAttempted = false;
      const twin = last().run(slot, 'a', async () => {
        twinAttempted = true;
        return work.opened;
      });
      const claimId = aClaim();
      await turns();
      expect(twinAttempted).toBe(false);
      work.open({ claimId, replayed: false });
      expect(await one).toEqual({ claimId, replayed: false });
      expect(await twin).toEqual({ claimId, replayed: true });
      expect(twinAttempted).toBe(false);
    });

    test('a different request is refused while the attempt is under way, and its attempt is not made', async () => {
      const slot = aSlot();
      const work = new Gate<Attempt>();
      const one = first().run(slot, 'a', work.pass);
      await work.reached;
      for (const twins of underTest.processes) {
        let attempted = false;
        const other = twins.run(slot, 'b', async () => {
          attempted = true;
          return { claimId: aClaim(), replayed: false };
        });
        await expect(other).rejects.toMatchObject({ name: 'DomainError', code: 'idempotency_key_reused' });
        expect(attempted).toBe(false);
      }
      const claimId = aClaim();
      work.open({ claimId, replayed: false });
      expect(await one).toEqual({ claimId, replayed: false });
    });

    test('a failed attempt is told to its own caller, and the corrected request takes the key', async () => {
      const slot = aSlot();
      const failure = new Error('refused');
      await expect(first().run(slot, 'a', () => Promise.reject(failure))).rejects.toBe(failure);
      const outcome = { claimId: aClaim(), replayed: false };
      expect(await first().run(slot, 'b', async () => outcome)).toEqual(outcome);
    });

    test('an attempt that throws at once fails like any other', async () => {
      const slot = aSlot();
      const failure = new Error('thrown');
      const thrown = first().run(slot, 'a', () => {
        throw failure;
      });
      await expect(thrown).rejects.toBe(failure);
      const outcome = { claimId: aClaim(), replayed: false };
      expect(await first().run(slot, 'a', async () => outcome)).toEqual(outcome);
    });

    test('when attempts fail, the waiting twins make their own one at a time, until one succeeds', async () => {
      const slot = aSlot();
      const store = new Bindings();
      let made = 0;
      let under = 0;
      let most = 0;
      const results = await Promise.allSettled(
        Array.from({ length: 12 }, (_, n) =>
          any(n).run(slot, 'a', async () => {
            made += 1;
            const mine = made;
            under += 1;
            most = Math.max(most, under);
            await turns();
            under -= 1;
            if (mine <= 4) throw new Error(`failure ${mine}`);
            return store.bind(slot);
          }),
        ),
      );
      expect(most).toBe(1);
      expect(store.created).toHaveLength(1);
      expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(4);
    });

    test('slots are apart by firm, by environment and by key, whatever the key holds', async () => {
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
      const gates = slots.map(() => new Gate<Attempt>());
      // Were two of them one, the second would be refused or wait, and its gate never be reached.
      const all = slots.map((each, n) => any(n).run(each, `print-${n}`, gates[n]?.pass ?? Promise.reject));
      await Promise.all(gates.map(({ reached }) => reached));
      const claims = slots.map(() => aClaim());
      gates.forEach((gate, n) => {
        gate.open({ claimId: claims[n] as ClaimId, replayed: false });
      });
      expect((await Promise.all(all)).map(({ claimId }) => claimId)).toEqual(claims);
    });
  });
}

let count = 0;
const nextUuid = (): string =>
  `00000000-0000-4000-8000-${(++count).toString(16).padStart(4, '0')}${Math.random().toString(16).slice(2, 10).padEnd(8, '0')}`;
const aClaim = (): ClaimId => nextUuid() as ClaimId;
const aSlot = (): IdempotencySlot => ({
  firmId: nextUuid() as FirmId,
  environment: 'live',
  key: `key ${count}`,
});

/** Lets everything run that can run without time passing. */
const turns = async (): Promise<void> => {
  for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
};

/** An attempt that stops until the test lets it go on. */
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

/** Stands for the durable record: the first to bind does the work, whoever comes later finds it. */
class Bindings {
  readonly created: ClaimId[] = [];
  private readonly bound = new Map<string, ClaimId>();

  async bind(slot: IdempotencySlot): Promise<Attempt> {
    await turns();
    const name = JSON.stringify(slot);
    const before = this.bound.get(name);
    if (before) return { claimId: before, replayed: true };
    const claimId = aClaim();
    this.bound.set(name, claimId);
    this.created.push(claimId);
    return { claimId, replayed: false };
  }
}
