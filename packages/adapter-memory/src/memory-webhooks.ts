import { randomUUID } from 'node:crypto';
import {
  type DueWebhook,
  type WebhookAttempt,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookQueue,
  type WebhookReads,
  type Webhooks,
  withWebhookAttempt,
} from '@svc/application';
import { DAY, type FirmId } from '@svc/domain';
import { compareText } from './pages.ts';
import { keyOf, type Tables, type WritableTables, type Write } from './tables.ts';

type Step = <A extends unknown[], T>(work: (...args: A) => T) => (...args: A) => Promise<T>;

const endpointsOf = (tables: Tables, id: FirmId): WebhookEndpoint[] =>
  tables.webhooks
    .all()
    .map(({ endpoint }) => endpoint)
    .filter(({ firmId }) => firmId === id)
    .sort((a, b) => a.createdAt - b.createdAt || compareText(a.id, b.id));

const latestFirst = (a: WebhookDelivery, b: WebhookDelivery): number =>
  b.createdAt - a.createdAt || compareText(b.id, a.id);

export const memoryWebhooks = (tables: WritableTables, step: Step): Webhooks => {
  const isOf =
    (firm: FirmId, endpoint: string) =>
    ({ firmId, endpointId }: WebhookDelivery): boolean =>
      firmId === firm && endpointId === endpoint;
  return {
    add: step((endpoint: WebhookEndpoint) => {
      const last = tables.feeds.get(keyOf(endpoint.firmId))?.lastTimestamp ?? 0;
      const signalledUntil = Math.max(last, endpoint.createdAt - DAY);
      tables.webhooks.insert({ endpoint, signalledUntil, nextSignalAt: endpoint.createdAt });
    }),
    lock: step((firmId: FirmId, id: string) => tables.webhooks.get(keyOf(firmId, id))?.endpoint ?? null),
    of: step((firmId: FirmId) => endpointsOf(tables, firmId)),
    save: step((endpoint: WebhookEndpoint) => {
      const { firmId, id } = endpoint;
      const row = tables.webhooks.get(keyOf(firmId, id));
      if (row !== undefined) tables.webhooks.put({ ...row, endpoint });
      if (endpoint.paused === null) return;
      for (const delivery of tables.webhookDeliveries.all().filter(isOf(firmId, id)))
        if (delivery.status === 'pending')
          tables.webhookDeliveries.put({ ...delivery, status: 'failed', nextAttemptAt: null });
    }),
    remove: step((firmId: FirmId, id: string) => {
      tables.webhookDeliveries.deleteWhere(isOf(firmId, id));
      tables.webhooks.delete(keyOf(firmId, id));
    }),
    recordAttempt: step((delivery: WebhookDelivery, attempt: WebhookAttempt) => {
      const before = tables.webhookDeliveries.get(keyOf(delivery.firmId, delivery.id));
      const ended = delivery.status === 'pending' ? undefined : delivery.status;
      const status = before?.status === 'delivered' ? before.status : (ended ?? before?.status ?? 'failed');
      const nextAttemptAt = status === 'pending' ? (before?.nextAttemptAt ?? null) : null;
      const attempted = withWebhookAttempt(before ?? delivery, attempt);
      tables.webhookDeliveries.put({ ...attempted, status, nextAttemptAt });
    }),
  };
};

export const memoryWebhookReads = (tables: Tables): WebhookReads => ({
  endpoints: async (firmId) => endpointsOf(tables, firmId),
  deliveries: async (firm, endpoint, before, limit) =>
    tables.webhookDeliveries
      .all()
      .filter(({ firmId, endpointId }) => firmId === firm && endpointId === endpoint)
      .sort(latestFirst)
      .filter(
        ({ createdAt, id }) =>
          before === null ||
          createdAt < before.at ||
          (createdAt === before.at && compareText(id, before.id) < 0),
      )
      .slice(0, limit),
  delivery: async (firmId, id) => tables.webhookDeliveries.get(keyOf(firmId, id)) ?? null,
});

export const memoryWebhookQueue = (write: Write): WebhookQueue => ({
  signalChanges: (now) =>
    write(async (tables) => {
      const pending = new Set(
        tables.webhookDeliveries
          .all()
          .flatMap(({ status, endpointId }) => (status === 'pending' ? endpointId : [])),
      );
      for (const row of tables.webhooks.all()) {
        const { endpoint, signalledUntil, nextSignalAt } = row;
        const { firmId, id, environment, paused } = endpoint;
        const last = tables.feeds.get(keyOf(firmId))?.lastTimestamp ?? 0;
        if (paused !== null || nextSignalAt > now || last <= signalledUntil || pending.has(id)) continue;
        const hasChanges = tables.claims
          .all()
          .some(
            (claim) =>
              claim.firmId === firmId &&
              claim.environment === environment &&
              claim.updatedAt > signalledUntil,
          );
        if (hasChanges)
          tables.webhookDeliveries.insert({
            firmId,
            id: randomUUID(),
            endpointId: id,
            type: 'claims.changed',
            createdAt: now,
            changesAfter: signalledUntil,
            changesUntil: last,
            status: 'pending',
            nextAttemptAt: now,
            attemptCount: 0,
            attempts: [],
          });
        else tables.webhooks.put({ ...row, signalledUntil: last });
      }
    }),

  take: (kind, now, until, { limit, perFirm, running }) =>
    write(async (tables) => {
      const counts = new Map<FirmId, number>();
      const hasRoom = ({ firmId }: WebhookDelivery): boolean => {
        const count = counts.get(firmId) ?? running.filter((id) => id === firmId).length;
        counts.set(firmId, count + 1);
        return count < perFirm;
      };
      return tables.webhookDeliveries
        .all()
        .filter(
          ({ nextAttemptAt, attemptCount }) =>
            nextAttemptAt !== null && nextAttemptAt <= now && attemptCount > 0 === (kind === 'retry'),
        )
        .sort((a, b) => (a.nextAttemptAt ?? 0) - (b.nextAttemptAt ?? 0))
        .flatMap((delivery): DueWebhook[] => {
          const endpoint = tables.webhooks.get(keyOf(delivery.firmId, delivery.endpointId))?.endpoint;
          return endpoint === undefined || endpoint.paused !== null ? [] : [{ endpoint, delivery }];
        })
        .filter(({ delivery }) => hasRoom(delivery))
        .slice(0, limit)
        .map(({ endpoint, delivery }) => {
          const taken = { ...delivery, nextAttemptAt: until };
          tables.webhookDeliveries.put(taken);
          return { endpoint, delivery: taken };
        });
    }),

  recordDelivered: ({ firmId, id, endpointId, changesUntil }, attempt, nextSignalAt) =>
    write(async (tables) => {
      const stored = tables.webhookDeliveries.get(keyOf(firmId, id));
      if (stored !== undefined)
        tables.webhookDeliveries.put({
          ...withWebhookAttempt(stored, attempt),
          status: 'delivered',
          nextAttemptAt: null,
        });
      const row = tables.webhooks.get(keyOf(firmId, endpointId));
      if (row === undefined || changesUntil === null) return;
      const signalledUntil = Math.max(row.signalledUntil, changesUntil);
      tables.webhooks.put({ ...row, signalledUntil, nextSignalAt });
    }),

  recordRetry: ({ firmId, id }, attempt, nextAttemptAt) =>
    write(async (tables) => {
      const stored = tables.webhookDeliveries.get(keyOf(firmId, id));
      if (stored === undefined) return;
      const isPending = stored.status === 'pending';
      tables.webhookDeliveries.put({
        ...withWebhookAttempt(stored, attempt),
        nextAttemptAt: isPending ? nextAttemptAt : null,
      });
    }),
});
