import {
  type Adjuster,
  type AuditAction,
  acceptInvitation,
  type ClaimId,
  checkSandboxKey,
  DomainError,
  declineInvitation,
  existing,
  expireInvitation,
  type Instant,
  type KeyId,
  type Membership,
  type Svcid,
} from '@svc/domain';
import type { AdjusterActor, FirmActor } from '../actors.ts';
import { makeAcceptClaim, makeRejectClaim } from '../app/claims.ts';
import { endMembership, unassignPendingOffers } from '../app/memberships.ts';
import { adjusterObject, byFirm, changesBetween, keyObject, recordAction } from '../audit/events.ts';
import type { ClaimView } from '../model/claim-views.ts';
import type { AdjusterView } from '../model/member-views.ts';
import { isSameContent } from '../model/same-content.ts';
import type { SimulatedFaults } from '../ports/faults.ts';
import type { Needs } from '../ports/needs.ts';
import type { Tx } from '../ports/unit-of-work.ts';
import { closeLocked } from './end-claim.ts';

type Deps = Needs<'uow' | 'claimWrites' | 'firmReads' | 'faults' | 'clock'>;

export type Sandbox = ReturnType<typeof makeSandbox>;

/** What a test key can simulate: actions of adjusters, the end of an invitation, and failures of the service. */
export function makeSandbox(deps: Deps) {
  const { uow, firmReads, faults, clock } = deps;
  const acceptClaim = makeAcceptClaim(deps);
  const rejectClaim = makeRejectClaim(deps);

  /** The adjuster of the latest offer, who is a test account of the firm: a test key sees no other claims. */
  const addresseeOf = async (actor: FirmActor, id: ClaimId): Promise<AdjusterActor> => {
    const { firmId, environment, origin } = actor;
    checkSandboxKey(environment);
    const claim = existing(await firmReads.claim(firmId, environment, id), NO_CLAIM);
    return { svcId: claim.assignment.adjuster, origin };
  };

  const change = async (
    actor: FirmActor,
    svcId: Svcid,
    action: AuditAction,
    apply: (membership: Membership, adjuster: Adjuster, at: Instant) => Membership,
    save: (tx: Tx, membership: Membership, at: Instant) => Promise<Membership> = saveUnchanged,
  ): Promise<AdjusterView> => {
    const { firmId, environment } = actor;
    checkSandboxKey(environment);
    return uow.run(async (tx) => {
      const adjuster = await tx.adjusters.find(svcId);
      const current = await tx.memberships.lock(firmId, svcId);
      if (adjuster?.testOf?.firmId !== firmId || current === null)
        throw new DomainError(
          'not_found',
          'This SVCID is not one of the invited test accounts of your firm.',
        );
      const at = clock.now();
      const membership = await save(tx, apply(current, adjuster, at), at);
      if (!isSameContent(membership, current))
        await recordAction(tx, firmId, byFirm(actor), { at, action, object: adjusterObject(svcId) });
      return { membership, adjuster };
    });
  };

  const changeMember = (
    actor: FirmActor,
    svcId: Svcid,
    action: AuditAction,
    apply: (membership: Membership) => Membership,
    save?: (tx: Tx, membership: Membership, at: Instant) => Promise<Membership>,
  ): Promise<AdjusterView> =>
    change(
      actor,
      svcId,
      action,
      (membership) => {
        if (membership.status !== 'active')
          throw new DomainError('not_found', 'This test account is not a member of your firm.');
        return apply(membership);
      },
      save,
    );

  return {
    async acceptClaim(actor: FirmActor, id: ClaimId): Promise<ClaimView> {
      return acceptClaim(await addresseeOf(actor, id), id);
    },
    async rejectClaim(actor: FirmActor, id: ClaimId, reason: string | null): Promise<ClaimView> {
      return rejectClaim(await addresseeOf(actor, id), id, reason);
    },
    async closeClaim(actor: FirmActor, id: ClaimId): Promise<ClaimView> {
      const { firmId, environment } = actor;
      checkSandboxKey(environment);
      return uow.run(async (tx) => {
        const claim = existing(await tx.claims.lock(firmId, id), NO_CLAIM);
        if (claim.environment !== environment) throw new DomainError('not_found', NO_CLAIM);
        return closeLocked(tx, claim, { caller: byFirm(actor), at: clock.now() });
      });
    },

    acceptInvitation: (actor: FirmActor, svcId: Svcid) =>
      change(actor, svcId, 'invitation.accept', acceptInvitation),
    declineInvitation: (actor: FirmActor, svcId: Svcid) =>
      change(actor, svcId, 'invitation.decline', (membership, _, at) => declineInvitation(membership, at)),
    expireInvitation: (actor: FirmActor, svcId: Svcid) =>
      change(actor, svcId, 'invitation.withdraw', (membership, _, at) => expireInvitation(membership, at)),

    leaveFirm: (actor: FirmActor, svcId: Svcid) =>
      changeMember(actor, svcId, 'member.leave', (membership) => membership, endMembership),
    setAcceptingAssignments: (actor: FirmActor, svcId: Svcid, acceptingAssignments: boolean) =>
      changeMember(actor, svcId, acceptingAssignments ? 'member.resume' : 'member.pause', (membership) => ({
        ...membership,
        acceptingAssignments,
      })),
    setCanAcceptClaims: (actor: FirmActor, svcId: Svcid, canAcceptClaims: boolean) =>
      changeMember(
        actor,
        svcId,
        'member.permission',
        (membership) => ({ ...membership, canAcceptClaims }),
        async (tx, membership) => {
          await tx.memberships.save(membership);
          if (!canAcceptClaims) await unassignPendingOffers(tx, actor.firmId, svcId);
          return membership;
        },
      ),

    async setFaults(actor: FirmActor, keyId: KeyId, simulated: SimulatedFaults | null): Promise<void> {
      const { firmId, environment } = actor;
      checkSandboxKey(environment);
      const audited = {
        at: clock.now(),
        action: simulated === null ? 'faults.clear' : 'faults.set',
        object: keyObject(keyId),
        changes: changesBetween({}, { ...simulated }),
      } as const;
      // Not in the same store: rather an event of faults that were not set.
      await uow.run((tx) => recordAction(tx, firmId, byFirm(actor), audited));
      await faults.set(firmId, keyId, simulated);
    },
  };
}

async function saveUnchanged(tx: Tx, membership: Membership): Promise<Membership> {
  await tx.memberships.save(membership);
  return membership;
}

const NO_CLAIM = 'No test claim of your firm has this id.';
