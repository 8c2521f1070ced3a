import type { OfferResponses } from '../ports/offer-responses.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';

/** Saves each response in a separate transaction. */
export const responsesInTransactions = (uow: UnitOfWork): OfferResponses => ({
  save: (svcId, id, decide) =>
    uow.run(async (tx) => {
      const offered = await tx.claims.lockOfferedTo(svcId, id);
      if (offered === null) return null;
      const { assignment, event } = decide(offered);
      await tx.audit.record(event);
      return { ...(await tx.claims.saveAndCommit({ ...offered.claim, assignment })), ...offered.forms };
    }),
});
