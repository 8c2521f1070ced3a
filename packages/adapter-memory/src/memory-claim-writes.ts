import { type AuditEvent, type ClaimWrites, offerEnd, type QueuedJob, replayOf } from '@svc/application';
import type { MemoryTx, MemoryUnitOfWork } from './memory-tx.ts';

/** Each request in its own transaction. */
export function memoryClaimWrites(uow: MemoryUnitOfWork): ClaimWrites {
  type WithChange = { readonly jobs: readonly QueuedJob[]; readonly event: AuditEvent };
  const record = async (tx: MemoryTx, { jobs, event }: WithChange): Promise<void> => {
    for (const { job, runAt } of jobs) await tx.outbox.add(job, runAt);
    await tx.audit.record(event);
  };
  return {
    send: (request, decide) =>
      uow.run(async (tx) => {
        const { firmId } = request.slot;
        const membership = await tx.claimWrites.lockMembership(firmId, request.adjuster);
        const { bound, ...facts } = await tx.claimWrites.facts(request);
        const replay = replayOf(bound, request.fingerprint);
        if (replay !== null) return replay;
        const { claim, ...rest } = decide({ ...facts, membership });
        await tx.claimWrites.bind(request, claim.id);
        await tx.claimWrites.mergeCarrier(firmId, claim.carrier);
        await record(tx, rest);
        return tx.claimWrites.add(claim);
      }),

    offer: (request, decide) =>
      uow.run(async (tx) => {
        const { firmId } = request.slot;
        const membership = await tx.claimWrites.lockMembership(firmId, request.adjuster);
        const claim = await tx.claims.lock(firmId, request.claimId);
        const { bound, ...facts } = await tx.claimWrites.facts(request);
        const replay = replayOf(bound, request.fingerprint);
        if (replay !== null || claim === null) return replay;
        const { assignment, ...rest } = decide({ ...facts, membership, claim });
        await tx.claimWrites.bind(request, claim.id);
        // Before the claim gets the audit row of the next offer.
        await tx.claimWrites.endOffer(claim, offerEnd(claim, assignment.offeredAt));
        await record(tx, rest);
        return tx.claims.save({ ...claim, assignment });
      }),

    respond: (svcId, id, decide) =>
      uow.run(async (tx) => {
        const offered = await tx.claims.lockOfferedTo(svcId, id);
        if (offered === null) return null;
        const { assignment, event } = decide(offered);
        await record(tx, { jobs: [], event });
        return { ...(await tx.claims.save({ ...offered.claim, assignment })), ...offered.forms };
      }),
  };
}
