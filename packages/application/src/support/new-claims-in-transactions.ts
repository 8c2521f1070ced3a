import type { NewClaims } from '../ports/new-claims.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';
import { attemptInTransaction } from './execute-idempotently.ts';
import { countPendingOffers } from './pending-offers.ts';

/** Saves each claim in a separate transaction. */
export const newClaimsInTransactions = (uow: UnitOfWork): NewClaims => ({
  add: (request, decide) =>
    attemptInTransaction(uow, request, async (tx) => {
      const { firmId, environment } = request.slot;
      const { externalId, claimNumber } = request;
      // Read together to save round trips.
      // The account after the lock on the membership, which the operator takes to disable it.
      const [duplicate, membership, adjuster] = await Promise.all([
        tx.claims.findDuplicate({ firmId, environment, externalId, claimNumber }),
        tx.memberships.lockShared(firmId, request.adjuster),
        tx.adjusters.find(request.adjuster),
      ]);
      const pendingOffers = duplicate === null ? await countPendingOffers(tx, adjuster) : 0;
      const { claim, jobs, event } = decide({ duplicate, membership, adjuster, pendingOffers });

      const save = async () => {
        await tx.carriers.merge(firmId, claim.carrier);
        for (const { job, runAt } of jobs) await tx.outbox.add(job, runAt);
        await tx.audit.record(event);
        return tx.claims.addAndCommit(claim);
      };
      return { claim, save };
    }),
});
