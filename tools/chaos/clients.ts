import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../generate/random.ts';
import { type Caller, GaveUp } from './caller.ts';
import type { Seen } from './history.ts';

/** An adjuster as the clients know one. */
export interface KnownAdjuster {
  readonly svcId: string;
  readonly leaves: boolean;
}

export interface ClientContext {
  readonly caller: Caller;
  readonly random: Random;
  /** False once everybody is to come to an end. */
  readonly isOn: () => boolean;
}

/** What a firm's clients tell each other. */
export interface FirmBook {
  readonly tag: string;
  readonly adjusters: readonly KnownAdjuster[];
  /** Claims by id, as last heard of. */
  readonly claims: Map<string, Seen>;
  readonly sent: { readonly claim: Seen; readonly body: Record<string, unknown>; readonly key: string }[];
}

const PAUSE_MS = 25;

/** Goes on until it is over; a client that gave up has left its trace in the history. */
async function repeatedly(
  { isOn, random }: ClientContext,
  pauseMs: number,
  turn: () => Promise<void>,
): Promise<void> {
  while (isOn()) {
    try {
      await turn();
    } catch (error) {
      if (!(error instanceof GaveUp)) throw error;
    }
    await sleep(pauseMs * random.next() * 2);
  }
}

function hear(book: FirmBook, seen: readonly Seen[]): void {
  for (const claim of seen) {
    const known = book.claims.get(claim.id);
    if (known === undefined || known.updatedAt <= claim.updatedAt) book.claims.set(claim.id, claim);
  }
}

const mayHaveLeft = (adjuster: KnownAdjuster): { mayHaveLeft?: true } =>
  adjuster.leaves ? { mayHaveLeft: true } : {};

/** Sends claims, offers them again, looks at them, and now and then asks for what must be refused. */
export function firmClient(context: ClientContext, book: FirmBook, name: string): Promise<void> {
  const { caller, random } = context;
  let count = 0;

  async function send(): Promise<void> {
    count += 1;
    const adjuster = random.pick(book.adjusters);
    const externalId = `${book.tag}-${name}-${count}`;
    const body = {
      external_id: externalId,
      claim_number: `CLM-${externalId}`,
      adjuster_svc_id: adjuster.svcId,
      loss: { date: '2026-08-27' },
      policy: { number: `P-${externalId}` },
      carrier: { name: `Carrier ${book.tag} ${random.integer(1, 3)}` },
      loss_location: { street: `${count} Harbor ${book.tag}`, city: 'Tampa', state: 'FL', zip: '33602' },
      policyholder: { first_name: 'Secretive', last_name: `Holder-${book.tag}`, phone: '813-555-0177' },
      instructions: 'x'.repeat(random.chance(0.1) ? random.integer(500, 4000) : 1),
    };
    const key = `key-${externalId}`;
    const asked = {
      operation: 'send',
      method: 'POST',
      path: '/v1/claims',
      body,
      idempotencyKey: key,
      meant: { externalId, adjuster: adjuster.svcId, ...mayHaveLeft(adjuster) },
    } as const;
    const answer = await (random.chance(0.15) ? caller.askTwice(asked) : caller.ask(asked));
    const [claim] = answer.seen;
    if (claim === undefined) return;
    hear(book, answer.seen);
    book.sent.push({ claim, body, key });
    // Long after it was answered, as after a crash of the client.
    if (random.chance(0.1)) await caller.ask(asked);
  }

  async function offer(): Promise<void> {
    if (book.sent.length === 0) return send();
    const recent = book.sent.slice(-60);
    const { claim } = random.pick(recent);
    const adjuster = random.pick(book.adjusters);
    count += 1;
    const asked = {
      operation: 'offer',
      method: 'POST',
      path: `/v1/claims/${claim.id}/assignment`,
      body: { adjuster_svc_id: adjuster.svcId },
      idempotencyKey: `offer-${book.tag}-${name}-${count}`,
      meant: { claimId: claim.id, adjuster: adjuster.svcId, ...mayHaveLeft(adjuster) },
    } as const;
    const answer = await (random.chance(0.15) ? caller.askTwice(asked) : caller.ask(asked));
    hear(book, answer.seen);
  }

  async function look(): Promise<void> {
    if (book.sent.length === 0) return;
    const { claim } = random.pick(book.sent);
    await caller.ask({
      operation: 'get',
      method: 'GET',
      path: `/v1/claims/${claim.id}`,
      meant: { claimId: claim.id },
    });
  }

  async function askForRefusal(): Promise<void> {
    if (book.sent.length === 0) return;
    const { claim, body, key } = random.pick(book.sent);
    const again = random.chance(0.5);
    count += 1;
    await caller.ask({
      operation: 'send',
      method: 'POST',
      path: '/v1/claims',
      body: again ? body : { ...body, instructions: 'another request' },
      idempotencyKey: again ? `again-${book.tag}-${name}-${count}` : key,
      meant: {
        claimId: claim.id,
        externalId: claim.externalId,
        refusal: again ? 'duplicate_claim' : 'idempotency_key_reused',
      },
    });
  }

  return repeatedly(context, PAUSE_MS, () => {
    const draw = random.next();
    if (draw < 0.5) return send();
    if (draw < 0.8) return offer();
    if (draw < 0.93) return look();
    return askForRefusal();
  });
}

/** Polls as frugally as can be: from the last stamp it has seen, to the millisecond, and not one before. */
export function poller({ caller, random }: ClientContext): {
  /** Reads on to the end of the list; true when there was something new. */
  poll(): Promise<boolean>;
} {
  let since: string | null = null;
  return {
    async poll() {
      const before: string | null = since;
      let cursor: string | null = null;
      const limit = String(random.integer(2, 40));
      do {
        const query = new URLSearchParams({
          limit,
          ...(before !== null && { updated_since: before }),
          ...(cursor !== null && { cursor }),
        });
        const answer = await caller.ask({ operation: 'poll', method: 'GET', path: `/v1/claims?${query}` });
        for (const { updatedAt } of answer.seen) if (since === null || updatedAt > since) since = updatedAt;
        cursor = answer.json?.next_cursor ?? null;
      } while (cursor !== null);
      return since !== before;
    },
  };
}

/** Invites those who come and go, and takes an invitation back now and then. */
export function inviter(context: ClientContext, adjusters: readonly KnownAdjuster[]): Promise<void> {
  const { caller, random } = context;
  return repeatedly(context, 150, async () => {
    const { svcId } = random.pick(adjusters);
    if (random.chance(0.7)) {
      await caller.ask({
        operation: 'invite',
        method: 'POST',
        path: '/v1/adjusters/invitations',
        body: { svc_id: svcId, note: 'come back' },
        meant: { adjuster: svcId },
      });
    } else {
      await caller.ask({
        operation: 'withdraw',
        method: 'DELETE',
        path: `/v1/adjusters/invitations/${svcId}`,
        meant: { adjuster: svcId },
      });
    }
  });
}

/** Takes or refuses what is offered, closes some of what was taken, and, of those who do, leaves and joins again. */
export function adjusterClient(
  context: ClientContext,
  adjuster: KnownAdjuster,
  firmIds: readonly string[],
): Promise<void> {
  const { caller, random } = context;
  const { svcId } = adjuster;
  let answers = 0;

  async function answer(): Promise<void> {
    const offers = await caller.ask({
      operation: 'offers',
      method: 'GET',
      path: `/app/v1/claims?status=pending_acceptance&limit=${random.integer(3, 30)}`,
      meant: { adjuster: svcId },
    });
    for (const claim of random.shuffle(offers.seen).slice(0, 3)) {
      answers += 1;
      const meant = { claimId: claim.id, adjuster: svcId };
      const path = `/app/v1/claims/${claim.id}`;
      if (random.chance(0.4)) {
        const accepted = await caller.ask({
          operation: 'accept',
          method: 'POST',
          path: `${path}/acceptance`,
          meant,
        });
        if (accepted.status === 200 && random.chance(0.3)) {
          await caller.ask({ operation: 'close', method: 'POST', path: `${path}/closure`, meant });
        }
      } else {
        const reason = `reason ${svcId} ${answers}`;
        const body = { reason };
        const rejecting = { ...meant, reason };
        await caller.ask({
          operation: 'reject',
          method: 'POST',
          path: `${path}/rejection`,
          body,
          meant: rejecting,
        });
      }
    }
  }

  async function comeOrGo(): Promise<void> {
    const firmId = random.pick(firmIds);
    if (random.chance(0.3)) {
      const path = `/app/v1/firms/${firmId}/membership`;
      await caller.ask({ operation: 'leave', method: 'DELETE', path, meant: { adjuster: svcId } });
    } else {
      const path = `/app/v1/invitations/${firmId}/acceptance`;
      await caller.ask({ operation: 'join', method: 'POST', path, meant: { adjuster: svcId } });
    }
  }

  return repeatedly(context, 60, () => (adjuster.leaves && random.chance(0.3) ? comeOrGo() : answer()));
}

/** Asks more often than its key may, at times more than its burst at once. */
export function limitedClient(context: ClientContext): Promise<void> {
  const { caller, random } = context;
  return repeatedly(context, 400, async () => {
    const count = random.chance(0.1) ? 25 : 2;
    await Promise.all(
      Array.from({ length: count }, () =>
        caller.askOnce({ operation: 'limited', method: 'GET', path: '/v1/me' }),
      ),
    );
  });
}
