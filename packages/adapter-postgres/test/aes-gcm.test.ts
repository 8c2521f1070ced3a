import { createSecretKey } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { decrypt, encrypt } from '../src/encryption/aes-gcm.ts';

const key = createSecretKey(Buffer.alloc(32, 1));

test('no two values of a process are encrypted with the same nonce, however many there are', () => {
  const encrypted = Array.from({ length: 1000 }, (_, n) => encrypt(key, 'a', `é ${n}`));
  expect(new Set(encrypted.map((value) => value.subarray(0, 12).toString('hex'))).size).toBe(1000);
  expect(encrypted.map((value) => decrypt(key, 'a', value).toString())).toEqual(
    encrypted.map((_, n) => `é ${n}`),
  );
});

test('a value is decrypted only as a whole, with its key and for its row', () => {
  const encrypted = encrypt(key, 'a', Buffer.from('text'));
  const changed = (at: number) => encrypted.map((byte, n) => (n === at ? byte ^ 1 : byte));
  const other = createSecretKey(Buffer.alloc(32, 2));
  for (const [by, row, value] of [
    [other, 'a', encrypted],
    [key, 'b', encrypted],
    [key, 'a', encrypted.subarray(0, -1)],
    // The nonce, the text and the tag.
    ...[0, 12, encrypted.length - 1].map((at) => [key, 'a', Buffer.from(changed(at))] as const),
  ] as const)
    expect(() => decrypt(by, row, value)).toThrow();
  expect(decrypt(key, 'a', encrypted).toString()).toBe('text');
});
