import type { AdjusterActor } from '../actors.ts';
import type { AppClaimView } from '../model/claim-views.ts';
import type { Needs } from '../ports/needs.ts';

/** About 5 MB. The store ignores later sightings, so forgetting one costs a write. */
const MAX_REMEMBERED = 50_000;

/** Records when pending offers are first sent to the adjuster's app, which reads them every few seconds. */
export function createOfferSightings({ offerBuffer, clock }: Needs<'offerBuffer' | 'clock'>) {
  let remembered = new Set<string>();
  return ({ svcId }: AdjusterActor, claims: readonly AppClaimView[]): void => {
    for (const { id, environment, firm, assignment } of claims) {
      if (assignment.status !== 'pending_acceptance') continue;
      const { offeredAt } = assignment;
      const offer = `${id} ${offeredAt}`;
      if (remembered.has(offer)) continue;
      if (remembered.size === MAX_REMEMBERED) remembered = new Set();
      remembered.add(offer);
      const seenAt = clock.now();
      offerBuffer.add({ firmId: firm.id, claimId: id, environment, offeredAt, adjuster: svcId, seenAt });
    }
  };
}
