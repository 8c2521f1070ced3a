import { type Adjuster, type Claim, TEST_ACCOUNTS, TEST_RESPONSE_DELAY_MS } from '@svc/domain';
import type { QueuedJob } from '../model/job.ts';

/** The notification of a new offer and the response of a simulated adjuster. */
export function jobsOfOffer(claim: Claim, adjuster: Adjuster): QueuedJob[] {
  const offer = { firmId: claim.firmId, claimId: claim.id, svcId: adjuster.svcId };
  const notification: QueuedJob = { job: { kind: 'notify_offer', ...offer } };
  if (adjuster.testOf === null || TEST_ACCOUNTS[adjuster.testOf.behavior].answersOffer === undefined)
    return [notification];
  const { offeredAt } = claim.assignment;
  return [
    notification,
    {
      job: { kind: 'simulate_offer_response', ...offer, offeredAt },
      runAt: offeredAt + TEST_RESPONSE_DELAY_MS,
    },
  ];
}
