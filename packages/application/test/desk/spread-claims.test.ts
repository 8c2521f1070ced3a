import { expect, test } from '@jest/globals';
import { DAY, type Svcid } from '@svc/domain';
import { errorCodeOf } from '@svc/testkit';
import { makeSpreadClaims } from '../../src/index.ts';
import { memoryFixture } from '../memory-fixture.ts';

test('claims go to who has fewest, then to the nearest, to who has rejected them last, with what is known of each', async () => {
  const { newFirm, newMember, newAdjuster, invite, use, memory, clock } = memoryFixture();
  const firm = await newFirm();
  const [near, far, silent] = [await newMember(firm), await newMember(firm), await newMember(firm)];
  const { svcId: invited } = await newAdjuster();
  await invite(firm, invited);
  const workZips = new Map([
    [near, '10'],
    [far, '90'],
  ]);
  for (const svcId of [near, far]) await use.setSharing({ svcId }, firm.id, { workArea: true });
  await use.setSharing({ svcId: far }, firm.id, { credentials: true });
  // From tomorrow on, that is soon.
  const expiresOn = new Date(clock.now() + 15 * DAY).toISOString().slice(0, 10);
  const fcn = { number: 'F1', categories: ['residential'], expiresOn } as const;
  for (const svcId of [near, far]) await use.saveCredentials({ svcId }, { fcn });
  const availability = { acceptingAssignments: true, away: [], maxOpenOffers: 3 };
  const spread = makeSpreadClaims({
    boardReads: {
      ...memory.boardReads,
      availability: async (_, svcIds) =>
        new Map(
          svcIds.map((svcId) => {
            const own = { ...availability, workZip: workZips.get(svcId) ?? null };
            return [svcId, { availability: own, pendingOffers: 1 }];
          }),
        ),
    },
    zipDistance: (from, to) => Math.abs(Number(from) - Number(to)),
    clock,
  });
  const claim = (zip: string, rejectedBy?: Svcid) => ({
    ...{ id: `claim in ${zip}`, zip, state: 'FL', form: 'rcbap' as const, rejectedBy },
  });
  const to = (counts: readonly [Svcid, number][], claims: ReturnType<typeof claim>[]) =>
    spread(firm.id, 'live', new Map(counts), claims);
  const both = (nears = 0): readonly [Svcid, number][] => [
    [near, nears],
    [far, 0],
  ];
  const offer = (zip: string, adjuster: Svcid, distance: number, warnings: string[] = []) => ({
    ...{ id: `claim in ${zip}`, adjuster, distance },
    warnings: adjuster === far ? ['fcn_category'] : warnings,
  });
  expect(await to(both(), [claim('80'), claim('20'), claim('80')])).toEqual([
    offer('80', far, 10),
    offer('20', near, 10),
  ]);
  expect(await to(both(), [claim('80', far)])).toEqual([offer('80', near, 70)]);
  expect(await to([], [claim('80')])).toEqual([]);
  const withUnknown = [silent, near].map((svcId): [Svcid, number] => [svcId, 0]);
  expect(await to(withUnknown, [claim('80')])).toEqual([offer('80', near, 70)]);
  // Rather to somebody whose distance is not known than again to who has rejected it.
  for (const zip of ['80', '10'])
    expect(await to(withUnknown, [claim(zip, near)])).toMatchObject([{ adjuster: silent, distance: null }]);
  // With the two that they are going to get besides, and the one that is pending, they have as many as they want.
  expect(await to([[near, 1]], [claim('20'), claim('30')])).toEqual([
    offer('20', near, 10),
    offer('30', near, 20, ['limit_reached']),
  ]);
  expect(await to(both(2), [claim('20'), claim('30')])).toEqual([offer('20', far, 70), offer('30', far, 60)]);
  clock.advance(DAY);
  const warnings = ['license_expires', 'fcn_category'];
  expect(await to([[far, 0]], [claim('80')])).toEqual([{ ...offer('80', far, 10), warnings }]);
  for (const [environment, svcId] of [
    ['test', near],
    ['live', firm.accounts.new],
    ['live', invited],
  ] as const) {
    const refused = spread(firm.id, environment, new Map([[svcId, 0]]), [claim('1')]);
    expect(await errorCodeOf(refused)).toBe('adjuster_not_in_firm');
  }
  const testAccounts = new Map([[firm.accounts.manual, 0]]);
  expect(await spread(firm.id, 'test', testAccounts, [claim('1')])).toMatchObject([{ distance: null }]);
});
