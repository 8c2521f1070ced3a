import type { ApiKey, Delivery } from '../endpoints.ts';
import type { Texts } from '../texts/en.ts';

// What is said of rows that were read.

/** Of the latest deliveries: the last that arrived, and what fails and waits. */
export function healthOf(deliveries: readonly Delivery[]) {
  const waiting = deliveries.filter(({ status }) => status === 'pending');
  const delivered = deliveries.find(({ status }) => status === 'delivered');
  const failing = deliveries.find(({ status, attempts }) => status !== 'delivered' && attempts.length > 0);
  return {
    deliveredAt: delivered && (delivered.attempts.at(-1)?.at ?? delivered.created_at),
    waiting: waiting.length,
    failed: failing?.attempts.at(-1),
    next: waiting.flatMap(({ next_attempt_at }) => next_attempt_at ?? []).sort()[0],
  };
}

interface Maker {
  readonly staff_id: string;
  readonly name: string;
  readonly reason: keyof Texts['keys']['attention'];
  readonly count: number;
}

/** Whose keys an administrator should look at, of the rows that are shown. */
export function makersOf(keys: readonly ApiKey[]): Maker[] {
  const makers = new Map<string, Maker>();
  for (const { attention, created_by } of keys) {
    if (attention === null || created_by.staff_id === null) continue;
    const { staff_id } = created_by;
    const reason = attention === 'maker_removed' ? 'maker_removed' : 'maker_role_changed';
    const count = (makers.get(staff_id)?.count ?? 0) + 1;
    makers.set(staff_id, { staff_id, name: created_by.name ?? staff_id, reason, count });
  }
  return [...makers.values()];
}

export const isKeyOver = ({ revoked_at, expires_at }: ApiKey, now: number): boolean =>
  revoked_at !== null || (expires_at !== null && Date.parse(expires_at) < now);
