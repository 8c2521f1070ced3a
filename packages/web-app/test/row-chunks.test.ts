import { describe, expect, test } from '@jest/globals';
import { chunkHeight, chunksOf, chunksToRender } from '../src/row-chunks.ts';

describe('rows that are not rendered', () => {
  test('keep their measured height, and the average one before they were measured', () => {
    const measured = new Map([
      ['one', { height: 1000, rows: 10 }],
      ['other', { height: 760, rows: 6 }],
    ]);
    expect(chunkHeight('one', 10, measured, 80)).toBe(1000);
    expect(chunkHeight('two', 5, measured, 80)).toBe(550);
    expect(chunkHeight('one', 4, measured, 80)).toBe(440);
    expect(chunkHeight('one', 4, new Map(), 80)).toBe(320);
  });

  test('are split into chunks without losing one', () => {
    const rows = Array.from({ length: 300 }, (_, index) => index);
    expect(chunksOf(rows).flat()).toEqual(rows);
    expect(chunksOf(rows.slice(0, 17)).map(({ length }) => length)).toEqual([8, 8, 1]);
    expect([chunksOf([]), chunksOf([1, 2, 3], 2)]).toEqual([[], [[1, 2], [3]]]);
  });

  test.each([
    ['one chunk at a time before they come on the screen', [900, 100], undefined, [100]],
    ['at once when they come on the screen', [900, 0, 1, -300], undefined, [-300, 0]],
    ['not at all where none waits', [], undefined, []],
    ['up to a distance while the list scrolls', [2000, 1200], 1200, [1200]],
    ['later beyond that distance', [1201], 1200, []],
    ['whatever their distance while nothing scrolls', [5000.3], undefined, [5000.3]],
  ])('are rendered %s', (_, waiting, maxDistancePx, rendered) => {
    expect(chunksToRender(new Map(waiting.map((px) => [px, px])), maxDistancePx)).toEqual(rendered);
  });
});
