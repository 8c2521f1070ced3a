import { setImmediate } from 'node:timers/promises';
import type { Clock } from '@svc/application';
import { Cluster, Redis } from 'ioredis';
import { createBreaker, messageOf, type RedisLog, type RedisState } from './breaker.ts';
import { LATE, type Operation, SCRIPT, scriptArguments } from './scripts.ts';

/** Runs operations on one key each. Those of one tick leave as one command. */
export interface Store {
  /** The reply; undefined when Redis is unavailable. Never rejects. */
  run(operation: Operation): Promise<unknown>;
  /** For operations whose reply no request awaits. */
  runLater(operation: Operation): void;
  state(): RedisState;
  /** Waits for the operations of `runLater`, then disconnects. */
  close(): Promise<void>;
}

/** Those of one command, in the order of its operations; errors of single operations are among them. */
type Replies = readonly unknown[] | undefined;

interface Batch {
  readonly operations: Operation[];
  readonly replies: Promise<Replies>;
}

export function createStore({
  client,
  keyPrefix,
  commandTimeoutMs,
  log,
  clock,
}: {
  readonly client: Redis | Cluster;
  readonly keyPrefix: string;
  readonly commandTimeoutMs: number;
  readonly log: RedisLog;
  /** For tests: replaces Redis' clock, and there are no deadlines. */
  readonly clock?: Clock | undefined;
}): Store {
  const breaker = createBreaker({
    timeoutMs: commandTimeoutMs,
    log,
    reconnect: () => client.disconnect(true),
    probe,
  });
  client.on('ready', () => breaker.onConnected());
  client.on('close', () => breaker.onConnectionLost('the connection was closed'));
  client.on('error', (error) => breaker.onConnectionLost(messageOf(error)));

  // Redis' clock minus this process' monotonic clock; with several nodes, of the node furthest ahead.
  let clockOffsetMs = 0;
  const nextDeadline = (): number =>
    clock === undefined ? Math.ceil(performance.now() + clockOffsetMs + 2 * commandTimeoutMs) : 0;

  async function probe(): Promise<void> {
    if (client.status !== 'ready') throw new Error('not connected');
    // Without this a failover goes unnoticed.
    if (client instanceof Cluster) client.refreshSlotsCache();
    const nodes = client instanceof Cluster ? client.nodes('master') : [client];
    if (nodes.length === 0) throw new Error('no master is known');
    const startedAt = performance.now();
    const times = await Promise.all(nodes.map((node) => node.time()));
    clockOffsetMs = Math.max(...times.map(([s, us]) => Number(s) * 1000 + Number(us) / 1000 - startedAt));
    // A write, since a replica, a full disk and a cluster with missing slots accept only reads.
    const write: Operation = { name: 'consume', key: 'limit:{probe}', args: [1e6, 1e6, 1e6, 0] };
    await evaluate([write], nextDeadline());
  }

  /** @throws the error of the script, or of its first operation if all have failed. */
  async function evaluate(operations: readonly Operation[], deadline: number): Promise<readonly unknown[]> {
    const args = scriptArguments(operations, { keyPrefix, deadline, testNow: clock?.now() });
    let replies: readonly unknown[];
    try {
      replies = (await client.evalsha(SCRIPT.sha, ...args)) as unknown[];
    } catch (error) {
      if (!messageOf(error).startsWith('NOSCRIPT')) throw error;
      replies = (await client.eval(SCRIPT.lua, ...args)) as unknown[];
    }
    // After a failover the host name may resolve to the new master.
    if (replies.some(isReadOnly) && client instanceof Redis) client.disconnect(true);
    if (replies.every((reply) => reply instanceof Error)) throw replies[0];
    return replies;
  }

  const send = (operations: readonly Operation[]): Promise<Replies> =>
    breaker.run(async (isAwaited) => {
      try {
        return await evaluate(operations, nextDeadline());
      } catch (error) {
        const late = LATE.exec(messageOf(error));
        if (!late || !isAwaited()) throw error;
        // The callers still wait, so the command was in time and Redis' clock was set forward.
        clockOffsetMs = Math.max(clockOffsetMs, Number(late[1]) - performance.now());
        return evaluate(operations, 0);
      }
    });

  let batch: Batch | null = null;

  function batchOfThisTick(): Batch {
    if (batch === null) {
      const operations: Operation[] = [];
      const replies = setImmediate().then(() => {
        batch = null;
        return send(operations);
      });
      batch = { operations, replies };
    }
    return batch;
  }

  async function run(operation: Operation): Promise<unknown> {
    // The keys of a cluster are on several nodes.
    const { operations, replies } =
      client instanceof Cluster ? { operations: [], replies: send([operation]) } : batchOfThisTick();
    const at = operations.push(operation) - 1;
    const reply = (await replies)?.[at];
    if (!(reply instanceof Error)) return reply;
    breaker.countFailure();
    return undefined;
  }

  const background = new Set<Promise<unknown>>();

  return {
    run,

    runLater(operation) {
      const running = run(operation).finally(() => background.delete(running));
      background.add(running);
    },

    state: () => breaker.state(),

    async close() {
      await Promise.all(background);
      breaker.stop();
      client.disconnect();
    },
  };
}

const isReadOnly = (reply: unknown): boolean =>
  reply instanceof Error && reply.message.startsWith('READONLY');
