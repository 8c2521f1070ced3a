import { expect, test } from '@jest/globals';
import type { AuditChainId, AuditEvent } from '@svc/application';
import { arrayOf, timestamp } from '../src/driver/column-types.ts';
import { auditRowPerChain, auditRowsOf, rowColumns } from '../src/stores/audit-rows.ts';

const [one, other] = ['1', '2'] as [AuditChainId, AuditChainId];
const read = (chain = one, claims?: number, requestId: string | null = null): AuditEvent => ({
  chain,
  entry: {
    ...({
      at: Number(requestId ?? 1),
      actor: 'key:1',
      address: null,
      action: 'claims.read',
      outcome: 'ok',
    } as const),
    ...{ object: null, requestId, claims: claims === undefined ? undefined : Array(claims).fill('1') },
  },
});

test('a row has up to 28 reads of one firm, or of lists as many as have 200 ids', () => {
  const sizes = (events: AuditEvent[]) =>
    auditRowsOf(Object.freeze(events)).map(({ entries }) => entries.length);
  expect(sizes(Array.from({ length: 57 }, () => read()))).toEqual([28, 28, 1]);
  expect(sizes([read(one, 93), read(other, 93), read(one, 93), read(one, 0)])).toEqual([2, 1, 1]);
  expect(sizes([read(one, 300), read(one, 0)])).toEqual([1, 1]);
});

test('all events of a firm that share a transaction share a row', () => {
  const many = Array.from({ length: 300 }, (_, n) => read(n % 3 === 0 ? other : one, 0, `${1000 + n}`));
  expect(auditRowPerChain(many).map(({ chain, entries }) => [chain, entries.length])).toEqual([
    [one, 200],
    [other, 100],
  ]);
  expect(rowColumns(auditRowPerChain(many)).times).toBe(arrayOf([timestamp(1001), timestamp(1000)]));
  for (const { entries } of auditRowPerChain(many)) {
    const ids = entries.map(({ requestId }) => requestId);
    expect(ids).toEqual(ids.toSorted());
  }
});
