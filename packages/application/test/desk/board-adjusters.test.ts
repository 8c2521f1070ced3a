import { expect, test } from '@jest/globals';
import { makeListBoardAdjusters } from '../../src/index.ts';
import { memoryFixture } from '../memory-fixture.ts';

test('no work is read where a firm has no adjusters', async () => {
  const { memory, clock } = memoryFixture();
  const { firmReads, offerHistory } = memory;
  const boardReads = { ...memory.boardReads, work: async () => Promise.reject(new Error('read')) };
  const list = makeListBoardAdjusters({
    firmReads,
    boardReads,
    offerHistory,
    zipDistance: () => null,
    clock,
  });
  const none = '00000000-0000-7000-8000-0000000000f1' as Parameters<typeof list>[0];
  expect(await list(none, 'live', { after: null, limit: 9 })).toEqual({ rows: [], next: null });
});
