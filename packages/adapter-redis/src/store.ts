import { Cluster, type Redis } from 'ioredis';
import { createBreaker, messageOf, type RedisLog, type RedisState } from './breaker.ts';
import { CONSUME, LATE, type Script } from './scripts.ts';

/** Redis as the adapter's own files need it: scripts on one key each, that may fail to be answered. */
export interface Store {
  /** The script's reply; undefined when Redis was no help. Never rejects. */
  run(script: Script, key: string, args: readonly (string | number)[], testNow?: number): Promise<unknown>;
  /** For what no request waits for. */
  runLater(script: Script, key: string, args: readonly (string | number)[]): void;
  state(): RedisState;
  /** Lets what nobody waits for finish, and disconnects. */
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
  client.on('ready', () => breaker.connected());
  client.on('close', () => breaker.lost('the connection was closed'));
  client.on('error', (error) => breaker.lost(messageOf(error)));

  // Redis' clock minus this process' monotonic one, at the most: with several nodes, that of the one furthest ahead.
  let ahead = 0;
  const deadline = (): number => Math.ceil(performance.now() + ahead + 2 * commandTimeoutMs);

  async function probe(): Promise<void> {
    if (client.status !== 'ready') throw new Error('not connected');
    // A failover is heard of only by asking.
    if (client instanceof Cluster) client.refreshSlotsCache();
    const nodes = client instanceof Cluster ? client.nodes('master') : [client];
    if (nodes.length === 0) throw new Error('no master is known');
    const startedAt = performance.now();
    const times = await Promise.all(nodes.map((node) => node.time()));
    ahead = Math.max(...times.map(([s, us]) => Number(s) * 1000 + Number(us) / 1000 - startedAt));
    // A replica, a full disk, a cluster with a hole: all of these answer questions and refuse to write.
    await evaluate(CONSUME, 'limit:{probe}', deadline(), [1e6, 1e6, 1e6, 0], undefined, () => true);
  }

  async function evaluate(
    script: Script,
    key: string,
    until: number,
    args: readonly (string | number)[],
    testNow: number | undefined,
    isAwaited: () => boolean,
  ): Promise<unknown> {
    const all = [`${keyPrefix}${key}`, until, testNow ?? '', ...args];
    try {
      return await client.evalsha(script.sha, 1, ...all);
    } catch (error) {
      const message = error instanceof Error ? error.message : '';
      if (message.startsWith('NOSCRIPT')) return client.eval(script.lua, 1, ...all);
      const late = LATE.exec(message);
      // Whoever hears this in time was not late: Redis' clock was put forward.
      if (late && isAwaited()) {
        ahead = Math.max(ahead, Number(late[1]) - performance.now());
        return evaluate(script, key, 0, args, testNow, isAwaited);
      }
      throw error;
    }
  }

  const run: Store['run'] = (script, key, args, testNow) =>
    breaker.ask((isAwaited) =>
      evaluate(script, key, testNow === undefined ? deadline() : 0, args, testNow, isAwaited),
    );

  const unawaited = new Set<Promise<unknown>>();

  return {
    run,

    runLater(script, key, args) {
      const running = run(script, key, args).finally(() => unawaited.delete(running));
      unawaited.add(running);
    },

    state: () => breaker.state(),

    async close() {
      await Promise.all(unawaited);
      breaker.stop();
      client.disconnect();
    },
  };
}
