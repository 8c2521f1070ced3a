import { expect, test } from '@jest/globals';
import { toPointer, valueAt } from '../src/json-pointer.ts';

test.each(['a', '', '~', '/', '~1', '~0', '~01', 'a/b~c'])('a pointer to %j finds its value', (name) => {
  expect(valueAt({ outer: [{ [name]: 1 }] }, toPointer(['outer', 0, name]))).toBe(1);
});
