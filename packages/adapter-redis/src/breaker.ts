export interface RedisLog {
  warn(message: string, details?: Record<string, unknown>): void;
  info(message: string, details?: Record<string, unknown>): void;
}

export interface RedisState {
  readonly status: 'up' | 'down';
  /** Commands without a reply in time; each delayed a request. */
  readonly timeouts: number;
  /** Commands, and single operations of them, that ended with an error; or a lost connection. */
  readonly failures: number;
  /** Transitions from up to down. */
  readonly outages: number;
}

export interface Breaker {
  /**
   * Runs a command. Undefined when Redis is down, does not reply in time or replies with an error; never rejects.
   * `isAwaited` is false once the caller has been released.
   */
  run<T>(command: (isAwaited: () => boolean) => Promise<T>): Promise<T | undefined>;
  /** An operation failed in a command that did not. */
  countFailure(): void;
  /** The connection was lost: every waiting caller is released. */
  onConnectionLost(reason: string): void;
  /** The connection was established: probe at once. */
  onConnected(): void;
  state(): RedisState;
  stop(): void;
}

interface PendingCommand {
  since: number;
  release(): void;
}

/** Fast errors cost a request little; several in a row mean that Redis is failing and not one key. */
const MAX_CONSECUTIVE_FAILURES = 3;
const PROBE_INTERVAL_MS = 250;
/** After a shorter uptime than this the first probe is delayed, doubling each time, so that a flapping Redis is not used. */
const STABLE_AFTER_MS = 5000;
const MAX_PROBE_DELAY_MS = 4000;
/** A connection without replies for this long may be dead without an event. */
const FAILED_PROBES_BEFORE_RECONNECT = 20;

/**
 * Circuit breaker. One timeout opens it, since a timeout costs each request its full length; all waiting callers are
 * released. While open, Redis is probed in the background, never by a request.
 * @param probe rejects or stays pending while Redis cannot do the work.
 * @param reconnect replaces the connection.
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
  // Before the first connection nothing is reported: starting up is not an outage.
  let unavailableSince: number | null = null;
  let upSince = Number.NEGATIVE_INFINITY;
  let probeDelayMs = 0;
  let consecutiveFailures = 0;
  let failedProbes = 0;
  let probing = false;
  let probeTimer: NodeJS.Timeout | undefined;
  let timeouts = 0;
  let failures = 0;
  let outages = 0;
  // Ordered by start. One timer covers the oldest; a timer per command would cost more than sending it.
  const pending = new Set<PendingCommand>();
  let timeoutTimer: NodeJS.Timeout | undefined;
  let graceUsed = false;

  function report(reason: string): void {
    if (unavailableSince !== null || stopped) return;
    unavailableSince = performance.now();
    log.warn('Redis is unavailable: rate limits apply per process, idempotency relies on PostgreSQL.', {
      reason,
    });
  }

  function open(reason: string): void {
    if (!up) return;
    up = false;
    outages += 1;
    consecutiveFailures = 0;
    report(reason);
    releaseAll();
    const stable = performance.now() - upSince > STABLE_AFTER_MS;
    probeDelayMs = stable ? 0 : Math.min(MAX_PROBE_DELAY_MS, Math.max(PROBE_INTERVAL_MS, probeDelayMs * 2));
    scheduleProbe(probeDelayMs);
  }

  function releaseAll(): void {
    for (const { release } of pending) release();
  }

  function startTimeout(since: number): void {
    const dueAt = since + timeoutMs;
    timeoutTimer = setTimeout(checkOldest, dueAt - performance.now(), dueAt);
  }

  function checkOldest(dueAt: number): void {
    // Sockets are read between timers and immediates, so replies that have arrived count as in time.
    setImmediate(() => {
      timeoutTimer = undefined;
      const now = performance.now();
      // A late timer means that this process was busy and may also have sent late. The extra time is granted once until
      // the next reply.
      if (now - dueAt > timeoutMs / 2 && !graceUsed) {
        graceUsed = true;
        for (const command of pending) command.since = now;
      }
      const [oldest] = pending;
      if (!oldest) return;
      // Timers may fire a fraction of a millisecond early.
      if (now - oldest.since < timeoutMs - 1) {
        startTimeout(oldest.since);
        return;
      }
      timeouts += 1;
      open('no reply in time');
    });
  }

  function close(): void {
    up = true;
    upSince = performance.now();
    failedProbes = 0;
    if (unavailableSince === null) return;
    log.info('Redis is available again.', { awayMs: Math.round(upSince - unavailableSince) });
    unavailableSince = null;
  }

  function scheduleProbe(delayMs: number): void {
    clearTimeout(probeTimer);
    if (stopped) return;
    probeTimer = setTimeout(() => void tryToClose(), delayMs);
    probeTimer.unref();
  }

  async function tryToClose(): Promise<void> {
    if (probing || up || stopped) return;
    probing = true;
    const succeeded = await new Promise<boolean>((resolve) => {
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
    if (succeeded) {
      close();
      return;
    }
    failedProbes += 1;
    if (failedProbes % FAILED_PROBES_BEFORE_RECONNECT === 0) reconnect();
    scheduleProbe(PROBE_INTERVAL_MS);
  }

  scheduleProbe(PROBE_INTERVAL_MS);

  return {
    run<T>(command: (isAwaited: () => boolean) => Promise<T>) {
      if (!up) return Promise.resolve(undefined);
      return new Promise<T | undefined>((resolve) => {
        const pendingCommand: PendingCommand = {
          since: performance.now(),
          release() {
            pending.delete(pendingCommand);
            resolve(undefined);
          },
        };
        pending.add(pendingCommand);
        if (!timeoutTimer) startTimeout(pendingCommand.since);
        command(() => pending.has(pendingCommand)).then(
          (reply) => {
            if (!pending.delete(pendingCommand)) return;
            consecutiveFailures = 0;
            graceUsed = false;
            resolve(reply);
          },
          (error: unknown) => {
            if (!pending.has(pendingCommand)) return;
            pendingCommand.release();
            failures += 1;
            consecutiveFailures += 1;
            if (consecutiveFailures >= MAX_CONSECUTIVE_FAILURES) open(messageOf(error));
          },
        );
      });
    },

    countFailure() {
      failures += 1;
    },

    onConnectionLost(reason) {
      if (up) open(reason);
      else report(reason);
    },

    onConnected: () => scheduleProbe(0),

    state: () => ({ status: up ? 'up' : 'down', timeouts, failures, outages }),

    stop() {
      stopped = true;
      up = false;
      clearTimeout(probeTimer);
      clearTimeout(timeoutTimer);
      releaseAll();
    },
  };
}

/** Only the text: ioredis attaches the command, with its keys, to its errors. */
export const messageOf = (error: unknown): string =>
  // An AggregateError of refused connections has a code and no text.
  error instanceof Error ? error.message || String((error as NodeJS.ErrnoException).code) : String(error);
