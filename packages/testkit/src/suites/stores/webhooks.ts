import { describe, expect, test } from '@jest/globals';
import { type IssuedWebhook, type KeysetPosition, WEBHOOK_RETRY_MS } from '@svc/application';
import { DAY, type Environment, HOUR, SECOND } from '@svc/domain';
import { errorCodeOf } from '../../error-code.ts';
import { type Fixture, OPERATOR, type TestFirm } from '../../fixture.ts';

const FAILED = { at: 1, status: 500, error: null, durationMs: 1 };

export function webhooksBehavior(fixture: () => Fixture): void {
  let count = 0;
  const create = async (firm: TestFirm, environment: Environment = 'live'): Promise<IssuedWebhook> => {
    count += 1;
    const url = `https://hooks.example/${count}`;
    return fixture().use.createWebhook(OPERATOR, { firmId: firm.id, environment, url });
  };
  /** What the endpoint has been sent, as JSON. */
  const sentTo = ({ webhook }: IssuedWebhook) =>
    fixture()
      .external.webhooks.filter(({ url }) => url === webhook.url)
      .map(({ id, secrets, body }) => ({ id, secrets, ...JSON.parse(body) }));
  const deliver = async (use = fixture().use): Promise<void> => {
    const deliveries = use.webhookDeliveries();
    await deliveries.start();
    await deliveries.settled();
  };
  const later = (ms: number): number => fixture().clock.advance(ms);
  const respond = ({ webhook }: IssuedWebhook, status: number): void =>
    void fixture().external.webhookResults.set(webhook.url, { status, retryAfterMs: null, body: '' });
  const sendOne = async (firm: TestFirm) => {
    const { claim } = await fixture().send(firm.test, firm.accounts.manual);
    return claim;
  };
  const deliveriesOf = (firm: TestFirm, { webhook }: IssuedWebhook) =>
    fixture().stores.webhookReads.deliveries(firm.id, webhook.id, null, 100);
  const stateOf = async (firm: TestFirm, { webhook }: IssuedWebhook) =>
    (await fixture().stores.webhookReads.endpoints(firm.id)).find(({ id }) => id === webhook.id)?.paused;

  describe('the signal of changes', () => {
    test('names the environment and a time from which a poll sees every change, and nothing else', async () => {
      const firm = await fixture().newFirm();
      await sendOne(firm);
      const [tests, live] = [await create(firm, 'test'), await create(firm)];
      await deliver();
      expect(sentTo(tests)).toEqual([]);
      const claims = [await sendOne(firm), await sendOne(firm)];
      await deliver();
      const [{ data, ...signal }] = sentTo(tests);
      expect(signal).toEqual({
        id: expect.any(String),
        secrets: [tests.secret],
        type: 'claims.changed',
        timestamp: expect.any(String),
      });
      expect(data).toEqual({ environment: 'test', updated_since: expect.any(String) });
      const page = { after: null, limit: 10 };
      const updatedSince = Date.parse(data.updated_since);
      const { rows } = await fixture().stores.firmReads.claims(firm.id, 'test', { updatedSince }, page);
      expect(rows.map(({ id }) => id)).toEqual(claims.map(({ id }) => id));
      expect(sentTo(live)).toEqual([]);
    });

    test('comes at most once a second, and no change is left out', async () => {
      const firm = await fixture().newFirm();
      const webhook = await create(firm, 'test');
      await sendOne(firm);
      later(1);
      await deliver();
      const second = await sendOne(firm);
      await deliver();
      // The firm had no change before.
      expect(Date.parse(sentTo(webhook)[0].data.updated_since)).toBeGreaterThan(second.updatedAt - 2 * DAY);
      later(SECOND - 1);
      await deliver();
      expect(sentTo(webhook)).toHaveLength(1);
      later(1);
      await deliver();
      later(SECOND);
      await deliver();
      const [, { data }, ...others] = sentTo(webhook);
      expect(others).toEqual([]);
      expect(Date.parse(data.updated_since)).toBeLessThanOrEqual(second.updatedAt);
    });

    test('that was not delivered is sent again with the same id, and later ones cover what came since', async () => {
      const firm = await fixture().newFirm();
      const webhook = await create(firm, 'test');
      respond(webhook, 503);
      const first = await sendOne(firm);
      const at = fixture().clock.now();
      await deliver();
      const missed = await sendOne(firm);
      later(3 * SECOND);
      await deliver();
      respond(webhook, 204);
      later(6 * SECOND);
      await deliver();
      later(SECOND);
      await deliver();
      const sent = sentTo(webhook);
      expect(sent.map(({ id }) => sent.findIndex((other) => other.id === id))).toEqual([0, 0, 0, 3]);
      const signalled = sent.map(({ timestamp }) => Date.parse(timestamp) - at);
      expect(signalled).toEqual([0, 0, 0, 10 * SECOND]);
      // Each attempt is signed with its own time.
      const signed = fixture().external.webhooks.filter(({ url }) => url === webhook.webhook.url);
      expect(signed.map((one) => one.at - at)).toEqual([0, 3, 9, 10].map((seconds) => seconds * SECOND));
      expect(Date.parse(sent[0].data.updated_since)).toBeLessThanOrEqual(first.updatedAt);
      expect(Date.parse(sent[3].data.updated_since)).toBeLessThanOrEqual(missed.updatedAt);
      expect(
        (await deliveriesOf(firm, webhook)).map(({ status, attemptCount }) => [status, attemptCount]),
      ).toEqual([
        ['delivered', 1],
        ['delivered', 3],
      ]);
    });

    test('of a process that was killed after sending is sent by another one', async () => {
      const firm = await fixture().newFirm();
      const webhook = await create(firm, 'test');
      await sendOne(firm);
      const { stores, useOn, clock } = fixture();
      const now = clock.now();
      // Killed after each step in turn: the changes were queued; a delivery was taken.
      await stores.webhookQueue.signalChanges(now);
      const taken = await stores.webhookQueue.take('first', now, now + 20 * SECOND, {
        limit: 10,
        perFirm: 10,
        running: [],
      });
      expect(taken.map(({ endpoint }) => endpoint.url)).toEqual([webhook.webhook.url]);
      await deliver();
      expect(sentTo(webhook)).toEqual([]);
      later(20 * SECOND);
      const killed = {
        ...stores.webhookQueue,
        recordDelivered: () => new Promise<void>(() => {}),
      };
      await useOn({ webhookQueue: killed }).webhookDeliveries().start();
      later(20 * SECOND);
      await deliver();
      const sent = sentTo(webhook);
      expect(sent).toHaveLength(2);
      expect(sent[1].id).toBe(sent[0].id);
      expect((await deliveriesOf(firm, webhook)).map(({ status }) => status)).toEqual(['delivered']);
    });

    test('of a firm with dead endpoints leaves room for those of others', async () => {
      const [dead, other] = [await fixture().newFirm(), await fixture().newFirm()];
      for (let n = 0; n < 4; n += 1) await create(dead, 'test');
      await sendOne(dead);
      const { stores, clock } = fixture();
      later(SECOND);
      const now = clock.now();
      await stores.webhookQueue.signalChanges(now);
      later(-SECOND);
      await create(other, 'test');
      await sendOne(other);
      await stores.webhookQueue.signalChanges(clock.now());
      later(SECOND);
      const taken: TestFirm['id'][] = [];
      for (let round = 0; round < 3; round += 1) {
        const room = { limit: round === 0 ? 1 : 3, perFirm: 2, running: [...taken] };
        const due = await stores.webhookQueue.take('first', now, now + 20 * SECOND, room);
        taken.push(...due.map(({ delivery }) => delivery.firmId));
      }
      // The one that is due first.
      expect(taken[0]).toBe(other.id);
      expect(taken.toSorted()).toEqual([dead.id, dead.id, other.id].toSorted());
      // Two attempts have ended.
      const room = { limit: 3, perFirm: 2, running: [other.id] };
      const due = await stores.webhookQueue.take('first', now, now + 20 * SECOND, room);
      expect(due.map(({ delivery }) => delivery.firmId)).toEqual([dead.id, dead.id]);
    });

    test('is sent once when several processes look for changes at the same time', async () => {
      const firm = await fixture().newFirm();
      const webhook = await create(firm, 'test');
      for (let round = 0; round < 5; round += 1) {
        await sendOne(firm);
        await Promise.all([deliver(), deliver(), deliver(), deliver()]);
        later(2 * SECOND);
      }
      const sent = sentTo(webhook);
      expect(new Set(sent.map(({ data }) => data.updated_since)).size).toBe(5);
      if (!fixture().stores.distributed) expect(sent).toHaveLength(5);
    });

    test('to an endpoint that fails for three days pauses it, and after that covers all that was missed', async () => {
      const { use, external } = fixture();
      const firm = await fixture().newFirm();
      const webhook = await create(firm, 'test');
      respond(webhook, 500);
      const first = await sendOne(firm);
      await deliver();
      for (let passedMs = 0; passedMs < WEBHOOK_RETRY_MS; passedMs += 2 * HOUR) {
        later(2 * HOUR);
        await deliver();
      }
      expect(await stateOf(firm, webhook)).toBe('failing');
      for (const { job } of await fixture().jobsOf(firm))
        if (job.kind === 'mail_webhook_paused') await use.runJob(job);
      expect(external.pausedWebhooks).toContain(webhook.webhook.id);
      const stored = await fixture().stores.webhookReads.endpoints(firm.id);
      expect(stored).toMatchObject([{ pauseMailedAt: fixture().clock.now(), previousSecretUntil: null }]);
      const attempts = sentTo(webhook).length;
      await sendOne(firm);
      later(DAY);
      await deliver();
      expect(sentTo(webhook)).toHaveLength(attempts);
      const [failed] = await deliveriesOf(firm, webhook);
      expect(failed).toMatchObject({ status: 'failed', attemptCount: attempts });
      expect(failed?.attempts.length).toBeLessThanOrEqual(20);

      respond(webhook, 200);
      await use.updateWebhook(OPERATOR, firm.id, webhook.webhook.id, { state: 'active' });
      await deliver();
      const latest = sentTo(webhook).at(-1);
      expect(latest?.id).not.toBe(failed?.id);
      expect(Date.parse(latest?.data.updated_since)).toBeLessThanOrEqual(first.updatedAt);
      const events = (await fixture().auditOf(firm.id)).flatMap(({ actor, action, object }) =>
        object === `webhook:${webhook.webhook.id}` ? [`${actor} ${action}`] : [],
      );
      expect(events).toEqual([
        `${OPERATOR.actor} webhook.create`,
        'service webhook.pause',
        `${OPERATOR.actor} webhook.resume`,
      ]);
    });

    test('is signed with the secret from before a roll although somebody rolls again during the overlap', async () => {
      const firm = await fixture().newFirm();
      const webhook = await create(firm, 'test');
      const roll = (overlapMs: number) =>
        fixture().use.updateWebhook(OPERATOR, firm.id, webhook.webhook.id, { overlapMs });
      const taps = await Promise.allSettled([roll(HOUR), roll(HOUR)]);
      expect(taps.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const until = new Date(fixture().clock.now() + HOUR).toISOString();
      await expect(roll(HOUR)).rejects.toMatchObject({
        code: 'already_rolled',
        message: expect.stringContaining(`is in use until ${until}.`),
      });
      const secretsOfNext = async () => {
        later(SECOND);
        await sendOne(firm);
        await deliver();
        return sentTo(webhook).at(-1)?.secrets;
      };
      expect((await secretsOfNext())?.[1]).toBe(webhook.secret);
      const leaked = await roll(0);
      expect(await secretsOfNext()).toEqual([leaked.secret]);
      const second = await roll(HOUR);
      later(HOUR);
      const third = await roll(HOUR);
      expect(await secretsOfNext()).toEqual([third.secret, second.secret]);
    });
  });

  describe('an endpoint', () => {
    test('is sent one test or repetition at a time, each of which is recorded once', async () => {
      const { use, useOn, external, stores } = fixture();
      const firm = await fixture().newFirm();
      const webhook = await create(firm, 'test');
      respond(webhook, 500);
      await sendOne(firm);
      await deliver();
      const [pending] = await deliveriesOf(firm, webhook);
      // Two processes, and the schedule's own attempt at the same time.
      later(3 * SECOND);
      const replay = (on: typeof use) => on.replayWebhook(OPERATOR, firm.id, pending?.id ?? '');
      const ends = await Promise.allSettled([
        ...Array.from({ length: 20 }, () => replay(use)),
        replay(useOn({})),
        deliver(),
      ]);
      const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
      const reasons = refused.map(({ name, retryAfterMs }) => `${name} ${retryAfterMs}`);
      expect(new Set(reasons)).toEqual(new Set([`TooManyAttempts ${SECOND}`]));
      const sent = external.webhooks.filter(({ url }) => url === webhook.webhook.url).length;
      expect(await stores.webhookReads.delivery(firm.id, pending?.id ?? '')).toMatchObject({
        status: 'pending',
        attemptCount: sent,
        attempts: Array.from({ length: sent }, () => ({ status: 500 })),
      });
      // The first attempt, and those of the 22 that were not refused.
      expect(sent).toBe(23 - refused.length);
      const recorded = (await fixture().auditOf(firm.id)).filter(({ action }) => action === 'webhook.replay');
      expect(recorded).toHaveLength(21 - refused.length);
      const planned = await stores.webhookReads.delivery(firm.id, pending?.id ?? '');
      if (planned === null) throw new Error('no delivery');
      const stale = { ...planned, nextAttemptAt: 1 };
      const purged = { ...planned, id: firm.id, attemptCount: 0, attempts: [] };
      for (const delivery of [stale, purged])
        await stores.unitOfWork.run((tx) => tx.webhooks.recordAttempt(delivery, FAILED));
      const failed = {
        ...purged,
        status: 'failed',
        nextAttemptAt: null,
        attemptCount: 1,
        attempts: [FAILED],
      };
      expect(await stores.webhookReads.delivery(firm.id, purged.id)).toEqual(failed);
      for (let count = sent + 1; count < 25; count += 1) await replay(use).then(() => later(1));
      const kept = await stores.webhookReads.delivery(firm.id, pending?.id ?? '');
      expect([kept?.attemptCount, kept?.attempts.length]).toEqual([25, 20]);
      expect(kept?.attempts[0]).toEqual(pending?.attempts[0]);
      expect([kept?.status, kept?.nextAttemptAt]).toEqual(['pending', planned.nextAttemptAt]);
      respond(webhook, 204);
      const { responseBody, ...delivered } = await replay(use);
      const ended = { status: 'delivered', nextAttemptAt: null, attemptCount: 26 };
      expect([responseBody, delivered]).toMatchObject(['', ended]);
      expect((await deliveriesOf(firm, webhook)).filter(({ id }) => id !== purged.id)).toEqual([delivered]);
      expect(new Set(sentTo(webhook).map(({ id }) => id))).toEqual(new Set([pending?.id]));
    });

    test('that gets an earlier delivery again is signalled no change again', async () => {
      const firm = await fixture().newFirm();
      const webhook = await create(firm, 'test');
      for (let change = 0; change < 2; change += 1) {
        await sendOne(firm);
        await deliver();
        later(SECOND);
      }
      const [, earlier] = await deliveriesOf(firm, webhook);
      await fixture().use.replayWebhook(OPERATOR, firm.id, earlier?.id ?? '');
      later(SECOND);
      await deliver();
      expect(sentTo(webhook)).toHaveLength(3);
      if (earlier === undefined) throw new Error('no delivery');
      // Repetitions that fail, by hand and of another process that had taken it, leave it delivered.
      respond(webhook, 500);
      await fixture().use.replayWebhook(OPERATOR, firm.id, earlier.id);
      for (const change of [{ status: 'failed' }, { status: 'pending', nextAttemptAt: 1 }] as const)
        await fixture().stores.unitOfWork.run((tx) =>
          tx.webhooks.recordAttempt({ ...earlier, ...change }, FAILED),
        );
      const [, kept] = await deliveriesOf(firm, webhook);
      expect(kept).toMatchObject({ status: 'delivered', nextAttemptAt: null, attemptCount: 5 });
      const { id } = await fixture().use.testWebhook(OPERATOR, firm.id, webhook.webhook.id);
      respond(webhook, 204);
      await fixture().use.replayWebhook(OPERATOR, firm.id, id);
      const [tested] = await deliveriesOf(firm, webhook);
      expect(tested).toMatchObject({ id, status: 'delivered', nextAttemptAt: null, attemptCount: 2 });
      for (let count = 0; count < 3; count += 1)
        await fixture().use.testWebhook(OPERATOR, firm.id, webhook.webhook.id);
      const all = await deliveriesOf(firm, webhook);
      expect(all).toEqual(all.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)));
      const page = (after: KeysetPosition | null) =>
        fixture().use.listWebhookDeliveries(firm.id, webhook.webhook.id, { after, limit: 3 });
      const { rows, next } = await page(null);
      const last = await page(next);
      expect([[...rows, ...last.rows], last.rows.length, last.next]).toEqual([all, 3, null]);
    });

    test('that is removed while it is tested leaves no delivery', async () => {
      const { useOn, use, stores } = fixture();
      const firm = await fixture().newFirm();
      for (const status of [204, 500, 410]) {
        const webhook = await create(firm, 'test');
        respond(webhook, status);
        let runs = 0;
        const unitOfWork: typeof stores.unitOfWork = {
          ...stores.unitOfWork,
          async run(work) {
            runs += 1;
            if (runs === 2) await use.removeWebhook(OPERATOR, firm.id, webhook.webhook.id);
            return stores.unitOfWork.run(work);
          },
        };
        await useOn({ unitOfWork }).testWebhook(OPERATOR, firm.id, webhook.webhook.id);
        expect([runs, await deliveriesOf(firm, webhook)]).toEqual([2, []]);
      }
    });

    test('of another firm does not exist', async () => {
      const { use } = fixture();
      const [firm, other] = [await fixture().newFirm(), await fixture().newFirm()];
      const webhook = await create(firm, 'test');
      const { id } = webhook.webhook;
      const { id: delivery } = await use.testWebhook(OPERATOR, firm.id, id);
      expect(sentTo(webhook)).toMatchObject([
        { id: delivery, type: 'webhook.test', data: { environment: 'test' } },
      ]);
      for (const failing of [
        () => use.updateWebhook(OPERATOR, other.id, id, { overlapMs: 0 }),
        () => use.removeWebhook(OPERATOR, other.id, id),
        () => use.updateWebhook(OPERATOR, other.id, id, { state: 'paused' }),
        () => use.testWebhook(OPERATOR, other.id, id),
        () => use.replayWebhook(OPERATOR, other.id, delivery),
        () => use.listWebhookDeliveries(other.id, id, { after: null, limit: 9 }),
        () => use.testWebhook(OPERATOR, firm.id, 'no id'),
      ])
        for (const _ of [1, 2]) expect(await errorCodeOf(failing())).toBe('not_found');
      expect(await fixture().stores.webhookReads.endpoints(other.id)).toEqual([]);
      expect(await fixture().stores.webhookReads.deliveries(other.id, id, null, 10)).toEqual([]);
      expect(await fixture().stores.webhookReads.delivery(other.id, delivery)).toBeNull();
    });

    test('leaves another one of its firm as it is when it is paused or removed, and each has its environment', async () => {
      const { newTeam, use, send, stores, clock } = fixture();
      const { firm, svcId } = await newTeam();
      const [one, other, live] = [await create(firm, 'test'), await create(firm, 'test'), await create(firm)];
      const deliverChange = async () => {
        later(SECOND);
        await sendOne(firm);
        await deliver();
      };
      await deliverChange();
      for (const webhook of [one, other]) respond(webhook, 503);
      await deliverChange();
      const statuses = () =>
        Promise.all(
          [one, other, live].map(async (webhook) =>
            (await deliveriesOf(firm, webhook)).map(({ status }) => status).join(),
          ),
        );
      expect(await statuses()).toEqual(['pending,delivered', 'pending,delivered', '']);
      const setState = (state: 'active' | 'paused') =>
        use.updateWebhook(OPERATOR, firm.id, one.webhook.id, { state });
      await setState('paused');
      expect(await statuses()).toEqual(['failed,delivered', 'pending,delivered', '']);
      const [ended] = await deliveriesOf(firm, one);
      if (ended === undefined) throw new Error('no delivery');
      // Attempts that ran while it was paused, of the schedule and by hand.
      await stores.webhookQueue.recordRetry(ended, FAILED, clock.now());
      const planned = { ...ended, status: 'pending', nextAttemptAt: 1 } as const;
      await stores.unitOfWork.run((tx) => tx.webhooks.recordAttempt(planned, FAILED));
      const counted = [1, 3].map((attemptCount) => ({ status: 'failed', nextAttemptAt: null, attemptCount }));
      expect([ended, (await deliveriesOf(firm, one))[0]]).toMatchObject(counted);
      // Its changes need no other signal once it was repeated by hand.
      respond(one, 204);
      await use.replayWebhook(OPERATOR, firm.id, ended.id);
      await setState('active');
      later(SECOND);
      await deliver();
      expect(await statuses()).toEqual(['delivered,delivered', 'pending,delivered', '']);
      await use.removeWebhook(OPERATOR, firm.id, one.webhook.id);
      expect(await statuses()).toEqual(['', 'pending,delivered', '']);
      const sent = await send(firm.live, svcId);
      await deliver();
      expect(await statuses()).toEqual(['', 'pending,delivered', 'delivered']);
      respond(other, 204);
      for (const _ of [1, 2]) {
        later(3 * SECOND);
        await deliver();
        expect(await statuses()).toEqual(['', 'delivered,delivered', 'delivered']);
      }
      respond(other, 503);
      await deliverChange();
      // Not from before the change of the other environment.
      expect(Date.parse(sentTo(other).at(-1)?.data.updated_since)).toBeGreaterThan(sent.claim.updatedAt);
      respond(other, 410);
      const [pending] = await deliveriesOf(firm, other);
      await use.replayWebhook(OPERATOR, firm.id, pending?.id ?? '');
      const ends = ['gone', '', 'failed,delivered,delivered', 'delivered'];
      expect([await stateOf(firm, other), ...(await statuses())]).toEqual(ends);
    });

    test('that fails delays no other one of its firm, and later gets a signal of the changes it missed', async () => {
      const firm = await fixture().newFirm();
      const [failing, other] = [await create(firm, 'test'), await create(firm, 'test')];
      respond(failing, 503);
      await sendOne(firm);
      await deliver();
      later(SECOND);
      const { updatedAt } = await sendOne(firm);
      await deliver();
      expect([sentTo(failing).length, sentTo(other).length]).toEqual([1, 2]);
      respond(failing, 204);
      for (let round = 0; round < 2; round += 1) {
        later(3 * SECOND);
        await deliver();
      }
      const [first, again, latest, ...more] = sentTo(failing);
      expect([again.id, latest.id === first.id, more]).toEqual([first.id, false, []]);
      expect(Date.parse(latest.data.updated_since)).toBeLessThanOrEqual(updatedAt);
      expect(sentTo(other)).toHaveLength(2);
    });

    test('is removed with its deliveries, and a firm has at most five in each environment', async () => {
      const { use } = fixture();
      const firm = await fixture().newFirm();
      const webhook = await create(firm);
      await use.testWebhook(OPERATOR, firm.id, webhook.webhook.id);
      await use.updateWebhook(OPERATOR, firm.id, webhook.webhook.id, { state: 'paused' });
      await Promise.all([create(firm), create(firm), create(firm)]);
      const racing = await Promise.allSettled([create(firm), create(firm), create(firm)]);
      expect(racing.filter(({ status }) => status === 'rejected')).toHaveLength(2);
      await create(firm, 'test');
      expect(await errorCodeOf(create(firm))).toBe('too_many_webhooks');
      await use.removeWebhook(OPERATOR, firm.id, webhook.webhook.id);
      expect(await deliveriesOf(firm, webhook)).toEqual([]);
      later(-1);
      const { webhook: earliest } = await create(firm);
      later(1);
      const { webhookReads, unitOfWork } = fixture().stores;
      const lists = [
        await webhookReads.endpoints(firm.id),
        await unitOfWork.run((tx) => tx.webhooks.of(firm.id)),
      ];
      expect(lists.map(([first]) => first)).toEqual([earliest, earliest]);
      const plain = { firmId: firm.id, environment: 'live', url: 'http://a.example' } as const;
      const refused = use.createWebhook(OPERATOR, plain);
      expect(await errorCodeOf(refused)).toBe('webhook_url_refused');
    });
  });
}
