import { setTimeout as sleep } from 'node:timers/promises';
import { isHealthy } from '../cluster/api-process.ts';
import type { Cluster } from '../cluster/index.ts';
import type { Random } from '../generate/random.ts';
import type { CuttingProxy } from './cutting-proxy.ts';
import { FAULTS, type Fault, type FaultKind } from './history.ts';

interface Victims extends Pick<Cluster, 'processes' | 'postgres' | 'redis'> {
  readonly proxies: readonly CuttingProxy[];
}

/** A few requests are cut at any time. */
export const QUIET_FAULT_RATE = 0.02;
const LOUD_FAULT_RATE = 0.4;
/** Whoever is not back by then will not come back by itself. */
const RECOVERY_MS = 30_000;

/** Injects one fault after another until stopped, every kind once before any kind again. */
export async function injectFaults(
  victims: Victims,
  random: Random,
  options: {
    readonly isOn: () => boolean;
    readonly now: () => number;
    readonly longestHoldMs: number;
    readonly report: (fault: Fault) => void;
  },
): Promise<void> {
  let bag: FaultKind[] = [];
  while (options.isOn()) {
    await sleep(random.integer(200, 900));
    if (!options.isOn()) return;
    if (bag.length === 0) bag = random.shuffle(FAULTS);
    const kind = bag.pop();
    if (kind === undefined) return;
    const hold = random.integer(200, options.longestHoldMs);
    // Seldom does only one thing go wrong.
    const second = random.chance(0.3) ? random.pick(victims.processes) : undefined;
    const startedAt = options.now();
    let recovery: Promise<Omit<Fault, 'kind'>> | undefined;
    const givenBack = (): Promise<Omit<Fault, 'kind'>> => {
      const endedAt = options.now();
      recovery ??= Promise.all(victims.processes.map(({ url }) => recovered(url))).then(() => ({
        startedAt,
        endedAt,
        recoveredAfter: options.now() - endedAt,
      }));
      return recovery;
    };
    await INJECTORS[kind](victims, random, {
      givenBack,
      async hold() {
        await sleep(hold / 2);
        void second?.kill();
        await sleep(hold / 2);
      },
    });
    const fault = await givenBack();
    options.report({ kind, ...fault });
    if (second !== undefined) options.report({ kind: 'process killed', ...fault });
  }
}

async function recovered(url: string): Promise<void> {
  const deadline = Date.now() + RECOVERY_MS;
  while (!(await isHealthy(url))) {
    if (Date.now() > deadline) throw new Error(`${url} was not healthy within ${RECOVERY_MS} ms.`);
    await sleep(20);
  }
}

interface Course {
  hold(): Promise<void>;
  /** From here on the service can recover; where nothing is taken away, that is at once. */
  givenBack(): unknown;
}

type Injector = (victims: Victims, random: Random, course: Course) => Promise<void>;

const INJECTORS: Readonly<Record<FaultKind, Injector>> = {
  async 'process killed'({ processes }, random, { hold, givenBack }) {
    void random.pick(processes).kill();
    givenBack();
    await hold();
  },
  async 'all processes killed'({ processes }, _random, { hold, givenBack }) {
    for (const process of processes) void process.kill();
    givenBack();
    await hold();
  },
  async 'process frozen'({ processes }, random, { hold }) {
    const frozen = random.pick(processes);
    frozen.pause();
    await hold();
    frozen.resume();
  },
  async 'redis frozen'({ redis }, _random, { hold }) {
    redis.pause();
    await hold();
    redis.resume();
  },
  async 'redis flushed'({ redis }, _random, { hold, givenBack }) {
    await redis.flush();
    givenBack();
    await hold();
  },
  async 'redis killed'({ redis }, _random, { hold }) {
    await redis.kill();
    await hold();
    await redis.restart();
  },
  async 'postgres connections ended'({ postgres }, _random, { hold, givenBack }) {
    await postgres.endConnections();
    givenBack();
    await hold();
  },
  async 'postgres restarted'({ postgres }, _random, { hold }) {
    await postgres.end('fast');
    await hold();
    await postgres.begin();
  },
  async 'postgres crashed'({ postgres }, _random, { hold }) {
    await postgres.end('crash');
    await hold();
    await postgres.begin();
  },
  async 'postgres killed'({ postgres }, _random, { hold }) {
    await postgres.end('kill');
    await hold();
    await postgres.begin();
  },
  async 'connections cut'({ proxies }, _random, { hold }) {
    for (const proxy of proxies) proxy.faultRate = LOUD_FAULT_RATE;
    await hold();
    for (const proxy of proxies) proxy.faultRate = QUIET_FAULT_RATE;
  },
};
