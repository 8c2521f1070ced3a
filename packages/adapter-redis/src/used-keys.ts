import { createHash } from 'node:crypto';
import { IDEMPOTENCY_WINDOW_MS, type IdempotencySlot, type UsedKeys } from '@svc/application';
import type { Store } from './store.ts';

/** Shared by all processes. While Redis is unavailable no key counts as used. */
export const createRedisUsedKeys = (store: Store): UsedKeys => ({
  has: async (slot) => (await store.run({ name: 'hasUsed', key: keyOf(slot), args: [] })) === 1,
  add: (slot) => store.runLater({ name: 'addUsed', key: keyOf(slot), args: [IDEMPOTENCY_WINDOW_MS] }),
});

/** Hashed, since an Idempotency-Key is free text and may contain personal data. */
const keyOf = ({ firmId, environment, key }: IdempotencySlot): string =>
  `used:{${createHash('sha256').update(`${firmId} ${environment} ${key}`).digest('base64url')}}`;
