import { describe, expect, test } from '@jest/globals';
import { type Job, makeRunJob } from '@svc/application';
import { DAY, NO_NOTES, type Svcid } from '@svc/domain';
import { memoryBench } from './memory-fixture.ts';

type Suspect = ReturnType<typeof memoryBench>;

/** Runs every job that is due, and what it leads to. */
const runDue = ({ memory, clock, use }: Suspect): Promise<number> =>
  memory.jobs.runDue(clock.now(), use.runJob);
const noticesTo = ({ outside }: Suspect, svcId: Svcid) =>
  outside.notices.flatMap((each) => (each.svcId === svcId ? [each.notice] : []));

describe('a notice', () => {
  test('of an offer goes to the adjuster it was made to, and names the firm and the claim only', async () => {
    const bench = memoryBench();
    const firm = await bench.newFirm();
    const svcId = await bench.newMember(firm);
    await runDue(bench);
    const claimId = await bench.sendId(firm.live, svcId);
    await runDue(bench);
    expect(bench.outside.notices).toEqual([
      { svcId, notice: { kind: 'offer', firmName: firm.name, claimId } },
    ]);
  });

  test('of an offer is not sent once it was answered, went to another, or lapsed', async () => {
    const bench = memoryBench();
    const firm = await bench.newFirm();
    const [svcId, other] = [await bench.newMember(firm), await bench.newMember(firm)];
    await runDue(bench);
    const [answered, moved] = [await bench.sendId(firm.live, svcId), await bench.sendId(firm.live, svcId)];
    await bench.sendId(firm.live, svcId);
    await bench.use.acceptOffer({ svcId }, answered);
    await bench.offer(firm.live, moved, other);
    await bench.use.leaveFirm({ svcId }, firm.id);
    await runDue(bench);
    expect(noticesTo(bench, svcId).filter(({ kind }) => kind === 'offer')).toEqual([]);
    expect(noticesTo(bench, other)).toHaveLength(1);
  });

  test('of a withdrawal goes to the adjuster who lost the offer, unless it came back to them', async () => {
    const bench = memoryBench();
    const firm = await bench.newFirm();
    const [first, second] = [await bench.newMember(firm), await bench.newMember(firm)];
    await runDue(bench);
    const claimId = await bench.sendId(firm.live, first);
    await runDue(bench);
    await bench.offer(firm.live, claimId, second);
    await runDue(bench);
    const withdrawn = { kind: 'offer_withdrawn', firmName: firm.name, claimId };
    expect(noticesTo(bench, first)).toEqual([{ kind: 'offer', firmName: firm.name, claimId }, withdrawn]);

    await bench.offer(firm.live, claimId, first);
    await bench.offer(firm.live, claimId, second);
    await runDue(bench);
    expect(noticesTo(bench, second).filter(({ kind }) => kind === 'offer_withdrawn')).toEqual([]);
    expect(noticesTo(bench, second).at(-1)?.kind).toBe('offer');
  });

  test('of an invitation is sent while this very invitation waits', async () => {
    const bench = memoryBench();
    const firm = await bench.newFirm();
    const [{ svcId: waits }, { svcId: answered }, { svcId: expired }, { svcId: again }] = [
      await bench.newAdjuster(),
      await bench.newAdjuster(),
      await bench.newAdjuster(),
      await bench.newAdjuster(),
    ];
    await bench.invite(firm, expired);
    bench.clock.advance(7 * DAY);
    for (const svcId of [waits, answered, again]) await bench.invite(firm, svcId);
    await bench.use.declineInvitation({ svcId: answered }, firm.id);
    await bench.use.withdrawInvitation(firm.live, again);
    bench.clock.advance(1);
    await bench.invite(firm, again);
    await runDue(bench);
    const notice = { kind: 'invitation', firmName: firm.name, firmId: firm.id };
    expect(bench.outside.notices).toEqual([
      { svcId: waits, notice },
      { svcId: again, notice },
    ]);
  });

  test('that cannot be delivered now is tried again', async () => {
    const bench = memoryBench();
    const { memory, clock, outside } = bench;
    const firm = await bench.newFirm();
    await bench.sendId(firm.live, await bench.newMember(firm));
    const runJob = makeRunJob({
      uow: memory.unitOfWork,
      reads: memory.jobReads,
      firmReads: memory.firmReads,
      clock,
      notifier: { notify: () => Promise.reject(new Error('push service away')) },
    });
    const before = (await memory.jobs.pending()).length;
    await expect(memory.jobs.runDue(clock.now(), runJob)).rejects.toThrow('push service away');
    expect(before - (await memory.jobs.pending()).length).toBeLessThan(before);
    await runDue(bench);
    expect(outside.notices.map(({ notice }) => notice.kind)).toContain('offer');
    expect(await memory.jobs.pending()).toEqual([]);
  });
});

describe('a channel that failed', () => {
  /** Everything is handed on but over the channels that are down. */
  const notifying = (bench: Suspect, down: ReadonlySet<string>) => {
    const { memory, clock } = bench;
    const told: (string | undefined)[] = [];
    const runJob = makeRunJob({
      uow: memory.unitOfWork,
      reads: memory.jobReads,
      firmReads: memory.firmReads,
      clock,
      notifier: {
        notify: async (_svcId, _notice, only) => {
          told.push(only);
          return (['mail', 'device:phone', 'device:tablet'] as const).filter(
            (channel) => down.has(channel) && (only === undefined || only === channel),
          );
        },
      },
    });
    return { told, run: () => memory.jobs.runDue(clock.now(), runJob) };
  };

  test('is tried again by itself, after a pause, while the others are left in peace', async () => {
    const bench = memoryBench();
    const firm = await bench.newFirm();
    const svcId = await bench.newMember(firm);
    await runDue(bench);
    await bench.sendId(firm.live, svcId);
    const { told, run } = notifying(bench, new Set(['device:phone', 'mail']));
    await run();
    expect(told).toEqual([undefined]);
    await run();
    expect(told).toEqual([undefined]);
    bench.clock.advance(2000);
    await expect(run()).rejects.toThrow('could not be delivered');
    expect(told.slice(1).sort()).toEqual(expect.arrayContaining(['mail']));
    expect(told.slice(1)).not.toContain(undefined);
  });

  test('is given up once what it was about no longer holds', async () => {
    const bench = memoryBench();
    const firm = await bench.newFirm();
    const svcId = await bench.newMember(firm);
    await runDue(bench);
    const id = await bench.sendId(firm.live, svcId);
    const { told, run } = notifying(bench, new Set(['device:phone']));
    await run();
    await bench.use.acceptOffer({ svcId }, id);
    bench.clock.advance(2000);
    await run();
    expect(told).toEqual([undefined]);
    expect(await bench.memory.jobs.pending()).toEqual([]);
  });
});

describe('a test account that answers by itself', () => {
  const answerJobs = async ({ memory }: Suspect): Promise<Job[]> =>
    (await memory.jobs.pending()).map(({ job }) => job).filter(({ kind }) => kind.startsWith('rehearse'));

  test('answers this very offer and no other', async () => {
    const bench = memoryBench();
    const { use, clock, stores } = bench;
    const firm = await bench.newFirm();
    const { accepts, manual } = firm.accounts;
    const id = await bench.sendId(firm.test, accepts);
    const [first] = await answerJobs(bench);
    clock.advance(500);
    await bench.offer(firm.test, id, manual);
    await bench.offer(firm.test, id, accepts);
    if (first === undefined) throw new Error('no answer is planned');
    await use.runJob(first);
    const status = async () => (await stores.firmReads.claim(firm.id, 'test', id))?.assignment.status;
    expect(await status()).toBe('pending_acceptance');
    clock.advance(1_999);
    await runDue(bench);
    expect(await status()).toBe('pending_acceptance');
    clock.advance(1);
    await runDue(bench);
    expect(await status()).toBe('accepted');
  });

  test('answers nothing that was answered by hand, moved on, closed, or lapsed meanwhile', async () => {
    const bench = memoryBench();
    const { use, clock, stores } = bench;
    const firm = await bench.newFirm();
    const { accepts, rejects, manual } = firm.accounts;
    const [byHand, moved, closed, lapsed] = [
      await bench.sendId(firm.test, accepts),
      await bench.sendId(firm.test, accepts),
      await bench.sendId(firm.test, accepts),
      await bench.sendId(firm.test, rejects),
    ];
    await use.rejectOffer({ svcId: accepts }, byHand, 'by hand');
    await bench.offer(firm.test, moved, manual);
    await use.closeClaim(closed);
    await use.leaveFirm({ svcId: rejects }, firm.id);
    const read = (id: typeof byHand) => stores.firmReads.claim(firm.id, 'test', id);
    const ids = [byHand, moved, closed, lapsed];
    const before = await Promise.all(ids.map(read));
    clock.advance(10_000);
    expect(await runDue(bench)).toBeGreaterThan(3);
    expect(await Promise.all(ids.map(read))).toEqual(before);
  });

  test('joins on an invitation and then accepts offers', async () => {
    const bench = memoryBench();
    const { use, clock, stores } = bench;
    const firm = await bench.newFirm();
    const svcId = firm.accounts.joins;
    await use.inviteAdjuster(firm.test, { svcId, notes: NO_NOTES });
    clock.advance(2_000);
    await runDue(bench);
    const id = await bench.sendId(firm.test, svcId);
    clock.advance(2_000);
    await runDue(bench);
    expect((await stores.firmReads.claim(firm.id, 'test', id))?.assignment).toMatchObject({
      status: 'accepted',
      respondedAt: clock.now(),
    });
  });

  test('answers this very invitation and no other', async () => {
    const bench = memoryBench();
    const { use, clock, stores } = bench;
    const firm = await bench.newFirm();
    const svcId = firm.accounts.declines;
    const status = async () => (await stores.firmReads.adjuster(firm.id, svcId))?.membership.status;
    await use.inviteAdjuster(firm.test, { svcId, notes: NO_NOTES });
    clock.advance(1_000);
    await use.withdrawInvitation(firm.test, svcId);
    await use.inviteAdjuster(firm.test, { svcId, notes: NO_NOTES });
    clock.advance(1_000);
    await runDue(bench);
    expect(await status()).toBe('pending');
    clock.advance(1_000);
    await runDue(bench);
    expect(await status()).toBe('declined');
  });

  test('every job may run twice without harm', async () => {
    const bench = memoryBench();
    const { use, clock, stores, memory } = bench;
    const firm = await bench.newFirm();
    const ids = [
      await bench.sendId(firm.test, firm.accounts.accepts),
      await bench.sendId(firm.test, firm.accounts.rejects),
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
