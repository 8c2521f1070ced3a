import { type Adjuster, type Claim, TEST_ACCOUNTS, TEST_RESPONSE_DELAY_MS } from '@svc/domain';
import type { Outbox } from '../ports/jobs.ts';

/** Queues the notification of a new offer and the response of a simulated adjuster. */
export async function notifyOffer(outbox: Outbox, claim: Claim, adjuster: Adjuster): Promise<void> {
  const offer = { firmId: claim.firmId, claimId: claim.id, svcId: adjuster.svcId };
  await outbox.add({ kind: 'notify_offer', ...offer });
  if (adjuster.testOf !== null && TEST_ACCOUNTS[adjuster.testOf.behavior].answersOffer !== undefined) {
    const { offeredAt } = claim.assignment;
    await outbox.add(
      { kind: 'simulate_offer_response', ...offer, offeredAt },
      offeredAt + TEST_RESPONSE_DELAY_MS,
    );
  }
}
