import { expect, test } from '@jest/globals';
import { SECOND } from '@svc/domain';
import {
  BY_SERVICE,
  createWebhookDeliveries,
  WEBHOOK_RETRY_MS,
  type WebhookQueue,
  type WebhookResult,
} from '../../src/index.ts';
import { memoryFixture } from '../memory-fixture.ts';

/** Attempts at deliveries, of which up to `most` are due whenever some are taken. They end when the test says so. */
async function setUp({
  most = 1000,
  overlapMs = null,
  ...queue
}: Partial<WebhookQueue> & { most?: number; overlapMs?: number | null } = {}) {
  const { memory, use, clock, newFirm, send, auditOf, jobsOf } = memoryFixture();
  const firm = await newFirm();
  const settings = { firmId: firm.id, environment: 'test', url: 'https://hooks.example' } as const;
  const { webhook } = await use.createWebhook(BY_SERVICE, settings);
  if (overlapMs !== null)
    await use.updateWebhook(BY_SERVICE, firm.id, webhook.id, { state: undefined, overlapMs });
  await send(firm.test, firm.accounts.manual);
  await memory.webhookQueue.signalChanges(clock.now());
  const room = { limit: 1, perFirm: 1, running: [] };
  const due = await memory.webhookQueue.take('first', clock.now(), clock.now(), room);
  const taken: { kind: string; room: number[]; heldMs: number }[] = [];
  const running: { timeoutMs: number; secrets: number; end: (result: WebhookResult) => void }[] = [];
  const [outcomes, errors, failed]: [string[], unknown[], unknown[]] = [[], [], []];
  const deliveries = createWebhookDeliveries({
    webhookQueue: {
      ...memory.webhookQueue,
      async take(kind, now, until, { limit, perFirm, running }) {
        const count = running.filter((id) => id === firm.id).length;
        taken.push({ kind, room: [limit, perFirm, count], heldMs: until - now });
        return Array.from({ length: Math.min(limit, most) }, () => due).flat();
      },
      ...queue,
    },
    webhookSender: {
      problemOf: () => null,
      send: ({ secrets }, _, timeoutMs) =>
        new Promise((end) => running.push({ timeoutMs, secrets: secrets.length, end })),
    },
    uow: memory.unitOfWork,
    metrics: { webhookEnded: (outcome) => outcomes.push(outcome) },
    clock,
    random: () => 1,
    onFailed: (_, { status, error, durationMs }) => failed.push(status ?? error, durationMs),
    onError: (error) => errors.push(error),
  });
  const end = (result: WebhookResult, count = running.length): void => {
    for (const attempt of running.splice(0, count)) attempt.end(result);
  };
  const remove = () => use.removeWebhook(BY_SERVICE, firm.id, webhook.id);
  const pauses = async () => ({
    endpoints: await memory.webhookReads.endpoints(firm.id),
    recorded: (await auditOf(firm.id)).filter(({ action }) => action === 'webhook.pause'),
    mails: (await jobsOf(firm)).filter(({ job }) => job.kind === 'mail_webhook_paused').length,
    deliveries: await memory.webhookReads.deliveries(firm.id, webhook.id, null, 9),
  });
  return { clock, taken, running, outcomes, errors, failed, deliveries, end, remove, pauses };
}

test('at most 200 first attempts and 50 retries of ten seconds run at once, of a firm 4 and 2, and are held for longer', async () => {
  const { deliveries, taken, running, end } = await setUp();
  const heldMs = 20 * SECOND;
  await deliveries.start();
  for (const attempt of running.splice(200, 3)) attempt.end({ error: 'timeout' });
  await new Promise(setImmediate);
  await deliveries.start();
  await deliveries.start();
  expect(running.map(({ timeoutMs }) => timeoutMs)).toEqual(Array(250).fill(10 * SECOND));
  let isSettled = false;
  void deliveries.settled().then(() => (isSettled = true));
  end({ error: 'timeout' }, 203);
  await new Promise(setImmediate);
  expect(isSettled).toBe(false);
  await deliveries.start();
  expect(taken).toEqual([
    { kind: 'first', room: [200, 4, 0], heldMs },
    { kind: 'retry', room: [50, 2, 0], heldMs },
    { kind: 'retry', room: [3, 2, 47], heldMs },
    { kind: 'first', room: [200, 4, 0], heldMs },
    { kind: 'retry', room: [3, 2, 47], heldMs },
  ]);
});

test('an attempt is signed with both secrets until the overlap of a roll ends, and a later one with the new alone', async () => {
  const { deliveries, clock, running, end } = await setUp({ most: 1, overlapMs: SECOND });
  const secrets: number[][] = [];
  for (const passedMs of [0, SECOND]) {
    clock.advance(passedMs);
    await deliveries.start();
    secrets.push(running.map((attempt) => attempt.secrets));
    end({ error: 'timeout' });
    await deliveries.settled();
  }
  expect(secrets).toEqual([
    [2, 2],
    [1, 1],
  ]);
});

test('each attempt is counted by its outcome, and one that failed or cannot be recorded is reported', async () => {
  const error = new Error('no connection');
  const recorded: number[][] = [];
  const recordRetry: WebhookQueue['recordRetry'] = (_, { at, durationMs }, nextAttemptAt) => {
    recorded.push([at, durationMs, nextAttemptAt]);
    return Promise.reject(error);
  };
  const recordDelivered: WebhookQueue['recordDelivered'] = async (_, { at, durationMs }, nextSignalAt) =>
    void recorded.push([at, durationMs, nextSignalAt]);
  const { deliveries, clock, outcomes, errors, failed, taken, end, pauses } = await setUp({
    ...{ most: 1, recordRetry, recordDelivered },
  });
  const start = clock.now();
  for (const [result, passedMs] of [
    [{ status: 204, retryAfterMs: null, body: '' }, 84],
    [{ status: 503, retryAfterMs: null, body: '' }, 40],
    [{ error: 'timeout' }, WEBHOOK_RETRY_MS],
    [{ status: 410, retryAfterMs: null, body: '' }, 7],
  ] as const) {
    await deliveries.start();
    clock.advance(passedMs);
    end(result);
    await deliveries.settled();
  }
  const ends = ['delivered', 'retried', 'failed', 'gone'];
  expect(outcomes).toEqual(ends.flatMap((outcome) => [outcome, outcome]));
  const delivered = [start, 84, start + 84 + SECOND];
  const retried = [start + 84, 40, start + 124 + 2500];
  expect(recorded).toEqual([delivered, delivered, retried, retried]);
  const last = ['timeout', WEBHOOK_RETRY_MS];
  expect(failed).toEqual([503, 40, 503, 40, ...last, ...last, 410, 7, 410, 7]);
  expect(await pauses()).toMatchObject({
    endpoints: [{ paused: 'failing', pauseMailedAt: start + 124 + WEBHOOK_RETRY_MS }],
    recorded: [{ changes: { paused: { from: null, to: 'failing' } } }],
    mails: 1,
    // Also those that ended when the endpoint was paused already.
    deliveries: [{ status: 'failed', nextAttemptAt: null, attemptCount: 4 }],
  });
  expect(errors).toEqual([error, error]);
  expect(taken.map(({ room: [, , running] }) => running)).toEqual(Array(8).fill(0));
});

test('the end of an attempt at an endpoint that was removed has no effect', async () => {
  const { deliveries, errors, end, remove } = await setUp({ most: 1 });
  await deliveries.start();
  await remove();
  end({ status: 410, retryAfterMs: null, body: '' });
  await deliveries.settled();
  expect(errors).toEqual([]);
});
