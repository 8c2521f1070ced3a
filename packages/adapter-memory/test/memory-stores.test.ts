import { describe, expect, test } from '@jest/globals';
import type { BoardScan, KeysetPosition, Tx } from '@svc/application';
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

  test('that collide with a row run again, three times at most', async () => {
    const { stores, fixture } = setUp();
    const { key } = await fixture.newKey(await fixture.newFirm());
    const runsOf = async (collisions: number) => {
      let runs = 0;
      const adding = stores.unitOfWork.run(async (tx) => {
        runs += 1;
        if (runs <= collisions) await tx.keys.add(key);
      });
      return [await adding.catch((error: Error) => error.name), runs];
    };
    expect([await runsOf(2), await runsOf(3)]).toEqual([
      [undefined, 3],
      ['UniqueViolation', 3],
    ]);
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
    const clock = createFixedClock();
    const stores = createMemoryStores({ clock, everyUnitTwice: true });
    let runs = 0;
    const add = (tx: Tx) => {
      runs += 1;
      return tx.outbox.add({ kind: 'notify_test', svcId: 's' as Svcid, only: 'mail' });
    };
    await stores.unitOfWork.run(add);
    expect(runs).toBe(2);
    expect(await stores.jobs.runDue(clock.now() - 1, async () => {})).toBe(0);
    expect(await stores.jobs.runDue(clock.now(), async () => {})).toBe(1);
  });
});

test('all rows of an erased firm are deleted and counted, and none of another one', async () => {
  const { stores, fixture } = setUp();
  const { use, newFirm, newStaff, newKey, newDevice, send, offer } = fixture;
  const firms = [await newFirm(), await newFirm()] as const;
  for (const firm of firms) {
    const [firmId, svcId] = [firm.id, firm.accounts.manual];
    const url = 'https://hooks.example/';
    const { webhook } = await use.createWebhook(OPERATOR, { firmId, url, environment: 'live' });
    await use.testWebhook(OPERATOR, firmId, webhook.id);
    const { claim } = await send(firm.test, svcId);
    await offer(firm.test, claim.id, svcId);
    await newKey(firm);
    await newDevice(svcId, 'phone');
    await use.openStaffSession(await newStaff(firm));
    const change = { svcId, email: 'a@b.example', codeHash: 'h', expiresAt: 1, triesLeft: 1 };
    await stores.unitOfWork.run((tx) => tx.emailChanges.put(change));
  }
  const counts = [];
  for (const { id } of [firms[0], ...firms]) counts.push(await stores.firmData.eraseBatch(id));
  expect(counts).toEqual([26, 0, 26]);
});

test('the board has the claims of a firm in the order of a scan, and goes on after a position', async () => {
  const { stores, fixture } = setUp();
  const { newTeam, newFirm, sendId, use } = fixture;
  const [{ firm, svcId }, other] = [await newTeam(), await newFirm()];
  await sendId(other.test, other.accounts.manual);
  const tested = await sendId(firm.test, firm.accounts.manual);
  const rejected = await sendId(firm.live, svcId);
  const closed = await sendId(firm.live, svcId);
  const accepted = await sendId(firm.live, svcId);
  const pending = await sendId(firm.live, svcId);
  await use.rejectClaim({ svcId }, rejected, null);
  await use.closeClaimAsOperator(closed);
  fixture.clock.advance(1000);
  await use.acceptClaim({ svcId }, accepted);
  const scan = async (...given: [BoardScan, KeysetPosition?, number?]) => {
    const [of, after = { at: Number.POSITIVE_INFINITY, id: '' }, count = 9] = given;
    return (await stores.boardReads.claims(firm.id, of, after, count)).map(({ id }) => id);
  };
  const latest = { by: 'latest', environment: 'live', status: undefined } as const;
  const all = [accepted, rejected, pending, closed, tested];
  expect(await scan(latest)).toEqual(all);
  const [row] = await stores.boardReads.claims(firm.id, latest, { at: Number.POSITIVE_INFINITY, id: '' }, 1);
  const read = await stores.firmReads.claim(firm.id, 'live', accepted);
  const { status, offeredAt, respondedAt } = read?.assignment ?? {};
  const shown = { updatedAt: read?.updatedAt, status, adjuster: svcId, offeredAt, respondedAt };
  expect(row).toMatchObject(shown);
  const { updatedAt = 0 } = (await stores.firmReads.claim(firm.id, 'live', rejected)) ?? {};
  expect(await scan(latest, { at: updatedAt, id: rejected }, 2)).toEqual(all.slice(2, 4));
  expect(await scan({ ...latest, environment: 'test' })).toEqual([tested]);
  expect(await scan({ ...latest, status: 'rejected' })).toEqual([rejected]);
  const waiting = { by: 'waiting', environment: 'live', status: 'pending_acceptance' } as const;
  expect(await scan(waiting, { at: 0, id: '' })).toEqual([pending]);
  const sent = await Promise.all([closed, pending, tested].map((id) => stores.operatorReads.claim(id)));
  const found = async (ids: { externalId?: string; claimNumber?: string }) => {
    const wanted = sent.map((one) => ({ externalId: '', claimNumber: '', ...one, ...ids }));
    return (await stores.boardReads.claimsWithIds(firm.id, 'live', wanted)).map(({ id }) => id);
  };
  // Of the claim numbers, those of open claims; none of the test environment.
  expect([await found({ claimNumber: '' }), await found({ externalId: '' })]).toEqual([
    [closed, pending],
    [pending],
  ]);
});
