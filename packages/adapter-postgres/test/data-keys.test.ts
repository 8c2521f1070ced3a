import { randomBytes } from 'node:crypto';
import { afterEach, expect, jest, test } from '@jest/globals';
import type { FirmId } from '@svc/domain';
import { checkWrappingKeys, DataKeys } from '../src/encryption/data-keys.ts';
import { EncryptionKeyError, WrappingKeys } from '../src/encryption/wrapping-keys.ts';

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

const BYTES = [1, 2, 3].map((n) => Buffer.alloc(32, n));
/** As `openssl dgst -sha256` identifies them. */
const IDS = ['72cd6e8422c407fb', '75877bb41d393b5f', '648aa5c579fb30f3'];
const keysOf = (...keys: readonly Buffer[]) => {
  const source = { variable: 'ENCRYPTION_KEY_FILE', reads: 0, keys };
  const read = () => {
    source.reads += 1;
    return source.keys;
  };
  return { source, wrappingKeys: new WrappingKeys({ variable: source.variable, read }) };
};

test('the first key encrypts and all decrypt; they are read again when one is missing', () => {
  const [one, two, three] = BYTES as [Buffer, Buffer, Buffer];
  const { source, wrappingKeys } = keysOf(two, one);
  const [byOne, byTwo, byThree] = BYTES.map((key) => keysOf(key).wrappingKeys.wrap(one, 'firm', 7));
  if (!byOne || !byTwo || !byThree) throw new Error('expected three');
  expect([byOne, byTwo, byThree].map(({ wrappingKeyId }) => wrappingKeyId)).toEqual(IDS);
  expect(wrappingKeys.wrap(one, 'firm', 7)).toMatchObject({ firmId: 'firm', id: 7, wrappingKeyId: IDS[1] });
  for (const wrapped of [byOne, byTwo]) expect(wrappingKeys.unwrap(wrapped)).toEqual(one);
  for (const other of [{ firmId: 'other' }, { id: 8 }])
    expect(() => wrappingKeys.unwrap({ ...byOne, ...other })).toThrow();
  expect([source.reads, wrappingKeys.has(IDS[2] ?? ''), source.reads]).toEqual([1, false, 2]);
  const missing = `A data key is encrypted with the key ${IDS[2]}, which is not in ENCRYPTION_KEY_FILE.`;
  expect(() => wrappingKeys.unwrap(byThree)).toThrow(new EncryptionKeyError(missing));
  source.keys = [three];
  expect([wrappingKeys.unwrap(byThree), wrappingKeys.currentId]).toEqual([one, IDS[2]]);
  expect(() => keysOf().wrappingKeys.currentId).toThrow('ENCRYPTION_KEY_FILE holds no key.');
});

test('a database whose data keys cannot all be decrypted is refused, with the ids of the missing keys', async () => {
  const check = (used: readonly (string | undefined)[], keys: WrappingKeys | null) =>
    checkWrappingKeys({ rows: async <R>() => used.map((wrappingKeyId) => ({ wrappingKeyId }) as R) }, keys);
  const { wrappingKeys } = keysOf(...BYTES.slice(0, 2));
  await check([], null);
  await check(IDS.slice(0, 2), wrappingKeys);
  await expect(check(IDS, wrappingKeys)).rejects.toThrow(
    `ENCRYPTION_KEY_FILE does not hold the key with the id ${IDS[2]}, with which data in the database is encrypted; it holds ${IDS[0]} first. Add`,
  );
  await expect(check(IDS.slice(1), null)).rejects.toThrow(
    `ENCRYPTION_KEY and ENCRYPTION_KEY_FILE are unset, but personal data in the database is encrypted; set the key with the id ${IDS[1]}, ${IDS[2]}.`,
  );
});

test('the latest data key encrypts, each data key can be wrapped with the newest wrapping key, and an unknown wrapping key is an outage until it is configured', async () => {
  const { source, wrappingKeys } = keysOf(...BYTES.slice(0, 1));
  const firmId = 'firm' as FirmId;
  let stored = [1, 2, 3].map((id) => {
    const { wrapped, wrappingKeyId } = keysOf(BYTES[1] ?? Buffer.of()).wrappingKeys.wrap(
      randomBytes(32),
      firmId,
      id,
    );
    return { firm_id: firmId, id, wrapped_key: wrapped, wrapping_key_id: wrappingKeyId };
  });
  const [reads, progress]: [unknown[], number[]] = [[], []];
  const keys = new DataKeys(
    {
      reads: {
        async rows<R>(_: unknown, values: readonly unknown[] = []): Promise<R[]> {
          reads.push(values);
          const [current, limit] = values;
          // Two at a time, fewer than it allows.
          const found =
            limit === undefined
              ? stored
              : stored.filter((row) => row.wrapping_key_id !== current).slice(0, 2);
          return found as R[];
        },
      },
      writes: {
        async rows<R>(
          _: unknown,
          [firm, id, key, wrapping_key_id, before]: readonly unknown[] = [],
        ): Promise<R[]> {
          const isOf = (row: (typeof stored)[0]) =>
            row.firm_id === firm && row.id === id && row.wrapping_key_id === before;
          const changed = {
            wrapped_key: Buffer.from(String(key), 'hex'),
            wrapping_key_id: String(wrapping_key_id),
          };
          // Another process has changed the second one.
          const found = stored.filter((row) => isOf(row) && id !== 2);
          stored = stored.map((row) => (isOf(row) ? { ...row, ...changed } : row));
          return found as R[];
        },
      },
    },
    wrappingKeys,
  );
  await expect(keys.keysFor(firmId, 'encrypt')).rejects.toMatchObject({
    name: 'Unavailable',
    reason: 'other',
  });
  source.keys = BYTES.slice(0, 2);
  const found = await keys.keysFor(firmId, 'encrypt');
  expect([found.current?.id, [...found.byId.keys()]]).toEqual([3, [1, 2, 3]]);
  reads.length = 0;
  expect(await keys.rewrap((count) => progress.push(count))).toBe(2);
  expect([progress, reads]).toEqual([[1, 2], Array(3).fill([IDS[0], 100])]);
  const reader = { rows: async <R>() => stored as R[] };
  const again = new DataKeys({ reads: reader, writes: reader }, keysOf(...BYTES.slice(0, 1)).wrappingKeys);
  const keysIn = ({ byId }: typeof found) => [...byId].map(([id, { key }]) => [id, key.export()]);
  expect(keysIn(await again.keysFor(firmId, 'decrypt'))).toEqual(keysIn(found));
  for (const each of [keys, again]) each.close();
});
