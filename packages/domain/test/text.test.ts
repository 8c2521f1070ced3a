import { expect, test } from '@jest/globals';
import { DomainError, existing, isBlank, searchText } from '../src/index.ts';

test.each([
  ["O'Brien", 'obrien', ['OBrien', ...[..."'`´ʹʺʻʼʽ‘’‚‛′＇"].map((mark) => `O${mark}BRIEN`)]],
  ['12-14 Sea Lane', '12-14 sea lane', [...'-‐‑‒–—―−－'].map((dash) => `12${dash}14 sea Lane`)],
  ['Loiza', 'loiza', ['Loíza', 'LOÍZA', 'Loi\u0301za']],
])('a search for %s, which is stored as %s, finds every way to write it', (typed, stored, written) => {
  expect([typed, ...written].map(searchText)).toEqual([typed, ...written].map(() => stored));
});

test('what prints nothing is blank: white space, control characters, and what is invisible', () => {
  const blank = ['', ' \t\n\u00a0\u3000\0\x7f\x85\xad\u200b\u2060\u3164\ufe0f\u2800\ufff9\ufffa\ufffb'];
  expect(blank.map(isBlank)).toEqual(blank.map(() => true));
  expect([...'a.0-🌊\ufffc\ufffd\u2801', '\u200ba', 'a\n'].filter(isBlank)).toEqual([]);
});

test('what exists is returned, whatever it is, and what does not is an error', () => {
  expect([0, '', false].map((value) => existing(value, 'No such claim.'))).toEqual([0, '', false]);
  for (const nothing of [null, undefined])
    expect(() => existing(nothing, 'No such claim.')).toThrow(
      expect.objectContaining({ name: 'DomainError', code: 'not_found', message: 'No such claim.' }),
    );
  expect(new DomainError('duplicate_claim', 'Sent.', 'id').existingClaimId).toBe('id');
});
