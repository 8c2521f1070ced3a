// The firm's people at the desk, under faults: dispatchers, files of claims, staff who come and go, an endpoint for webhooks.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyReceipt, verifyWebhook } from '@svc/client';
import type { OfferResponse } from '@svc/contract';
import { listening } from '../services/local-server.ts';
import type { Caller, RequestSpec } from './caller.ts';
import {
  type ClientContext,
  type FirmState,
  mayHaveLeft,
  REVOKED_EVERYWHERE_MS,
  remember,
  repeatedly,
  type Turns,
  USES_OF_A_KEY,
} from './clients.ts';
import type { ClaimView, DeskView, Intent, OfferView, ReceiptView, Signal } from './history.ts';

const DESK = '/firm/v1';
const FILE_COLUMNS = [
  'external_id',
  'claim_number',
  'adjuster_svc_id',
  'loss.date',
  'policy.number',
  'carrier.name',
  'loss_location.street',
  'loss_location.city',
  'loss_location.state',
  'loss_location.zip',
  'policyholder.first_name',
  'policyholder.last_name',
  'policyholder.phone',
];

const getClaim = (id: string): RequestSpec => ({
  ...{ operation: 'get', method: 'GET', path: `${DESK}/claims/${id}`, intent: { claimId: id } },
});

/** Offers claims, withdraws offers and closes claims as they were seen, like another dispatcher of the same firm at the same time, and reads the board. */
export function dispatcher(
  context: ClientContext,
  state: FirmState,
  { name, environment }: { readonly name: string; readonly environment: string },
): Promise<void> {
  const { caller, random } = context;
  let count = 0;

  async function offer(): Promise<void> {
    const known = [...state.claims.values()].slice(-40);
    if (known.length === 0) return;
    const claim = random.pick(known);
    const adjuster = random.pick(state.adjusters);
    const basedOn = random.chance(0.7) ? claim.updatedAt : undefined;
    count += 1;
    const spec: RequestSpec = {
      operation: 'offer',
      method: 'POST',
      path: `${DESK}/claims/${claim.id}/assignment?environment=${environment}`,
      body: { adjuster_svc_id: adjuster.svcId, ...(basedOn !== undefined && { updated_at: basedOn }) },
      idempotencyKey: `desk-${state.tag}-${name}-${count}`,
      intent: {
        claimId: claim.id,
        adjuster: adjuster.svcId,
        ...mayHaveLeft(adjuster),
        ...(basedOn !== undefined && { basedOn }),
      },
    };
    const response = await (random.chance(0.2) ? caller.sendAtOnce(spec) : caller.send(spec));
    remember(state, response.seen);
    // What changed in between is read, as the page does.
    if (response.json?.code === 'claim_changed')
      remember(state, (await caller.send(getClaim(claim.id))).seen);
  }

  /** Withdraws the offer of a claim as it was seen, or closes the claim. */
  async function end(operation: 'withdraw offer' | 'close at desk'): Promise<void> {
    const known = [...state.claims.values()].slice(-40);
    if (known.length === 0) return;
    const claim = random.pick(known);
    const basedOn = random.chance(0.7) ? claim.updatedAt : undefined;
    const spec: RequestSpec = {
      ...{ operation, method: 'POST' },
      path: `${DESK}/claims/${claim.id}/${operation === 'close at desk' ? 'closure' : 'withdrawal'}`,
      body: { ...(basedOn !== undefined && { updated_at: basedOn }) },
      intent: { claimId: claim.id, ...(basedOn !== undefined && { basedOn }) },
    };
    const response = await (random.chance(0.2) ? caller.sendAtOnce(spec) : caller.send(spec));
    remember(state, response.seen);
  }

  return repeatedly(context, 150, async () => {
    const draw = random.next();
    if (draw < 0.5) return offer();
    if (draw < 0.58) return end('withdraw offer');
    if (draw < 0.61) return end('close at desk');
    const path = `${DESK}/claims?environment=${environment}&limit=${random.integer(2, 40)}`;
    if (draw < 0.8) await caller.send({ operation: 'list board', method: 'GET', path });
    else for (const { id } of [...state.claims.values()].slice(-1)) await caller.send(getClaim(id));
  });
}

/** Sends files of claims part by part, and some of them again, as after a page that was closed. One row in each is wrong. */
export function importer(context: ClientContext, state: FirmState): Promise<void> {
  const { caller, random } = context;
  let files = 0;

  async function sendFile(rows: readonly string[][], intent: Intent): Promise<void> {
    let progress: { import_id?: string; from_row?: number } = {};
    do {
      const spec: RequestSpec = {
        ...{ operation: 'import', method: 'POST', path: `${DESK}/imports`, intent },
        body: { name: 'chaos', dry_run: false, rows: [FILE_COLUMNS, ...rows], ...progress },
      };
      const { json } = await (random.chance(0.15) ? caller.sendAtOnce(spec) : caller.send(spec));
      if (!json?.next_row) return;
      progress = { import_id: json.id, from_row: json.next_row };
      // The page was closed; the file is chosen again.
      if (random.chance(0.1)) progress = {};
    } while (context.isOn());
  }

  return repeatedly(context, 800, async () => {
    files += 1;
    const rows = Array.from({ length: random.integer(5, 70) }, (_, n) => {
      const externalId = `${state.tag}-file${files}-${n}`;
      const zip = n === 2 ? '3360' : '33602';
      return [
        ...[externalId, `CLM-${externalId}`, random.pick(state.adjusters).svcId, '2026-08-27'],
        ...[`P-${externalId}`, `Carrier ${state.tag} ${random.integer(1, 3)}`],
        ...[`${n} Harbor ${state.tag}`, 'Tampa', 'FL', zip],
        ...['Secretive', `Holder-${state.tag}`, '813-555-0177'],
      ];
    });
    const intent = {
      rows: rows.map(([externalId = '', , adjuster = '']) => ({ externalId, adjuster })),
    };
    await sendFile(rows, intent);
    if (random.chance(0.5)) await sendFile(rows, intent);
  });
}

/** Adds a dispatcher, takes the role away, and removes the person: each is in force everywhere about a second later. */
export function staffClient(
  context: ClientContext,
  state: FirmState,
  add: () => Promise<{ readonly id: string; readonly caller: Caller } | null>,
): Promise<void> {
  const { caller: admin } = context;
  return repeatedly(context, 600, async () => {
    const person = await add();
    const [claim] = state.claims.values();
    if (person === null || claim === undefined) return;
    const { id, caller } = person;
    const use = async (spec: RequestSpec): Promise<void> => {
      for (let n = 0; n < USES_OF_A_KEY; n += 1) await caller.send(spec);
    };
    const board: RequestSpec = { operation: 'list board', method: 'GET', path: `${DESK}/claims?limit=3` };
    const path = `${DESK}/staff/${id}`;
    const intent = { object: `staff:${id}` };
    await use(board);
    await admin.send({ operation: 'demote', method: 'PATCH', path, body: { role: 'auditor' }, intent });
    await sleep(REVOKED_EVERYWHERE_MS);
    await use({
      ...{ operation: 'offer', method: 'POST', path: `${DESK}/claims/${claim.id}/assignment` },
      body: { adjuster_svc_id: claim.adjuster },
      idempotencyKey: `demoted-${id}`,
      intent: { expectedError: 'insufficient_scope' },
    });
    await use(board);
    await admin.send({ operation: 'remove staff', method: 'DELETE', path, intent });
    await sleep(REVOKED_EVERYWHERE_MS);
    await use({ ...board, intent: { expectedError: 'invalid_session' } });
    await caller.close();
  });
}

type Mood = 'works' | 'fails' | 'closes' | 'gone' | 'hangs';

type SignalReceiver = Awaited<ReturnType<typeof startSignalReceiver>>;

/** An endpoint of a firm, on the clock of the recorded calls. */
export async function startSignalReceiver(now: () => number) {
  const signals: Signal[] = [];
  const secrets: string[] = [];
  const STATUS: Readonly<Record<Mood, number | null>> = {
    works: 204,
    fails: 503,
    gone: 410,
    closes: null,
    hangs: null,
  };
  const server = createServer(async (request, response) => {
    const at = now();
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return;
    }
    const body = Buffer.concat(chunks);
    const forged = await verifyWebhook({ body, headers: request.headers, secret: secrets }).then(
      () => undefined,
      (error: Error) => error.message,
    );
    const { mood } = receiver;
    const answered = STATUS[mood];
    signals.push({
      id: String(request.headers['webhook-id']),
      at,
      updatedSince: JSON.parse(body.toString()).data?.updated_since ?? '',
      answered,
      ...(forged !== undefined && { forged }),
    });
    if (answered !== null) response.writeHead(answered).end();
    else if (mood === 'closes') response.destroy();
  });
  const { url, stop } = await listening(server);
  const receiver = {
    url: `${url}/signals`,
    signals,
    /** Of the endpoint, the latest last. */
    secrets,
    /** How it responds to what arrives next. */
    mood: 'works' as Mood,
    close: stop,
  };
  return receiver;
}

const MOODS: readonly Mood[] = ['fails', 'closes', 'gone', 'hangs'];
/** Retries wait about as long as the failures before them. */
const LONGEST_BAD_MOOD_MS = 4_000;

/** An endpoint that fails and returns, whose secret is replaced once, by a developer of the firm. */
export function endpointOwner(
  { random, isOn }: Turns,
  caller: Caller,
  receiver: SignalReceiver,
  id: string,
): Promise<void> {
  const change = (body: object) =>
    caller.send({
      ...{ operation: 'change webhook', method: 'PATCH', path: `${DESK}/webhooks/${id}`, body },
      intent: { object: `webhook:${id}` },
    });
  return repeatedly({ random, isOn }, 2_000, async () => {
    receiver.mood = random.pick(MOODS);
    await sleep(random.integer(300, LONGEST_BAD_MOOD_MS));
    receiver.mood = 'works';
    // Safe to repeat, also when it is active.
    await change({ state: 'active' });
    if (receiver.secrets.length === 1 && random.chance(0.3)) {
      const { json } = await change({ roll_secret: true });
      if (typeof json?.secret === 'string') receiver.secrets.push(json.secret);
    }
  });
}

/** Adds the endpoint of a receiver to its firm. */
export async function addEndpoint(
  developer: Caller,
  receiver: SignalReceiver,
  environment: string,
): Promise<string> {
  const { json } = await developer.send({
    ...{ operation: 'change webhook', method: 'POST', path: `${DESK}/webhooks` },
    body: { url: receiver.url, environment },
  });
  receiver.secrets.push(json.secret);
  return json.webhook.id;
}

export interface DeskReader {
  /** Of the claims that `receiver` gets signals of. */
  readonly test: boolean;
  readonly receiver: SignalReceiver;
  /** Of a person of the firm. */
  readonly token: string;
  readonly key: string;
}

const SIGNALS_TIMEOUT_MS = 120_000;
const CLAIMS_READ = 150;

/** What the desk shows once nothing changes any more: the signals of every change, and of some claims the receipt and the offers. */
export async function readDesk(
  url: string,
  { test, receiver, token, key }: DeskReader,
  claims: readonly ClaimView[],
): Promise<DeskView> {
  const latest =
    claims
      .filter((claim) => claim.test === test)
      .map(({ updatedAt }) => updatedAt)
      .sort()
      .at(-1) ?? '';
  const until = performance.now() + SIGNALS_TIMEOUT_MS;
  const isSignalled = () =>
    receiver.signals.some(
      ({ answered, at, updatedSince }) =>
        answered === 204 && updatedSince <= latest && performance.timeOrigin + at >= Date.parse(latest),
    );
  while (latest !== '' && !isSignalled() && performance.now() < until) await sleep(200);
  const jwks = await readJson(`${url}/.well-known/jwks.json`, '');
  const receipts: ReceiptView[] = [];
  const offers = new Map<string, readonly OfferView[]>();
  const step = Math.max(1, Math.ceil(claims.length / CLAIMS_READ));
  for (const { id } of claims.filter((_, n) => n % step === 0)) {
    const { receipt } = await readJson(`${url}/v1/claims/${id}/receipt`, key);
    const said = await verifyReceipt(receipt, { jwks });
    receipts.push({
      claimId: said.claim_id,
      adjuster: said.adjuster_svc_id,
      status: said.status,
      answeredAt: said.answered?.at ?? null,
      audit: said.audit,
    });
    const { history } = await readJson(`${url}${DESK}/claims/${id}`, token);
    // The latest comes first.
    offers.set(id, history.map(offerViewOf).reverse());
  }
  return { test, signals: receiver.signals, receipts, offers };
}

const offerViewOf = ({ adjuster_svc_id, outcome, rejection_reason }: OfferResponse): OfferView => ({
  adjuster: adjuster_svc_id,
  outcome,
  reason: rejection_reason,
});

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
async function readJson(url: string, token: string): Promise<any> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) throw new Error(`${url} returned ${response.status}.`);
  return response.json();
}
