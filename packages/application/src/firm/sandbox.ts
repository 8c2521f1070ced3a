import {
  type Adjuster,
  acceptInvitation,
  type ClaimId,
  checkSandboxKey,
  closeClaimAsOperator,
  DomainError,
  declineInvitation,
  expireInvitation,
  type Instant,
  type KeyId,
  leaveFirm,
  type Membership,
  type Svcid,
  statusAt,
} from '@svc/domain';
import type { FirmActor } from '../actors.ts';
import { makeAcceptClaim, makeRejectClaim } from '../app/claims.ts';
import { withdrawWaitingOffers } from '../app/memberships.ts';
import type { FaultStore, SimulatedFaults } from '../ports/faults.ts';
import type { AdjusterView, ClaimView, FirmReads } from '../ports/reads.ts';
import type { Clock } from '../ports/support.ts';
import type { Tx, UnitOfWork } from '../ports/unit-of-work.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly reads: FirmReads;
  readonly faults: FaultStore;
  readonly clock: Clock;
}

export type Sandbox = ReturnType<typeof makeSandbox>;

/** What a test key can simulate: acts of adjusters, the end of an invitation, and failures of the service. */
export function makeSandbox(deps: Deps) {
  const { uow, reads, faults, clock } = deps;
  const acceptClaim = makeAcceptClaim(deps);
  const rejectClaim = makeRejectClaim(deps);

  /** The adjuster of the latest offer, who is a test account of the firm: a test key sees no other claims. */
  const addresseeOf = async ({ firmId, environment }: FirmActor, id: ClaimId): Promise<Svcid> => {
    checkSandboxKey(environment);
    const claim = await reads.claim(firmId, environment, id);
    if (claim === null) throw noClaim();
    return claim.assignment.adjuster;
  };

  const change = async (
    { firmId, environment }: FirmActor,
    svcId: Svcid,
    apply: (membership: Membership, adjuster: Adjuster, at: Instant) => Membership,
    afterwards: (tx: Tx) => Promise<void> = async () => {},
  ): Promise<AdjusterView> => {
    checkSandboxKey(environment);
    return uow.run(async (tx) => {
      const adjuster = await tx.adjusters.find(svcId);
      const current = await tx.memberships.lock(firmId, svcId);
      if (adjuster?.testOf?.firmId !== firmId || current === null)
        throw new DomainError(
          'not_found',
          'This SVCID is not one of the invited test accounts of your firm.',
        );
      const membership = apply(current, adjuster, clock.now());
      await tx.memberships.save(membership);
      await afterwards(tx);
      return { membership, adjuster };
    });
  };

  const changeMember = (
    actor: FirmActor,
    svcId: Svcid,
    apply: (membership: Membership, at: Instant) => Membership,
    afterwards?: (tx: Tx) => Promise<void>,
  ): Promise<AdjusterView> =>
    change(
      actor,
      svcId,
      (membership, _, at) => {
        if (statusAt(membership, at) !== 'active')
          throw new DomainError('not_found', 'This test account is not a member of your firm.');
        return apply(membership, at);
      },
      afterwards,
    );

  return {
    async acceptClaim(actor: FirmActor, id: ClaimId): Promise<ClaimView> {
      return acceptClaim({ svcId: await addresseeOf(actor, id) }, id);
    },
    async rejectClaim(actor: FirmActor, id: ClaimId, reason: string | null): Promise<ClaimView> {
      return rejectClaim({ svcId: await addresseeOf(actor, id) }, id, reason);
    },
    async closeClaim({ firmId, environment }: FirmActor, id: ClaimId): Promise<ClaimView> {
      checkSandboxKey(environment);
      return uow.run(async (tx) => {
        const claim = await tx.claims.lock(firmId, id);
        if (claim?.environment !== environment) throw noClaim();
        const closed = closeClaimAsOperator(claim, clock.now());
        await tx.claims.saveWithoutTimestamp(closed);
        return closed;
      });
    },

    acceptInvitation: (actor: FirmActor, svcId: Svcid) => change(actor, svcId, acceptInvitation),
    declineInvitation: (actor: FirmActor, svcId: Svcid) =>
      change(actor, svcId, (membership, _, at) => declineInvitation(membership, at)),
    expireInvitation: (actor: FirmActor, svcId: Svcid) =>
      change(actor, svcId, (membership, _, at) => expireInvitation(membership, at)),

    leaveFirm: (actor: FirmActor, svcId: Svcid) =>
      changeMember(actor, svcId, leaveFirm, (tx) => withdrawWaitingOffers(tx, actor.firmId, svcId)),
    setAcceptingAssignments: (actor: FirmActor, svcId: Svcid, acceptingAssignments: boolean) =>
      changeMember(actor, svcId, (membership) => ({ ...membership, acceptingAssignments })),
    setCanAcceptClaims: (actor: FirmActor, svcId: Svcid, canAcceptClaims: boolean) =>
      changeMember(
        actor,
        svcId,
        (membership) => ({ ...membership, canAcceptClaims }),
        async (tx) => {
          if (!canAcceptClaims) await withdrawWaitingOffers(tx, actor.firmId, svcId);
        },
      ),

    async setFaults(
      { firmId, environment }: FirmActor,
      keyId: KeyId,
      simulated: SimulatedFaults | null,
    ): Promise<void> {
      checkSandboxKey(environment);
      await faults.set(firmId, keyId, simulated);
    },
  };
}

const noClaim = (): DomainError => new DomainError('not_found', 'No test claim of your firm has this id.');
