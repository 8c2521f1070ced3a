import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  WEBHOOK_DELIVERIES_KEPT,
  WEBHOOK_DELIVERIES_KEPT_MS,
  type WebhookDelivery,
  type WebhookStatus,
} from '@svc/application';
import type { FirmId } from '@svc/domain';
import { connect, type PostgresStores } from '../src/index.ts';
import { aClaim, addClaim, aFirm, newId } from './a-firm.ts';
import { distributedDatabase, type FreshDatabase, undistributedDatabase } from './fresh-database.ts';

let database: FreshDatabase;
let stores: PostgresStores;
beforeAll(async () => {
  database = await distributedDatabase();
  stores = await connect({ url: database.url });
});
afterAll(async () => {
  await stores.close();
  await database.drop();
});

test('deliveries are purged after two weeks, and so are all but the latest of an endpoint, unless they are pending', async () => {
  const now = Date.UTC(2026, 8, 20);
  const firmId = newId<FirmId>();
  const [busy, other] = [newId(), newId()];
  const deliveryAt = (endpointId: string, createdAt: number, status: WebhookStatus): WebhookDelivery => ({
    firmId,
    id: newId(),
    endpointId,
    type: 'claims.changed',
    createdAt,
    changesAfter: createdAt,
    changesUntil: createdAt,
    status,
    nextAttemptAt: status === 'pending' ? now : null,
    attemptCount: 0,
    attempts: [],
  });
  const expiredAt = now - WEBHOOK_DELIVERIES_KEPT_MS;
  const pending = deliveryAt(busy, expiredAt + 1, 'pending');
  const latest = Array.from({ length: WEBHOOK_DELIVERIES_KEPT }, (_, n) =>
    deliveryAt(busy, now - n * 1000, 'delivered'),
  );
  const excess = deliveryAt(busy, expiredAt + 2, 'failed');
  const kept = deliveryAt(other, expiredAt + 1, 'failed');
  const expired = deliveryAt(other, expiredAt, 'delivered');
  await stores.unitOfWork.run(async (tx) => {
    for (const delivery of [pending, excess, kept, expired, ...latest])
      await tx.webhooks.recordAttempt(delivery, { at: now, status: 204, error: null, durationMs: 84 });
  });
  expect((await stores.purge(now)).webhookDeliveries).toBe(2);
  const left = async (endpointId: string) =>
    (await stores.webhookReads.deliveries(firmId, endpointId, null, 1000)).map(({ id }) => id);
  expect(await left(busy)).toEqual([...latest, pending].map(({ id }) => id));
  expect(await left(other)).toEqual([kept.id]);
});

test('a process does not signal what another one is recording as delivered', async () => {
  const single = await undistributedDatabase();
  const { unitOfWork, claimWrites, webhookQueue, webhookReads, close } = await connect({ url: single.url });
  const { firmId, svcId } = await aFirm({ unitOfWork });
  const id = newId();
  await unitOfWork.run((tx) =>
    tx.webhooks.add({
      firmId,
      id,
      environment: 'live',
      url: 'https://firm.example/changes',
      paused: null,
      secret: 'whsec_c2VjcmV0',
      previousSecret: null,
      previousSecretUntil: null,
      pauseMailedAt: null,
      createdAt: Date.now(),
    }),
  );
  await addClaim({ unitOfWork, claimWrites }, aClaim(firmId, svcId));
  await single.sql.query('BEGIN');
  await single.sql.query('UPDATE webhook_endpoints SET signalled_until = now() WHERE id = $1', [id]);
  await webhookQueue.signalChanges(Date.now() + 1000);
  await single.sql.query('COMMIT');
  expect(await webhookReads.deliveries(firmId, id, null, 10)).toEqual([]);
  await close();
  await single.drop();
});
