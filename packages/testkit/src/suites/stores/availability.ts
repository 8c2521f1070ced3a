import { describe, expect, test } from '@jest/globals';
import { TooManyAttempts } from '@svc/application';
import { ALWAYS_AVAILABLE, type FirmId, HOUR, MINUTE, type Svcid } from '@svc/domain';
import { errorCodeOf } from '../../error-code.ts';
import type { Fixture, TestFirm } from '../../fixture.ts';

const UTC = { timeZone: 'UTC', quietHours: null, deadlineReminders: false } as const;

export function availabilityBehavior(fixture: () => Fixture): void {
  /** Null: the offer was made. */
  const sendingTo = async (firm: TestFirm, svcId: Svcid): Promise<string | null> => {
    const sending = fixture().send(firm.live, svcId);
    return (await sending.then(
      () => true,
      () => false,
    ))
      ? null
      : errorCodeOf(sending);
  };
  const dayAfter = (days: number): string =>
    new Date(fixture().clock.now() + days * 24 * HOUR).toISOString().slice(0, 10);

  describe('availability', () => {
    test('concurrent offers of several firms do not exceed the number that the adjuster wants', async () => {
      const { newFirm, newMember, invite, send, offer, use, stores } = fixture();
      const [one, two] = [await newFirm(), await newFirm()];
      const svcId = await newMember(one);
      await invite(two, svcId);
      await use.acceptInvitation({ svcId }, two.id);
      await use.setAvailability({ svcId }, { maxOpenOffers: 3 });
      const sent = await Promise.allSettled(
        [one, two, one, two, one, two, one, two].map((firm) => send(firm.live, svcId)),
      );
      expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
      const open = await stores.appReads.claimIds(svcId, 'pending_acceptance');
      expect(open).toHaveLength(3);
      const [first, second, third] = open;
      if (first === undefined || second === undefined || third === undefined) throw new Error('no offers');
      // Repeating a pending offer adds none.
      const firmOf = async (id: typeof first) =>
        (await stores.firmReads.claim(one.id, 'live', id)) === null ? two : one;
      await offer((await firmOf(first)).live, first, svcId);
      await use.rejectClaim({ svcId }, second, null);
      await send(two.live, svcId);
      expect(await sendingTo(one, svcId)).toBe('adjuster_not_accepting');
      await use.acceptClaim({ svcId }, third);
      expect(await sendingTo(one, svcId)).toBeNull();
    });

    test('an offer of a claim of another adjuster counts against that number too, and none is made on a day off', async () => {
      const { newFirm, newMember, sendId, offer, use } = fixture();
      const firm = await newFirm();
      const [svcId, other] = [await newMember(firm), await newMember(firm)];
      await use.setAvailability({ svcId }, { maxOpenOffers: 1 });
      const [pending, rejected] = [await sendId(firm.live, other), await sendId(firm.live, svcId)];
      await use.rejectClaim({ svcId }, rejected, null);
      const closed = await sendId(firm.live, svcId);
      for (const id of [pending, rejected])
        expect(await errorCodeOf(offer(firm.live, id, svcId))).toBe('adjuster_not_accepting');
      await use.closeClaimAsOperator(closed);
      expect(await sendingTo(firm, svcId)).toBeNull();
      const dayOff = { firstDay: dayAfter(0), lastDay: dayAfter(0), timeZone: 'UTC' };
      await use.setAvailability({ svcId }, { maxOpenOffers: null, away: [dayOff] });
      expect(await errorCodeOf(offer(firm.live, pending, svcId))).toBe('adjuster_not_accepting');
    });

    test('an export of the firm does not contain it', async () => {
      const { newTeam, use } = fixture();
      const { firm, svcId } = await newTeam();
      await use.setAvailability({ svcId }, { maxOpenOffers: 4711 });
      const changed = await use.setAvailability({ svcId }, { acceptingAssignments: false });
      expect(changed).toEqual({ ...ALWAYS_AVAILABLE, maxOpenOffers: 4711, acceptingAssignments: false });
      const rows: unknown[] = [];
      for await (const row of use.exportFirm(firm.id)) rows.push(row);
      expect(JSON.stringify(rows)).toContain(svcId);
      expect(JSON.stringify(rows)).not.toMatch(/\b4711\b|maxOpenOffers/);
    });
  });

  /** A job that is due at once may have the time of the queue's own clock. */
  const isDue = (runAt: number): boolean =>
    runAt <= fixture().clock.now() || Math.abs(runAt - Date.now()) < 10 * MINUTE;

  /** Runs the jobs of the adjuster that are due, and those that they add. */
  const runJobsOf = async (svcId: Svcid, done = new Set<string>()): Promise<void> => {
    const { stores, use } = fixture();
    const due = (await stores.jobs.pending()).filter(
      ({ job, runAt }) => job.svcId === svcId && isDue(runAt) && !done.has(JSON.stringify([job, runAt])),
    );
    for (const { job, runAt } of due) {
      done.add(JSON.stringify([job, runAt]));
      // Two processes.
      const times = job.kind === 'remind_deadlines' ? 2 : 1;
      await Promise.all(Array.from({ length: times }, () => use.runJob(job)));
    }
    if (due.length > 0) await runJobsOf(svcId, done);
  };
  const notificationsTo = (svcId: Svcid) =>
    fixture().external.notifications.filter((sent) => sent.svcId === svcId);
  /** Moves the clock to the next time of day, in UTC. */
  const advanceTo = (hour: number): number => {
    const { clock } = fixture();
    const sinceMidnight = clock.now() % (24 * HOUR);
    return clock.advance((hour * HOUR - sinceMidnight + 24 * HOUR) % (24 * HOUR) || 24 * HOUR);
  };

  describe('a device', () => {
    test('is sent a test notification where it is registered', async () => {
      const { newAdjuster, newDevice, use } = fixture();
      const { svcId } = await newAdjuster();
      await newDevice(svcId, 'phone');
      await use.testDevice({ svcId }, 'phone');
      await runJobsOf(svcId);
      expect(notificationsTo(svcId)).toEqual([
        { svcId, notification: { kind: 'test' }, only: 'device:phone' },
      ]);
      expect(await errorCodeOf(use.testDevice({ svcId }, 'tablet'))).toBe('not_found');
      expect(await errorCodeOf(use.setDevicePreferences({ svcId }, 'tablet', UTC))).toBe('not_found');
    });

    test('is sent one test notification in ten seconds, also if it is registered anew for each', async () => {
      const { newAdjuster, newDevice, newSession, use, clock } = fixture();
      const { svcId } = await newAdjuster();
      const subscription = await newDevice(svcId, 'phone');
      await newDevice(svcId, 'tablet');
      const send = (deviceId: string) =>
        use.testDevice({ svcId }, deviceId).then(
          () => 'sent',
          (error: unknown) => (error instanceof TooManyAttempts ? error.retryAfterMs : error),
        );
      expect([await send('phone'), await send('phone'), await send('tablet')]).toEqual([
        'sent',
        10_000,
        'sent',
      ]);
      clock.advance(9_999);
      expect(await send('phone')).toBe(1);
      clock.advance(1);
      expect([await send('phone'), await send('phone')]).toEqual(['sent', 10_000]);

      const { tokenHash } = await newSession(svcId);
      const outcomes: unknown[] = [];
      for (let n = 0; n < 30; n += 1) {
        await use.putDevice({ svcId }, tokenHash, `new-${n}`, subscription);
        outcomes.push(await send(`new-${n}`));
      }
      expect(outcomes).toEqual([...Array(27).fill('sent'), 10_000, 10_000, 10_000]);
    });

    test('is reminded once of each deadline, on the day before it ends, unless it has ended, whatever runs twice', async () => {
      const { newTeam, newDevice, sendId, use, clock, stores } = fixture();
      const { firm, svcId } = await newTeam();
      await newDevice(svcId, 'phone');
      advanceTo(7);
      const accept = async () => {
        const id = await sendId(firm.live, svcId);
        await use.acceptClaim({ svcId }, id);
        return id;
      };
      const first = await accept();
      await accept();
      const reminders = { ...UTC, deadlineReminders: true };
      // The app sends them again and again.
      for (let times = 0; times < 3; times += 1)
        await use.setDevicePreferences({ svcId }, 'phone', reminders);
      const jobs = (await stores.jobs.pending()).map(({ job }) => job);
      expect(jobs.filter((job) => job.svcId === svcId && job.kind === 'remind_deadlines')).toHaveLength(1);
      const done = new Set<string>();
      const remindersAt = async (hour: number) => {
        const before = notificationsTo(svcId).length;
        advanceTo(hour);
        await runJobsOf(svcId, done);
        return notificationsTo(svcId)
          .slice(before)
          .filter(({ notification }) => notification.kind === 'deadlines')
          .map(({ notification, only }) => [notification.kind === 'deadlines' && notification.count, only]);
      };
      // At 8:00 what ends by the next 8:00: two first contacts, 24 hours after the acceptance.
      expect(await remindersAt(8)).toEqual([[2, 'device:phone']]);
      const queued = (await stores.jobs.pending()).filter(
        ({ job, runAt }) => job.svcId === svcId && job.kind === 'remind_deadlines' && runAt > clock.now(),
      );
      expect(queued).toHaveLength(1);
      expect(await remindersAt(9)).toEqual([]);
      // Then nothing until the preliminary reports, 15 days after the acceptance.
      for (let day = 0; day < 13; day += 1) expect(await remindersAt(8)).toEqual([]);
      await use.recordWork({ svcId }, first, { details: { preliminaryReportDate: dayAfter(0) } });
      expect(await remindersAt(8)).toEqual([[1, 'device:phone']]);
      await use.setDevicePreferences({ svcId }, 'phone', UTC);
      await use.setDeadline({ event: 'none', kind: 'first_contact', hours: 1, source: 'test' });
      expect(await remindersAt(8)).toEqual([]);
    });
  });

  test('the operator changes and removes the deadlines of an event', async () => {
    const { use, stores } = fixture();
    const ofEvents = async () =>
      (await stores.jobReads.deadlineOverrides()).filter(({ event }) => /^(FL26-09|TX26-01)$/.test(event));
    const deadline = { event: 'FL26-09', kind: 'proof_of_loss', hours: 8760, source: 'Bulletin' } as const;
    await use.setDeadline({ ...deadline, hours: 100, source: 'Draft' });
    await use.setDeadline(deadline);
    const other = { ...deadline, event: 'TX26-01', kind: 'first_contact', hours: 7 } as const;
    for (const one of [{ ...deadline, kind: 'first_contact' } as const, other]) await use.setDeadline(one);
    expect(await ofEvents()).toEqual([{ ...deadline, kind: 'first_contact' }, deadline, other]);
    await use.removeDeadline('FL26-09', 'first_contact');
    expect(await ofEvents()).toEqual([deadline, other]);
    await expect(use.removeDeadline('FL26-09', 'first_contact')).rejects.toThrow('no separate deadline');
  });

  test('adjusters see until when the firm waits, if it has said so', async () => {
    const { newOffer, use, stores } = fixture();
    const { firm, svcId, id } = await newOffer();
    const seen = async () => {
      const hours = (await stores.appReads.claim(svcId, id))?.offerWaitHours;
      expect(await stores.boardReads.offerWaitHours(firm.id)).toBe(hours);
      return hours;
    };
    const before = await seen();
    await use.setOfferWait(firm.id, 4);
    expect([before, await seen(), (await stores.operatorReads.firm(firm.id))?.offerWaitHours]).toEqual([
      null,
      4,
      4,
    ]);
    await use.setOfferWait(firm.id, null);
    expect(await seen()).toBeNull();
    await expect(use.setOfferWait('00000000-0000-4000-8000-000000000000' as FirmId, 4)).rejects.toThrow(
      'No firm has the id',
    );
  });
}
