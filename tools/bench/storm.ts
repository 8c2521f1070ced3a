import { createECDH, randomBytes, randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { performance } from 'node:perf_hooks';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { createSecrets } from '@svc/adapter-credentials';
import { Agent, request as undiciRequest } from 'undici';
import { listening } from '../services/local-server.ts';
import { withClient } from '../services/postgres.ts';
import type { BenchRequest } from './connection.ts';
import { type BenchData, type Firm, requestsOf } from './data.ts';
import { quantile } from './load.ts';

/** The first hour of a storm, in events per second; `speed` repeats it faster. */
const HOUR_S = 3600;
const CLAIMS = 15_000;
const PHONES = 500;
/** How often a firm polls, and a phone without a live connection. */
const POLL_S = 60;
const PHONE_POLL_S = 30;
/** When a page with the board reads it again after a change: as apps/desk/src/state/live.ts. */
const BOARD_INTERVAL_MS = 3000;
const BOARD_SPREAD_MS = 1500;

const dispatcher = new Agent({ connections: 256, pipelining: 1 });
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

async function timed(base: string, { path, ...request }: BenchRequest) {
  const startedAt = performance.now();
  const { statusCode: status, body } = await undiciRequest(base + path, { dispatcher, ...request });
  const text = await body.text();
  return { status, ms: performance.now() - startedAt, text };
}

interface Sent {
  readonly firm: number;
  /** When the request was sent, and when the claim changed. */
  readonly at: number;
  readonly changedAt: number;
}

interface StormLoad {
  readonly send: number[];
  readonly poll: number[];
  readonly sent: Sent[];
  /** Other responses than the expected ones by status, as an overloaded machine has. */
  readonly rejected: Record<number, number>;
}

/** Sends, polls and phones at the rates of the hour, whether or not earlier requests have been answered. */
export async function stormLoad(
  url: string,
  firms: readonly Firm[],
  { seconds, speed }: { readonly seconds: number; readonly speed: number },
): Promise<StormLoad> {
  const found: StormLoad = { send: [], poll: [], sent: [], rejected: {} };
  const sendsOf = firms.map((firm) => requestsOf('send', [firm]));
  const poll = requestsOf('poll', firms);
  let [sends, reads] = [0, 0];
  const take = async (request: BenchRequest, expected: number, latencies?: number[]) => {
    const { status, ms, text } = await timed(url, request);
    if (status === expected) latencies?.push(ms);
    else found.rejected[status] = (found.rejected[status] ?? 0) + 1;
    return status === expected ? text : null;
  };
  const send = async (): Promise<void> => {
    const firm = sends++ % firms.length;
    const at = Date.now();
    const claim = await take((sendsOf[firm] as () => BenchRequest)(), 201, found.send);
    if (claim !== null) found.sent.push({ firm, at, changedAt: Date.parse(JSON.parse(claim).updated_at) });
  };
  const phone = () => {
    const { session } = firms[reads++ % firms.length] as Firm;
    const path = '/app/v1/claims?status=pending_acceptance&limit=20';
    return take({ method: 'GET', path, headers: bearer(session) }, 200);
  };
  await Promise.all([
    paced((CLAIMS / HOUR_S) * speed, seconds, send),
    paced((firms.length / POLL_S) * speed, seconds, () => take(poll(), 200, found.poll)),
    paced((PHONES / PHONE_POLL_S) * speed, seconds, phone),
  ]);
  return found;
}

async function paced(perSecond: number, seconds: number, act: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  const acts: Promise<unknown>[] = [];
  for (let n = 0; n < perSecond * seconds; n += 1) {
    const wait = startedAt + (n * 1000) / perSecond - performance.now();
    if (wait > 0) await pause(wait);
    acts.push(act());
  }
  await Promise.all(acts);
}

/** Keeps what reached each firm, by its number in the path, and when. */
const recordingTo =
  (arrivals: Map<number, Arrival[]>, status: number): RequestListener =>
  async (request, response) => {
    const at = Date.now();
    const firm = Number(request.url?.slice(1));
    const body = await buffer(request);
    arrivals.set(firm, [...(arrivals.get(firm) ?? []), { at, body }]);
    response.writeHead(status).end();
  };

interface Arrival {
  readonly at: number;
  readonly body: Buffer;
}

/**
 * Milliseconds from each send to the arrival that tells of it, sorted; infinite if none came.
 *
 * @param tells finds it among the arrivals at the firm for its nth send.
 */
const delaysOf = (
  arrivals: Map<number, Arrival[]>,
  sent: readonly Sent[],
  tells: (ofFirm: readonly Arrival[], n: number, sent: Sent) => Arrival | undefined,
): number[] => {
  const count = new Map<number, number>();
  const inOrder = sent.toSorted((one, other) => one.changedAt - other.changedAt);
  return inOrder
    .map((one) => {
      const n = count.get(one.firm) ?? 0;
      count.set(one.firm, n + 1);
      return (tells(arrivals.get(one.firm) ?? [], n, one)?.at ?? Number.POSITIVE_INFINITY) - one.at;
    })
    .sort((one, other) => one - other);
};

/** A push is encrypted; each offer has one. */
const nthPush = (pushes: readonly Arrival[], n: number) => pushes[n];

/** Signals are fewer than changes, and each goes on where the one before ended: the last one from before the change. */
const coveringSignal = (signals: readonly Arrival[], _n: number, { at, changedAt }: Sent) => {
  const signal = signals.findLast(
    ({ body }) => Date.parse(JSON.parse(body.toString()).data.updated_since) <= changedAt,
  );
  // An earlier one covers what came before the change.
  return signal !== undefined && signal.at >= at ? signal : undefined;
};

/** Gives an adjuster of each firm a device. */
export async function addDevices(url: string, { firms }: BenchData) {
  const pushes = new Map<number, Arrival[]>();
  const { url: pushUrl, stop } = await listening(createServer(recordingTo(pushes, 201)));
  for (const [n, { session }] of firms.entries()) await registerDevice(url, session, `${pushUrl}/${n}`);
  return {
    /** @param sent all that were sent to this service. */
    delays: (sent: readonly Sent[]) => delaysOf(pushes, sent, nthPush),
    stop,
  };
}

/** Adds endpoints, of which every fifth is dead, and staff with the board open to the firms of a service. */
export async function addDesks(
  databaseUrl: string,
  url: string,
  { firms }: BenchData,
  { staff }: { readonly staff: number },
) {
  const signals = new Map<number, Arrival[]>();
  const receiver = await listening(createServer(recordingTo(signals, 204)));
  // Accepts requests and never responds.
  const silent = await listening(createServer(() => {}));
  const closed = await listening(createServer(() => {}));
  await closed.stop();
  const isDead = (n: number): boolean => n % 5 === 4;
  const endpointOf = (n: number): string =>
    isDead(n) ? (n % 2 === 0 ? silent : closed).url : `${receiver.url}/${n}`;
  const tokens: string[] = [];
  await withClient(databaseUrl, async (client) => {
    const secrets = createSecrets(new Uint8Array(32));
    for (const [n, firm] of firms.entries()) {
      await client.query(
        `INSERT INTO webhook_endpoints (firm_id, id, environment, url, secret, created_at, signalled_until, next_signal_at)
           SELECT $1, gen_random_uuid(), 'live', $2, $3, now(), last_stamp, now() FROM firm_feeds WHERE firm_id = $1`,
        [firm.id, endpointOf(n), `whsec_${randomBytes(24).toString('base64')}`],
      );
    }
    for (let n = 0; n < staff; n += 1) {
      const firm = firms[n % firms.length] as Firm;
      const [id, session, email] = [randomUUID(), secrets.issue('staff_session'), `staff-${n}@example.com`];
      await client.query(
        `INSERT INTO staff (firm_id, id, name, email, email_key, role, invited_at, joined_at)
           VALUES ($1, $2, 'Priya Natarajan', $3, $3, 'dispatcher', now(), now())`,
        [firm.id, id, email],
      );
      await client.query(
        `INSERT INTO sessions (token_hash, id, firm_id, staff_id, created_at, last_used_at, expires_at, ends_at, method)
           VALUES ($1, gen_random_uuid(), $2, $3, now(), now(), now() + interval '90 days', now() + interval '90 days', 'code')`,
        [session.hash, firm.id, id],
      );
      tokens.push(session.secret);
    }
  });
  const boards = createBoards(url, tokens);
  await pause(2000);
  return {
    /** How often the boards were read. */
    boardReads: boards.reads,
    delays: (sent: readonly Sent[]) =>
      delaysOf(
        signals,
        sent.filter(({ firm }) => !isDead(firm)),
        coveringSignal,
      ),
    async stop() {
      await boards.stop();
      for (const server of [receiver, silent]) await server.stop();
    },
  };
}

async function registerDevice(url: string, session: string, endpoint: string): Promise<void> {
  const keys = createECDH('prime256v1');
  keys.generateKeys();
  const subscription = {
    endpoint,
    keys: { p256dh: keys.getPublicKey('base64url'), auth: randomBytes(16).toString('base64url') },
  };
  const response = await fetch(`${url}/app/v1/devices/${randomUUID()}`, {
    method: 'PUT',
    headers: { ...bearer(session), 'Content-Type': 'application/json' },
    body: JSON.stringify({ subscription }),
  });
  if (response.status !== 204) throw new Error(`device: ${response.status} ${await response.text()}`);
}

/** Pages with the board open: each reads it at the start, and soon after a change. */
function createBoards(url: string, tokens: readonly string[]) {
  let reads = 0;
  let isStopped = false;
  const streams = new Agent({ connections: tokens.length, bodyTimeout: 0 });
  for (const token of tokens) {
    const read = async (): Promise<void> => {
      const path = '/firm/v1/claims?limit=100';
      const { status } = await timed(url, { method: 'GET', path, headers: bearer(token) });
      if (status === 200) reads += 1;
      else if (status !== 503) throw new Error(`GET ${path}: ${status}`);
    };
    let waiting = false;
    let readAt = 0;
    const follow = async (): Promise<void> => {
      const options = { dispatcher: streams, headers: bearer(token) };
      const { statusCode, body } = await undiciRequest(`${url}/firm/v1/changes`, options);
      if (statusCode !== 200) throw new Error(`GET /firm/v1/changes: ${statusCode}`);
      for await (const chunk of body) {
        if (waiting || !String(chunk).includes('event: changed')) continue;
        waiting = true;
        const wait = Math.max(readAt + BOARD_INTERVAL_MS - Date.now(), 0) + Math.random() * BOARD_SPREAD_MS;
        setTimeout(async () => {
          waiting = false;
          await read();
          readAt = Date.now();
        }, wait).unref();
      }
    };
    follow().catch((error) => {
      if (!isStopped) throw error;
    });
    void read();
  }
  return {
    reads: () => reads,
    async stop() {
      isStopped = true;
      await streams.destroy();
    },
  };
}

export const figures = (values: readonly number[]) => {
  const sorted = values.toSorted((one, other) => one - other);
  return { count: sorted.length, p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
};
