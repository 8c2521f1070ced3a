import { expect, test } from '@jest/globals';
import { searchText } from '../src/index.ts';

test.each([
  ["O'Brien", ['O’Brien', 'O‘Brien', 'Oʼbrien', 'O´BRIEN', 'O`Brien', 'O′Brien', 'OBrien']],
  [
    '12-14 Sea Lane',
    ['12–14 Sea Lane', '12—14 sea lane', '12‐14 Sea Lane', '12−14 Sea Lane', '12‑14 Sea Lane'],
  ],
  ['Loiza', ['Loíza', 'LOÍZA', 'Loi\u0301za']],
])('a search for %s finds every way to write it', (typed, written) => {
  expect(written.map(searchText)).toEqual(written.map(() => searchText(typed)));
});
