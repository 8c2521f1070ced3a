import { expect, test } from '@jest/globals';
import { WEBHOOK_DELIVERIES_KEPT, WEBHOOK_DELIVERIES_KEPT_MS, type WebhookDelivery } from '@svc/application';
import type { FirmId, WebhookStatus } from '@svc/domain';
import { aClaim, addClaim, aFirm, newId } from './a-firm.ts';
import {
  distributedDatabase,
  type FreshDatabase,
  openStores,
  undistributedDatabase,
} from './fresh-database.ts';

const database = await distributedDatabase();
const stores = await openStores({ url: database.url });

const addEndpoint = ({ sql }: FreshDatabase, firmId: FirmId, id: string) =>
  sql.query(
    `INSERT INTO webhook_endpoints (firm_id, id, environment, url, secret, created_at, signalled_until, next_signal_at)
     VALUES ($1, $2, 'live', 'https://firm.example/changes', 'whsec_c2VjcmV0', now(), now(), now())`,
    [firmId, id],
  );

const deliveryOf = (firmId: FirmId, endpointId: string, createdAt: number): WebhookDelivery => ({
  ...{ firmId, id: newId(), endpointId, type: 'claims.changed', createdAt },
  ...{ changesAfter: createdAt, changesUntil: createdAt, status: 'pending', nextAttemptAt: createdAt },
  ...{ attemptCount: 0, attempts: [] },
});

test('deliveries are purged after two weeks, and so are all but the latest of an endpoint, unless they are pending', async () => {
  const now = Date.UTC(2026, 8, 20);
  const firmId = newId<FirmId>();
  const [busy, other] = [newId(), newId()];
  const deliveryAt = (endpointId: string, createdAt: number, status: WebhookStatus): WebhookDelivery => ({
    ...deliveryOf(firmId, endpointId, createdAt),
    ...{ status, nextAttemptAt: null },
  });
  for (const id of [busy, other]) await addEndpoint(database, firmId, id);
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
  await database.sql.query(
    "UPDATE webhook_deliveries SET status = 'pending', next_attempt_at = now() WHERE id = $1",
    [pending.id],
  );
  expect((await stores.purge(now)).webhookDeliveries).toBe(2);
  const left = async (endpointId: string) =>
    (await stores.webhookReads.deliveries(firmId, endpointId, null, 1000)).map(({ id }) => id);
  expect(await left(busy)).toEqual([...latest, pending].map(({ id }) => id));
  expect(await left(other)).toEqual([kept.id]);
});

test('no statement of a purge deletes more than 5000 deliveries, however many an endpoint has had', async () => {
  const single = await undistributedDatabase();
  const { purge } = await openStores({ url: single.url });
  const [firmId, id] = [newId<FirmId>(), newId()];
  await addEndpoint(single, firmId, id);
  await single.sql.query(
    `INSERT INTO webhook_deliveries (firm_id, id, endpoint_id, type, created_at, status, attempt_count, attempts)
     SELECT $1, gen_random_uuid(), $2, 'claims.changed', now() - n * interval '1 second', 'delivered', 1, '[]'
       FROM generate_series(1, $3::integer) n`,
    [firmId, id, WEBHOOK_DELIVERIES_KEPT + 5001],
  );
  await single.sql.query(`
    CREATE TABLE deletions (rows integer);
    CREATE FUNCTION record_deletion() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN INSERT INTO deletions SELECT count(*) FROM deleted; RETURN NULL; END';
    CREATE TRIGGER record_deletion AFTER DELETE ON webhook_deliveries REFERENCING OLD TABLE AS deleted
      FOR EACH STATEMENT EXECUTE FUNCTION record_deletion()`);
  expect((await purge(Date.now())).webhookDeliveries).toBe(5001);
  const { rows } = await single.sql.query('SELECT rows FROM deletions WHERE rows > 0 ORDER BY rows');
  expect(rows).toEqual([{ rows: 1 }, { rows: 5000 }]);
});

test('a process does not signal what another one is recording as delivered', async () => {
  const single = await undistributedDatabase();
  const { unitOfWork, claimWrites, webhookQueue, webhookReads } = await openStores({ url: single.url });
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
});
