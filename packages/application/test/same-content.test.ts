import { expect, test } from '@jest/globals';
import { isSameContent } from '../src/model/same-content.ts';

test('values are the same content if they are equal at every depth, in any order of keys', () => {
  const pairs = [
    [{ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 }, true],
    [{ a: undefined }, {}, true],
    [{ a: 1 }, {}, false],
    [{}, { a: 1 }, false],
    [[1, 2], [2, 1], false],
    [null, {}, false],
    [{}, null, false],
    ['a', { 0: 'a' }, false],
    [{ 0: 'a' }, 'a', false],
  ] as const;
  expect(pairs.map(([one, other]) => isSameContent(one, other))).toEqual(pairs.map(([, , same]) => same));
});
