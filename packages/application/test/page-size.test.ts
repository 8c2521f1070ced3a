import { expect, test } from '@jest/globals';
import { adjusterViewBytes, countThatFits, invitationBytes, jsonBytes } from '../src/index.ts';
import { memoryFixture } from './memory-fixture.ts';

const fits = (sizes: number[], page: { limit: number; maxBytes?: number }): number =>
  countThatFits(sizes, { after: null, ...page }, (size) => size);

test('a page has the rows up to its limit whose bytes together do not exceed its size, and one at least', () => {
  expect(fits([], { limit: 2, maxBytes: 10 })).toBe(0);
  expect(fits([5, 5, 5], { limit: 5, maxBytes: 10 })).toBe(2);
  expect(fits([5, 6, 5], { limit: 5, maxBytes: 10 })).toBe(1);
  expect(fits([1, 1, 1], { limit: 2, maxBytes: 10 })).toBe(2);
  expect(fits([11, 1], { limit: 5, maxBytes: 10 })).toBe(1);
  expect(fits([11, 12, 13], { limit: 5 })).toBe(3);
});

test('the bytes of a text in JSON are exact for ASCII, and not too few for other characters', () => {
  expect([null, undefined, '', 'roof'].map(jsonBytes)).toEqual([0, 0, 0, 4]);
  for (const text of ['é', 'aé', '東京', '😀']) {
    const escaped = JSON.stringify(text).replace(/[^\x20-\x7e]/g, '\\u0000').length - 2;
    expect(jsonBytes(text)).toBeGreaterThanOrEqual(escaped);
    expect(jsonBytes(text)).toBeLessThanOrEqual(2 * escaped);
  }
});

test('the bytes of an adjuster and of an invitation are those of all their texts', async () => {
  const { newFirm, newAdjuster, invite, use } = memoryFixture();
  const text = (length: number) => 'x'.repeat(length);
  const firm = await newFirm();
  const { svcId } = await newAdjuster({ firstName: text(1), lastName: text(2), email: text(4) });
  const notes = { invitedAs: text(8), invitedBy: text(16), purpose: text(32), note: text(64) };
  expect(adjusterViewBytes(await invite(firm, svcId, notes))).toBe(127);
  const { rows } = await use.listInvitations({ svcId }, { after: null, limit: 9 });
  expect(rows.map(invitationBytes)).toEqual([firm.name.length + 8]);
});
