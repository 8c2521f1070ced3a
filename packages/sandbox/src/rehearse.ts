import { type Claim, ClaimsApiError, type Client, type FaultKind } from '@svc/client';
import { eventClaim } from './event-claims.ts';

export interface RehearsalOptions {
  readonly claims: number;
  /** From the first claim on. */
  readonly durationMs: number;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Hands the claims, one per line as JSON, to the person whose program sends them. */
  readonly onClaims: (lines: string, run: string) => void | Promise<void>;
  readonly onStep: (text: string) => void;
}

/** The key cannot be rehearsed with; the message says why. */
export class UnfitKeyError extends Error {
  override readonly name = 'UnfitKeyError';
}

/** To whom the claims go, by the ending of the SVCID. */
const SHARES = ['accepts', 'manual', 'rejects', 'manual', 'accepts', 'manual', 'rejects', 'paused'] as const;

interface Accounts {
  readonly client: Client;
  readonly account: (ending: string) => string;
}

type Action = (accounts: Accounts) => Promise<unknown>;

const fault =
  (kind: FaultKind, count: number): Action =>
  ({ client }) =>
    client.sandbox.simulateFaults({ kind, count });

const LOST = 'the responses to the next 3 writes are lost';

export const DEFAULT_REHEARSAL = { claims: 30, minutes: 12 } as const;

/**
 * By the part of the time that has passed. A fault replaces the one before, so each is left for longer than a minute of the default
 * time: a program that polls once a minute meets each of them.
 */
export const SCRIPT: readonly (readonly [part: number, text: string, action: Action])[] = [
  [0.05, 'the next 2 requests are rate limited', fault('rate_limited', 2)],
  [0.14, 'the next 7 requests fail with 500', fault('internal_error', 7)],
  [0.3, 'the next 5 responses have an unknown status', fault('unknown_value', 5)],
  [
    0.4,
    '_accepts pauses assignments',
    ({ client, account }) => client.sandbox.pauseAdjuster(account('accepts')),
  ],
  [0.42, 'the next 3 pages have one claim each', fault('short_page', 3)],
  [0.51, 'the next 2 requests get 503', fault('service_unavailable', 2)],
  [0.55, '_accepts resumes', ({ client, account }) => client.sandbox.resumeAdjuster(account('accepts'))],
  [0.6, LOST, fault('dropped_write', 3)],
  [0.66, '_manual leaves the firm', ({ client, account }) => leave(client, account('manual'))],
  [0.7, '_manual is back', ({ client, account }) => rejoin(client, account('manual'))],
  [0.72, 'the next 5 responses have an unknown status', fault('unknown_value', 5)],
  [0.83, 'the next 3 pages have one claim each', fault('short_page', 3)],
  [0.95, 'the next response is slow', fault('slow', 1)],
];

async function leave(client: Client, svcId: string): Promise<void> {
  await repeatable(client.sandbox.leaveFirm(svcId), client, svcId, false);
}

async function rejoin(client: Client, svcId: string): Promise<void> {
  // An earlier attempt may have invited them.
  await client.adjusters.invite({ svc_id: svcId }).catch(() => {});
  await repeatable(client.sandbox.acceptInvitation(svcId), client, svcId, true);
}

/** The client repeats a change whose response was lost, and gets 404 although it took effect. */
async function repeatable(
  change: Promise<unknown>,
  client: Client,
  svcId: string,
  isActive: boolean,
): Promise<void> {
  await change.catch(async (error: unknown) => {
    const isNotFound = error instanceof ClaimsApiError && error.status === 404;
    if (!isNotFound || (await activeTestAccounts(client)).includes(svcId) !== isActive) throw error;
  });
}

async function activeTestAccounts(client: Client, options: { signal?: AbortSignal } = {}): Promise<string[]> {
  const accounts: string[] = [];
  for await (const { svc_id, test, status } of client.adjusters.list({ limit: 200 }, options))
    if (test && status === 'active') accounts.push(svc_id);
  return accounts;
}

/**
 * Lets test accounts and faults behave as after a hurricane, while the firm's own program sends the claims and polls with
 * the same key. The service must know the client as a rehearsal, so that its requests meet no faults and are not checked.
 * When it is aborted, too, faults are cleared and the accounts are as before.
 * @returns when it started: since then, what the program did can be checked.
 */
export async function rehearse(client: Client, options: RehearsalOptions): Promise<string> {
  const { signal, now, onStep, durationMs } = options;
  const startedAt = now();
  const me = await client.me({ signal });
  if (me.key.environment !== 'test') throw new UnfitKeyError('a rehearsal needs a test key');
  const accounts = await activeTestAccounts(client, { signal });
  const account = (ending: string): string => {
    const found = accounts.find((svcId) => svcId.endsWith(`_${ending}`));
    if (found === undefined)
      throw new UnfitKeyError(`the test account _${ending} is not a member; invite it`);
    return found;
  };
  const run = startedAt.toString(36);
  const lines = Array.from({ length: options.claims }, (_, n) =>
    JSON.stringify(eventClaim(n, account(SHARES[n % SHARES.length] ?? 'accepts'), run, startedAt)),
  );
  const answer = createAnswers(client, account('manual'), durationMs, now);
  const tickMs = Math.min(5000, durationMs / 60);
  let firstAt: number | undefined;
  let done = 0;
  try {
    // Before the first claim, since a program may send all of them in a second. Only of writes: the retries of a poll would
    // use up any number of other ones.
    await client.sandbox.simulateFaults({ kind: 'dropped_write', count: 3 });
    onStep(LOST);
    await options.onClaims(`${lines.join('\n')}\n`, run);
    for (let passed = 0; passed <= 1; ) {
      const claims: Claim[] = [];
      const filters = { updated_since: new Date(startedAt), limit: 200 };
      for await (const claim of client.claims.list(filters, { signal })) claims.push(claim);
      if (claims.length > 0) firstAt ??= now();
      if (firstAt !== undefined) {
        passed = (now() - firstAt) / durationMs;
        for (let next = SCRIPT[done]; next !== undefined && next[0] <= passed; next = SCRIPT[done]) {
          done += 1;
          onStep(next[1]);
          await next[2]({ client, account });
        }
        const answered = await answer(claims);
        if (answered !== null) onStep(answered);
      }
      await pause(tickMs, signal);
    }
  } finally {
    // Errors say that nothing had to be undone.
    await client.sandbox.clearFaults().catch(() => {});
    await client.sandbox.resumeAdjuster(account('accepts')).catch(() => {});
    await rejoin(client, account('manual')).catch(() => {});
  }
  return new Date(startedAt).toISOString();
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
  });
}

/** One answer per call, since answers count toward the rate limit that the firm's program needs. */
function createAnswers(client: Client, manual: string, durationMs: number, now: () => number) {
  const seen = new Map<
    string,
    { updatedAt: string; readonly order: number; turn: number; sinceMs: number }
  >();
  return async (claims: readonly Claim[]): Promise<string | null> => {
    for (const { id, external_id, updated_at, assignment } of claims) {
      if (assignment.status !== 'pending_acceptance' || assignment.adjuster_svc_id !== manual) continue;
      const known = seen.get(id) ?? { updatedAt: '', order: seen.size, turn: -1, sinceMs: 0 };
      seen.set(id, known);
      if (known.updatedAt !== updated_at) {
        known.updatedAt = updated_at;
        known.turn += 1;
        known.sinceMs = now();
        continue;
      }
      const decision = decide(known.order, known.turn, (now() - known.sinceMs) / durationMs);
      if (decision === null) continue;
      try {
        if (decision === 'accepts') await client.sandbox.acceptClaim(id);
        else await client.sandbox.rejectClaim(id, { reason: 'The road is closed.' });
      } catch (error) {
        // The offer has ended since the claims were listed, as when its adjuster has just left.
        if (error instanceof ClaimsApiError && error.status === 409) return null;
        throw error;
      }
      return `_manual ${decision} ${external_id}`;
    }
    return null;
  };
}

/**
 * Some accept, some reject, some dither, and some never answer before the adjuster leaves; one after the other over the whole time, so
 * that every poll has news.
 */
function decide(order: number, turn: number, waited: number): 'accepts' | 'rejects' | null {
  if (turn > 0) {
    if (waited < 0.06 * (order % 3)) return null;
    return turn === 1 && order % 2 === 1 ? 'rejects' : 'accepts';
  }
  if (order % 4 === 3 || waited < 0.05 * order) return null;
  return order % 4 === 1 ? 'rejects' : 'accepts';
}
