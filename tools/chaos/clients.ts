import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../generate/random.ts';
import { type Caller, RetriesExhausted } from './caller.ts';
import type { ClaimView } from './history.ts';

export interface KnownAdjuster {
  readonly svcId: string;
  readonly leaves: boolean;
}

export interface ClientContext {
  readonly caller: Caller;
  readonly random: Random;
  /** False once the clients must stop. */
  readonly isOn: () => boolean;
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
}

const PAUSE_MS = 25;

/** Repeats until stopped; the history shows tasks whose retries were exhausted. */
async function repeatedly(
  { isOn, random }: ClientContext,
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

function remember(state: FirmState, seen: readonly ClaimView[]): void {
  for (const claim of seen) {
    const known = state.claims.get(claim.id);
    if (known === undefined || known.updatedAt <= claim.updatedAt) state.claims.set(claim.id, claim);
  }
}

const mayHaveLeft = (adjuster: KnownAdjuster): { mayHaveLeft?: true } =>
  adjuster.leaves ? { mayHaveLeft: true } : {};

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
    const spec = {
      operation: 'send',
      method: 'POST',
      path: '/v1/claims',
      body,
      idempotencyKey: key,
      intent: { externalId, adjuster: adjuster.svcId, ...mayHaveLeft(adjuster) },
    } as const;
    const response = await (random.chance(0.15) ? caller.sendTwice(spec) : caller.send(spec));
    const [claim] = response.seen;
    if (claim === undefined) return;
    remember(state, response.seen);
    state.sent.push({ claim, body, key });
    // A late retry, as after a crash of the client.
    if (random.chance(0.1)) await caller.send(spec);
  }

  async function offer(): Promise<void> {
    if (state.sent.length === 0) return send();
    const recent = state.sent.slice(-60);
    const { claim } = random.pick(recent);
    const adjuster = random.pick(state.adjusters);
    count += 1;
    const spec = {
      operation: 'offer',
      method: 'POST',
      path: `/v1/claims/${claim.id}/assignment`,
      body: { adjuster_svc_id: adjuster.svcId },
      idempotencyKey: `offer-${state.tag}-${name}-${count}`,
      intent: { claimId: claim.id, adjuster: adjuster.svcId, ...mayHaveLeft(adjuster) },
    } as const;
    const response = await (random.chance(0.15) ? caller.sendTwice(spec) : caller.send(spec));
    remember(state, response.seen);
  }

  async function look(): Promise<void> {
    if (state.sent.length === 0) return;
    const { claim } = random.pick(state.sent);
    await caller.send({
      operation: 'get',
      method: 'GET',
      path: `/v1/claims/${claim.id}`,
      intent: { claimId: claim.id },
    });
  }

  async function sendInvalid(): Promise<void> {
    if (state.sent.length === 0) return;
    const { claim, body, key } = random.pick(state.sent);
    const again = random.chance(0.5);
    count += 1;
    await caller.send({
      operation: 'send',
      method: 'POST',
      path: '/v1/claims',
      body: again ? body : { ...body, instructions: 'another request' },
      idempotencyKey: again ? `again-${state.tag}-${name}-${count}` : key,
      intent: {
        claimId: claim.id,
        externalId: claim.externalId,
        expectedError: again ? 'duplicate_claim' : 'idempotency_key_reused',
      },
    });
  }

  return repeatedly(context, PAUSE_MS, () => {
    const draw = random.next();
    if (draw < 0.5) return send();
    if (draw < 0.8) return offer();
    if (draw < 0.93) return look();
    return sendInvalid();
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
  return repeatedly(context, 150, async () => {
    const { svcId } = random.pick(adjusters);
    if (random.chance(0.7)) {
      await caller.send({
        operation: 'invite',
        method: 'POST',
        path: '/v1/adjusters/invitations',
        body: { svc_id: svcId, note: 'come back' },
        intent: { adjuster: svcId },
      });
    } else {
      await caller.send({
        operation: 'withdraw',
        method: 'DELETE',
        path: `/v1/adjusters/invitations/${svcId}`,
        intent: { adjuster: svcId },
      });
    }
  });
}

/** Accepts or rejects offers, closes some accepted claims, and leaves and rejoins firms if the adjuster does so. */
export function adjusterClient(
  context: ClientContext,
  adjuster: KnownAdjuster,
  firmIds: readonly string[],
): Promise<void> {
  const { caller, random } = context;
  const { svcId } = adjuster;
  let responses = 0;

  async function respond(): Promise<void> {
    const offers = await caller.send({
      operation: 'offers',
      method: 'GET',
      path: `/app/v1/claims?status=pending_acceptance&limit=${random.integer(3, 30)}`,
      intent: { adjuster: svcId },
    });
    for (const claim of random.shuffle(offers.seen).slice(0, 3)) {
      responses += 1;
      const intent = { claimId: claim.id, adjuster: svcId };
      const path = `/app/v1/claims/${claim.id}`;
      if (random.chance(0.4)) {
        const accepted = await caller.send({
          operation: 'accept',
          method: 'POST',
          path: `${path}/acceptance`,
          intent,
        });
        if (accepted.status === 200 && random.chance(0.3)) {
          await caller.send({ operation: 'close', method: 'POST', path: `${path}/closure`, intent });
        }
      } else {
        const reason = `reason ${svcId} ${responses}`;
        const body = { reason };
        const rejecting = { ...intent, reason };
        await caller.send({
          operation: 'reject',
          method: 'POST',
          path: `${path}/rejection`,
          body,
          intent: rejecting,
        });
      }
    }
  }

  async function leaveOrRejoin(): Promise<void> {
    const firmId = random.pick(firmIds);
    if (random.chance(0.3)) {
      const path = `/app/v1/firms/${firmId}/membership`;
      await caller.send({ operation: 'leave', method: 'DELETE', path, intent: { adjuster: svcId } });
    } else {
      const path = `/app/v1/invitations/${firmId}/acceptance`;
      await caller.send({ operation: 'join', method: 'POST', path, intent: { adjuster: svcId } });
    }
  }

  return repeatedly(context, 60, () => (adjuster.leaves && random.chance(0.3) ? leaveOrRejoin() : respond()));
}

/** Exceeds the rate limit of its key, at times also its burst. */
export function limitedClient(context: ClientContext): Promise<void> {
  const { caller, random } = context;
  return repeatedly(context, 400, async () => {
    const count = random.chance(0.1) ? 25 : 2;
    await Promise.all(
      Array.from({ length: count }, () =>
        caller.sendOnce({ operation: 'limited', method: 'GET', path: '/v1/me' }),
      ),
    );
  });
}
