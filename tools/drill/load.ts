import { setTimeout as sleep } from 'node:timers/promises';
import { type Claim, ClaimsConnectionError, type Client, createClient, type NewClaim } from '@svc/client';
import { smallestClaim } from '@svc/contract';
import type { PostgresServer } from '../cluster/postgres-server.ts';
import type { runSvc } from '../cluster/svc.ts';

type Status = 'pending_acceptance' | 'accepted';

interface Acknowledged {
  readonly id: string;
  readonly status: Status;
}

type LoadResult = Pick<ReturnType<typeof startLoad>, 'acknowledged' | 'polled' | 'statuses'>;

const SENDERS = 4;
const POLL_INTERVAL_MS = 300;

/**
 * Sends claims and accepts half of them, repeating what failed with the same Idempotency-Key, and polls with the client
 * package as a firm does.
 */
export function startLoad(
  urls: readonly string[],
  firm: { readonly test: string; readonly account: { readonly manual: string } },
) {
  /** Every claim that the service has confirmed, by external id. */
  const acknowledged = new Map<string, Acknowledged>();
  /** The latest version of each claim that the poller has received, by id. */
  const polled = new Map<string, Claim>();
  /** Requests by status; 0: no response. */
  const statuses = new Map<number, number>();
  const lastSend = urls.map(() => 0);
  let phase: 'running' | 'paused' | 'stopping' = 'running';

  const countStatus = (status: number): void => void statuses.set(status, (statuses.get(status) ?? 0) + 1);

  const clients = urls.map((baseUrl) =>
    createClient({
      ...{ baseUrl, apiKey: firm.test, maxRetries: 0, timeoutMs: 8000 },
      onResponse: ({ status }) => countStatus(status),
    }),
  );
  const noteLost = (error: unknown): void => {
    if (error instanceof ClaimsConnectionError) countStatus(0);
  };
  const clientOf = (index: number): Client => clients[index] as Client;
  const orNull = (call: PromiseLike<Claim>): Promise<Claim | null> =>
    Promise.resolve(call).catch((error) => {
      noteLost(error);
      return null;
    });

  const isConfirmed = async (index: number, externalId: string): Promise<boolean> => {
    const body = claimOf(externalId, firm.account.manual);
    const sent = await orNull(clientOf(index).claims.send(body, { idempotencyKey: externalId }));
    if (sent === null) return false;
    lastSend[index] = performance.now();
    acknowledged.set(externalId, { id: sent.id, status: 'pending_acceptance' });
    return true;
  };

  async function send(index: number, n: number): Promise<void> {
    const externalId = `DRILL-${process.pid}-${index}-${n}`;
    while (!(await isConfirmed(index, externalId))) {
      if (phase !== 'running') return;
      await sleep(100);
    }
    const known = acknowledged.get(externalId);
    if (n % 2 === 1 || known === undefined) return;
    // The response comes later, as an adjuster's does.
    await sleep(1000);
    if ((await orNull(clientOf(index).sandbox.acceptClaim(known.id))) !== null)
      acknowledged.set(externalId, { ...known, status: 'accepted' });
  }

  let count = 0;
  let senders: Promise<void>[] = [];
  const startSenders = (): void => {
    senders = Array.from({ length: SENDERS }, async (_, sender) => {
      while (phase === 'running') {
        count += 1;
        await send(sender % urls.length, count);
      }
    });
  };
  startSenders();

  const leave = new AbortController();
  let quietPolls = 0;
  const polling = (async () => {
    const claims = clientOf(0).pollClaims({
      signal: leave.signal,
      intervalMs: POLL_INTERVAL_MS,
      onResponse({ status, url }) {
        // The first page of a poll: the poll before it has been read to its end.
        if (status === 200 && !url.includes('cursor=')) quietPolls += 1;
      },
      onError: noteLost,
    });
    for await (const claim of claims) {
      quietPolls = 0;
      polled.set(claim.id, claim);
    }
  })();
  const caughtUp = async (): Promise<void> => {
    // The first response may have been requested before.
    for (quietPolls = 0; quietPolls < 3; ) await sleep(20);
  };

  return {
    acknowledged,
    polled,
    statuses,
    /** Resolves once the poller gets nothing new. */
    caughtUp,
    /** Resolves with the time at which each process has first confirmed a claim sent after now. */
    async nextSends() {
      const from = performance.now();
      while (lastSend.some((at) => at < from)) await sleep(10);
      return lastSend.slice();
    },
    /** Stops sending until `resume`; the poller goes on. */
    async pause() {
      phase = 'paused';
      await Promise.all(senders);
    },
    resume() {
      phase = 'running';
      startSenders();
    },
    /** What a firm does after a restore: sends claims again that no longer exist. Resolves with their number. */
    async sendLostAgain() {
      let lost = 0;
      for (const [externalId, { id }] of [...acknowledged]) {
        if (
          (await clientOf(0)
            .claims.get(id)
            .catch(() => null)) !== null
        )
          continue;
        polled.delete(id);
        if (await isConfirmed(0, externalId)) lost += 1;
      }
      return lost;
    },
    /** Stops sending, and the poller once it gets nothing new. */
    async stop() {
      phase = 'stopping';
      await Promise.all(senders);
      await caughtUp();
      leave.abort();
      await polling;
      return { acknowledged, polled, statuses };
    },
  };
}

export const statusCounts = ({ statuses }: LoadResult): string =>
  [...statuses]
    .sort()
    .map(([status, count]) => `${status || 'no response'}: ${count}`)
    .join(', ');

/** Acknowledged changes that are gone, and stored ones that the poller has not received. */
export function compare(result: LoadResult, stored: ReadonlyMap<string, string>) {
  const isGone = ({ id, status }: Acknowledged): boolean => {
    const found = stored.get(id);
    return found === undefined || (status === 'accepted' && found !== 'accepted');
  };
  const isMissed = ([id, status]: readonly [string, string]): boolean =>
    result.polled.get(id)?.assignment.status !== status;
  return {
    lost: [...result.acknowledged.values()].filter(isGone).length,
    missed: [...stored].filter(isMissed).length,
  };
}

const claimOf = (externalId: string, adjuster: string): NewClaim => ({
  ...smallestClaim,
  external_id: externalId,
  claim_number: externalId,
  adjuster_svc_id: adjuster,
});

/** Statuses of claims by id. */
export const storedStatuses = async (query: PostgresServer['query']): Promise<Map<string, string>> =>
  new Map((await query('SELECT id, status FROM claims')).map(({ id, status }) => [id, status]));

const UNLIMITED = ['--requests-per-minute', '--writes-per-minute', '--burst'].flatMap((name) => [
  name,
  '1000000',
]);

/** A firm without rate limits and a key of it, by the commands of a release. */
export async function createFirm(
  svc: (...args: readonly string[]) => ReturnType<typeof runSvc>,
  environment: 'live' | 'test',
) {
  const { firm, test_accounts } = await svc('firm', 'create', '--name', 'Gulf Adjusting Partners');
  await svc('firm', 'set-limits', firm.id, ...UNLIMITED);
  const { secret } = await svc('key', 'create', '--firm', firm.id, '--environment', environment);
  return { id: firm.id, secret, test_accounts };
}

export const drillEnvironment = {
  EDGE_LIMIT_PER_MINUTE: '0',
  LOG_LEVEL: 'error',
  SMTP_URL: 'smtp://127.0.0.1:9',
};

/** What is noted is printed with the seconds since the start. Ends what was started in the end, the latest first. */
export async function rehearse<T>(
  say: (line: string) => void,
  work: (note: (line: string) => void, stops: (() => unknown)[]) => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  const seconds = (): string => ((performance.now() - startedAt) / 1000).toFixed(1).padStart(7);
  const stops: (() => unknown)[] = [];
  try {
    return await work((line) => say(`${seconds()} s  ${line}`), stops);
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}
