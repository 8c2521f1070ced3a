import type { Adjuster } from '@svc/domain';
import type { Tx } from '../ports/unit-of-work.ts';

/**
 * Pending offers of all firms to the adjuster, where that matters. The lock on the account lets one sender at a time
 * count and add an offer; adjusters without a limit are not locked.
 */
export async function countPendingOffers(tx: Tx, adjuster: Adjuster | null): Promise<number> {
  if (adjuster?.availability?.maxOpenOffers == null) return 0;
  await tx.adjusters.lock(adjuster.svcId);
  return tx.claims.countPendingOf(adjuster.svcId);
}
