import { expect, test } from '@jest/globals';
import { toPointer, valueAt } from '../src/json-pointer.ts';

test.each(['a', '', '~', '/', '~1', '~0', '~01', 'a/b~c'])('a pointer to %j finds its value', (name) => {
  expect(valueAt({ outer: [{ [name]: 1 }] }, toPointer(['outer', 0, name]))).toBe(1);
});

test('a pointer finds own values alone, and names what strict JSON parsers can read', () => {
  const found = ['', '/0', '/0/a', '/1', '/0/toString', '/0/a/b', '/length'].map((at) =>
    valueAt([{ a: null }], at),
  );
  expect(found).toEqual([[{ a: null }], { a: null }, null, ...Array(3).fill(undefined), 1]);
  expect(valueAt(undefined, '/a')).toBeUndefined();
  expect(toPointer(['x\ud800y', '😀', '~/'])).toBe('/x\ufffdy/😀/~0~1');
});
