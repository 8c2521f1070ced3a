import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type CursorScope, createCursors } from '../src/http/serialization/cursor.ts';
import { anyCharacter } from './any-character.ts';

const SECRET = Buffer.alloc(32, 1);
const cursors = createCursors(SECRET);
const scope: CursorScope = {
  list: 'claims',
  reader: 'firm/live',
  filters: { updatedSince: 5, status: undefined },
};
const position = { at: Date.parse('2026-03-02T09:00:00.123Z'), id: '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10' };

test('a cursor round-trips any timestamp and id', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -8.64e15, max: 8.64e15 }),
      fc.string({ unit: anyCharacter, maxLength: 128 }),
      (at, id) => {
        expect(cursors.read(cursors.write({ at, id }, scope), scope)).toEqual({ at, id });
      },
    ),
  );
});

test('a cursor has at most 512 characters, even for the longest SVCID', () => {
  for (const id of ['x'.repeat(128), '😀'.repeat(64)])
    expect(cursors.write({ at: position.at, id }, scope).length).toBeLessThanOrEqual(512);
  expect(cursors.write(position, scope)).toContain(position.id);
});

test.each([
  ['another list', { ...scope, list: 'adjusters' }],
  ['another reader', { ...scope, reader: 'firm/test' }],
  ['another filter', { ...scope, filters: { updatedSince: 6 } }],
  ['fewer filters', { ...scope, filters: {} }],
  ['more filters', { ...scope, filters: { ...scope.filters, externalId: 'x' } }],
])('a cursor is invalid for %s', (_, other) => {
  expect(cursors.read(cursors.write(position, scope), other)).toBeNull();
});

test('a cursor signed with another key is invalid', () => {
  const foreign = createCursors(Buffer.alloc(32, 2));
  expect(cursors.read(foreign.write(position, scope), scope)).toBeNull();
});

test('a cursor with any change is invalid', () => {
  const written = cursors.write(position, scope);
  const changed = ['=', 'A', '.', ' ', '.A'].map((more) => written + more);
  for (let at = 0; at < written.length; at++) {
    changed.push(written.slice(0, at));
    for (const letter of 'AB01_-.=+/ é') {
      if (written[at] !== letter) changed.push(written.slice(0, at) + letter + written.slice(at + 1));
    }
  }
  expect(changed.filter((cursor) => cursors.read(cursor, scope) !== null)).toEqual([]);
});

test('a signature has at least 128 bits', () => {
  const [, signature = ''] = cursors.write(position, scope).split('.');
  expect(Buffer.from(signature, 'base64url').length).toBeGreaterThanOrEqual(16);
});
