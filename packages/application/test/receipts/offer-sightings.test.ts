import { expect, test } from '@jest/globals';
import type { ClaimId } from '@svc/domain';
import { type AppClaimView, createOfferSightings, type OfferEvent } from '../../src/index.ts';
import { memoryFixture } from '../memory-fixture.ts';

test('each pending offer is recorded as seen once, however often the app reads it, and forgotten in bounded memory', async () => {
  const { newTeam, sendId, use, offer, clock } = memoryFixture();
  const { firm, svcId } = await newTeam();
  const seen: OfferEvent[] = [];
  const record = createOfferSightings({ offerBuffer: { add: (event) => seen.push(event) }, clock });
  const viewOf = async (id: ClaimId): Promise<AppClaimView> => use.readClaim({ svcId }, id);
  const [accepted, pending] = [await sendId(firm.live, svcId), await sendId(firm.live, svcId)];
  await use.acceptClaim({ svcId }, accepted);
  const view = await viewOf(pending);
  const ofTest = { ...view, id: 'of the sandbox' as ClaimId, environment: 'test' } as const;
  clock.advance(60);
  record({ svcId }, [await viewOf(accepted), view, ofTest]);
  const { offeredAt } = view.assignment;
  const first = { firmId: firm.id, claimId: pending, environment: 'live', offeredAt, adjuster: svcId };
  const seenAt = clock.now();
  expect(seen).toEqual(
    [first, { ...first, claimId: ofTest.id, environment: 'test' }].map((each) => ({ ...each, seenAt })),
  );
  const again = clock.advance(1);
  await offer(firm.live, pending, svcId);
  clock.advance(70);
  for (let times = 0; times < 2; times += 1) record({ svcId }, [view, await viewOf(pending)]);
  expect(seen.slice(2)).toEqual([{ ...first, offeredAt: again, seenAt: clock.now() }]);
  const many = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => ({ ...view, id: `${from + n}` as ClaimId }));
  record({ svcId }, [...many(3, 50_000), view]);
  expect(seen).toHaveLength(50_000);
  record({ svcId }, [...many(50_000, 50_001), view]);
  expect(seen).toHaveLength(50_002);
});
