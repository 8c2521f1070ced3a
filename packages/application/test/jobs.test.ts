import { describe, expect, test } from '@jest/globals';
import { type AuditEvent, type Job, makeRunJob, type Notification, type OfferEvent } from '@svc/application';
import {
  type AuditAction,
  DAY,
  type DeliveryOutcome,
  HOUR,
  MINUTE,
  NO_NOTES,
  nextLateOffersMail,
  type Svcid,
} from '@svc/domain';
import { memoryFixture } from './memory-fixture.ts';

type Fixture = ReturnType<typeof memoryFixture>;

const withMember = async () => {
  const fixture = memoryFixture();
  return { fixture, ...(await fixture.newTeam()) };
};
const setQuietHours = (
  { use }: Fixture,
  svcId: Svcid,
  quietHours: { start: string; end: string } | null,
  others = { timeZone: 'UTC', deadlineReminders: false },
) => use.setDevicePreferences({ svcId }, 'phone', { quietHours, ...others });
const ALL_DAY = { start: '00:00', end: '23:59' };
/** Runs every due job, including those it creates. */
const runDue = ({ memory, clock, use }: Fixture): Promise<number> =>
  memory.jobs.runDue(clock.now(), use.runJob);
/** Runs jobs that notify through `notifier`. */
const runnerWith = (
  { memory, secrets, clock }: Fixture,
  notifier: Parameters<typeof makeRunJob>[0]['notifier'],
  audited: AuditEvent[] = [],
  offers: OfferEvent[] = [],
) =>
  makeRunJob({
    uow: memory.unitOfWork,
    claimWrites: memory.claimWrites,
    jobReads: memory.jobReads,
    boardReads: memory.boardReads,
    firmReads: memory.firmReads,
    appReads: memory.appReads,
    secrets,
    clock,
    notifier,
    mailer: { async sendLateOffers() {} },
    webhookNotices: { async paused() {} },
    auditBuffer: { add: (event) => void audited.push(event) },
    offerBuffer: { add: (event) => void offers.push(event) },
  });
const notificationsTo = ({ external }: Fixture, svcId: Svcid) =>
  external.notifications.flatMap((each) => (each.svcId === svcId ? [each.notification] : []));

describe('a notification', () => {
  test('of an offer is not sent after it was answered, reassigned or unassigned, and its end to who lost it', async () => {
    const { fixture, firm, svcId } = await withMember();
    const other = await fixture.newMember(firm);
    await runDue(fixture);
    const [accepted, rejected, moved, taken] = [
      await fixture.sendId(firm.live, svcId),
      await fixture.sendId(firm.live, svcId),
      await fixture.sendId(firm.live, svcId),
      await fixture.sendId(firm.live, svcId),
    ];
    await fixture.sendId(firm.live, svcId);
    await fixture.use.acceptClaim({ svcId }, accepted);
    await fixture.use.rejectClaim({ svcId }, rejected, null);
    for (const id of [moved, taken]) await fixture.offer(firm.live, id, other);
    const returned = await fixture.sendId(firm.live, svcId);
    for (const to of [other, svcId]) await fixture.offer(firm.live, returned, to);
    await fixture.use.acceptClaim({ svcId }, returned);
    await fixture.use.acceptClaim({ svcId: other }, taken);
    await fixture.use.leaveFirm({ svcId }, firm.id);
    await runDue(fixture);
    const about = (kind: string, claimId: string) => ({ kind, firmName: firm.name, claimId });
    expect(notificationsTo(fixture, svcId)).toEqual([moved, taken].map((id) => about('offer_withdrawn', id)));
    expect(notificationsTo(fixture, other)).toEqual([
      about('offer', moved),
      about('offer_withdrawn', returned),
    ]);
  });

  test('has reminded of an offer when a device got it: not without one, nor in quiet hours, nor if it failed', async () => {
    const { fixture, firm, svcId } = await withMember();
    const { clock, memory } = fixture;
    const claimId = await fixture.sendId(firm.live, svcId);
    let offeredAt = clock.now();
    const other = await fixture.newMember(firm);
    await fixture.newDevice(svcId, 'phone');
    let outcomes: readonly DeliveryOutcome[] = [];
    const runJob = runnerWith(fixture, {
      notify: async ({ svcId: to, devices }, notification, { except = [] } = {}) => {
        expect([to, ...devices.map(({ deviceId }) => deviceId)]).toEqual([svcId, 'phone']);
        expect(notification).toEqual({ kind: 'offer', firmName: firm.name, claimId });
        return except.includes('device:phone')
          ? []
          : outcomes.map((outcome) => ({ channel: 'device:phone', outcome }));
      },
    });
    const remind = async () => {
      await runJob({ kind: 'notify_offer_late', firmId: firm.id, claimId, svcId, offeredAt });
      const offers = await memory.offerHistory.ofClaim(firm.id, claimId);
      return offers.find((offer) => offer.offeredAt === offeredAt)?.remindedAt;
    };
    const reminded = [await remind()];
    outcomes = ['delivered'];
    await setQuietHours(fixture, svcId, ALL_DAY);
    reminded.push(await remind());
    await setQuietHours(fixture, svcId, null);
    outcomes = ['retried', 'gone', 'rejected'];
    reminded.push(await remind());
    expect(reminded).toEqual([null, null, null]);
    outcomes = ['retried', 'delivered'];
    const at = clock.now();
    expect(await remind()).toBe(at);
    clock.advance(MINUTE);
    expect(await remind()).toBe(at);
    for (const to of [other, svcId]) {
      clock.advance(MINUTE);
      await fixture.offer(firm.live, claimId, to);
    }
    offeredAt = clock.now();
    outcomes = ['delivered'];
    expect(await remind()).toBe(offeredAt);
  });

  test('that fails as a whole is postponed once for a device in quiet hours, however often it is repeated', async () => {
    const { fixture, firm, svcId } = await withMember();
    const { memory, clock } = fixture;
    await fixture.newDevice(svcId, 'phone');
    await setQuietHours(fixture, svcId, ALL_DAY);
    await runDue(fixture);
    await fixture.sendId(firm.live, svcId);
    const failing = runnerWith(fixture, { notify: () => Promise.reject(new Error('no push keys')) });
    for (let n = 0; n < 2; n += 1)
      await expect(memory.jobs.runDue(clock.now(), failing)).rejects.toThrow('no push keys');
    await runDue(fixture);
    const postponed = (await memory.jobs.pending()).filter(({ job }) => 'only' in job);
    expect(postponed.map(({ job }) => job)).toEqual([
      expect.objectContaining({ kind: 'notify_offer', only: 'device:phone' }),
    ]);
  });
});

test('an invitation is emailed three times for one firm and recipient, twenty times for a recipient, then after growing pauses; devices get each', async () => {
  const fixture = memoryFixture();
  const { memory, clock, use } = fixture;
  const [firm, other] = [await fixture.newFirm(), await fixture.newFirm()];
  const { svcId } = await fixture.newAdjuster();
  const emailed: boolean[] = [];
  const runJob = runnerWith(fixture, {
    notify: async (_svcId, _notification, { except = [] } = {}) => {
      emailed.push(!except.includes('mail'));
      return [];
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
  expect(emailed.splice(0)).toEqual([true, true, true, false, false, true, true, false]);
  // All firms together: twenty, of which five were sent.
  for (let n = 0; n < 6; n += 1) {
    const another = await fixture.newFirm();
    for (let times = 0; times < 3; times += 1) await invite(another);
  }
  expect(emailed).toEqual([...Array(15).fill(true), ...Array(3).fill(false)]);
});

/** Delivers over every channel except those that are down. */
const notifying = (fixture: Fixture, down: ReadonlySet<string>) => {
  const { memory, clock } = fixture;
  const channels: (string | undefined)[] = [];
  const audited: AuditEvent[] = [];
  const notify: Parameters<typeof runnerWith>[1]['notify'] = async (_to, _notification, choice = {}) => {
    const { only, except = [] } = choice;
    channels.push(except.includes('mail') ? 'no mail' : only);
    // As long as push services took.
    clock.advance(10);
    return (['mail', 'device:phone', 'device:tablet'] as const)
      .filter((channel) => down.has(channel) && (only === undefined || only === channel))
      .map((channel) => ({ channel, outcome: 'retried' as const }));
  };
  const runJob = runnerWith(fixture, { notify }, audited);
  return { channels, audited, run: () => memory.jobs.runDue(clock.now(), runJob) };
};

test('each push about an offer is in the audit trail of its firm, and those of the offer itself in its history', async () => {
  const { fixture, firm } = await withMember();
  const { use, clock, memory, secrets } = fixture;
  const { manual: svcId, rejects: other } = firm.accounts;
  await use.setOfferWait(firm.id, 1);
  await runDue(fixture);
  const [audited, offers]: [AuditEvent[], OfferEvent[]] = [[], []];
  let outcomes: readonly DeliveryOutcome[] = ['delivered', 'unauthorized', 'rejected'];
  const channels = ['mail', 'device:1', 'device:2'] as const;
  const notify = async () => {
    clock.advance(outcomes.length - 1);
    return outcomes.map((outcome, n) => ({ channel: channels[n] ?? 'mail', outcome }));
  };
  const run = () => memory.jobs.runDue(clock.now(), runnerWith(fixture, { notify }, audited, offers));
  const claimId = await fixture.sendId(firm.test, svcId);
  const offered = { firmId: firm.id, claimId, environment: 'test', offeredAt: clock.now(), adjuster: svcId };
  const pushed = (action: AuditAction, outcome: string) => ({
    chain: firm.id,
    entry: { at: clock.now(), actor: 'service', action, object: `claim:${claimId}`, outcome },
  });
  const push = (outcome: DeliveryOutcome, n = 0) => ({
    channel: n === 0 ? 'mail' : secrets.hashOfSubject('push', channels[n] ?? '').slice(0, 12),
    outcome,
    at: clock.now(),
  });

  await run();
  expect(audited.splice(0)).toMatchObject(
    ['ok', 'unauthorized', 'rejected'].map((outcome) => pushed('claim.push', outcome)),
  );
  expect(offers.splice(0)).toEqual(outcomes.map((outcome, n) => ({ ...offered, push: push(outcome, n) })));
  // The operator can correct the keys, so that device is tried again; the message would be rejected again.
  const retries = (await fixture.jobsOf(firm)).flatMap(({ job }) => ('only' in job ? [job.only] : []));
  expect(retries).toEqual(['device:1']);

  outcomes = ['delivered'];
  clock.advance(HOUR);
  await run();
  expect(audited.splice(0)).toMatchObject([pushed('claim.push', 'ok'), pushed('claim.push', 'ok')]);
  expect(offers.splice(0)).toEqual([{ ...offered, push: push('delivered') }]);

  await fixture.offer(firm.test, claimId, other);
  await fixture.invite(firm, (await fixture.newAdjuster()).svcId);
  await run();
  expect(audited.map(({ entry }) => entry.action).sort()).toEqual(['claim.push', 'claim.push_withdrawn']);
  expect(offers).toEqual([{ ...offered, offeredAt: clock.now(), adjuster: other, push: push('delivered') }]);
});

test('a mail about late offers counts those of when its job runs, however late that is, and the next is due at the noon after', async () => {
  const fixture = memoryFixture();
  const { use, clock, memory, external } = fixture;
  const { firm, svcId } = await fixture.newTeam();
  await use.setOfferWait(firm.id, 1);
  const member = await fixture.newStaff(firm, 'dispatcher');
  await use.desk.setLateOffersMail({ actor: 'staff', address: null, requestId: null }, member, true);
  const queued = (await fixture.jobsOf(firm)).at(-1);
  if (queued === undefined) throw new Error('no mail is queued');
  expect(queued.runAt).toBe(nextLateOffersMail(clock.now()));
  clock.advance(queued.runAt - clock.now());
  await fixture.sendId(firm.live, svcId);
  clock.advance(3 * DAY);
  await use.runJob(queued.job);
  expect(external.notices.at(-1)?.event).toBe(`late_offers 1 ${firm.name}`);
  const { lateOffersMailAt } = (await memory.staffReads.find(member)) ?? {};
  const next = nextLateOffersMail(clock.now());
  expect([lateOffersMailAt, (await fixture.jobsOf(firm)).at(-1)?.runAt]).toEqual([next, next]);
  const mails = external.notices.length;
  const stored = await memory.staffReads.find(member);
  if (stored === null) throw new Error('expected a member');
  await memory.unitOfWork.run((tx) => tx.staff.save({ ...stored, role: 'auditor' }));
  await use.runJob({ kind: 'mail_late_offers', ...member, at: next });
  expect(external.notices).toHaveLength(mails);
});

test('a reminder of credentials that is late looks back to its own time, and the next one is due after it has run', async () => {
  const fixture = memoryFixture();
  const { use, clock, memory, external } = fixture;
  const { svcId } = await fixture.newAdjuster();
  const dayIn = (days: number) => new Date(clock.now() + days * DAY).toISOString().slice(0, 10);
  const license = (number: string, expiresOn: string) =>
    ({ state: 'TX', kind: 'resident', number, expiresOn }) as const;
  const [first, second, last] = [dayIn(70), dayIn(72), dayIn(90)];
  await use.saveCredentials(
    { svcId },
    { licenses: [license('L1', first), license('L2', second), license('L3', last)] },
  );
  const [queued] = await memory.jobs.pending();
  if (queued === undefined) throw new Error('no reminder is queued');
  // The first is renewed before, and the second is due between the job's time and its run.
  await use.saveCredentials({ svcId }, { licenses: [license('L2', second), license('L3', last)] });
  clock.advance(queued.runAt + 4 * DAY - clock.now());
  for (let times = 0; times < 2; times += 1) await use.runJob(queued.job);
  const at = Date.parse(`${last}T16:00:00Z`) - 60 * DAY;
  const added = (await memory.jobs.pending()).slice(0).filter(({ job }) => job !== queued.job);
  expect(added.filter(({ runAt }) => runAt !== queued.runAt)).toEqual([
    { job: { kind: 'notify_credentials', svcId, expiresOn: second }, runAt: clock.now() },
    { job: { kind: 'remind_credentials', svcId, at }, runAt: at },
  ]);
  await use.saveCredentials({ svcId }, { licenses: [license('L2', second)] });
  for (const expiresOn of [first, second]) await use.runJob({ kind: 'notify_credentials', svcId, expiresOn });
  expect(external.notifications).toEqual([
    { svcId, notification: { kind: 'credentials', expiresOn: second } },
  ]);
});

test('a job that runs on a clock that is behind does what is due at its own time, and queues the next one for later', async () => {
  const fixture = memoryFixture();
  const { use, clock, memory, external, newFirm, newStaff, newAdjuster } = fixture;
  const { svcId } = await newAdjuster();
  const [member, expiresOn] = [await newStaff(await newFirm()), '2028-04-30'];
  const licenses = [{ state: 'TX', kind: 'resident', number: 'L1', expiresOn }] as const;
  await use.saveCredentials({ svcId }, { licenses });
  await use.desk.setLateOffersMail({ actor: 'staff', address: null, requestId: null }, member, true);
  const queued = await memory.jobs.pending();
  for (const { job, runAt } of queued) {
    clock.advance(runAt - 1 - clock.now());
    await use.runJob(job);
  }
  const [mailed, reminded] = queued.map(({ runAt }) => runAt);
  const added = (await memory.jobs.pending()).filter(({ job }) => queued.every((one) => one.job !== job));
  expect(added.map(({ job, runAt }) => [job.kind, runAt])).toEqual([
    ['mail_late_offers', (mailed ?? 0) + DAY],
    ['notify_credentials', clock.now()],
    ['remind_credentials', (reminded ?? 0) + 46 * DAY],
  ]);
  // The last one notifies too, and once.
  const last = added.find(({ job }) => job.kind === 'remind_credentials');
  if (last === undefined) throw new Error('no reminder is queued');
  clock.advance(last.runAt - clock.now());
  const before = await memory.jobs.pending();
  for (let times = 0; times < 2; times += 1) await use.runJob(last.job);
  expect((await memory.jobs.pending()).slice(before.length).map(({ job }) => job)).toEqual([
    { kind: 'notify_credentials', svcId, expiresOn },
  ]);
  expect(external.notices.filter(({ event }) => event.startsWith('late_offers'))).toEqual([]);
});

describe('a channel that failed', () => {
  test('is retried without counting an invitation that is emailed twice', async () => {
    const fixture = memoryFixture();
    const { clock, use } = fixture;
    const firm = await fixture.newFirm();
    const { svcId } = await fixture.newAdjuster();
    const down = new Set<string>();
    const { channels, run } = notifying(fixture, down);
    for (const channel of ['device:phone', 'mail', 'device:phone']) {
      down.add(channel);
      await fixture.invite(firm, svcId);
      await run();
      down.clear();
      clock.advance(2000);
      await run();
      await use.withdrawInvitation(firm.live, svcId);
    }
    expect(channels).toEqual([undefined, 'device:phone', undefined, 'mail', undefined, 'device:phone']);
    down.add('mail');
    await fixture.invite(firm, svcId);
    await run();
    clock.advance(2000);
    await expect(run()).rejects.toThrow('could not be delivered');
  });

  test('is retried alone after a delay, and each attempt is in the audit trail', async () => {
    const { fixture, firm, svcId } = await withMember();
    await runDue(fixture);
    await fixture.sendId(firm.live, svcId);
    const { channels, audited, run } = notifying(fixture, new Set(['device:phone', 'mail']));
    await run();
    expect(channels).toEqual([undefined]);
    fixture.clock.advance(1999);
    await run();
    expect(channels).toEqual([undefined]);
    fixture.clock.advance(1);
    await expect(run()).rejects.toMatchObject({
      name: 'NotificationFailed',
      message: 'notification could not be delivered',
    });
    expect(channels.slice(1)).not.toContain(undefined);
    expect(audited.map(({ entry }) => entry.outcome)).toEqual([...channels, undefined].map(() => 'retried'));
  });
});

describe('a device in quiet hours', () => {
  const setUp = async () => {
    const { fixture, firm, svcId } = await withMember();
    await fixture.newDevice(svcId, 'phone');
    await setQuietHours(fixture, svcId, { start: '12:01', end: '18:00' });
    await fixture.newDevice(svcId, 'tablet');
    const quietHours = { start: '07:00', end: '15:00' };
    const preferences = { quietHours, timeZone: 'America/Chicago', deadlineReminders: false };
    await fixture.use.setDevicePreferences({ svcId }, 'tablet', preferences);
    await runDue(fixture);
    await fixture.sendId(firm.live, svcId);
    return fixture;
  };
  const postponed = [
    ['device:phone', '18:00'],
    ['device:tablet', '20:00'],
  ];
  const toPhone = ({ only }: { only?: string | undefined }): boolean => only === 'device:phone';
  const pendingAt = async ({ memory }: Fixture) =>
    (await memory.jobs.pending()).map(({ job, runAt }) => [
      'only' in job && job.only,
      new Date(runAt).toISOString().slice(11, 16),
    ]);

  test('that have begun since the first attempt failed gets no second attempt before they end', async () => {
    const fixture = await setUp();
    await notifying(fixture, new Set(['device:phone'])).run();
    fixture.clock.advance(MINUTE);
    const before = fixture.external.notifications.length;
    await runDue(fixture);
    expect(fixture.external.notifications).toHaveLength(before);
    expect(await pendingAt(fixture)).toEqual(postponed);
    fixture.clock.advance(6 * HOUR);
    await runDue(fixture);
    expect(fixture.external.notifications.filter(toPhone)).toHaveLength(1);
  });
});

test('in quiet hours a device gets only the notification that tests it, and any other when they end', async () => {
  const { fixture, firm, svcId } = await withMember();
  const { use, clock, memory, external } = fixture;
  const [inviting, expiresOn, at] = [await fixture.newFirm(), '2028-04-30', clock.now()];
  const licenses = [{ state: 'TX', kind: 'resident', number: 'L1', expiresOn }] as const;
  await use.saveCredentials({ svcId }, { licenses });
  await fixture.invite(inviting, svcId);
  const [claimId, moved] = [await fixture.sendId(firm.live, svcId), await fixture.sendId(firm.live, svcId)];
  await fixture.offer(firm.live, moved, await fixture.newMember(firm));
  await fixture.newDevice(svcId, 'phone');
  await setQuietHours(fixture, svcId, ALL_DAY);
  const [of, only] = [{ firmId: firm.id, svcId }, 'device:phone'] as const;
  const invitation = { kind: 'notify_invitation', firmId: inviting.id, svcId, invitedAt: at } as const;
  const reminder = { ...invitation, isReminder: true } as const;
  const late: Job[] = [
    { kind: 'notify_offer', ...of, claimId },
    { kind: 'notify_offer_late', ...of, claimId, offeredAt: at },
    { kind: 'notify_offer_withdrawn', ...of, claimId: moved },
    { kind: 'notify_credentials', svcId, expiresOn },
    ...[invitation, reminder, invitation, reminder],
    { kind: 'notify_deadlines', svcId, only, count: 3 },
  ];
  for (const job of [...late, { kind: 'notify_test', svcId, only } as const]) await use.runJob(job);
  const postponed = (await memory.jobs.pending()).filter(({ job }) => 'only' in job);
  const until = Date.parse(new Date(at).toISOString().slice(0, 11).concat('23:59:00Z'));
  expect(postponed).toEqual(late.map((job) => ({ job: { ...job, only }, runAt: until })));
  const waiting = (await memory.jobs.pending()).filter(({ job }) => job.kind === 'remind_of_invitation');
  expect(waiting).toHaveLength(2);
  const kinds = 'offer offer offer_withdrawn credentials invitation reminder invitation'.split(' ');
  const nameOf = (sent: Notification) => ('isReminder' in sent && sent.isReminder ? 'reminder' : sent.kind);
  expect(
    external.notifications.map(({ notification, only, except }) => [nameOf(notification), only, except]),
  ).toEqual([
    ...kinds.map((kind) => [kind, undefined, [only]]),
    // The first reminder counts as one of three mails.
    ['reminder', undefined, ['mail', only]],
    ['test', only, undefined],
  ]);
});

describe('a reminder of deadlines', () => {
  /** At 7:59 in the time zone, with a device that wants reminders. */
  const setUp = async (timeZone: string, utc: string) => {
    const { fixture, firm, svcId } = await withMember();
    const { use, clock } = fixture;
    clock.advance(Date.parse(utc) - MINUTE - clock.now());
    await fixture.newDevice(svcId, 'phone');
    await setQuietHours(fixture, svcId, null, { timeZone, deadlineReminders: true });
    await runDue(fixture);
    clock.advance(MINUTE);
    const claim = fixture.newClaim();
    const asSent = claim.asSent.replace('"peril"', '"cat_code":"FL26-09","peril"') as typeof claim.asSent;
    const id = await fixture.sendId(firm.live, svcId, { claim: { ...claim, asSent } });
    await use.acceptClaim({ svcId }, id);
    const countsOn = async (days: number): Promise<number[]> => {
      const before = fixture.external.notifications.length;
      for (let day = 0; day < days; day += 1) {
        await runDue(fixture);
        clock.advance(DAY);
      }
      return fixture.external.notifications
        .slice(before)
        .flatMap(({ notification }) => (notification.kind === 'deadlines' ? [notification.count] : []));
    };
    return { ...fixture, svcId, id, countsOn };
  };

  test.each([
    [24, [1], []],
    [48, [], [1]],
  ])(
    'counts a deadline at the time of the next reminder, also that of an event: %i hours',
    async (...row) => {
      // Accepted at 8:00: the first contact ends at 8:00 on the next day.
      const { countsOn, use } = await setUp('UTC', '2026-09-02T08:00:00Z');
      const [hours, ...counts] = row;
      await use.setDeadline({ event: 'FL26-09', kind: 'first_contact', hours, source: 'Bulletin' });
      expect([await countsOn(1), await countsOn(2)]).toEqual(counts);
      expect(await countsOn(1)).toEqual([]);
    },
  );

  test('that is late by days counts at once what ended since its own time', async () => {
    const { countsOn, clock, use, memory } = await setUp('UTC', '2026-09-02T08:00:00Z');
    const queued = await memory.jobs.pending();
    // The first contact, which is due on the next day, and the preliminary report, after 15 days.
    clock.advance(16 * DAY);
    expect(await countsOn(1)).toEqual([2]);
    const after = await memory.jobs.pending();
    for (const { job } of queued) await use.runJob(job);
    expect(await memory.jobs.pending()).toEqual(after);
  });

  test('counts days from the date of loss in the time zone of the device', async () => {
    // The proof of loss of the test claim ends 60 days after 2026-08-29: at the end of October 28.
    const { countsOn, use, svcId, id, clock } = await setUp('Asia/Tokyo', '2026-10-26T23:00:00Z');
    const details = { preliminaryReportDate: '2026-10-27' };
    await use.recordWork({ svcId }, id, { contactDate: '2026-10-27', details });
    expect(await countsOn(1)).toEqual([]);
    expect(new Date(clock.now()).toISOString()).toBe('2026-10-27T23:00:00.000Z');
    expect(await countsOn(2)).toEqual([1]);
  });
});

describe('a job', () => {
  test('of what was deleted since, and of accounts that do not respond by themselves, has no effect', async () => {
    const fixture = memoryFixture();
    const { use, stores, ids, clock } = fixture;
    const firm = await fixture.newFirm();
    const { manual } = firm.accounts;
    const { svcId: expired } = await fixture.newAdjuster();
    await fixture.invite(firm, expired);
    await use.inviteAdjuster(firm.test, { svcId: firm.accounts.declines, notes: NO_NOTES });
    const expiredOf = clock.now();
    clock.advance(8 * DAY);
    const { svcId } = await fixture.newAdjuster();
    await fixture.invite(firm, svcId);
    const { svcId: withdrawn } = await fixture.newAdjuster();
    await fixture.invite(firm, withdrawn);
    await use.withdrawInvitation(firm.live, withdrawn);
    await use.inviteAdjuster(firm.test, { svcId: firm.accounts.new, notes: NO_NOTES });
    await use.setOfferWait(firm.id, 1);
    const claimId = await fixture.sendId(firm.test, manual);
    const real = await fixture.sendId(firm.live, await fixture.newMember(firm));
    const states = () =>
      Promise.all([
        stores.firmReads.claim(firm.id, 'test', claimId),
        stores.firmReads.claim(firm.id, 'live', real),
        stores.firmReads.adjuster(firm.id, svcId),
        stores.firmReads.adjuster(firm.id, firm.accounts.new),
        stores.firmReads.adjuster(firm.id, firm.accounts.declines),
      ]);
    const queued = (await stores.jobs.pending()).map(({ job }) => job.kind);
    expect(queued.filter((kind) => kind.startsWith('simulate'))).toEqual(['simulate_invitation_response']);
    const before = await states();
    const realMember = before[1]?.assignment.adjuster ?? svcId;
    const at = clock.now();
    const firmId = firm.id;
    const gone = { firmId, claimId: ids.next() as typeof claimId, svcId: 'Erased-0' as Svcid };
    for (const job of [
      { kind: 'notify_offer', ...gone },
      { kind: 'notify_offer_withdrawn', ...gone },
      { kind: 'notify_offer_late', ...gone, offeredAt: at },
      { kind: 'notify_offer_late', firmId, claimId: real, svcId, offeredAt: at },
      ...[at - 1, at + 1].map(
        (offeredAt) =>
          ({ kind: 'notify_offer_late', firmId, claimId: real, svcId: realMember, offeredAt }) as const,
      ),
      { kind: 'remind_of_offer', ...gone, offeredAt: at, hours: 1 },
      { kind: 'remind_of_offer', firmId, claimId: real, svcId, offeredAt: at, hours: 1 },
      { kind: 'notify_invitation', ...gone, invitedAt: at },
      { kind: 'notify_invitation', firmId, svcId: withdrawn, invitedAt: at },
      { kind: 'notify_invitation', firmId, svcId: expired, invitedAt: expiredOf },
      { kind: 'remind_deadlines', svcId: gone.svcId, deviceId: 'phone', at },
      { kind: 'simulate_offer_response', ...gone, offeredAt: at },
      { kind: 'simulate_offer_response', ...gone, svcId: manual, offeredAt: at },
      { kind: 'simulate_offer_response', firmId, claimId, svcId: manual, offeredAt: at },
      { kind: 'simulate_offer_response', firmId, claimId: real, svcId: realMember, offeredAt: at },
      { kind: 'simulate_invitation_response', ...gone, invitedAt: at },
      { kind: 'simulate_invitation_response', firmId, svcId: firm.accounts.joins, invitedAt: at },
      { kind: 'simulate_invitation_response', firmId, svcId: firm.accounts.new, invitedAt: at },
      { kind: 'simulate_invitation_response', firmId, svcId, invitedAt: at },
      {
        kind: 'simulate_invitation_response',
        firmId,
        svcId: firm.accounts.declines,
        invitedAt: expiredOf,
      },
    ] satisfies Job[])
      await use.runJob(job);
    expect(await states()).toEqual(before);
    expect(fixture.external.notifications).toEqual([]);
  });
});

describe('a test account with simulated responses', () => {
  const responseJobs = async ({ memory }: Fixture): Promise<Job[]> =>
    (await memory.jobs.pending()).map(({ job }) => job).filter(({ kind }) => kind.startsWith('simulate'));

  test.each([
    ['accepts', 'accepted'],
    ['rejects', 'rejected'],
  ] as const)(
    'that %s responds only to the offer of the job, in the name of the service',
    async (name, response) => {
      const fixture = memoryFixture();
      const { use, useOn, clock, stores, memory } = fixture;
      const firm = await fixture.newFirm();
      const { manual, [name]: responding } = firm.accounts;
      const id = await fixture.sendId(firm.test, responding);
      const [first] = await responseJobs(fixture);
      clock.advance(500);
      await fixture.offer(firm.test, id, manual);
      clock.advance(1);
      await fixture.offer(firm.test, id, responding);
      if (first === undefined) throw new Error('no response is queued');
      await use.runJob(first);
      const status = async () => (await stores.firmReads.claim(firm.id, 'test', id))?.assignment.status;
      expect(await status()).toBe('pending_acceptance');
      clock.advance(1_999);
      await runDue(fixture);
      expect(await status()).toBe('pending_acceptance');
      const [next] = await responseJobs(fixture);
      const respond = () => Promise.reject(new Error('no connection'));
      const failing = useOn({ claimWrites: { ...memory.claimWrites, respond } });
      if (next !== undefined) await expect(failing.runJob(next)).rejects.toThrow('no connection');
      clock.advance(1);
      await runDue(fixture);
      expect(await status()).toBe(response);
      const action = response === 'accepted' ? 'claim.accept' : 'claim.reject';
      expect((await fixture.auditOf(firm.id)).at(-1)).toMatchObject({ actor: 'service', action });
      await use.closeClaimAsOperator(id);
      if (next !== undefined) await use.runJob(next);
      expect(await status()).toBe(response);
    },
  );

  test.each([
    ['declines', 'declined', 'invitation.decline'],
    ['joins', 'active', 'invitation.accept'],
  ] as const)('that %s responds only to the invitation of the job', async (name, response, action) => {
    const fixture = memoryFixture();
    const { use, clock, stores } = fixture;
    const firm = await fixture.newFirm();
    const svcId = firm.accounts[name];
    const status = async () => (await stores.firmReads.adjuster(firm.id, svcId))?.membership.status;
    await use.inviteAdjuster(firm.test, { svcId, notes: NO_NOTES });
    clock.advance(1_000);
    await use.withdrawInvitation(firm.test, svcId);
    await use.inviteAdjuster(firm.test, { svcId, notes: NO_NOTES });
    clock.advance(1_000);
    await runDue(fixture);
    expect(await status()).toBe('pending');
    clock.advance(1_000);
    const [job] = await responseJobs(fixture);
    await runDue(fixture);
    expect(await status()).toBe(response);
    if (job !== undefined) await use.runJob(job);
    expect(await status()).toBe(response);
    const responded = { at: clock.now(), actor: 'service', action };
    expect((await fixture.auditOf(firm.id)).at(-1)).toMatchObject(responded);
  });
});
