import { describe, expect, test } from '@jest/globals';
import type { Tx } from '@svc/application';
import type { Svcid } from '@svc/domain';
import { createFixedClock, createFixture, OPERATOR } from '@svc/testkit';
import { createMemoryStores } from '../src/index.ts';

const setUp = () => {
  const clock = createFixedClock();
  const stores = createMemoryStores({ clock });
  return { clock, stores, fixture: createFixture(stores, clock) };
};

describe('units of work in memory', () => {
  test('throw when used after their end, so that a missing await is found', async () => {
    const { stores } = setUp();
    let leaked: Tx | undefined;
    await stores.unitOfWork.run(async (tx) => {
      leaked = tx;
    });
    await expect(leaked?.firms.count()).rejects.toThrow('had ended');
  });

  test('throw when they count an attempt without its lock, so that a missing lock is found', async () => {
    const { stores } = setUp();
    const counted = { subject: 's', count: 1, lastAt: 0, endsAt: 1 };
    const counting = (lock: readonly string[]) =>
      stores.unitOfWork.run(async (tx) => {
        await tx.signInAttempts.lock(lock);
        await tx.signInAttempts.put([counted]);
      });
    await expect(counting(['other'])).rejects.toThrow('not locked');
    await counting(['s']);
  });

  test('store copies: changing the argument later does not change the row', async () => {
    const { stores, fixture } = setUp();
    const firm = await fixture.newFirm();
    const member = await fixture.newMember(firm);
    const subscription = { endpoint: 'https://push.example/1', keys: { p256dh: 'p', auth: 'a' } };
    const { tokenHash } = await fixture.newSession(member);
    await fixture.use.putDevice({ svcId: member }, tokenHash, 'phone', subscription);
    subscription.keys.auth = 'changed';
    const [device] = await stores.jobReads.devices(member, fixture.clock.now());
    expect(device?.subscription.keys.auth).toBe('a');
    expect(() => Object.assign(device?.subscription.keys ?? {}, { auth: 'changed' })).toThrow(TypeError);
  });

  test('can be run twice each, to find work that cannot be repeated', async () => {
    const stores = createMemoryStores({ clock: createFixedClock(), everyUnitTwice: true });
    let runs = 0;
    const add = (tx: Tx) => {
      runs += 1;
      return tx.outbox.add({ kind: 'notify_test', svcId: 's' as Svcid, only: 'mail' });
    };
    await stores.unitOfWork.run(add);
    expect(runs).toBe(2);
    expect(await stores.jobs.pending()).toHaveLength(1);
  });
});

test('of an erased firm neither deliveries nor changes of addresses are left, but those of other firms', async () => {
  const { stores, fixture } = setUp();
  const [firm, other] = [await fixture.newFirm(), await fixture.newFirm()];
  const left = [];
  for (const { id, accounts } of [firm, other]) {
    const url = 'https://hooks.example/';
    const { webhook } = await fixture.use.createWebhook(OPERATOR, { firmId: id, url, environment: 'live' });
    await fixture.use.testWebhook(OPERATOR, id, webhook.id);
    const change = {
      svcId: accounts.manual,
      email: 'a@b.example',
      codeHash: 'h',
      expiresAt: 1,
      triesLeft: 1,
    };
    await stores.unitOfWork.run((tx) => tx.emailChanges.put(change));
    left.push({ id, webhook, svcId: accounts.manual });
  }
  await stores.firmData.eraseBatch(firm.id);
  const counts = [];
  for (const { id, webhook, svcId } of left)
    counts.push([
      (await stores.webhookReads.deliveries(id, webhook.id, null, 9)).length,
      await stores.unitOfWork.run(async (tx) => (await tx.emailChanges.lock(svcId))?.email),
    ]);
  expect(counts).toEqual([
    [0, undefined],
    [1, 'a@b.example'],
  ]);
});
