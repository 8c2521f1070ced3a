import { randomFillSync } from 'node:crypto';
import type { Ids } from '@svc/application';

/** UUIDs of version 7 (RFC 9562): a millisecond clock, a counter within the millisecond, 62 random bits. */
export function createUuidV7(clock: () => number = Date.now): Ids {
  const pool = new Uint8Array(16 * 256);
  let used = pool.length;
  let lastMs = 0;
  let counter = 0;
  return {
    next() {
      if (used === pool.length) {
        randomFillSync(pool);
        used = 0;
      }
      const bytes = pool.subarray(used, used + 16);
      used += 16;
      const now = clock();
      if (now > lastMs) {
        lastMs = now;
        counter = ((bytes[6] ?? 0) & 0x07) << 8; // starts low, so that a busy millisecond has room to count
      } else if (counter < 0xfff) {
        counter += 1;
      } else {
        lastMs += 1;
        counter = 0;
      }
      bytes[0] = lastMs / 2 ** 40;
      bytes[1] = lastMs / 2 ** 32;
      bytes[2] = lastMs / 2 ** 24;
      bytes[3] = lastMs / 2 ** 16;
      bytes[4] = lastMs / 2 ** 8;
      bytes[5] = lastMs;
      bytes[6] = 0x70 | (counter >> 8);
      bytes[7] = counter;
      bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
      const hex = Buffer.from(bytes.buffer, bytes.byteOffset, 16).toString('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
    },
  };
}
