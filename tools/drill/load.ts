import { setTimeout as sleep } from 'node:timers/promises';
import type { TestFirm } from '../services/operator.ts';

interface Claim {
  readonly id: string;
  readonly external_id: string;
  readonly updated_at: string;
  readonly assignment: { readonly status: string };
}

export interface Acknowledged {
  readonly externalId: string;
  readonly id: string;
  status: 'pending_acceptance' | 'accepted';
  readonly at: number;
}

export interface LoadResult {
  /** Every change that the service has confirmed, by the claim's external id. */
  readonly acknowledged: ReadonlyMap<string, Acknowledged>;
  /** The latest version of each claim that the poller has received. */
  readonly polled: ReadonlyMap<string, Claim>;
  /** Requests by status; 0: no response. */
  readonly statuses: ReadonlyMap<number, number>;
}

export interface DrillLoad extends LoadResult {
  /** Resolves with the time at which each process has first confirmed a claim sent after now. */
  nextSends(): Promise<number[]>;
  /** Stops sending, and polls until nothing new arrives. */
  stop(): Promise<LoadResult>;
}

/** Sends claims and accepts half of them, repeating what failed with the same Idempotency-Key, and polls as a firm does. */
export function startLoad(urls: readonly string[], firm: TestFirm, clients = 4): DrillLoad {
  const acknowledged = new Map<string, Acknowledged>();
  const polled = new Map<string, Claim>();
  const statuses = new Map<number, number>();
  const lastSend = urls.map(() => 0);
  let stopping = false;

  // biome-ignore lint/suspicious/noExplicitAny: claims, pages and problems
  async function call(url: string, method: string, path: string, body?: unknown, key?: string): Promise<any> {
    let status = 0;
    try {
      const response = await fetch(url + path, {
        method,
        headers: {
          Authorization: `Bearer ${firm.test}`,
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...(key !== undefined && { 'Idempotency-Key': key }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(8000),
      });
      status = response.status;
      const json = await response.json();
      return status < 300 ? json : null;
    } catch {
      return null;
    } finally {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  }

  async function send(index: number, n: number): Promise<void> {
    const url = urls[index] ?? '';
    const externalId = `DRILL-${process.pid}-${index}-${n}`;
    const body = claimOf(externalId, firm.account.manual);
    for (;;) {
      const sent: Claim | null = await call(url, 'POST', '/v1/claims', body, externalId);
      if (sent !== null) {
        lastSend[index] = performance.now();
        acknowledged.set(externalId, {
          externalId,
          id: sent.id,
          status: 'pending_acceptance',
          at: Date.now(),
        });
        break;
      }
      if (stopping) return;
      await sleep(100);
    }
    if (n % 2 === 1) return;
    const known = acknowledged.get(externalId);
    if (known === undefined) return;
    const accepted: Claim | null = await call(url, 'POST', `/v1/test/claims/${known.id}/acceptance`);
    if (accepted !== null) acknowledged.set(externalId, { ...known, status: 'accepted', at: Date.now() });
  }

  /** The polling procedure of the documentation: a minute of overlap, pages until the last. */
  async function poll(url: string): Promise<number> {
    let news = 0;
    const latest = [...polled.values()].reduce((last, { updated_at: at }) => (at > last ? at : last), '');
    const since =
      latest === '' ? '' : `&updated_since=${new Date(Date.parse(latest) - 60_000).toISOString()}`;
    for (let cursor = ''; ; ) {
      const page = await call(url, 'GET', `/v1/claims?limit=200${since}${cursor}`);
      if (page === null) return news + 1;
      for (const claim of page.data as Claim[]) {
        if (polled.get(claim.id)?.updated_at === claim.updated_at) continue;
        polled.set(claim.id, claim);
        news += 1;
      }
      if (page.next_cursor === null) return news;
      cursor = `&cursor=${page.next_cursor}`;
    }
  }

  let count = 0;
  const senders = Array.from({ length: clients }, async (_, client) => {
    while (!stopping) {
      count += 1;
      await send(client % urls.length, count);
    }
  });
  const poller = (async () => {
    for (let n = 0; !stopping; n += 1) {
      await poll(urls[n % urls.length] ?? '');
      await sleep(500);
    }
  })();

  return {
    acknowledged,
    polled,
    statuses,
    async nextSends() {
      const from = performance.now();
      while (lastSend.some((at) => at < from)) await sleep(10);
      return lastSend.map((at) => at);
    },
    async stop() {
      stopping = true;
      await Promise.all([...senders, poller]);
      while ((await poll(urls[0] ?? '')) > 0) await sleep(200);
      return { acknowledged, polled, statuses };
    },
  };
}

/** Acknowledged changes that are gone, and those that the poller has not received. */
export function compare(result: LoadResult, stored: ReadonlyMap<string, string>) {
  const all = [...result.acknowledged.values()];
  const isBehind = (status: string | undefined, known: Acknowledged): boolean =>
    status === undefined || (known.status === 'accepted' && status !== 'accepted');
  return {
    lost: all.filter((known) => isBehind(stored.get(known.id), known)).length,
    missed: all.filter((known) => isBehind(result.polled.get(known.id)?.assignment.status, known)).length,
  };
}

const claimOf = (externalId: string, adjuster: string) => ({
  external_id: externalId,
  claim_number: externalId,
  adjuster_svc_id: adjuster,
  loss: { date: '2026-09-26' },
  policy: { number: '8704421973' },
  carrier: { name: 'Gulf Mutual Flood' },
  loss_location: { street: '114 Bayshore Dr', city: 'Cedar Key', state: 'FL', zip: '32625' },
  policyholder: { company_name: 'Bayshore Marina', phone: '352-555-0142' },
});
