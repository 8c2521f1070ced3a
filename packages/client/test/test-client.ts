import { createClientOn } from '../src/client.ts';
import type { ClientOptions } from '../src/index.ts';

/** A request sent by the client. */
export interface Sent {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: unknown;
  readonly redirect: RequestInit['redirect'];
  /** Time on the fake clock. */
  readonly at: number;
}

/** Handles a request like the service, or like a proxy in front of it. */
export type Reply = (sent: Sent, signal: AbortSignal) => Response | Promise<Response>;

export const START = Date.UTC(2026, 7, 29, 14, 0, 0);

/**
 * A client with a fake clock, which advances to the next timer when nothing else is pending. The replies are used in
 * order; the last one repeats.
 */
export function createTestClient(
  replies: readonly Reply[],
  options: Partial<ClientOptions> = {},
  random: () => number = () => 0.5,
) {
  const sent: Sent[] = [];
  const apiKey = 'svc_test_0123456789';
  let clock = START;
  let keys = 0;
  const timers = new Set<{ readonly at: number; readonly action: () => void }>();

  const runNext = () => {
    const [next] = [...timers].sort((a, b) => a.at - b.at);
    if (next === undefined) return;
    timers.delete(next);
    clock = Math.max(clock, next.at);
    next.action();
  };

  const client = createClientOn(
    {
      now: () => clock,
      after(milliseconds, action) {
        // As in Node and browsers, a timer with a delay that does not fit into 31 bits fires at once.
        const timer = { at: clock + (milliseconds > 2 ** 31 - 1 ? 1 : milliseconds), action };
        timers.add(timer);
        // After pending promises, so that a response that has arrived precedes its timeout.
        setImmediate(runNext);
        return () => timers.delete(timer);
      },
      random,
      newKey: () => `key-${++keys}`,
    },
    {
      baseUrl: 'https://claims.example.com',
      apiKey,
      fetch: async (input, init) => {
        const reply = replies[Math.min(sent.length, replies.length - 1)];
        const request: Sent = {
          method: init?.method ?? 'GET',
          url: new URL(String(input)),
          headers: new Headers(init?.headers),
          body: typeof init?.body === 'string' ? JSON.parse(init.body) : undefined,
          redirect: init?.redirect,
          at: clock,
        };
        sent.push(request);
        if (reply === undefined) throw new Error('no reply is planned');
        return reply(request, init?.signal ?? new AbortController().signal);
      },
      ...options,
    },
  );
  return { client, sent, now: () => clock, pendingTimers: () => timers.size, apiKey };
}

export const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Reply =>
  () =>
    new Response(JSON.stringify(body), {
      status,
      headers: { 'Content-Type': 'application/json', 'X-Request-Id': 'req-1', ...headers },
    });

export const problem = (
  status: number,
  code: string,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Reply =>
  json(
    {
      type: `https://x.test/errors#${code}`,
      title: 'T',
      status,
      detail: 'D',
      code,
      request_id: 'req-1',
      ...more,
    },
    status,
    { 'Content-Type': 'application/problem+json', ...headers },
  );

export const html =
  (status: number, headers: Record<string, string> = {}): Reply =>
  () =>
    new Response('<html>blocked</html>', { status, headers: { 'Content-Type': 'text/html', ...headers } });

/** No connection, with the error of fetch. */
export const unreachable: Reply = () => {
  throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
};

/** No response until the request is aborted. */
export const stall: Reply = (_, signal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

/** No response, ignoring the abort signal. */
export const stallIgnoringAbort: Reply = () => new Promise(() => {});

export const failureOf = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('nothing failed');
};

/** Array.fromAsync, which Node 20 does not have. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** Passes requests on after a while, and counts how many are in flight at most. */
export function countingInFlight(reply: Reply): { readonly slow: Reply; most(): number } {
  let [inFlight, most] = [0, 0];
  return {
    async slow(sent, signal) {
      inFlight += 1;
      most = Math.max(most, inFlight);
      for (let turn = 0; turn < 50; turn++) await Promise.resolve();
      inFlight -= 1;
      return reply(sent, signal);
    },
    most: () => most,
  };
}
