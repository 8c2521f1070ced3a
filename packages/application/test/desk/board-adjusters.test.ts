import { expect, test } from '@jest/globals';
import { ALWAYS_AVAILABLE, DAY, HOUR, type Svcid } from '@svc/domain';
import { errorCodeOf } from '@svc/testkit';
import { makeListBoardAdjusters } from '../../src/index.ts';
import { memoryFixture } from '../memory-fixture.ts';

test('adjusters are listed with their own work, and for a claim with distance and warnings, those who rejected it last', async () => {
  const { newFirm, newMember, newAdjuster, invite, sendId, newClaim, offer, use, memory, clock } =
    memoryFixture();
  const firm = await newFirm();
  const [rejecting, near, silent] = [await newMember(firm), await newMember(firm), await newMember(firm)];
  const invited = (await invite(firm, (await newAdjuster()).svcId)).adjuster.svcId;
  const ofAdjusters = new Map([
    [rejecting, { openOffers: 1, openClaims: 2, medianAnswerMs: 3 }],
    [silent, { openOffers: 4, openClaims: 5, medianAnswerMs: null }],
  ]);
  const list = makeListBoardAdjusters({
    ...memory,
    boardReads: {
      ...memory.boardReads,
      work: async (id, svcIds) => {
        expect(id).toBe(firm.id);
        return new Map([...ofAdjusters].filter(([svcId]) => svcIds.includes(svcId)));
      },
      availability: async (id, svcIds) => {
        expect(id).toBe(firm.id);
        const limited = (maxOpenOffers: number, workZip: string) => ({
          availability: { ...ALWAYS_AVAILABLE, workZip, maxOpenOffers },
          pendingOffers: 2,
        });
        return new Map(
          svcIds.map((svcId) => [svcId, svcId === near ? limited(3, '33930') : limited(2, '33928')]),
        );
      },
    },
    zipDistance: (from, to) => Number(from) - Number(to) - 1,
    clock,
  });
  const page = async (forClaim?: Parameters<typeof list>[3]) => {
    const { rows } = await list(firm.id, 'live', { after: null, limit: 100 }, forClaim);
    return rows
      .filter(({ adjuster }) => adjuster.testOf === null)
      .map(({ adjuster, work, rejectedAt, distance, warnings }) => [
        ...[adjuster.svcId, work.openOffers, work.openClaims, work.medianAnswerMs],
        ...[rejectedAt, distance, warnings.join()],
      ]);
  };
  await use.setSharing({ svcId: near }, firm.id, { workArea: true });
  await use.setSharing({ svcId: silent }, firm.id, { credentials: true });
  await use.setSharing({ svcId: rejecting }, firm.id, { workArea: true, credentials: true });
  const licenses = [{ state: 'TX', kind: 'resident', number: 'L1', expiresOn: '2099-01-01' }] as const;
  // In 14 days by UTC, and later where it is not this day yet.
  clock.advance(13 * HOUR);
  // By UTC, where it is a day later.
  const inDays = (days: number) => new Date(clock.now() + days * DAY).toISOString().slice(0, 10);
  const fcn = { number: '0070012345', categories: ['residential'], expiresOn: inDays(14) } as const;
  for (const svcId of [rejecting, near]) await use.saveCredentials({ svcId }, { licenses, fcn });
  await use.saveCredentials(
    { svcId: silent },
    { fcn: { ...fcn, categories: ['rcbap'], expiresOn: inDays(15) } },
  );
  const claim = newClaim();
  const asSent = JSON.stringify({
    ...JSON.parse(claim.asSent),
    loss_location: { state: 'FL', zip: '33931' },
    policy: { form_type: 'rcbap' },
  });
  const id = await sendId(firm.live, rejecting, {
    claim: { ...claim, asSent: asSent as typeof claim.asSent },
  });
  await use.rejectClaim({ svcId: rejecting }, id, null);
  await offer(firm.live, id, silent);
  const earlier = clock.advance(60_000);
  await use.rejectClaim({ svcId: silent }, id, null);
  await offer(firm.live, id, rejecting);
  const rejectedAt = clock.advance(60_000);
  await use.rejectClaim({ svcId: rejecting }, id, null);
  for (const svcId of [near, rejecting]) await offer(firm.live, id, svcId);
  clock.advance(60_000);
  await use.acceptClaim({ svcId: rejecting }, id);
  expect(await page()).toEqual([
    [rejecting, 1, 2, 3, null, null, ''],
    [near, 0, 0, null, null, null, ''],
    [silent, 4, 5, null, null, null, ''],
    [invited, 0, 0, null, null, null, ''],
  ]);
  expect(await page(id)).toEqual([
    [near, 0, 0, null, null, 0, ''],
    [invited, 0, 0, null, null, null, 'limit_reached'],
    [rejecting, 1, 2, 3, rejectedAt, 2, 'license_missing,license_expires,fcn_category,limit_reached'],
    [silent, 4, 5, null, earlier, null, 'limit_reached'],
  ]);
  const { policy: _, ...unnamed } = JSON.parse(asSent);
  const withoutForm = JSON.stringify(unnamed) as typeof claim.asSent;
  const other = await sendId(firm.live, near, { claim: { ...newClaim(), asSent: withoutForm } });
  // Also of a claim that is closed.
  await use.closeClaimAsOperator(other);
  expect((await page(other)).map((row) => row.at(-1)).toSorted()).toEqual([
    ...['', 'license_missing,license_expires,limit_reached', 'limit_reached', 'limit_reached'],
  ]);
  const stranger = await newFirm();
  const first = await list(firm.id, 'live', { after: null, limit: 9, maxBytes: 1 }, id);
  for (const after of [null, first.next])
    expect(await errorCodeOf(list(stranger.id, 'live', { after, limit: 9 }, id))).toBe('not_found');
  const rest = await list(firm.id, 'live', { after: first.next, limit: 100 }, id);
  expect(first.rows).toHaveLength(1);
  expect(rest.rows).not.toContainEqual(first.rows[0]);
  expect(rest.next).toBeNull();
  const tests = (await list(firm.id, 'test', { after: null, limit: 9 })).rows;
  expect(tests.map(({ adjuster }) => adjuster.testOf?.firmId)).toEqual(Array(4).fill(firm.id));
});

test('a firm reads the credentials of an adjuster who shares them with it, until they stop or leave', async () => {
  const { newFirm, newMember, invite, use } = memoryFixture();
  const [firm, other] = [await newFirm(), await newFirm()];
  const svcId = await newMember(firm);
  await invite(other, svcId);
  await use.acceptInvitation({ svcId }, other.id);
  const outcomes = () =>
    Promise.all(
      [firm, other].map(({ id }) =>
        use.readSharedCredentials(id, svcId).catch(({ code }: { code: string }) => code),
      ),
    );
  expect(await outcomes()).toEqual(['not_found', 'not_found']);
  await use.setSharing({ svcId }, firm.id, { credentials: true });
  await use.setSharing({ svcId }, other.id, { workArea: true, clocks: true });
  expect(await outcomes()).toEqual([{}, 'not_found']);
  const licenses = [{ state: 'TX', kind: 'resident', number: 'L1', expiresOn: '2099-01-01' }] as const;
  await use.saveCredentials({ svcId }, { licenses });
  expect(await outcomes()).toEqual([{ licenses }, 'not_found']);
  await use.leaveFirm({ svcId }, firm.id);
  expect(await outcomes()).toEqual(['not_found', 'not_found']);
  expect(await errorCodeOf(use.readSharedCredentials(firm.id, 'nobody' as Svcid))).toBe('not_found');
});
