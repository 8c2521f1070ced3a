import {
  type Claim,
  type ClaimId,
  checkAddressee,
  checkOfferable,
  DomainError,
  offerClaim,
  type Svcid,
} from '@svc/domain';
import type { FirmActor } from '../actors.ts';
import type { ClaimView, FirmReads } from '../ports/reads.ts';
import type { Clock } from '../ports/support.ts';
import type { Twins } from '../ports/twins.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';
import { announceOffer } from './announce-offer.ts';
import { type OnceOnly, replayInsteadOf, replayOf } from './idempotency.ts';
import type { SentClaim } from './send-claim.ts';

export interface OfferClaimCommand {
  readonly idempotencyKey: string;
  readonly fingerprint: string;
  readonly claimId: ClaimId;
  readonly adjuster: Svcid;
}

/** Offers a claim again, to another adjuster. Safe to repeat with the same Idempotency-Key. */
export const makeOfferClaim =
  (deps: { uow: UnitOfWork; twins: Twins; reads: FirmReads; clock: Clock }) =>
  async (actor: FirmActor, command: OfferClaimCommand): Promise<SentClaim> => {
    const { firmId, environment } = actor;
    const once: OnceOnly = {
      slot: { firmId, environment, key: command.idempotencyKey },
      fingerprint: command.fingerprint,
    };
    let offered: ClaimView | null = null;

    const { claimId, replayed } = await deps.twins.once(once.slot, once.fingerprint, () =>
      deps.uow.run(async (tx) => {
        const at = deps.clock.now();
        // Asked together. The membership is locked before the claim, as by an adjuster who leaves.
        const [replay, adjuster, membership, claim] = await Promise.all([
          replayOf(tx, once, at),
          tx.adjusters.find(command.adjuster),
          tx.memberships.lockShared(firmId, command.adjuster),
          tx.claims.lock(firmId, command.claimId),
        ]);
        if (replay !== null) return replay;
        const visible = claim !== null && (environment === 'live' || claim.environment === 'test');
        if (!visible) throw new DomainError('not_found', 'No such claim.');
        let next: Claim;
        try {
          checkOfferable(claim, environment);
          checkAddressee({ adjuster, membership, firmId, environment, at });
          next = offerClaim(claim, { adjuster: command.adjuster, at });
        } catch (refusal) {
          return replayInsteadOf(refusal, tx, once, at);
        }

        await tx.idempotency.bind(once.slot, once.fingerprint, claim.id, at);
        const before = claim.assignment;
        if (before.status === 'pending_acceptance' && before.adjuster !== command.adjuster) {
          const svcId = before.adjuster;
          await tx.outbox.add({ kind: 'notify_offer_withdrawn', firmId, claimId: claim.id, svcId });
        }
        if (adjuster !== null) await announceOffer(tx.outbox, next, adjuster);
        offered = await tx.claims.save(next);
        return { claimId: claim.id, replayed: false };
      }),
    );

    const claim = (replayed ? null : offered) ?? (await deps.reads.claim(firmId, environment, claimId));
    if (claim === null)
      throw new Error(`the claim ${claimId} that an Idempotency-Key is bound to does not exist`);
    return { claim, replayed };
  };
