import {
  type Answer,
  ClaimsApiError,
  ClaimsConnectionError,
  type ClaimsError,
  ClaimsTimeoutError,
  isRecord,
} from './errors.ts';
import { OPERATIONS, type OperationId, pathOf } from './operations.ts';
import { LONGEST_TIMER_MS, type Platform, pause } from './platform.ts';
import { askedWaitMs, type Backoff, backoffMs, isWorthRetrying, SPREAD_MS } from './retry.ts';
import { createThrottle } from './throttle.ts';

export interface RequestEvent {
  readonly operation: OperationId;
  readonly method: string;
  readonly url: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** The same for every attempt of a call. */
  readonly idempotencyKey: string | undefined;
}

export interface ResponseEvent extends RequestEvent {
  readonly status: number;
  readonly requestId: string | null;
  /** The service had carried out this very request before, and said so. */
  readonly replayed: boolean;
  readonly durationMs: number;
}

export interface RetryEvent extends RequestEvent {
  /** What the attempt failed with. */
  readonly error: ClaimsError;
  /** When the next attempt may be made, from now. After a 429 it waits for earlier calls of the client as well. */
  readonly delayMs: number;
}

/** Called as things happen; for logs and measurements. None of them ever sees the key. */
export interface Hooks {
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
  readonly onResponse?: ((event: ResponseEvent) => void) | undefined;
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
}

export interface CallOptions extends Hooks {
  /** Ends the call wherever it stands, in a request or between two; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** For this call in place of the client's own. */
  readonly timeoutMs?: number | undefined;
  /** For this call in place of the client's own. */
  readonly maxRetries?: number | undefined;
  /** For this call in place of the client's own. */
  readonly deadlineMs?: number | undefined;
}

interface Settings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: typeof globalThis.fetch;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly deadlineMs: number;
  readonly backoff: Backoff;
  readonly hooks: Hooks;
  readonly platform: Platform;
}

export interface Call {
  readonly operation: OperationId;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
}

/** Told beside the result or error of a call. */
export interface Trail {
  /** Set when an attempt may have been carried out although no answer said so. */
  uncertain: boolean;
}

export type Transport = (call: Call, options?: CallOptions, trail?: Trail) => Promise<unknown>;

type Attempt =
  | { readonly body: Readonly<Record<string, unknown>> }
  | {
      readonly error: ClaimsError;
      readonly retry: boolean;
      readonly askedMs: number | null;
      /** Set when it is a 429. */
      readonly refusal?: Answer;
    };

/** One request as often as it takes, with one idempotency key. */
export function createTransport(settings: Settings): Transport {
  const { platform } = settings;
  // Health takes no key, so it does not count against the key's limits.
  const throttles = {
    key: createThrottle(platform, settings.backoff),
    none: createThrottle(platform, settings.backoff),
  };
  let calls = 0;

  return async function send(call, options = {}, trail = { uncertain: false }) {
    const { signal } = options;
    const timeoutMs = wait('timeoutMs', options.timeoutMs) ?? settings.timeoutMs;
    const maxRetries = count('maxRetries', options.maxRetries) ?? settings.maxRetries;
    const deadlineMs = wait('deadlineMs', options.deadlineMs) ?? settings.deadlineMs;
    const deadlineAt = deadlineMs === 0 ? Number.POSITIVE_INFINITY : platform.now() + deadlineMs;
    const { init, url } = requestOf(call, settings);
    const { method, auth } = OPERATIONS[call.operation];
    const hooks = [settings.hooks, options];
    const throttle = throttles[auth];
    const lane = method === 'GET' ? 'read' : 'write';
    const order = calls++;
    let failures = 0;

    for (let attempt = 1; ; attempt++) {
      const leave = await throttle.enter({ lane, order, deadlineAt, attempts: attempt - 1, signal });
      const request: RequestEvent = {
        operation: call.operation,
        method,
        url,
        attempt,
        idempotencyKey: call.idempotencyKey,
      };
      let outcome: Attempt;
      let pausedMs: number | undefined;
      let accepted = false;
      try {
        signal?.throwIfAborted();
        for (const { onRequest } of hooks) onRequest?.(request);
        outcome = await once(request, init, attemptMs(timeoutMs, deadlineAt), signal, hooks);
        accepted = 'body' in outcome || !outcome.retry;
        if ('refusal' in outcome) pausedMs = throttle.pause(outcome.askedMs, outcome.refusal);
      } finally {
        leave(accepted);
      }
      if ('body' in outcome) return outcome.body;

      const { error, retry, askedMs } = outcome;
      if (!retry || maxRetries === 0) throw error;
      if (!(error instanceof ClaimsApiError) || error.status >= 500) trail.uncertain = true;
      if (pausedMs === undefined && ++failures > maxRetries) throw error;
      const delayMs = pausedMs ?? ownDelayMs(failures, askedMs);
      // Coming back before the time would be refused again.
      if (platform.now() + delayMs >= deadlineAt) throw error;
      for (const { onRetry } of hooks) onRetry?.({ ...request, error, delayMs });
      // A 429 holds back all calls: the throttle says when it is this one's turn.
      if (pausedMs === undefined) await pause(delayMs, signal, platform);
    }
  };

  function ownDelayMs(failures: number, askedMs: number | null): number {
    const own = backoffMs(failures, settings.backoff, platform.random);
    return askedMs === null ? own : Math.max(own, askedMs + platform.random() * SPREAD_MS);
  }

  /** 0 for as long as it takes. */
  function attemptMs(timeoutMs: number, deadlineAt: number): number {
    const leftMs = Math.max(1, Math.ceil(deadlineAt - platform.now()));
    const ms = timeoutMs === 0 ? leftMs : Math.min(timeoutMs, leftMs);
    return ms === Number.POSITIVE_INFINITY ? 0 : ms;
  }

  async function once(
    request: RequestEvent,
    init: RequestInit,
    timeoutMs: number,
    signal: AbortSignal | undefined,
    hooks: readonly Hooks[],
  ): Promise<Attempt> {
    const { attempt } = request;
    const begun = platform.now();
    let answer: Answer & { readonly retryAfter: string | null; readonly replayed: boolean };
    try {
      answer = await within(timeoutMs, signal, async (either) => {
        const response = await settings.fetch(request.url, { ...init, signal: either });
        return {
          status: response.status,
          requestId: response.headers.get('x-request-id'),
          retryAfter: response.headers.get('retry-after'),
          replayed: response.headers.get('idempotent-replayed') === 'true',
          // Read under the same watch: an answer can stall or break off in its middle.
          json: parsed(await response.text()),
        };
      });
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      const error =
        cause === TIMED_OUT
          ? new ClaimsTimeoutError(`no answer within ${timeoutMs} ms`, attempt)
          : new ClaimsConnectionError(`no answer: ${innermost(cause)}`, attempt, { cause });
      return { error, retry: true, askedMs: null };
    }

    const { status, requestId, replayed, json } = answer;
    const durationMs = Math.round(platform.now() - begun);
    for (const { onResponse } of hooks) {
      onResponse?.({ ...request, status, requestId, replayed, durationMs });
    }
    if (status >= 200 && status < 300) {
      if (isRecord(json)) return { body: json };
      // Health promises a status and nothing more.
      if (request.operation === 'getHealth') return { body: {} };
      const what = json === undefined ? 'no JSON' : 'not a JSON object';
      const error = new ClaimsConnectionError(`status ${status} with a body that is ${what}`, attempt);
      return { error, retry: true, askedMs: null };
    }
    const askedMs = askedWaitMs(status, json !== undefined, answer.retryAfter, platform.now());
    const error = new ClaimsApiError(answer, askedMs, attempt);
    if (status === 429) return { error, retry: true, askedMs, refusal: answer };
    return { error, retry: isWorthRetrying(status), askedMs };
  }

  /** Raced and not only signalled: a fetch of the caller's own need not heed its signal. */
  async function within<Result>(
    timeoutMs: number,
    signal: AbortSignal | undefined,
    work: (either: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    // A hook may have aborted it just now, which no listener would hear of.
    signal?.throwIfAborted();
    const controller = new AbortController();
    let stop: (reason: unknown) => void = () => {};
    const stopped = new Promise<never>((_, reject) => {
      stop = (reason) => {
        reject(reason);
        controller.abort(reason);
      };
    });
    const abort = () => stop(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    const cancel =
      timeoutMs === 0
        ? undefined
        : platform.after(Math.min(timeoutMs, LONGEST_TIMER_MS), () => stop(TIMED_OUT));
    try {
      return await Promise.race([work(controller.signal), stopped]);
    } finally {
      cancel?.();
      signal?.removeEventListener('abort', abort);
    }
  }
}

const TIMED_OUT = Symbol('timed out');

function requestOf(call: Call, { baseUrl, apiKey }: Settings): { url: string; init: RequestInit } {
  const { method, auth, idempotencyKey } = OPERATIONS[call.operation];
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined) query.set(name, String(value));
  }
  const search = query.size === 0 ? '' : `?${query}`;
  const headers: Record<string, string> = { Accept: 'application/json, application/problem+json' };
  if (auth === 'key') headers.Authorization = `Bearer ${apiKey}`;
  if (idempotencyKey && call.idempotencyKey !== undefined) {
    headers['Idempotency-Key'] = checkedKey(call.idempotencyKey);
  }
  const init: RequestInit = { method, headers, redirect: 'manual' };
  if (call.body !== undefined) {
    headers['Content-Type'] = 'application/json';
    init.body = JSON.stringify(call.body);
  }
  return { url: `${baseUrl}${pathOf(call.operation, call.params ?? {})}${search}`, init };
}

/** What fetch would refuse as a header, or trim, must not look like a network that fails. */
function checkedKey(key: unknown): string {
  if (typeof key === 'string' && /^[!-~]([ -~]{0,253}[!-~])?$/.test(key)) return key;
  throw new TypeError(
    'idempotencyKey must be 1 to 255 printable ASCII characters, without a space at either end',
  );
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** fetch wraps what happened in a "fetch failed". */
function innermost(error: unknown): string {
  let inner = error;
  while (isRecord(inner) && inner.cause !== undefined) inner = inner.cause;
  if (!isRecord(inner)) return String(inner);
  // An address that was tried in two families fails with a list and no message.
  return String(inner.message || inner.code || inner.name || 'the request failed');
}

/** A count or a time that a caller chose; zero is a choice as well. */
export function count(name: string, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value >= 0) || value === Number.POSITIVE_INFINITY) {
    return value;
  }
  throw new TypeError(`${name} must be a whole number, 0 or more`);
}

export function wait(name: string, value: number | undefined): number | undefined {
  if (value === undefined || value >= 0) return value;
  throw new TypeError(`${name} must be a number of milliseconds, 0 or more`);
}
