import { type ApiPromise, type ApiResponse, apiPromise } from './api-promise.ts';
import {
  ClaimsApiError,
  ClaimsConnectionError,
  type ClaimsError,
  ClaimsTimeoutError,
  type ErrorResponse,
  isRecord,
  maybeProcessed,
} from './errors.ts';
import type { OperationId } from './generated.ts';
import { operationOf, pathOf } from './operations.ts';
import { MAX_TIMER_MS, type Platform, pause } from './platform.ts';
import { type Backoff, backoffMs, isRetryable, RETRY_AFTER_JITTER_MS, requestedWaitMs } from './retry.ts';
import { createThrottle } from './throttle.ts';

export interface RequestEvent {
  readonly operation: OperationId;
  readonly method: string;
  readonly url: string;
  /** Starts at 1. */
  readonly attempt: number;
  /** The same for every attempt of a call. */
  readonly idempotencyKey: string | undefined;
}

export interface ResponseEvent extends RequestEvent {
  readonly status: number;
  readonly requestId: string | null;
  /** Whether the service returned the result of an earlier request (`Idempotent-Replayed`). */
  readonly replayed: boolean;
  readonly durationMs: number;
}

export interface RetryEvent extends RequestEvent {
  /** What the attempt failed with. */
  readonly error: ClaimsError;
  /** Wait before the next attempt. After a 429 earlier calls of the client go first, so it may take longer. */
  readonly delayMs: number;
}

/** For logs and metrics. The events do not contain the API key. */
export interface Hooks {
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
  readonly onResponse?: ((event: ResponseEvent) => void) | undefined;
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
}

export interface CallOptions extends Hooks {
  /** Cancels the call, during a request or between two; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Overrides the client's option for this call. */
  readonly timeoutMs?: number | undefined;
  /** Overrides the client's option for this call. */
  readonly maxRetries?: number | undefined;
  /** Overrides the client's option for this call. */
  readonly deadlineMs?: number | undefined;
}

interface Settings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: typeof globalThis.fetch;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly deadlineMs: number;
  readonly maxConcurrency: number;
  readonly userAgent: string;
  readonly backoff: Backoff;
  readonly hooks: readonly Hooks[];
  readonly platform: Platform;
}

export interface OperationRequest {
  readonly operation: OperationId;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** By default random, where the operation takes one. */
  readonly idempotencyKey?: string | undefined;
}

/** Updated during a call. */
export interface CallProgress {
  /** Set after a failed attempt that the service may have processed. */
  maybeProcessed: boolean;
}

/** The caller names the operation's result, which is not validated: later versions may add to it. */
export type Transport = <Result>(
  call: OperationRequest,
  options?: CallOptions,
  progress?: CallProgress,
) => ApiPromise<Result>;

type AttemptResult =
  | { readonly response: ApiResponse<unknown> }
  | {
      readonly error: ClaimsError;
      readonly retry: boolean;
      readonly requestedMs: number | null;
      /** Set for a 429. */
      readonly rateLimited?: ErrorResponse;
    };

/** Sends a request and retries it with the same idempotency key. */
export function createTransport(settings: Settings): Transport {
  const { platform } = settings;
  // Health requires no key, so it does not count toward the key's rate limit.
  const throttles = {
    key: createThrottle(platform, settings.backoff, settings.maxConcurrency),
    none: createThrottle(platform, settings.backoff, settings.maxConcurrency),
  };
  let calls = 0;

  return <Result>(...args: Parameters<Transport>) =>
    apiPromise(send(...args) as Promise<ApiResponse<Result>>);

  async function send(
    call: OperationRequest,
    options: CallOptions = {},
    progress: CallProgress = { maybeProcessed: false },
  ): Promise<ApiResponse<unknown>> {
    const { signal } = options;
    const timeoutMs = checkedMs('timeoutMs', options.timeoutMs) ?? settings.timeoutMs;
    const maxRetries = checkedCount('maxRetries', options.maxRetries) ?? settings.maxRetries;
    const deadlineMs = checkedMs('deadlineMs', options.deadlineMs) ?? settings.deadlineMs;
    const deadlineAt = deadlineMs === 0 ? Number.POSITIVE_INFINITY : platform.now() + deadlineMs;
    const { init, url } = requestOf(call, settings);
    const { method, open } = operationOf(call.operation);
    const hooks = [...settings.hooks, options];
    const throttle = throttles[open ? 'none' : 'key'];
    const lane = method === 'GET' ? 'read' : 'write';
    const order = calls++;
    let failures = 0;

    for (let attempt = 1; ; attempt++) {
      const release = await throttle.acquire({ lane, order, deadlineAt, attempts: attempt - 1, signal });
      const request: RequestEvent = {
        operation: call.operation,
        method,
        url,
        attempt,
        idempotencyKey: call.idempotencyKey,
      };
      let outcome: AttemptResult;
      let pausedMs: number | undefined;
      let accepted = false;
      try {
        signal?.throwIfAborted();
        for (const { onRequest } of hooks) onRequest?.(request);
        outcome = await attemptOnce(request, init, attemptTimeoutMs(timeoutMs, deadlineAt), signal, hooks);
        accepted = 'response' in outcome || !outcome.retry;
        if ('rateLimited' in outcome) pausedMs = throttle.pause(outcome.requestedMs, outcome.rateLimited);
      } finally {
        release(accepted);
      }
      if ('response' in outcome) return outcome.response;

      const { error, retry, requestedMs } = outcome;
      if (!retry || maxRetries === 0) throw error;
      if (maybeProcessed(error)) progress.maybeProcessed = true;
      if (pausedMs === undefined && ++failures > maxRetries) throw error;
      const delayMs = pausedMs ?? retryDelayMs(failures, requestedMs);
      // A retry before this delay would fail again.
      if (platform.now() + delayMs >= deadlineAt) throw error;
      for (const { onRetry } of hooks) onRetry?.({ ...request, error, delayMs });
      // After a 429 the throttle delays the next attempt.
      if (pausedMs === undefined) await pause(delayMs, signal, platform);
    }
  }

  function retryDelayMs(failures: number, requestedMs: number | null): number {
    const delayMs = backoffMs(failures, settings.backoff, platform.random);
    return requestedMs === null
      ? delayMs
      : Math.max(delayMs, requestedMs + platform.random() * RETRY_AFTER_JITTER_MS);
  }

  /** 0 for no timeout. */
  function attemptTimeoutMs(timeoutMs: number, deadlineAt: number): number {
    const remainingMs = Math.max(1, Math.ceil(deadlineAt - platform.now()));
    const ms = timeoutMs === 0 ? remainingMs : Math.min(timeoutMs, remainingMs);
    return ms === Number.POSITIVE_INFINITY ? 0 : ms;
  }

  async function attemptOnce(
    request: RequestEvent,
    init: RequestInit,
    timeoutMs: number,
    signal: AbortSignal | undefined,
    hooks: readonly Hooks[],
  ): Promise<AttemptResult> {
    const { attempt } = request;
    const startedAt = platform.now();
    let response: ErrorResponse & { readonly headers: Headers; readonly replayed: boolean };
    try {
      response = await withTimeout(timeoutMs, signal, async (attemptSignal) => {
        const received = await settings.fetch(request.url, { ...init, signal: attemptSignal });
        return {
          status: received.status,
          requestId: received.headers.get('x-request-id'),
          headers: received.headers,
          replayed: received.headers.get('idempotent-replayed') === 'true',
          // The timeout covers the body too, which can stall or be cut off.
          json: parseJson(await received.text()),
        };
      });
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      const error =
        cause === TIMED_OUT
          ? new ClaimsTimeoutError(`no response within ${timeoutMs} ms`, attempt)
          : new ClaimsConnectionError(`no response: ${rootCause(cause)}`, attempt, { cause });
      return { error, retry: true, requestedMs: null };
    }

    const { status, requestId, replayed, headers, json } = response;
    const durationMs = Math.round(platform.now() - startedAt);
    for (const { onResponse } of hooks) {
      onResponse?.({ ...request, status, requestId, replayed, durationMs });
    }
    if (status >= 200 && status < 300) {
      // The health check guarantees a status only.
      const data = isRecord(json) ? json : request.operation === 'getHealth' ? {} : undefined;
      if (data !== undefined) return { response: { data, status, requestId, replayed, headers } };
      const what = json === undefined ? 'no JSON' : 'not a JSON object';
      const error = new ClaimsConnectionError(`status ${status} with a body that is ${what}`, attempt);
      return { error, retry: true, requestedMs: null };
    }
    const requestedMs = requestedWaitMs(
      status,
      json !== undefined,
      headers.get('retry-after'),
      platform.now(),
    );
    const error = new ClaimsApiError(response, requestedMs, attempt);
    if (status === 429) return { error, retry: true, requestedMs, rateLimited: response };
    return { error, retry: isRetryable(status), requestedMs };
  }

  /** Races the timeout as well as aborting, because a custom fetch may ignore its signal. */
  async function withTimeout<Result>(
    timeoutMs: number,
    signal: AbortSignal | undefined,
    work: (attemptSignal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    // A hook may already have aborted the signal, which would not call the listener.
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
      timeoutMs === 0 ? undefined : platform.after(Math.min(timeoutMs, MAX_TIMER_MS), () => stop(TIMED_OUT));
    try {
      return await Promise.race([work(controller.signal), stopped]);
    } finally {
      cancel?.();
      signal?.removeEventListener('abort', abort);
    }
  }
}

const TIMED_OUT = Symbol('timed out');

function requestOf(
  call: OperationRequest,
  { baseUrl, apiKey, userAgent }: Settings,
): { url: string; init: RequestInit } {
  const { method, open, idempotencyKey } = operationOf(call.operation);
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined) query.set(name, String(value));
  }
  const search = query.size === 0 ? '' : `?${query}`;
  const headers: Record<string, string> = {
    Accept: 'application/json, application/problem+json',
    'User-Agent': userAgent,
  };
  if (!open) headers.Authorization = `Bearer ${apiKey}`;
  if (idempotencyKey && call.idempotencyKey !== undefined) {
    headers['Idempotency-Key'] = checkedIdempotencyKey(call.idempotencyKey);
  }
  const init: RequestInit = { method, headers, redirect: 'manual' };
  if (call.body !== undefined) {
    headers['Content-Type'] = 'application/json';
    init.body = JSON.stringify(call.body);
  }
  return { url: `${baseUrl}${pathOf(call.operation, call.params ?? {})}${search}`, init };
}

/** Rejects what fetch would reject or trim as a header, which would look like a network error. */
function checkedIdempotencyKey(key: unknown): string {
  if (typeof key === 'string' && /^[!-~]([ -~]{0,253}[!-~])?$/.test(key)) return key;
  throw new TypeError(
    'idempotencyKey must be 1 to 255 printable ASCII characters without leading or trailing spaces',
  );
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** fetch wraps the cause in an error with the message "fetch failed". */
function rootCause(error: unknown): string {
  let inner = error;
  while (isRecord(inner) && inner.cause !== undefined) inner = inner.cause;
  if (!isRecord(inner)) return String(inner);
  // An AggregateError for a host with IPv4 and IPv6 addresses has no message.
  return String(inner.message || inner.code || inner.name || 'the request failed');
}

/** Validates an optional count. */
export function checkedCount(name: string, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value >= 0) || value === Number.POSITIVE_INFINITY) {
    return value;
  }
  throw new TypeError(`${name} must be an integer, 0 or more`);
}

/** Validates an optional number of concurrent requests. */
export function checkedConcurrency(name: string, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value >= 1)) return value;
  throw new TypeError(`${name} must be an integer, 1 or more`);
}

/** Validates an optional duration. */
export function checkedMs(name: string, value: number | undefined): number | undefined {
  if (value === undefined || value >= 0) return value;
  throw new TypeError(`${name} must be a number of milliseconds, 0 or more`);
}
