/** Takes what winston's logger takes. */
export interface RedisLog {
  warn(message: string, details?: Record<string, unknown>): void;
  info(message: string, details?: Record<string, unknown>): void;
}

export interface RedisState {
  readonly status: 'up' | 'away';
  /** Commands that got no answer in time; each of them held up a request. */
  readonly timeouts: number;
  /** Commands that were answered with an error or lost their connection. */
  readonly failures: number;
  /** How often Redis went from up to away. */
  readonly outages: number;
}

export interface Breaker {
  /**
   * Runs a command; undefined when Redis is no help, be it known to be away, silent for too long, or in error. Never
   * rejects. The command learns whether somebody still waits for it.
   */
  ask<T>(command: (isAwaited: () => boolean) => Promise<T>): Promise<T | undefined>;
  /** The connection is gone: whoever waits need not wait any longer. */
  lost(reason: string): void;
  /** The connection was made: no need to wait for the next probe. */
  connected(): void;
  state(): RedisState;
  stop(): void;
}

interface Waiting {
  since: number;
  letGo(): void;
}

/** Errors that come back fast cost a request little; a few in a row mean that it is not about one key. */
const FAILURES_IN_A_ROW = 3;
const PROBE_EVERY_MS = 250;
/** Whoever goes away again this soon is probed later and later: a store that fails every other second helps nobody. */
const SETTLED_AFTER_MS = 5000;
const LONGEST_PAUSE_MS = 4000;
/** A connection that stays silent this long may be dead without anyone having been told. */
const PROBES_UNTIL_NEW_CONNECTION = 20;

/**
 * Decides whether to ask Redis at all. The first silence opens it, for a silence costs every request the full timeout;
 * everyone else who waits is let go at that moment. From then on it is probed in the background, never by a request.
 * @param probe rejects, or stays silent, as long as Redis cannot do the work.
 * @param reconnect throws the connection away.
 */
export function createBreaker({
  timeoutMs,
  probe,
  reconnect,
  log,
}: {
  readonly timeoutMs: number;
  readonly probe: () => Promise<unknown>;
  readonly reconnect: () => void;
  readonly log: RedisLog;
}): Breaker {
  let up = false;
  let stopped = false;
  // Not heard of yet is no outage: nothing is reported until the first trouble.
  let awaySince: number | null = null;
  let upSince = Number.NEGATIVE_INFINITY;
  let pause = 0;
  let failuresInARow = 0;
  let missedProbes = 0;
  let probing = false;
  let nextProbe: NodeJS.Timeout | undefined;
  let timeouts = 0;
  let failures = 0;
  let outages = 0;
  // In order of time. One timer watches the oldest of them; a timer for each would cost more than sending the command.
  const waiting = new Set<Waiting>();
  let watch: NodeJS.Timeout | undefined;
  let forgiven = false;

  function report(reason: string): void {
    if (awaySince !== null || stopped) return;
    awaySince = performance.now();
    log.warn('Redis is away: limits are kept in this process, idempotency by PostgreSQL alone.', { reason });
  }

  function open(reason: string): void {
    if (!up) return;
    up = false;
    outages += 1;
    failuresInARow = 0;
    report(reason);
    letAllGo();
    const settled = performance.now() - upSince > SETTLED_AFTER_MS;
    pause = settled ? 0 : Math.min(LONGEST_PAUSE_MS, Math.max(PROBE_EVERY_MS, pause * 2));
    probeIn(pause);
  }

  function letAllGo(): void {
    for (const { letGo } of waiting) letGo();
  }

  function watchSince(since: number): void {
    const due = since + timeoutMs;
    watch = setTimeout(judgeOldest, due - performance.now(), due);
  }

  function judgeOldest(due: number): void {
    // Sockets are read between the timers and the immediates: what has arrived by now is in time.
    setImmediate(() => {
      watch = undefined;
      const now = performance.now();
      // A timer that comes late says that this process was busy and may have asked late, too. Without an answer in
      // between it is believed only once.
      if (now - due > timeoutMs / 2 && !forgiven) {
        forgiven = true;
        for (const asked of waiting) asked.since = now;
      }
      const [oldest] = waiting;
      if (!oldest) return;
      // Timers may come a fraction of a millisecond early.
      if (now - oldest.since < timeoutMs - 1) {
        watchSince(oldest.since);
        return;
      }
      timeouts += 1;
      open('no answer in time');
    });
  }

  function close(): void {
    up = true;
    upSince = performance.now();
    missedProbes = 0;
    failuresInARow = 0;
    if (awaySince === null) return;
    log.info('Redis is back.', { awayMs: Math.round(upSince - awaySince) });
    awaySince = null;
  }

  function probeIn(ms: number): void {
    clearTimeout(nextProbe);
    if (stopped) return;
    nextProbe = setTimeout(() => void tryAgain(), ms);
    nextProbe.unref();
  }

  async function tryAgain(): Promise<void> {
    if (probing || up || stopped) return;
    probing = true;
    const works = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs, false);
      probe()
        .then(
          () => resolve(true),
          () => resolve(false),
        )
        .finally(() => clearTimeout(timer));
    });
    probing = false;
    if (up || stopped) return;
    if (works) {
      close();
      return;
    }
    missedProbes += 1;
    if (missedProbes % PROBES_UNTIL_NEW_CONNECTION === 0) reconnect();
    probeIn(PROBE_EVERY_MS);
  }

  probeIn(PROBE_EVERY_MS);

  return {
    ask<T>(command: (isAwaited: () => boolean) => Promise<T>) {
      if (!up) return Promise.resolve(undefined);
      return new Promise<T | undefined>((resolve) => {
        const asked: Waiting = {
          since: performance.now(),
          letGo() {
            waiting.delete(asked);
            resolve(undefined);
          },
        };
        waiting.add(asked);
        if (!watch) watchSince(asked.since);
        command(() => waiting.has(asked)).then(
          (answer) => {
            if (!waiting.delete(asked)) return;
            failuresInARow = 0;
            forgiven = false;
            resolve(answer);
          },
          (error: unknown) => {
            if (!waiting.has(asked)) return;
            asked.letGo();
            failures += 1;
            failuresInARow += 1;
            if (failuresInARow >= FAILURES_IN_A_ROW) open(messageOf(error));
          },
        );
      });
    },

    lost(reason) {
      if (up) open(reason);
      else report(reason);
    },

    connected: () => probeIn(0),

    state: () => ({ status: up ? 'up' : 'away', timeouts, failures, outages }),

    stop() {
      stopped = true;
      up = false;
      clearTimeout(nextProbe);
      clearTimeout(watch);
      letAllGo();
    },
  };
}

/** The text alone: ioredis hangs the command, and with it keys, on its errors. */
export const messageOf = (error: unknown): string =>
  // A refusal on all addresses of a name has a code and no text.
  error instanceof Error ? error.message || String((error as NodeJS.ErrnoException).code) : String(error);
