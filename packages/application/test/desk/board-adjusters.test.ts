import { expect, test } from '@jest/globals';
import { makeListBoardAdjusters } from '../../src/index.ts';
import { memoryFixture } from '../memory-fixture.ts';

test('adjusters of the board have their work, and none where they have no claim', async () => {
  const { newFirm, newMember, sendId, use, memory } = memoryFixture();
  const firm = await newFirm();
  const [busy, idle] = [await newMember(firm), await newMember(firm)];
  await use.acceptClaim({ svcId: busy }, await sendId(firm.live, busy));
  await sendId(firm.live, busy);
  const page = await makeListBoardAdjusters(memory)(firm.id, 'live', { after: null, limit: 200 });
  const workOf = (svcId: string) => page.rows.find(({ adjuster }) => adjuster.svcId === svcId)?.work;
  expect(workOf(busy)).toMatchObject({ openOffers: 1, openClaims: 1 });
  expect(workOf(busy)?.medianAnswerMs).toBeGreaterThanOrEqual(0);
  expect(workOf(idle)).toEqual({ openOffers: 0, openClaims: 0, medianAnswerMs: null });
});

test('no work is read where a firm has no adjusters', async () => {
  const { memory } = memoryFixture();
  const { firmReads, offerHistory } = memory;
  const boardReads = { ...memory.boardReads, work: async () => Promise.reject(new Error('read')) };
  const list = makeListBoardAdjusters({ firmReads, boardReads, offerHistory });
  const none = '00000000-0000-7000-8000-0000000000f1' as Parameters<typeof list>[0];
  expect(await list(none, 'live', { after: null, limit: 9 })).toEqual({ rows: [], next: null });
});
