import { setTimeout as sleep } from 'node:timers/promises';
import { isHealthy } from '../cluster/api-process.ts';
import type { Cluster } from '../cluster/index.ts';
import type { ClusterPostgres } from '../cluster/postgres.ts';
import type { Random } from '../generate/random.ts';
import type { CuttingProxy } from './cutting-proxy.ts';
import { FAULTS, type Fault, type FaultKind } from './history.ts';

interface Targets extends Pick<Cluster, 'processes' | 'postgres' | 'redis'> {
  readonly proxies: readonly CuttingProxy[];
  /** Between the processes and PostgreSQL; not before a primary and its standby. */
  readonly databaseProxy: CuttingProxy | undefined;
}

export const BASE_FAULT_RATE = 0.02;
const HIGH_FAULT_RATE = 0.4;
export const BASE_DATABASE_FAULT_RATE = 0.001;
const HIGH_DATABASE_FAULT_RATE = 0.05;
const RECOVERY_TIMEOUT_MS = 60_000;

/** Injects faults one after another, each kind once per round, in random order. */
export async function injectFaults(
  targets: Targets,
  random: Random,
  options: {
    readonly isOn: () => Promise<boolean>;
    readonly now: () => number;
    readonly longestHoldMs: number;
    readonly report: (fault: Fault) => void;
  },
): Promise<void> {
  const kinds = FAULTS.filter(
    (kind) =>
      (kind !== 'postgres failover' || targets.postgres.replication !== undefined) &&
      (kind !== 'postgres connections cut' || targets.databaseProxy !== undefined),
  );
  let remaining: FaultKind[] = [];
  while (await options.isOn()) {
    await sleep(random.integer(200, 900));
    if (!(await options.isOn())) return;
    if (remaining.length === 0) remaining = random.shuffle(kinds);
    const kind = remaining.pop();
    if (kind === undefined) return;
    const holdMs = random.integer(200, options.longestHoldMs);
    const second = random.chance(0.3) ? random.pick(targets.processes) : undefined;
    const startedAt = options.now();
    let recovery: Promise<Omit<Fault, 'kind'>> | undefined;
    const markRecoverable = (): Promise<Omit<Fault, 'kind'>> => {
      const endedAt = options.now();
      recovery ??= Promise.all(targets.processes.map(({ url }) => recovered(url))).then(() => ({
        startedAt,
        endedAt,
        recoveredAfter: options.now() - endedAt,
      }));
      return recovery;
    };
    await INJECTORS[kind](targets, random, {
      markRecoverable,
      async hold() {
        await sleep(holdMs / 2);
        void second?.kill();
        await sleep(holdMs / 2);
      },
    });
    const fault = await markRecoverable();
    options.report({ kind, ...fault });
    if (second !== undefined) options.report({ kind: 'process killed', ...fault });
  }
}

async function recovered(url: string): Promise<void> {
  const deadline = Date.now() + RECOVERY_TIMEOUT_MS;
  while (!(await isHealthy(url))) {
    if (Date.now() > deadline) throw new Error(`${url} was not healthy within ${RECOVERY_TIMEOUT_MS} ms.`);
    await sleep(20);
  }
}

/** Of a Citus cluster, each worker as often as the coordinator. */
const anyServer = ({ postgres }: Targets, random: Random): ClusterPostgres =>
  postgres.workers.length === 0 ? postgres : random.pick([postgres, ...postgres.workers]);

interface FaultControl {
  hold(): Promise<void>;
  /** Marks the time from which the service can recover. */
  markRecoverable(): unknown;
}

type Injector = (targets: Targets, random: Random, control: FaultControl) => Promise<void>;

const stopPostgres =
  (how: 'fast' | 'crash' | 'kill'): Injector =>
  async (targets, random, { hold }) => {
    const postgres = anyServer(targets, random);
    await postgres.stopServer(how);
    await hold();
    await postgres.startServer();
  };

const INJECTORS: Readonly<Record<FaultKind, Injector>> = {
  async 'process killed'({ processes }, random, { hold, markRecoverable }) {
    void random.pick(processes).kill();
    markRecoverable();
    await hold();
  },
  async 'all processes killed'({ processes }, _random, { hold, markRecoverable }) {
    for (const process of processes) void process.kill();
    markRecoverable();
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
  async 'redis flushed'({ redis }, _random, { hold, markRecoverable }) {
    await redis.flush();
    markRecoverable();
    await hold();
  },
  async 'redis killed'({ redis }, _random, { hold }) {
    await redis.kill();
    await hold();
    await redis.restart();
  },
  async 'postgres connections ended'(targets, random, { hold, markRecoverable }) {
    await anyServer(targets, random).endConnections();
    markRecoverable();
    await hold();
  },
  'postgres restarted': stopPostgres('fast'),
  'postgres crashed': stopPostgres('crash'),
  'postgres killed': stopPostgres('kill'),
  async 'postgres failover'({ postgres: { replication } }, _random, { hold, markRecoverable }) {
    await replication?.failOver(hold);
    markRecoverable();
    await replication?.addStandby();
  },
  async 'connections cut'({ proxies }, _random, { hold }) {
    for (const proxy of proxies) proxy.faultRate = HIGH_FAULT_RATE;
    await hold();
    for (const proxy of proxies) proxy.faultRate = BASE_FAULT_RATE;
  },
  async 'postgres connections cut'({ databaseProxy }, _random, { hold }) {
    if (databaseProxy === undefined) return;
    databaseProxy.faultRate = HIGH_DATABASE_FAULT_RATE;
    await hold();
    databaseProxy.faultRate = BASE_DATABASE_FAULT_RATE;
  },
};
