import { describe, expect, test } from '@jest/globals';
import { chunkHeight, chunksOf, chunksToRender } from '../src/row-chunks.ts';

describe('rows that are not rendered', () => {
  test('keep their measured height, and the average one before they were measured', () => {
    const measured = new Map([['one', { height: 1000, rows: 10 }]]);
    expect(chunkHeight('one', 10, measured, 80)).toBe(1000);
    expect(chunkHeight('two', 5, measured, 80)).toBe(500);
    expect(chunkHeight('one', 4, measured, 80)).toBe(400);
    expect(chunkHeight('one', 4, new Map(), 80)).toBe(320);
  });

  test('are split into chunks without losing one', () => {
    const rows = Array.from({ length: 300 }, (_, index) => index);
    expect(chunksOf(rows).flat()).toEqual(rows);
    expect(chunksOf([])).toEqual([]);
  });

  test('are rendered at once when they come on the screen, and one chunk at a time before', () => {
    const near = new Map([
      ['below', 900],
      ['next', 100],
    ]);
    expect(chunksToRender(near)).toEqual(['next']);
    expect(chunksToRender(new Map([...near, ['top', -300], ['bottom', -10]]))).toEqual(['top', 'bottom']);
    expect(chunksToRender(new Map())).toEqual([]);
  });

  test('leaves chunks beyond a distance for later', () => {
    const waiting = new Map([
      ['far', 2000],
      ['near', 900],
    ]);
    expect(chunksToRender(waiting, 1200)).toEqual(['near']);
    expect(chunksToRender(new Map([['far', 2000]]), 1200)).toEqual([]);
  });

  test('renders every waiting chunk while nothing scrolls, whatever its distance', () => {
    const waiting = new Map([
      ['beyond the margin', 5000.3],
      ['near', 900],
    ]);
    const rendered: string[] = [];
    while (waiting.size > 0 && rendered.length < 3) {
      for (const chunk of chunksToRender(waiting)) {
        waiting.delete(chunk);
        rendered.push(chunk);
      }
    }
    expect(rendered).toEqual(['near', 'beyond the margin']);
  });
});
