import { expect, test } from '@jest/globals';
import { workHandler } from '../src/outbox/work.ts';

const unused = (): never => {
  throw new Error('Merging asks for nothing.');
};
const { merge } = workHandler({
  call: unused,
  workOf: unused,
  labelOf: unused,
  merged: unused,
  updateClaim: unused,
  entriesSaved: unused,
  keepAsDraft: unused,
});
const edit = { kind: 'work', key: 'claim', id: 'edit', owner: 'adjuster', at: 0 } as const;

test('edits of one claim are merged upon what the first was made from, with every attempt before', () => {
  const one = { ...edit, entries: { notes: 'one' }, base: { notes: 'first' }, earlier: [{ notes: 'zero' }] };
  const next = { ...edit, entries: { notes: 'two' }, base: { notes: 'one' } };
  const merged = { ...next, base: { notes: 'first' } };
  expect(merge?.(one, next)).toEqual({ ...merged, earlier: [{ notes: 'zero' }] });
  const tried = [{ notes: 'zero' }, { notes: 'one' }];
  expect(merge?.({ ...one, tried: true }, next)).toEqual({ ...merged, earlier: tried });
});

test('closing a claim is merged with no edit, before or after', () => {
  const closing = { ...edit, close: true };
  const other = { ...edit, entries: { notes: 'one' } };
  expect([merge?.(closing, other), merge?.(other, closing)]).toEqual([undefined, undefined]);
});
