import { type Adjuster, addMember, type FirmId, type Membership, type Svcid, statusAt } from '@svc/domain';
import { withdrawWaitingOffers } from '../app/memberships.ts';
import { type OpenedSession, openSession } from '../auth/sign-in.ts';
import type { Clock, Secrets } from '../ports/support.ts';
import type { Tx, UnitOfWork } from '../ports/unit-of-work.ts';
import { OperatorError } from './operator-error.ts';

type Deps = { uow: UnitOfWork; secrets: Secrets; clock: Clock };

export const makeCreateAdjuster =
  (deps: Deps) =>
  (profile: Pick<Adjuster, 'svcId' | 'firstName' | 'lastName' | 'email'>): Promise<Adjuster> =>
    deps.uow.run(async (tx) => {
      const adjuster: Adjuster = { ...profile, testOf: null };
      if (!(await tx.adjusters.add(adjuster, null))) {
        throw new OperatorError(`an adjuster with the SVCID ${profile.svcId} exists already`);
      }
      return adjuster;
    });

async function findAdjuster(tx: Tx, svcId: Svcid): Promise<Adjuster> {
  const adjuster = await tx.adjusters.find(svcId);
  if (adjuster === null) throw new OperatorError(`no adjuster has the SVCID ${svcId}`);
  return adjuster;
}

/** Opens a session for an adjuster without a sign-in. */
export const makeOpenSession =
  (deps: Deps) =>
  (svcId: Svcid): Promise<OpenedSession> =>
    deps.uow.run(async (tx) => openSession(tx, deps, await findAdjuster(tx, svcId)));

/** Makes an adjuster a member without an invitation record. */
export const makeAddMember =
  (deps: Deps) =>
  (firmId: FirmId, svcId: Svcid): Promise<Membership> =>
    deps.uow.run(async (tx) => {
      const adjuster = await findAdjuster(tx, svcId);
      if ((await tx.firms.lock(firmId)) === null) throw new OperatorError(`no firm has the id ${firmId}`);
      if (adjuster.testOf !== null && adjuster.testOf.firmId !== firmId) {
        throw new OperatorError(`${svcId} is a test account of another firm`);
      }
      const current = await tx.memberships.lock(firmId, svcId);
      const membership = addMember(current, { firmId, svcId, at: deps.clock.now() });
      await tx.memberships.save(membership);
      return membership;
    });

/** Grants or removes the permission to accept claims. Removing it makes pending offers `unassigned`. */
export const makeSetMember =
  (deps: Deps) =>
  (firmId: FirmId, svcId: Svcid, canAcceptClaims: boolean): Promise<Membership> =>
    deps.uow.run(async (tx) => {
      const current = await tx.memberships.lock(firmId, svcId);
      if (current === null || statusAt(current, deps.clock.now()) !== 'active') {
        throw new OperatorError(`${svcId} is not an active member of the firm ${firmId}`);
      }
      const membership = { ...current, canAcceptClaims };
      await tx.memberships.save(membership);
      if (!canAcceptClaims) await withdrawWaitingOffers(tx, firmId, svcId);
      return membership;
    });
