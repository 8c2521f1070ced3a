import {
  type AuditAction,
  DomainError,
  type Environment,
  existing,
  type FirmId,
  MAX_WEBHOOKS,
  SECOND,
  type WebhookState,
} from '@svc/domain';
import { changesBetween, recordAction, webhookObject } from '../audit/events.ts';
import { TooManyAttempts } from '../errors/too-many-attempts.ts';
import type { AuditCaller, AuditChanges } from '../model/audit.ts';
import { toDateTime } from '../model/date-time.ts';
import type { Page, PageRequest } from '../model/page.ts';
import { toPage } from '../model/page-size.ts';
import {
  type AttemptedWebhook,
  type WebhookDelivery,
  type WebhookEndpoint,
  withWebhookAttempt,
} from '../model/webhook.ts';
import { lockUnerasedFirm } from '../operator/existing.ts';
import type { Needs } from '../ports/needs.ts';
import type { Tx } from '../ports/unit-of-work.ts';
import type { WhileWaiting } from '../ports/webhooks.ts';
import { attemptOf, isDelivered, isGone, pauseWebhook, WEBHOOK_INTERVAL_MS } from './attempt.ts';
import { messageOf } from './message.ts';

type Deps = Needs<'uow' | 'webhookReads' | 'webhookQueue' | 'webhookSender' | 'secrets' | 'clock' | 'ids'>;

/** Somebody waits for the result, and a request has a deadline. */
const TEST_TIMEOUT_MS = 4 * SECOND;

export interface IssuedWebhook {
  readonly webhook: WebhookEndpoint;
  /** Shown once. */
  readonly secret: string;
}

const NO_ENDPOINT = 'The firm has no webhook endpoint with this id.';

async function lockWebhook(tx: Tx, firmId: FirmId, id: string): Promise<WebhookEndpoint> {
  return existing(await tx.webhooks.lock(firmId, id), NO_ENDPOINT);
}

const record = (
  tx: Tx,
  { clock }: Deps,
  caller: AuditCaller,
  { firmId, id }: WebhookEndpoint,
  action: AuditAction,
  changes?: AuditChanges | null,
): Promise<void> =>
  recordAction(tx, firmId, caller, {
    at: clock.now(),
    action,
    object: webhookObject(id),
    changes,
  });

/** The rest of an address may hold a secret of the firm. */
const settingsOf = ({ environment, url }: WebhookEndpoint) => ({ environment, host: new URL(url).host });

export const makeCreateWebhook =
  (deps: Deps) =>
  async (
    caller: AuditCaller,
    { firmId, environment, url }: { firmId: FirmId; environment: Environment; url: string },
  ): Promise<IssuedWebhook> => {
    const problem = deps.webhookSender.problemOf(url);
    if (problem !== null) throw new DomainError('webhook_url_refused', problem);
    return deps.uow.run(async (tx) => {
      await lockUnerasedFirm(tx, firmId);
      const others = (await tx.webhooks.of(firmId)).filter((other) => other.environment === environment);
      if (others.length >= MAX_WEBHOOKS)
        throw new DomainError(
          'too_many_webhooks',
          `The firm has ${MAX_WEBHOOKS} webhook endpoints in this environment, which is the limit; remove one first.`,
        );
      const webhook: WebhookEndpoint = {
        firmId,
        id: deps.ids.next(),
        environment,
        url: new URL(url).href,
        paused: null,
        secret: deps.secrets.webhookSecret(),
        previousSecret: null,
        previousSecretUntil: null,
        pauseMailedAt: null,
        createdAt: deps.clock.now(),
      };
      await tx.webhooks.add(webhook);
      await record(tx, deps, caller, webhook, 'webhook.create', changesBetween({}, settingsOf(webhook)));
      return { webhook, secret: webhook.secret };
    });
  };

/**
 * Until the overlap ends, deliveries are signed with the old secret too. A second roll in that time would end a secret that
 * the firm may still use, so only one without overlap is allowed, which ends all of them.
 */
async function roll(
  tx: Tx,
  deps: Deps,
  caller: AuditCaller,
  endpoint: WebhookEndpoint,
  overlapMs: number,
): Promise<IssuedWebhook> {
  const now = deps.clock.now();
  const until = endpoint.previousSecretUntil ?? 0;
  if (overlapMs > 0 && now < until)
    throw new DomainError(
      'already_rolled',
      `The secret was rolled already, and the one before is in use until ${toDateTime(until)}. Roll it again after that; if a secret has leaked, remove the endpoint and add it again.`,
    );
  const secret = deps.secrets.webhookSecret();
  const webhook = {
    ...endpoint,
    secret,
    previousSecret: overlapMs === 0 ? null : endpoint.secret,
    previousSecretUntil: overlapMs === 0 ? null : now + overlapMs,
  };
  await tx.webhooks.save(webhook);
  await record(tx, deps, caller, webhook, 'webhook.roll');
  return { webhook, secret };
}

export const makeRemoveWebhook =
  (deps: Deps) =>
  (caller: AuditCaller, firmId: FirmId, id: string): Promise<WebhookEndpoint> =>
    deps.uow.run(async (tx) => {
      const endpoint = await lockWebhook(tx, firmId, id);
      await tx.webhooks.remove(firmId, id);
      await record(tx, deps, caller, endpoint, 'webhook.remove', changesBetween(settingsOf(endpoint), {}));
      return endpoint;
    });

/** The first signal after a pause covers the changes since the last delivered one. */
async function setState(
  tx: Tx,
  deps: Deps,
  caller: AuditCaller,
  endpoint: WebhookEndpoint,
  state: WebhookState,
): Promise<WebhookEndpoint> {
  if ((endpoint.paused === null) === (state === 'active')) return endpoint;
  const changed: WebhookEndpoint = { ...endpoint, paused: state === 'active' ? null : 'requested' };
  await tx.webhooks.save(changed);
  const changes = changesBetween({ paused: endpoint.paused }, { paused: changed.paused });
  const action = state === 'active' ? 'webhook.resume' : 'webhook.pause';
  await record(tx, deps, caller, endpoint, action, changes);
  return changed;
}

/** All of the changes or none: a new secret that was not shown would be lost. */
export const makeUpdateWebhook =
  (deps: Deps) =>
  (
    caller: AuditCaller,
    firmId: FirmId,
    id: string,
    {
      state,
      overlapMs,
    }: { readonly state?: WebhookState | undefined; readonly overlapMs?: number | undefined },
  ): Promise<{ readonly webhook: WebhookEndpoint; readonly secret: string | null }> =>
    deps.uow.run(async (tx) => {
      const endpoint = await lockWebhook(tx, firmId, id);
      const rolled = overlapMs === undefined ? null : await roll(tx, deps, caller, endpoint, overlapMs);
      const current = rolled?.webhook ?? endpoint;
      const webhook = state === undefined ? current : await setState(tx, deps, caller, current, state);
      return { webhook, secret: rolled?.secret ?? null };
    });

/** What an endpoint has been sent, latest first. */
export const makeListWebhookDeliveries =
  ({ webhookReads: reads }: Pick<Deps, 'webhookReads'>) =>
  async (firmId: FirmId, id: string, page: PageRequest): Promise<Page<WebhookDelivery>> => {
    if (!(await reads.endpoints(firmId)).some((endpoint) => endpoint.id === id))
      throw new DomainError('not_found', NO_ENDPOINT);
    const found = await reads.deliveries(firmId, id, page.after, page.limit + 1);
    return toPage(found, page, ({ createdAt, id: deliveryId }) => ({ at: createdAt, id: deliveryId }));
  };

/** Of a caller that holds nothing. */
const holdingNothing: WhileWaiting = (work) => work;

/** Tests and repetitions by hand: each is sent once, at once, also to a paused endpoint. */
export function makeManualDeliveries(deps: Deps) {
  const { uow, clock, webhookQueue, webhookSender } = deps;
  /** Endpoints that somebody waits for. */
  const waitedFor = new Set<string>();

  /** One at a time to each endpoint: the service must not become a flood for somebody. */
  async function alone<T>(firmId: FirmId, endpointId: string, send: () => Promise<T>): Promise<T> {
    const endpoint = `${firmId} ${endpointId}`;
    if (waitedFor.has(endpoint))
      throw new TooManyAttempts(
        SECOND,
        'Another test or repetition is being sent to this endpoint; send the next one after its response.',
      );
    waitedFor.add(endpoint);
    try {
      return await send();
    } finally {
      waitedFor.delete(endpoint);
    }
  }

  const lockAndRecord = (caller: AuditCaller, firmId: FirmId, id: string, action: AuditAction) =>
    uow.run(async (tx) => {
      const found = await lockWebhook(tx, firmId, id);
      await record(tx, deps, caller, found, action);
      return found;
    });

  async function send(
    endpoint: WebhookEndpoint,
    delivery: WebhookDelivery,
    whileWaiting: WhileWaiting,
  ): Promise<AttemptedWebhook> {
    const at = clock.now();
    const message = messageOf(endpoint, delivery, at);
    const result = await whileWaiting(webhookSender.send(message, at, TEST_TIMEOUT_MS));
    const attempt = attemptOf(result, at, clock.now());
    const responseBody = 'body' in result ? result.body : null;
    const attempted: WebhookDelivery = {
      ...withWebhookAttempt(delivery, attempt),
      ...(isDelivered(result) && { status: 'delivered', nextAttemptAt: null }),
    };
    if (isDelivered(result) && delivery.changesUntil !== null) {
      await webhookQueue.recordDelivered(delivery, attempt, clock.now() + WEBHOOK_INTERVAL_MS);
      return { ...attempted, responseBody };
    }
    await uow.run(async (tx) => {
      const current = await tx.webhooks.lock(endpoint.firmId, endpoint.id);
      // Removed in the meantime, with its deliveries.
      if (current === null) return;
      await tx.webhooks.recordAttempt({ ...delivery, status: attempted.status }, attempt);
      if (isGone(result)) await pauseWebhook(tx, current, 'gone', at);
    });
    return { ...attempted, responseBody };
  }

  return {
    testWebhook: (
      caller: AuditCaller,
      firmId: FirmId,
      id: string,
      whileWaiting = holdingNothing,
    ): Promise<AttemptedWebhook> =>
      alone(firmId, id, async () => {
        const endpoint = await lockAndRecord(caller, firmId, id, 'webhook.test');
        const delivery: WebhookDelivery = {
          firmId,
          id: deps.ids.next(),
          endpointId: id,
          type: 'webhook.test',
          createdAt: clock.now(),
          changesAfter: null,
          changesUntil: null,
          status: 'failed',
          nextAttemptAt: null,
          attemptCount: 0,
          attempts: [],
        };
        return send(endpoint, delivery, whileWaiting);
      }),

    /** Sends a delivery again, with the same id, by which an endpoint recognizes it. */
    async replayWebhook(
      caller: AuditCaller,
      firmId: FirmId,
      deliveryId: string,
      whileWaiting = holdingNothing,
    ): Promise<AttemptedWebhook> {
      const found = existing(
        await deps.webhookReads.delivery(firmId, deliveryId),
        'The firm has no webhook delivery with this id, or no longer.',
      );
      const { endpointId } = found;
      return alone(firmId, endpointId, async () => {
        const endpoint = await lockAndRecord(caller, firmId, endpointId, 'webhook.replay');
        return send(endpoint, found, whileWaiting);
      });
    },
  };
}
