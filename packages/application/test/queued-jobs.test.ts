import { expect, test } from '@jest/globals';
import type { Job } from '@svc/application';
import {
  DAY,
  HOUR,
  INVITATION_REMINDER_MS,
  NO_NOTES,
  nextLateOffersMail,
  nextLocalTime,
  REMINDER_TIME,
  TEST_RESPONSE_DELAY_MS,
} from '@svc/domain';
import { memoryFixture } from './memory-fixture.ts';

const fixtureWithQueue = () => {
  const fixture = memoryFixture();
  const { memory, clock } = fixture;
  const queued = async () =>
    (await memory.jobs.pending()).map(({ job, runAt }): [Job, number] => [job, runAt - clock.now()]);
  /** Jobs that this adds, with how long they wait. */
  const addedBy = async (act: () => Promise<unknown>): Promise<[Job, number][]> => {
    const known = (await queued()).map((each) => JSON.stringify(each));
    await act();
    // Each known one once, so that a job that is queued again is seen.
    return (await queued()).filter((each) => {
      const at = known.indexOf(JSON.stringify(each));
      if (at >= 0) known.splice(at, 1);
      return at < 0;
    });
  };
  return { ...fixture, addedBy };
};

test('what the firm does queues the notifications and simulated responses of its offers and invitations', async () => {
  const { addedBy, use, clock, newFirm, newMember, newStaff, newAdjuster, sendId, offer, invite } =
    fixtureWithQueue();
  const firm = await newFirm();
  const [one, two] = [await newMember(firm), await newMember(firm)];
  const [staff, { svcId: invited }] = [await newStaff(firm), await newAdjuster()];
  const firmId = firm.id;
  // Who is invited again is notified again.
  await invite(firm, invited);
  await use.withdrawInvitation(firm.live, invited);
  clock.advance(HOUR);
  let claimId = await sendId(firm.live, two);
  const send = async (actor = firm.live, svcId = one) => {
    claimId = await sendId(actor, svcId);
  };
  const now = clock.now();
  const { accepts, declines, joins, manual } = firm.accounts;
  const notify = { kind: 'notify_offer', firmId };
  const withdrawn = { kind: 'notify_offer_withdrawn', firmId };
  const invitation = { firmId, invitedAt: now };
  const simulated = { kind: 'simulate_offer_response', firmId, offeredAt: now };
  const { claimId: first } = { claimId };
  for (const [act, expected] of [
    [() => send(), () => [[{ ...notify, claimId, svcId: one }, 0]]],
    [() => send(firm.test, manual), () => [[{ ...notify, claimId, svcId: manual }, 0]]],
    [
      () => send(firm.test, accepts),
      () => [
        [{ ...notify, claimId, svcId: accepts }, 0],
        [{ ...simulated, claimId, svcId: accepts }, TEST_RESPONSE_DELAY_MS],
      ],
    ],
    [
      () => offer(firm.live, first, one),
      () => [
        [{ ...withdrawn, claimId: first, svcId: two }, 0],
        [{ ...notify, claimId: first, svcId: one }, 0],
      ],
    ],
    [
      () => use.withdrawOffer(staff, { claimId: first }),
      () => [[{ ...withdrawn, claimId: first, svcId: one }, 0]],
    ],
    [() => use.closeClaimAtDesk(staff, { claimId: first, reason: null }), () => []],
    [
      async () => use.closeClaimAtDesk(staff, { claimId: await sendId(firm.live, two), reason: null }),
      () => [
        [expect.objectContaining({ ...notify, svcId: two }), 0],
        [expect.objectContaining({ ...withdrawn, svcId: two }), 0],
      ],
    ],
    [() => use.closeClaimAsOperator(claimId), () => []],
    [() => invite(firm, invited), () => [[{ kind: 'notify_invitation', svcId: invited, ...invitation }, 0]]],
    ...[joins, declines].map((svcId): [() => Promise<unknown>, () => unknown[]] => [
      () => use.inviteAdjuster(firm.test, { svcId, notes: NO_NOTES }),
      () => [
        [{ kind: 'notify_invitation', svcId, ...invitation }, 0],
        [{ kind: 'simulate_invitation_response', svcId, ...invitation }, TEST_RESPONSE_DELAY_MS],
      ],
    ]),
    [() => use.withdrawInvitation(firm.live, invited), () => []],
    [
      () => use.setOfferWait(firmId, 4),
      () =>
        ['live', 'test'].map((environment) => [
          { kind: 'remind_of_open_offers', firmId, environment, hours: 4, after: null },
          0,
        ]),
    ],
    [() => use.setOfferWait(firmId, 4), () => []],
    [() => use.setOfferWait(firmId, null), () => []],
  ] as const)
    expect(await addedBy(act)).toEqual(expected());
});

test('what people set queues their next reminder once, for its time', async () => {
  const { addedBy, use, clock, newTeam, newStaff, newDevice } = fixtureWithQueue();
  const { firm, svcId } = await newTeam();
  const staff = await newStaff(firm);
  await newDevice(svcId, 'phone');
  const now = clock.now();
  const preferences =
    (timeZone: string, deadlineReminders = true) =>
    () =>
      use.setDevicePreferences({ svcId }, 'phone', { quietHours: null, timeZone, deadlineReminders });
  const remind = (timeZone: string) => {
    const at = nextLocalTime(now, REMINDER_TIME, timeZone);
    return [[{ kind: 'remind_deadlines', svcId, deviceId: 'phone', at }, at - now]];
  };
  const credentials = (expiresOn: string) => () =>
    use.saveCredentials(
      { svcId },
      { licenses: [{ state: 'TX', kind: 'resident', number: 'L1', expiresOn }] },
    );
  const mail = (isWished: boolean) => () =>
    use.desk.setLateOffersMail({ actor: 'x', address: null, requestId: null }, staff, isWished);
  const mailAt = nextLateOffersMail(now);
  const { firmId, staffId } = staff;
  for (const [act, expected] of [
    [preferences('UTC', false), []],
    [preferences('America/Chicago'), remind('America/Chicago')],
    [preferences('America/Chicago'), []],
    [preferences('Asia/Tokyo'), remind('Asia/Tokyo')],
    [() => use.testDevice({ svcId }, 'phone'), [[{ kind: 'notify_test', svcId, only: 'device:phone' }, 0]]],
    [mail(true), [[{ kind: 'mail_late_offers', firmId, staffId, at: mailAt }, mailAt - now]]],
    [mail(true), []],
    [mail(false), []],
  ] as const)
    expect(await addedBy(act)).toEqual(expected);
  const [[reminder = undefined, waitMs = 0] = [], ...others] = await addedBy(credentials('2027-04-30'));
  expect([reminder, others]).toEqual([{ kind: 'remind_credentials', svcId, at: now + waitMs }, []]);
  expect(waitMs).toBeGreaterThan(DAY);
  // The one that is queued looks again then.
  for (const end of ['2027-04-30', '2028-04-30']) expect(await addedBy(credentials(end))).toEqual([]);
});

test('each job queues what follows from it, once and for its time', async () => {
  const { addedBy, use, clock, memory, newTeam, newAdjuster, newDevice, sendId, invite } = fixtureWithQueue();
  const { firm } = await newTeam();
  const svcId = firm.accounts.manual;
  const { svcId: invited } = await newAdjuster();
  await newDevice(svcId, 'phone');
  const firmId = firm.id;
  await use.setOfferWait(firmId, 30);
  const claimId = await sendId(firm.test, svcId);
  const offer = { firmId, claimId, svcId, offeredAt: clock.now() };
  await invite(firm, invited);
  const invitation = { firmId, svcId: invited, invitedAt: clock.now() };
  for (let n = 0; n < 50; n += 1) await sendId(firm.test, svcId);
  const all = await memory.boardReads.claims(
    firmId,
    { by: 'waiting', environment: 'test', status: 'pending_acceptance' },
    { at: 0, id: '' },
    99,
  );
  const last = all[49];
  if (last === undefined) throw new Error('too few offers');
  const reminderOf = ({ id, offeredAt }: (typeof all)[number]) => [
    { kind: 'remind_of_offer', firmId, claimId: id, svcId, offeredAt, hours: 30 },
    offeredAt + 30 * HOUR - clock.now(),
  ];
  const openOffers = { kind: 'remind_of_open_offers', firmId, environment: 'test', hours: 30 } as const;
  const after = { at: last.updatedAt, id: last.id };
  const run = (job: Job) => addedBy(() => use.runJob(job));
  expect(await run({ ...openOffers, hours: 5, after: null })).toEqual([]);
  expect(await run({ ...openOffers, environment: 'live', after: null })).toEqual([]);
  const firstPage = await run({ ...openOffers, after: null });
  expect(firstPage[0]).toEqual([{ ...openOffers, after }, 0]);
  expect(new Set(firstPage.slice(1))).toEqual(new Set(all.slice(0, 50).map(reminderOf)));
  expect(await run({ ...openOffers, after })).toEqual(all.slice(50).map(reminderOf));
  const remind = { kind: 'remind_of_offer', ...offer, hours: 30 } as const;
  expect(await run({ kind: 'notify_offer', firmId, claimId, svcId, only: 'device:phone' })).toEqual([]);
  clock.advance(30 * HOUR);
  await use.closeClaimAsOperator(last.id);
  for (const wrong of [{ hours: 5 }, { svcId: invited }, { offeredAt: 1 }, { claimId: last.id }])
    expect(await run({ ...remind, ...wrong })).toEqual([]);
  expect(await run(remind)).toEqual([[{ kind: 'notify_offer_late', ...offer }, 0]]);
  expect(await run(remind)).toEqual([]);
  const waited = INVITATION_REMINDER_MS - 30 * HOUR;
  const remindInvited = { kind: 'remind_of_invitation', ...invitation } as const;
  for (const wrong of [{ only: 'mail' }, { invitedAt: 1 }] as const)
    expect(await run({ kind: 'notify_invitation', ...invitation, ...wrong })).toEqual([]);
  expect(await run({ kind: 'notify_invitation', ...invitation })).toEqual([[remindInvited, waited]]);
  clock.advance(waited);
  expect(await run({ ...remindInvited, invitedAt: 1 })).toEqual([]);
  expect(await run(remindInvited)).toEqual([
    [{ kind: 'notify_invitation', ...invitation, isReminder: true }, 0],
  ]);
  const { remindedAt } = (await memory.firmReads.adjuster(firmId, invited))?.membership ?? {};
  expect(remindedAt).toBe(clock.now());
  expect(await run(remindInvited)).toEqual([]);
});
