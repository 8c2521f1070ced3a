import { randomBytes } from 'node:crypto';
import { afterEach, expect, jest, test } from '@jest/globals';
import type { FirmId } from '@svc/domain';
import { DataKeys } from '../src/encryption/data-keys.ts';
import { WrappingKeys } from '../src/encryption/wrapping-keys.ts';

afterEach(() => void jest.useRealTimers());

test('a destroyed key is used for a minute at most, and a firm in use waits for no read of its key', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
  const pass = (ms: number) => jest.advanceTimersByTime(ms);
  const wrappingKeys = new WrappingKeys({ variable: 'ENCRYPTION_KEY', read: () => [Buffer.alloc(32, 1)] });
  const firmId = 'firm' as FirmId;
  const { id, wrapped, wrappingKeyId } = wrappingKeys.wrap(randomBytes(32), firmId, 1);
  const row = { firm_id: firmId, id, wrapped_key: wrapped, wrapping_key_id: wrappingKeyId };
  let stored: unknown[] | null = [row];
  let reads = 0;
  const rows = async <R>(): Promise<R[]> => {
    reads += 1;
    if (stored === null) throw new Error('down');
    return stored as R[];
  };
  const keys = new DataKeys({ reads: { rows }, writes: { rows } }, wrappingKeys);
  const use = () => keys.keysFor(firmId, 'decrypt');
  const settled = () => new Promise(setImmediate);
  await Promise.all([use(), use()]);
  pass(29_999);
  expect([(await use()).current?.id, reads]).toEqual([1, 1]);
  // From half a minute on it is read again beside its use, and once more if that fails.
  pass(1);
  for (stored of [null, [row]]) {
    expect([use(), use()].map((found) => found instanceof Promise)).toEqual([false, false]);
    await settled();
  }
  expect(reads).toBe(3);
  stored = null;
  pass(59_999);
  expect(use()).not.toBeInstanceOf(Promise);
  await settled();
  pass(1);
  await expect(use()).rejects.toThrow('down');
  for (stored of [[row], []]) {
    pass(30_000);
    await use();
    await settled();
  }
  expect(await use()).toMatchObject({ current: null });
  keys.close();
});

test('a firm gets one key when its first row is written, also while others look for it', async () => {
  const wrappingKeys = new WrappingKeys({ variable: 'ENCRYPTION_KEY', read: () => [Buffer.alloc(32, 1)] });
  const firmId = 'firm' as FirmId;
  const stored: unknown[] = [];
  const keys = new DataKeys(
    {
      reads: { rows: async <R>(): Promise<R[]> => [...stored] as R[] },
      writes: {
        async rows(_, [firm_id, id, key, wrapping_key_id] = []) {
          stored.push({ firm_id, id, wrapped_key: Buffer.from(String(key), 'hex'), wrapping_key_id });
          return [];
        },
      },
    },
    wrappingKeys,
  );
  const uses = ['decrypt', 'encrypt', 'encrypt'] as const;
  const found = await Promise.all(uses.map((use) => keys.keysFor(firmId, use)));
  expect(found.map(({ current }) => current?.id)).toEqual([undefined, 1, 1]);
  expect((await keys.keysFor(firmId, 'decrypt')).byId.get(1)).toBe(found[1]?.current);
  expect(stored).toHaveLength(1);
  keys.close();
});
