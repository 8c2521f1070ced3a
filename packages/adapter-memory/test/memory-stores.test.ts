import { describe, expect, test } from '@jest/globals';
import type { Job, Tx } from '@svc/application';
import type { FirmId, Svcid } from '@svc/domain';
import { createFixedClock, createFixture, OPERATOR } from '@svc/testkit';
import { createMemoryStores } from '../src/index.ts';

const setUp = () => {
  const clock = createFixedClock();
  const stores = createMemoryStores({ clock });
  return { clock, stores, fixture: createFixture(stores, clock) };
};

describe('units of work in memory', () => {
  test('run one at a time, in the order of the calls', async () => {
    const { stores } = setUp();
    const steps: string[] = [];
    await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        stores.unitOfWork.run(async (tx) => {
          steps.push(`${name} begins`);
          await tx.firms.count();
          await tx.firms.count();
          steps.push(`${name} ends`);
        }),
      ),
    );
    expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  test('run after an earlier one failed', async () => {
    const { stores } = setUp();
    const failing = stores.unitOfWork.run(() => Promise.reject(new Error('mine')));
    const next = stores.unitOfWork.run((tx) => tx.firms.count());
    await expect(failing).rejects.toThrow('mine');
    expect(await next).toBe(0);
  });

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

  test('reject duplicate rows and roll back', async () => {
    const { stores, fixture } = setUp();
    const firm = await fixture.newFirm();
    const member = await fixture.newMember(firm);
    const { claim } = await fixture.send(firm.live, member);
    const jobs = await stores.jobs.pending();
    let runs = 0;
    const blind = stores.unitOfWork.run(async (tx) => {
      runs += 1;
      await tx.outbox.add({ kind: 'notify_offer', firmId: firm.id, claimId: claim.id, svcId: member });
      const held = await tx.claims.lock(firm.id, claim.id);
      if (held !== null) await tx.claimWrites.add({ ...held, id: fixture.ids.next() as typeof held.id });
    });
    await expect(blind).rejects.toThrow('is taken');
    expect(runs).toBeGreaterThan(1);
    expect(await stores.jobs.pending()).toEqual(jobs);
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

describe('the in-memory job queue', () => {
  const job = (n: number): Job => ({
    kind: 'notify_invitation',
    firmId: 'f' as FirmId,
    svcId: 's' as Svcid,
    invitedAt: n,
  });

  test('runs due jobs in order of time, including those added while it runs', async () => {
    const { stores, clock } = setUp();
    const add = (n: number, runAt?: number) => stores.unitOfWork.run((tx) => tx.outbox.add(job(n), runAt));
    const now = clock.now();
    await add(3, now + 10);
    await add(2);
    await add(1, now - 10);
    await add(9, now + 11);
    const run: number[] = [];
    const handler = async (due: Job) => {
      if (due.kind !== 'notify_invitation') return;
      run.push(due.invitedAt);
      if (due.invitedAt === 2) await add(4, now + 10);
    };
    expect(await stores.jobs.runDue(now + 10, handler)).toBe(4);
    expect(run).toEqual([1, 2, 3, 4]);
    expect((await stores.jobs.pending()).map((waiting) => waiting.job)).toEqual([job(9)]);
  });

  test('keeps a job whose handler failed', async () => {
    const { stores, clock } = setUp();
    await stores.unitOfWork.run((tx) => tx.outbox.add(job(1)));
    const failing = stores.jobs.runDue(clock.now(), () => Promise.reject(new Error('unavailable')));
    await expect(failing).rejects.toThrow('unavailable');
    expect(await stores.jobs.pending()).toHaveLength(1);
    expect(await stores.jobs.runDue(clock.now(), async () => {})).toBe(1);
  });
});
