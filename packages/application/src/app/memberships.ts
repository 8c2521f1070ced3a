import {
  acceptInvitation,
  DomainError,
  declineInvitation,
  type FirmId,
  leaveFirm,
  type Membership,
  type Svcid,
  statusAt,
  unassignPendingOffer,
} from '@svc/domain';
import type { AdjusterActor } from '../actors.ts';
import type { AppReads, FirmMembershipView } from '../ports/reads.ts';
import type { Clock } from '../ports/support.ts';
import type { Tx, UnitOfWork } from '../ports/unit-of-work.ts';

type Deps = { uow: UnitOfWork; reads: AppReads; clock: Clock };

async function locked(tx: Tx, firmId: FirmId, svcId: Svcid): Promise<Membership> {
  const membership = await tx.memberships.lock(firmId, svcId);
  if (membership === null)
    throw new DomainError('not_found', 'This firm has neither invited you nor made you a member.');
  return membership;
}

async function viewOf(deps: Deps, firmId: FirmId, svcId: Svcid): Promise<FirmMembershipView> {
  const firms = await deps.reads.memberships(svcId);
  const view = firms.find((firm) => firm.firmId === firmId);
  // Between the commit and this read the adjuster may have left on another device.
  if (view === undefined) throw new DomainError('not_found', 'You are not a member of this firm.');
  return view;
}

export const makeAcceptInvitation =
  (deps: Deps) =>
  async ({ svcId }: AdjusterActor, firmId: FirmId): Promise<FirmMembershipView> => {
    await deps.uow.run(async (tx) => {
      const membership = await locked(tx, firmId, svcId);
      const adjuster = await tx.adjusters.find(svcId);
      if (adjuster === null) throw new DomainError('not_found', 'No such account.');
      await tx.memberships.save(acceptInvitation(membership, adjuster, deps.clock.now()));
    });
    return viewOf(deps, firmId, svcId);
  };

export const makeDeclineInvitation =
  (deps: Deps) =>
  ({ svcId }: AdjusterActor, firmId: FirmId): Promise<Membership> =>
    deps.uow.run(async (tx) => {
      const declined = declineInvitation(await locked(tx, firmId, svcId), deps.clock.now());
      await tx.memberships.save(declined);
      return declined;
    });

/** Pauses or resumes assignments from one firm. */
export const makeSetAcceptingAssignments =
  (deps: Deps) =>
  async (
    { svcId }: AdjusterActor,
    firmId: FirmId,
    acceptingAssignments: boolean,
  ): Promise<FirmMembershipView> => {
    await deps.uow.run(async (tx) => {
      const membership = await locked(tx, firmId, svcId);
      if (statusAt(membership, deps.clock.now()) !== 'active') {
        throw new DomainError('not_found', 'You are not a member of this firm.');
      }
      await tx.memberships.save({ ...membership, acceptingAssignments });
    });
    return viewOf(deps, firmId, svcId);
  };

/** Lets the offers that wait for an adjuster lapse. The caller holds the lock on the membership: no offer can come. */
export async function withdrawWaitingOffers(tx: Tx, firmId: FirmId, svcId: Svcid): Promise<void> {
  for (const claim of await tx.claims.lockPendingOf(firmId, svcId)) {
    const lapsed = unassignPendingOffer(claim);
    if (lapsed !== null) await tx.claims.save(lapsed);
  }
}

/** Leaves the firm: offers that wait lapse, where the firm can see it; what was accepted stays with the adjuster. */
export const makeLeaveFirm =
  (deps: Deps) =>
  ({ svcId }: AdjusterActor, firmId: FirmId): Promise<void> =>
    deps.uow.run(async (tx) => {
      const membership = await locked(tx, firmId, svcId);
      await tx.memberships.save(leaveFirm(membership, deps.clock.now()));
      await withdrawWaitingOffers(tx, firmId, svcId);
    });
