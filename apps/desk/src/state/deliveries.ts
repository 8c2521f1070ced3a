import type { Delivery } from '../endpoints.ts';

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
