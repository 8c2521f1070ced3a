import { describe, expect, test } from '@jest/globals';
import { auditEntriesFrom, type Job, makeRunJob } from '@svc/application';
import { DAY, HOUR, NO_NOTES, type Svcid } from '@svc/domain';
import { memoryFixture } from './memory-fixture.ts';

type Fixture = ReturnType<typeof memoryFixture>;

/** Runs every due job, including those it creates. */
const runDue = ({ memory, clock, use }: Fixture): Promise<number> =>
  memory.jobs.runDue(clock.now(), use.runJob);
const notificationsTo = ({ external }: Fixture, svcId: Svcid) =>
  external.notifications.flatMap((each) => (each.svcId === svcId ? [each.notification] : []));

describe('a notification', () => {
  test('of an offer goes to its adjuster and names only the firm and the claim', async () => {
    const fixture = memoryFixture();
    const firm = await fixture.newFirm();
    const svcId = await fixture.newMember(firm);
    await runDue(fixture);
    const claimId = await fixture.sendId(firm.live, svcId);
    await runDue(fixture);
    expect(fixture.external.notifications).toEqual([
      { svcId, notification: { kind: 'offer', firmName: firm.name, claimId } },
    ]);
  });

  test('of an offer is not sent after it was accepted, reassigned or lapsed', async () => {
    const fixture = memoryFixture();
    const firm = await fixture.newFirm();
    const [svcId, other] = [await fixture.newMember(firm), await fixture.newMember(firm)];
    await runDue(fixture);
    const [accepted, moved] = [
      await fixture.sendId(firm.live, svcId),
      await fixture.sendId(firm.live, svcId),
    ];
    await fixture.sendId(firm.live, svcId);
    await fixture.use.acceptOffer({ svcId }, accepted);
    await fixture.offer(firm.live, moved, other);
    await fixture.use.leaveFirm({ svcId }, firm.id);
    await runDue(fixture);
    expect(notificationsTo(fixture, svcId).filter(({ kind }) => kind === 'offer')).toEqual([]);
    expect(notificationsTo(fixture, other)).toHaveLength(1);
  });

  test('of a withdrawal goes to the adjuster who lost the offer, unless offered to them again', async () => {
    const fixture = memoryFixture();
    const firm = await fixture.newFirm();
    const [first, second] = [await fixture.newMember(firm), await fixture.newMember(firm)];
    await runDue(fixture);
    const claimId = await fixture.sendId(firm.live, first);
    await runDue(fixture);
    await fixture.offer(firm.live, claimId, second);
    await runDue(fixture);
    const withdrawn = { kind: 'offer_withdrawn', firmName: firm.name, claimId };
    expect(notificationsTo(fixture, first)).toEqual([
      { kind: 'offer', firmName: firm.name, claimId },
      withdrawn,
    ]);

    await fixture.offer(firm.live, claimId, first);
    await fixture.offer(firm.live, claimId, second);
    await runDue(fixture);
    expect(notificationsTo(fixture, second).filter(({ kind }) => kind === 'offer_withdrawn')).toEqual([]);
    expect(notificationsTo(fixture, second).at(-1)?.kind).toBe('offer');
  });

  test('of an invitation is sent only while that invitation is pending', async () => {
    const fixture = memoryFixture();
    const firm = await fixture.newFirm();
    const [{ svcId: pending }, { svcId: accepted }, { svcId: expired }, { svcId: again }] = [
      await fixture.newAdjuster(),
      await fixture.newAdjuster(),
      await fixture.newAdjuster(),
      await fixture.newAdjuster(),
    ];
    await fixture.invite(firm, expired);
    fixture.clock.advance(7 * DAY);
    for (const svcId of [pending, accepted, again]) await fixture.invite(firm, svcId);
    await fixture.use.declineInvitation({ svcId: accepted }, firm.id);
    await fixture.use.withdrawInvitation(firm.live, again);
    fixture.clock.advance(1);
    await fixture.invite(firm, again);
    await runDue(fixture);
    const notification = { kind: 'invitation', firmName: firm.name, firmId: firm.id };
    expect(fixture.external.notifications).toEqual([
      { svcId: pending, notification },
      { svcId: again, notification },
    ]);
  });

  test('that cannot be delivered is retried', async () => {
    const fixture = memoryFixture();
    const { memory, clock, external } = fixture;
    const firm = await fixture.newFirm();
    await fixture.sendId(firm.live, await fixture.newMember(firm));
    const runJob = makeRunJob({
      uow: memory.unitOfWork,
      reads: memory.jobReads,
      firmReads: memory.firmReads,
      appReads: memory.appReads,
      secrets: fixture.secrets,
      clock,
      notifier: { notify: () => Promise.reject(new Error('push service away')) },
    });
    const before = (await memory.jobs.pending()).length;
    await expect(memory.jobs.runDue(clock.now(), runJob)).rejects.toThrow('push service away');
    expect(before - (await memory.jobs.pending()).length).toBeLessThan(before);
    await runDue(fixture);
    expect(external.notifications.map(({ notification }) => notification.kind)).toContain('offer');
    expect(await memory.jobs.pending()).toEqual([]);
  });

  test('that fails as a whole is postponed once for a device in quiet hours, however often it is repeated', async () => {
    const fixture = memoryFixture();
    const { memory, clock, use, secrets } = fixture;
    const firm = await fixture.newFirm();
    const svcId = await fixture.newMember(firm);
    await use.putDevice({ svcId }, 'phone', {
      endpoint: 'https://push.example/1',
      keys: { p256dh: 'a', auth: 'b' },
    });
    const quietHours = { start: '00:00', end: '23:59' };
    await use.setDevicePreferences({ svcId }, 'phone', {
      timeZone: 'UTC',
      quietHours,
      deadlineReminders: false,
    });
    await runDue(fixture);
    await fixture.sendId(firm.live, svcId);
    const failing = makeRunJob({
      uow: memory.unitOfWork,
      reads: memory.jobReads,
      firmReads: memory.firmReads,
      appReads: memory.appReads,
      secrets,
      clock,
      notifier: { notify: () => Promise.reject(new Error('no push keys')) },
    });
    for (let n = 0; n < 2; n += 1)
      await expect(memory.jobs.runDue(clock.now(), failing)).rejects.toThrow('no push keys');
    await runDue(fixture);
    const postponed = (await memory.jobs.pending()).filter(({ job }) => 'only' in job);
    expect(postponed.map(({ job }) => job)).toEqual([
      expect.objectContaining({ kind: 'notify_offer', only: 'device:phone' }),
    ]);
  });
});

describe('an invitation', () => {
  test('is mailed three times for one firm and recipient, then after growing pauses; devices get each', async () => {
    const fixture = memoryFixture();
    const { memory, clock, secrets, use } = fixture;
    const [firm, other] = [await fixture.newFirm(), await fixture.newFirm()];
    const { svcId } = await fixture.newAdjuster();
    const mailed: boolean[] = [];
    const runJob = makeRunJob({
      uow: memory.unitOfWork,
      reads: memory.jobReads,
      firmReads: memory.firmReads,
      appReads: memory.appReads,
      secrets,
      clock,
      notifier: {
        notify: async (_svcId, _notification, { except = [] } = {}) => {
          mailed.push(!except.includes('mail'));
          return [];
        },
      },
    });
    const invite = async (by: typeof firm): Promise<void> => {
      await fixture.invite(by, svcId);
      await memory.jobs.runDue(clock.now(), runJob);
      await use.withdrawInvitation(by.live, svcId);
    };
    for (let n = 0; n < 5; n += 1) await invite(firm);
    await invite(other);
    clock.advance(HOUR);
    await invite(firm);
    await invite(firm);
    expect(mailed).toEqual([true, true, true, false, false, true, true, false]);
  });
});

describe('a channel that failed', () => {
  /** Delivers over every channel except those that are down. */
  const notifying = (fixture: Fixture, down: ReadonlySet<string>) => {
    const { memory, clock } = fixture;
    const channels: (string | undefined)[] = [];
    const runJob = makeRunJob({
      uow: memory.unitOfWork,
      reads: memory.jobReads,
      firmReads: memory.firmReads,
      appReads: memory.appReads,
      secrets: fixture.secrets,
      clock,
      notifier: {
        notify: async (_svcId, _notification, { only } = {}) => {
          channels.push(only);
          return (['mail', 'device:phone', 'device:tablet'] as const).filter(
            (channel) => down.has(channel) && (only === undefined || only === channel),
          );
        },
      },
    });
    return { channels, run: () => memory.jobs.runDue(clock.now(), runJob) };
  };

  test('is retried alone after a delay', async () => {
    const fixture = memoryFixture();
    const firm = await fixture.newFirm();
    const svcId = await fixture.newMember(firm);
    await runDue(fixture);
    await fixture.sendId(firm.live, svcId);
    const { channels, run } = notifying(fixture, new Set(['device:phone', 'mail']));
    await run();
    expect(channels).toEqual([undefined]);
    await run();
    expect(channels).toEqual([undefined]);
    fixture.clock.advance(2000);
    await expect(run()).rejects.toThrow('could not be delivered');
    expect(channels.slice(1).sort()).toEqual(expect.arrayContaining(['mail']));
    expect(channels.slice(1)).not.toContain(undefined);
  });

  test('is not retried after the offer was accepted', async () => {
    const fixture = memoryFixture();
    const firm = await fixture.newFirm();
    const svcId = await fixture.newMember(firm);
    await runDue(fixture);
    const id = await fixture.sendId(firm.live, svcId);
    const { channels, run } = notifying(fixture, new Set(['device:phone']));
    await run();
    await fixture.use.acceptOffer({ svcId }, id);
    fixture.clock.advance(2000);
    await run();
    expect(channels).toEqual([undefined]);
    expect(await fixture.memory.jobs.pending()).toEqual([]);
  });
});

describe('a test account with simulated responses', () => {
  const responseJobs = async ({ memory }: Fixture): Promise<Job[]> =>
    (await memory.jobs.pending()).map(({ job }) => job).filter(({ kind }) => kind.startsWith('simulate'));

  test('responds only to the offer of the job', async () => {
    const fixture = memoryFixture();
    const { use, clock, stores } = fixture;
    const firm = await fixture.newFirm();
    const { accepts, manual } = firm.accounts;
    const id = await fixture.sendId(firm.test, accepts);
    const [first] = await responseJobs(fixture);
    clock.advance(500);
    await fixture.offer(firm.test, id, manual);
    await fixture.offer(firm.test, id, accepts);
    if (first === undefined) throw new Error('no response is queued');
    await use.runJob(first);
    const status = async () => (await stores.firmReads.claim(firm.id, 'test', id))?.assignment.status;
    expect(await status()).toBe('pending_acceptance');
    clock.advance(1_999);
    await runDue(fixture);
    expect(await status()).toBe('pending_acceptance');
    clock.advance(1);
    await runDue(fixture);
    expect(await status()).toBe('accepted');
  });

  test('does not respond to offers accepted manually, reassigned, closed or lapsed', async () => {
    const fixture = memoryFixture();
    const { use, clock, stores } = fixture;
    const firm = await fixture.newFirm();
    const { accepts, rejects, manual } = firm.accounts;
    const [byAdjuster, moved, closed, lapsed] = [
      await fixture.sendId(firm.test, accepts),
      await fixture.sendId(firm.test, accepts),
      await fixture.sendId(firm.test, accepts),
      await fixture.sendId(firm.test, rejects),
    ];
    await use.rejectOffer({ svcId: accepts }, byAdjuster, 'by hand');
    await fixture.offer(firm.test, moved, manual);
    await use.closeClaim(closed);
    await use.leaveFirm({ svcId: rejects }, firm.id);
    const read = (id: typeof byAdjuster) => stores.firmReads.claim(firm.id, 'test', id);
    const ids = [byAdjuster, moved, closed, lapsed];
    const before = await Promise.all(ids.map(read));
    clock.advance(10_000);
    expect(await runDue(fixture)).toBeGreaterThan(3);
    expect(await Promise.all(ids.map(read))).toEqual(before);
  });

  test('accepts an invitation and then offers', async () => {
    const fixture = memoryFixture();
    const { use, clock, stores } = fixture;
    const firm = await fixture.newFirm();
    const svcId = firm.accounts.joins;
    await use.inviteAdjuster(firm.test, { svcId, notes: NO_NOTES });
    clock.advance(2_000);
    await runDue(fixture);
    const id = await fixture.sendId(firm.test, svcId);
    clock.advance(2_000);
    await runDue(fixture);
    expect((await stores.firmReads.claim(firm.id, 'test', id))?.assignment).toMatchObject({
      status: 'accepted',
      respondedAt: clock.now(),
    });
    const rows = await stores.auditReads.rows(firm.id, { after: 0, limit: 100 });
    const acts = rows
      .flatMap(({ text }) => auditEntriesFrom(text))
      .filter(({ actor }) => actor === 'service');
    expect(acts).toMatchObject([
      { action: 'invitation.accept', address: null, requestId: null },
      { action: 'claim.accept', address: null, requestId: null },
    ]);
  });

  test('responds only to the invitation of the job', async () => {
    const fixture = memoryFixture();
    const { use, clock, stores } = fixture;
    const firm = await fixture.newFirm();
    const svcId = firm.accounts.declines;
    const status = async () => (await stores.firmReads.adjuster(firm.id, svcId))?.membership.status;
    await use.inviteAdjuster(firm.test, { svcId, notes: NO_NOTES });
    clock.advance(1_000);
    await use.withdrawInvitation(firm.test, svcId);
    await use.inviteAdjuster(firm.test, { svcId, notes: NO_NOTES });
    clock.advance(1_000);
    await runDue(fixture);
    expect(await status()).toBe('pending');
    clock.advance(1_000);
    await runDue(fixture);
    expect(await status()).toBe('declined');
  });

  test('running a job twice has no further effect', async () => {
    const fixture = memoryFixture();
    const { use, clock, stores, memory } = fixture;
    const firm = await fixture.newFirm();
    const ids = [
      await fixture.sendId(firm.test, firm.accounts.accepts),
      await fixture.sendId(firm.test, firm.accounts.rejects),
    ];
    await use.inviteAdjuster(firm.test, { svcId: firm.accounts.joins, notes: NO_NOTES });
    clock.advance(2_000);
    await memory.jobs.runDue(clock.now(), async (job) => {
      await use.runJob(job);
      const after = await Promise.all(ids.map((id) => stores.firmReads.claim(firm.id, 'test', id)));
      clock.advance(1);
      await use.runJob(job);
      expect(await Promise.all(ids.map((id) => stores.firmReads.claim(firm.id, 'test', id)))).toEqual(after);
    });
  });
});
