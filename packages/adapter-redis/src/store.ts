import { Cluster, type Redis } from 'ioredis';
import { createBreaker, messageOf, type RedisLog, type RedisState } from './breaker.ts';
import { CONSUME, LATE, type Script } from './scripts.ts';

/** Runs scripts on one key each. */
export interface Store {
  /** The script's reply; undefined when Redis is unavailable. Never rejects. */
  run(script: Script, key: string, args: readonly (string | number)[], testNow?: number): Promise<unknown>;
  /** For scripts whose reply no request awaits. */
  runLater(script: Script, key: string, args: readonly (string | number)[]): void;
  state(): RedisState;
  /** Waits for the scripts of `runLater`, then disconnects. */
  close(): Promise<void>;
}

export function createStore({
  client,
  keyPrefix,
  commandTimeoutMs,
  log,
}: {
  readonly client: Redis | Cluster;
  readonly keyPrefix: string;
  readonly commandTimeoutMs: number;
  readonly log: RedisLog;
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
  const deadline = (): number => Math.ceil(performance.now() + clockOffsetMs + 2 * commandTimeoutMs);

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
    await evaluate(CONSUME, 'limit:{probe}', deadline(), [1e6, 1e6, 1e6, 0], undefined, () => true);
  }

  async function evaluate(
    script: Script,
    key: string,
    deadlineMs: number,
    args: readonly (string | number)[],
    testNow: number | undefined,
    isAwaited: () => boolean,
  ): Promise<unknown> {
    const all = [`${keyPrefix}${key}`, deadlineMs, testNow ?? '', ...args];
    try {
      return await client.evalsha(script.sha, 1, ...all);
    } catch (error) {
      const message = error instanceof Error ? error.message : '';
      if (message.startsWith('NOSCRIPT')) return client.eval(script.lua, 1, ...all);
      const late = LATE.exec(message);
      // The caller still waits, so the command was in time and Redis' clock was set forward.
      if (late && isAwaited()) {
        clockOffsetMs = Math.max(clockOffsetMs, Number(late[1]) - performance.now());
        return evaluate(script, key, 0, args, testNow, isAwaited);
      }
      throw error;
    }
  }

  const run: Store['run'] = (script, key, args, testNow) =>
    breaker.run((isAwaited) =>
      evaluate(script, key, testNow === undefined ? deadline() : 0, args, testNow, isAwaited),
    );

  const background = new Set<Promise<unknown>>();

  return {
    run,

    runLater(script, key, args) {
      const running = run(script, key, args).finally(() => background.delete(running));
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
