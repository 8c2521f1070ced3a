import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../generate/random.ts';
import { type Caller, type RequestSpec, RetriesExhausted } from './caller.ts';
import type { ClaimView, Intent } from './history.ts';

export interface KnownAdjuster {
  readonly svcId: string;
  readonly leaves: boolean;
  /** The operator disables the account at times; nobody uses it. */
  readonly isDisabledAtTimes?: boolean;
}

export interface Turns {
  readonly random: Random;
  /** False once the clients must stop. */
  readonly isOn: () => boolean;
}

export interface ClientContext extends Turns {
  readonly caller: Caller;
}

/** Shared by a firm's clients. */
export interface FirmState {
  readonly tag: string;
  readonly adjusters: readonly KnownAdjuster[];
  /** Last observed claims by id. */
  readonly claims: Map<string, ClaimView>;
  readonly sent: {
    readonly claim: ClaimView;
    readonly body: Record<string, unknown>;
    readonly key: string;
  }[];
  /** Ids of claims that were sent with the firm's test key, beside its live key. */
  readonly trials: string[];
  /** Of all other firms. */
  readonly others: readonly FirmState[];
}

const PAUSE_MS = 25;
/** Each to a random process. */
export const USES_OF_A_KEY = 6;
/** Processes cache keys and sessions for a second. */
export const REVOKED_EVERYWHERE_MS = 1_500;

/** Repeats until stopped; the history shows tasks whose retries were exhausted. */
export async function repeatedly(
  { isOn, random }: Turns,
  pauseMs: number,
  turn: () => Promise<void>,
): Promise<void> {
  while (isOn()) {
    try {
      await turn();
    } catch (error) {
      if (!(error instanceof RetriesExhausted)) throw error;
    }
    await sleep(pauseMs * random.next() * 2);
  }
}

const sendClaim = (body: object, idempotencyKey: string, intent: Intent): RequestSpec => ({
  ...{ operation: 'send', method: 'POST', path: '/v1/claims' },
  ...{ body, idempotencyKey, intent },
});
const offerClaim = (id: string, svcId: string, idempotencyKey: string, intent: Intent): RequestSpec => ({
  ...{ operation: 'offer', method: 'POST', path: `/v1/claims/${id}/assignment` },
  ...{ body: { adjuster_svc_id: svcId }, idempotencyKey, intent },
});
const getClaim = (id: string, intent: Intent): RequestSpec => ({
  ...{ operation: 'get', method: 'GET', path: `/v1/claims/${id}`, intent },
});

export function remember(state: FirmState, seen: readonly ClaimView[]): void {
  for (const claim of seen) {
    const known = state.claims.get(claim.id);
    if (known === undefined || known.updatedAt <= claim.updatedAt) state.claims.set(claim.id, claim);
  }
}

export const mayHaveLeft = ({ leaves, isDisabledAtTimes = false }: KnownAdjuster): { mayHaveLeft?: true } =>
  leaves || isDisabledAtTimes ? { mayHaveLeft: true } : {};

/** Sends, offers and reads claims, and sometimes sends requests that must fail. */
export function firmClient(context: ClientContext, state: FirmState, name: string): Promise<void> {
  const { caller, random } = context;
  let count = 0;

  async function send(): Promise<void> {
    count += 1;
    const adjuster = random.pick(state.adjusters);
    const externalId = `${state.tag}-${name}-${count}`;
    const body = {
      external_id: externalId,
      claim_number: `CLM-${externalId}`,
      adjuster_svc_id: adjuster.svcId,
      loss: { date: '2026-08-27' },
      policy: { number: `P-${externalId}` },
      carrier: { name: `Carrier ${state.tag} ${random.integer(1, 3)}` },
      loss_location: { street: `${count} Harbor ${state.tag}`, city: 'Tampa', state: 'FL', zip: '33602' },
      policyholder: { first_name: 'Secretive', last_name: `Holder-${state.tag}`, phone: '813-555-0177' },
      instructions: 'x'.repeat(random.chance(0.1) ? random.integer(500, 4000) : 1),
    };
    const key = `key-${externalId}`;
    const intent = { externalId, adjuster: adjuster.svcId, ...mayHaveLeft(adjuster) };
    const spec = sendClaim(body, key, intent);
    const response = await (random.chance(0.15) ? caller.sendAtOnce(spec) : caller.send(spec));
    const [claim] = response.seen;
    if (claim === undefined) return;
    remember(state, response.seen);
    state.sent.push({ claim, body, key });
    // A late retry, as after a crash of the client.
    if (random.chance(0.1)) await caller.send(spec);
    // Another offer before the response to the first, often to the same adjuster.
    if (random.chance(0.1))
      await offerTo(claim, random.chance(0.5) ? adjuster : random.pick(state.adjusters));
  }

  async function offer(): Promise<void> {
    if (state.sent.length === 0) return send();
    await offerTo(random.pick(state.sent.slice(-60)).claim, random.pick(state.adjusters));
  }

  async function offerTo(claim: ClaimView, adjuster: KnownAdjuster): Promise<void> {
    count += 1;
    const intent = { claimId: claim.id, adjuster: adjuster.svcId, ...mayHaveLeft(adjuster) };
    const spec = offerClaim(claim.id, adjuster.svcId, `offer-${state.tag}-${name}-${count}`, intent);
    const response = await (random.chance(0.15) ? caller.sendAtOnce(spec) : caller.send(spec));
    remember(state, response.seen);
  }

  async function look(): Promise<void> {
    if (state.sent.length === 0) return;
    const { id } = random.pick(state.sent).claim;
    await caller.send(getClaim(id, { claimId: id }));
  }

  /** Sends a request that must fail. */
  async function sendInvalid(): Promise<void> {
    if (state.sent.length === 0) return;
    const { claim, body, key } = random.pick(state.sent);
    const intent = { claimId: claim.id, externalId: claim.externalId };
    const unused = `again-${state.tag}-${name}-${count}`;
    count += 1;
    const draw = random.next();
    if (draw < 0.2) {
      await caller.send(sendClaim(body, unused, { ...intent, expectedError: 'duplicate_claim' }));
    } else if (draw < 0.4) {
      const other = { ...body, instructions: 'another request' };
      await caller.send(sendClaim(other, key, { ...intent, expectedError: 'idempotency_key_reused' }));
    } else if (draw < 0.6) {
      const foreign = state.others.flatMap(({ sent }) => sent.slice(-20));
      if (foreign.length > 0) await caller.send(getClaim(random.pick(foreign).claim.id, NOT_FOUND));
    } else if (draw < 0.8) {
      const { svcId } = random.pick(state.adjusters);
      const expected = { expectedError: 'environment_mismatch' } as const;
      if (state.trials.length > 0)
        await caller.send(offerClaim(random.pick(state.trials), svcId, unused, expected));
    } else {
      const list = { operation: 'list', method: 'GET' } as const;
      const path = '/v1/claims?limit=2';
      const { json } = await caller.send({ ...list, path });
      if (typeof json?.next_cursor !== 'string') return;
      const query = `assignment_status=rejected&cursor=${encodeURIComponent(json.next_cursor)}`;
      const mixed = { ...list, path: `${path}&${query}` };
      await caller.send({ ...mixed, intent: { expectedError: 'validation_failed' } });
    }
  }

  return repeatedly(context, PAUSE_MS, async () => {
    const draw = random.next();
    // Several at once, so that their changes compete for the next place in the feed.
    if (draw < 0.03) await Promise.all(Array.from({ length: 6 }, send));
    if (draw < 0.45) return send();
    if (draw < 0.75) return offer();
    if (draw < 0.85) return look();
    return sendInvalid();
  });
}

const NOT_FOUND: Intent = { expectedError: 'not_found' };

/** Uses the firm's test key beside its live key, with the same idempotency keys. */
export function testKeyClient(context: ClientContext, state: FirmState, account: string): Promise<void> {
  const { caller, random } = context;
  let repeated = 0;
  return repeatedly(context, 200, async () => {
    const live = random.chance(0.5) ? state.sent[repeated] : undefined;
    if (live !== undefined) {
      repeated += 1;
      const externalId = `${live.body.external_id}-trial`;
      const body = { ...live.body, external_id: externalId, adjuster_svc_id: account };
      const sent = await caller.send(sendClaim(body, live.key, { externalId, adjuster: account }));
      for (const { id } of sent.seen) state.trials.push(id);
    } else if (state.sent.length > 0 && random.chance(0.7)) {
      const { claim, key } = random.pick(state.sent);
      const invisible = random.chance(0.5)
        ? getClaim(claim.id, NOT_FOUND)
        : offerClaim(claim.id, account, `offer-${key}`, NOT_FOUND);
      await caller.send(invisible);
    } else await caller.send({ operation: 'list', method: 'GET', path: '/v1/claims?limit=20' });
  });
}

/** Sends requests that the firm's plan does not include. */
export function readOnlyClient(context: ClientContext, adjuster: string): Promise<void> {
  const spec: RequestSpec = {
    operation: 'invite',
    method: 'POST',
    path: '/v1/adjusters/invitations',
    body: { svc_id: adjuster },
    intent: { expectedError: 'not_in_plan' },
  };
  return repeatedly(context, 500, async () => void (await context.caller.send(spec)));
}

interface IssuedKey {
  readonly caller: Caller;
  readonly revoke: () => Promise<unknown>;
}

/** Uses a new API key on every process, and again more than a second after the operator has revoked it. */
export function keyClient(turns: Turns, issue: () => Promise<IssuedKey | null>): Promise<void> {
  return repeatedly(turns, 500, async () => {
    const key = await issue();
    if (key === null) return;
    const use = async (intent: Intent): Promise<void> => {
      for (let n = 0; n < USES_OF_A_KEY; n += 1)
        await key.caller.send({ operation: 'get', method: 'GET', path: '/v1/me', intent });
    };
    await use({});
    await key.revoke();
    await sleep(REVOKED_EVERYWHERE_MS);
    await use({ expectedError: 'invalid_key' });
    await key.caller.close();
  });
}

/** Polls from the last updated_at it has seen, without overlap. */
export function poller({ caller, random }: ClientContext): {
  /** Reads to the end of the list; true when there was a change. */
  poll(): Promise<boolean>;
} {
  let since: string | null = null;
  let polls = 0;
  return {
    async poll() {
      const before: string | null = since;
      let cursor: string | null = null;
      polls += 1;
      const intent = { poll: polls };
      const limit = String(random.integer(2, 40));
      do {
        const query = new URLSearchParams({
          limit,
          ...(before !== null && { updated_since: before }),
          ...(cursor !== null && { cursor }),
        });
        const path = `/v1/claims?${query}`;
        const response = await caller.send({ operation: 'poll', method: 'GET', path, intent });
        for (const { updatedAt } of response.seen) if (since === null || updatedAt > since) since = updatedAt;
        cursor = response.json?.next_cursor ?? null;
      } while (cursor !== null);
      return since !== before;
    },
  };
}

/** Invites adjusters who left, and sometimes withdraws an invitation. */
export function inviter(context: ClientContext, adjusters: readonly KnownAdjuster[]): Promise<void> {
  const { caller, random } = context;
  let invitations = 0;
  return repeatedly(context, 150, async () => {
    const { svcId } = random.pick(adjusters);
    const path = '/v1/adjusters/invitations';
    const intent = { adjuster: svcId };
    if (random.chance(0.7)) {
      invitations += 1;
      const body = { svc_id: svcId, note: `invitation ${invitations}` };
      await caller.send({ operation: 'invite', method: 'POST', path, body, intent, expects: body });
    } else {
      await caller.send({ operation: 'withdraw', method: 'DELETE', path: `${path}/${svcId}`, intent });
    }
  });
}

const RESPONSES = { accept: 'acceptance', reject: 'rejection', close: 'closure' } as const;

/** Accepts or rejects offers, closes some accepted claims, and leaves and rejoins firms if the adjuster does so. */
export function adjusterClient(
  context: ClientContext,
  adjuster: KnownAdjuster,
  firmIds: readonly string[],
): Promise<void> {
  const { caller, random } = context;
  const { svcId } = adjuster;
  let responses = 0;
  let isAway = false;
  /** Different offers that another device may still show. */
  let earlier: string[] = [];

  async function respond(): Promise<void> {
    const offers = await caller.send({
      operation: 'offers',
      method: 'GET',
      path: `/app/v1/claims?status=pending_acceptance&limit=${random.integer(3, 30)}`,
      intent: { adjuster: svcId },
    });
    const shown = new Set(offers.seen.map(({ id }) => id));
    const gone = earlier.filter((id) => !shown.has(id));
    if (gone.length > 0 && random.chance(0.3)) {
      await respondWith('accept', random.pick(gone));
    }
    earlier = [...gone, ...shown].slice(-60);
    const chosen = random.shuffle(offers.seen).slice(0, 3);
    // Several at once, so that one process may accept them in one transaction.
    if (random.chance(0.3)) await Promise.all(chosen.map(respondTo));
    else for (const claim of chosen) await respondTo(claim);
  }

  const respondWith = (operation: keyof typeof RESPONSES, claimId: string, body?: { reason: string }) =>
    caller.send({
      ...{ operation, method: 'POST', path: `/app/v1/claims/${claimId}/${RESPONSES[operation]}` },
      ...(body !== undefined && { body }),
      intent: { claimId, adjuster: svcId, ...body },
    });

  async function respondTo({ id }: ClaimView): Promise<void> {
    responses += 1;
    if (random.chance(0.4)) {
      const { status } = await respondWith('accept', id);
      if (status === 200 && random.chance(0.3)) await respondWith('close', id);
    } else await respondWith('reject', id, { reason: `reason ${svcId} ${responses}` });
  }

  async function leaveOrRejoin(): Promise<void> {
    const firmId = random.pick(firmIds);
    const intent = { adjuster: svcId };
    if (isAway) {
      const path = `/app/v1/invitations/${firmId}/acceptance`;
      const { status } = await caller.send({ operation: 'join', method: 'POST', path, intent });
      isAway = status >= 300;
    } else {
      const path = `/app/v1/firms/${firmId}/membership`;
      await caller.send({ operation: 'leave', method: 'DELETE', path, intent });
      isAway = true;
    }
  }

  return repeatedly(context, 60, () =>
    adjuster.leaves && random.chance(isAway ? 0.3 : 0.1) ? leaveOrRejoin() : respond(),
  );
}

/** What the operator does while the service runs. */
export interface OperatorCommands {
  /** Grants or removes the permission to accept claims. */
  permit(adjuster: string, canAcceptClaims: boolean): Promise<unknown>;
  close(claimId: string): Promise<unknown>;
}

/** Removes and restores the permission of adjusters who also leave, and closes claims with a pending offer. */
export function operatorClient(
  turns: Turns,
  { permit, close }: OperatorCommands,
  firms: readonly FirmState[],
): Promise<void> {
  const { random } = turns;
  return repeatedly(turns, 300, async () => {
    const { adjusters, claims } = random.pick(firms);
    const adjuster = adjusters.find(({ leaves }) => leaves);
    const pending = [...claims.values()].filter(({ status }) => status === 'pending_acceptance').slice(-20);
    if (random.chance(0.3)) {
      if (pending.length > 0) await close(random.pick(pending).id);
    } else if (adjuster !== undefined) {
      await permit(adjuster.svcId, false);
      await sleep(random.integer(50, 500));
      await permit(adjuster.svcId, true);
    }
  });
}

/** Disables an account and enables it again. */
export function accountClient(
  turns: Turns,
  setEnabled: (isEnabled: boolean) => Promise<unknown>,
): Promise<void> {
  return repeatedly(turns, 300, async () => {
    await setEnabled(false);
    // Long enough for a poll that shows what is pending then.
    await sleep(turns.random.integer(300, 1_500));
    await setEnabled(true);
  });
}

/** Exceeds the rate limit of its key, at first and at times also its burst. */
export function limitedClient(context: ClientContext): Promise<void> {
  const { caller, random } = context;
  let count = 25;
  return repeatedly(context, 400, async () => {
    await Promise.all(
      Array.from({ length: count }, () =>
        caller.sendOnce({ operation: 'limited', method: 'GET', path: '/v1/me' }),
      ),
    );
    count = random.chance(0.1) ? 25 : 2;
  });
}
