import { expect, test } from '@jest/globals';
import { DomainError, existing, searchText } from '../src/index.ts';

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

test('what exists is returned, whatever it is, and what does not is an error', () => {
  expect([0, '', false].map((value) => existing(value, 'No such claim.'))).toEqual([0, '', false]);
  for (const nothing of [null, undefined])
    expect(() => existing(nothing, 'No such claim.')).toThrow(
      expect.objectContaining({ name: 'DomainError', code: 'not_found', message: 'No such claim.' }),
    );
  expect(new DomainError('duplicate_claim', 'Sent.', 'id').existingClaimId).toBe('id');
});
