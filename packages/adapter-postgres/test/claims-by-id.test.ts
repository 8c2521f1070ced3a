import { beforeEach, describe, expect, test } from '@jest/globals';
import { Unavailable } from '@svc/application';
import type { FirmId } from '@svc/domain';
import type { Executor } from '../src/driver/executor.ts';
import { claimsById, type WantedClaim } from '../src/reads/claims-by-id.ts';

const wanted = (id: string): WantedClaim => ({ firmId: 'firm' as FirmId, id });

describe('claims read by id', () => {
  /** The ids that each statement reads. */
  let statements: string[][];
  let failure: (ids: readonly string[]) => Error | null;

  /** Every claim exists but `missing`. Rows of several come in any order. */
  const rowsOf = (ids: readonly string[]) =>
    ids
      .map((id, i) => ({ id, ordinal: i + 1 }))
      .filter(({ id }) => id !== 'missing')
      .reverse();
  const session: Executor = {
    async rows<R>(_: unknown, values: readonly unknown[] = []): Promise<R[]> {
      const ids = String(values[1]).replace(/[{}]/g, '').split(',');
      statements.push(ids);
      const error = failure(ids);
      if (error !== null) throw error;
      return rowsOf(ids) as R[];
    },
  };
  const outcomes = async (ids: readonly string[], options = {}): Promise<unknown[]> => {
    const read = claimsById(session, options);
    const settled = await Promise.allSettled(ids.map((id) => read(wanted(id))));
    return settled.map((one) => (one.status === 'rejected' ? one.reason.message : (one.value?.id ?? null)));
  };

  beforeEach(() => {
    statements = [];
    failure = () => null;
  });

  test('in one turn share a statement, and each caller gets its own', async () => {
    expect(await outcomes(['a', 'missing', 'b', 'a'])).toEqual(['a', null, 'b', 'a']);
    expect(statements).toEqual([['a', 'missing', 'b', 'a']]);
  });

  test('in one turn share statements of at most 16', async () => {
    const ids = Array.from({ length: 33 }, (_, n) => `claim ${n}`);
    expect(await outcomes(ids)).toEqual(ids);
    expect(statements.map(({ length }) => length)).toEqual([16, 16, 1]);
  });

  test('in different turns do not wait for each other', async () => {
    const read = claimsById(session);
    const ids = [(await read(wanted('a')))?.id, (await read(wanted('b')))?.id];
    expect([ids, statements]).toEqual([
      ['a', 'b'],
      [['a'], ['b']],
    ]);
  });

  test('that fail together are read one by one, so that only the cause fails', async () => {
    failure = (ids) => (ids.includes('corrupt') ? new Error('cannot be read') : null);
    expect(await outcomes(['a', 'corrupt', 'b'])).toEqual(['a', 'cannot be read', 'b']);
    expect(statements).toEqual([['a', 'corrupt', 'b'], ['a'], ['corrupt'], ['b']]);
  });

  test('are not read again while PostgreSQL is unavailable', async () => {
    failure = () => new Unavailable('gone', 'database_unreachable');
    expect(await outcomes(['a', 'b'])).toEqual(['gone', 'gone']);
    expect(statements).toHaveLength(1);
  });

  test('have a statement each on Citus, where firms are on several nodes', async () => {
    expect(await outcomes(['a', 'b'], { maxTogether: 1 })).toEqual(['a', 'b']);
    expect(statements).toEqual([['a'], ['b']]);
  });
});
