import {
  type Adjuster,
  type AuditAction,
  addMember,
  type FirmId,
  type Membership,
  type Svcid,
} from '@svc/domain';
import { endMembership, unassignPendingOffers } from '../app/memberships.ts';
import {
  adjusterObject,
  changesBetween,
  recordAccountAction,
  recordAction,
  recordMemberAction,
} from '../audit/events.ts';
import { ADJUSTERS } from '../auth/accounts.ts';
import { type OpenedSession, openByOperator, type SessionDeps } from '../auth/sign-in.ts';
import { type AuditChanges, SERVICE_CHAIN } from '../model/audit.ts';
import type { Needs } from '../ports/needs.ts';
import type { Tx } from '../ports/unit-of-work.ts';
import { findAdjuster, lockAdjuster, lockUnerasedFirm } from './existing.ts';
import { OperatorError } from './operator-error.ts';

type Deps = SessionDeps & Needs<'operator'>;

const recordMember = (
  tx: Tx,
  { clock, operator }: Deps,
  membership: Membership,
  action: AuditAction,
  changes?: AuditChanges,
): Promise<void> => recordMemberAction(tx, membership, operator, { at: clock.now(), action, changes });

const recordAccount = (tx: Tx, { clock, operator }: Deps, svcId: Svcid, action: AuditAction): Promise<void> =>
  recordAccountAction(tx, { svcId }, operator, { at: clock.now(), action });

export const makeCreateAdjuster =
  (deps: Deps) =>
  (profile: Pick<Adjuster, 'svcId' | 'firstName' | 'lastName' | 'email'>): Promise<Adjuster> =>
    deps.uow.run(async (tx) => {
      const adjuster: Adjuster = { ...profile, testOf: null };
      if (!(await tx.adjusters.add(adjuster, null))) {
        throw new OperatorError(`an adjuster with the SVCID ${profile.svcId} exists already`);
      }
      await recordAction(tx, SERVICE_CHAIN, deps.operator, {
        at: deps.clock.now(),
        action: 'adjuster.create',
        object: adjusterObject(adjuster.svcId),
      });
      return adjuster;
    });

/** Opens a session for an adjuster without a sign-in. */
export const makeOpenSession =
  (deps: Deps) =>
  (svcId: Svcid): Promise<OpenedSession<Adjuster>> =>
    deps.uow.run(async (tx) => {
      await findAdjuster(tx, svcId);
      const opened = await openByOperator(tx, deps, ADJUSTERS, { svcId }, deps.operator);
      if (opened === null) throw new OperatorError(`the account ${svcId} is disabled`);
      return opened;
    });

/** Makes an adjuster a member without an invitation record. */
export const makeAddMember =
  (deps: Deps) =>
  (firmId: FirmId, svcId: Svcid): Promise<Membership> =>
    deps.uow.run(async (tx) => {
      const adjuster = await findAdjuster(tx, svcId);
      await lockUnerasedFirm(tx, firmId);
      if (adjuster.testOf !== null && adjuster.testOf.firmId !== firmId) {
        throw new OperatorError(`${svcId} is a test account of another firm`);
      }
      const current = await tx.memberships.lock(firmId, svcId);
      const membership = addMember(current, { firmId, svcId, at: deps.clock.now() });
      await tx.memberships.save(membership);
      await recordMember(tx, deps, membership, 'member.add');
      return membership;
    });

async function lockActive(tx: Tx, firmId: FirmId, svcId: Svcid): Promise<Membership> {
  const current = await tx.memberships.lock(firmId, svcId);
  if (current?.status !== 'active')
    throw new OperatorError(`${svcId} is not an active member of the firm ${firmId}`);
  return current;
}

/** Grants or removes the permission to accept claims. Removing it makes pending offers `unassigned`. */
export const makeSetMember =
  (deps: Deps) =>
  (firmId: FirmId, svcId: Svcid, canAcceptClaims: boolean): Promise<Membership> =>
    deps.uow.run(async (tx) => {
      const current = await lockActive(tx, firmId, svcId);
      const changes = changesBetween(
        { can_accept_claims: current.canAcceptClaims },
        { can_accept_claims: canAcceptClaims },
      );
      if (changes === null) return current;
      const membership = { ...current, canAcceptClaims };
      await tx.memberships.save(membership);
      if (!canAcceptClaims) await unassignPendingOffers(tx, firmId, svcId);
      await recordMember(tx, deps, membership, 'member.permission', changes);
      return membership;
    });

/** Ends a membership, as the adjuster could by leaving. */
export const makeRemoveMember =
  (deps: Deps) =>
  (firmId: FirmId, svcId: Svcid): Promise<Membership> =>
    deps.uow.run(async (tx) => {
      const left = await endMembership(tx, await lockActive(tx, firmId, svcId), deps.clock.now());
      await recordMember(tx, deps, left, 'member.remove');
      return left;
    });

/**
 * Disables an account: its sessions end, nobody can sign in to it, its pending offers become `unassigned`, and firms
 * cannot offer it claims. Memberships and accepted claims stay.
 */
export const makeDisableAdjuster =
  (deps: Deps) =>
  (svcId: Svcid): Promise<Adjuster> =>
    deps.uow.run(async (tx) => {
      const at = deps.clock.now();
      const adjuster = await findAdjuster(tx, svcId);
      const disabledAt = adjuster.disabledAt ?? at;
      // Memberships before the account and the claims, in order: sending and leaving lock them first too.
      const firms = await tx.memberships.activeFirmsOf(svcId);
      for (const firmId of firms) await tx.memberships.lock(firmId, svcId);
      await tx.adjusters.setDisabled(svcId, disabledAt);
      // Also when it is repeated: the adjuster may have joined a firm, and got an offer, during the first run.
      let ended = await tx.sessions.removeAllOf({ svcId });
      for (const firmId of firms) ended += await unassignPendingOffers(tx, firmId, svcId);
      if (adjuster.disabledAt === undefined || ended > 0)
        await recordAccount(tx, deps, svcId, 'adjuster.disable');
      return { ...adjuster, disabledAt };
    });

export const makeEnableAdjuster =
  (deps: Deps) =>
  (svcId: Svcid): Promise<Adjuster> =>
    deps.uow.run(async (tx) => {
      const { disabledAt, ...adjuster } = await lockAdjuster(tx, svcId);
      if (disabledAt === undefined) return adjuster;
      await tx.adjusters.setDisabled(svcId, null);
      await recordAccount(tx, deps, svcId, 'adjuster.enable');
      return adjuster;
    });

/** Ends every session and removes the devices from push notifications. @returns the number of sessions. */
export const makeEndSessions =
  (deps: Deps) =>
  (svcId: Svcid): Promise<number> =>
    deps.uow.run(async (tx) => {
      await findAdjuster(tx, svcId);
      const ended = await tx.sessions.removeAllOf({ svcId });
      if (ended === 0) return 0;
      await recordAccount(tx, deps, svcId, 'sessions.end');
      return ended;
    });

/** Removes all passkeys of an account and ends its sessions: a passkey was lost or stolen. */
export const makeRemovePasskeys =
  (deps: Deps) =>
  (svcId: Svcid): Promise<number> =>
    deps.uow.run(async (tx) => {
      await lockAdjuster(tx, svcId);
      const removed = await tx.passkeys.removeAllOf({ svcId });
      const ended = await tx.sessions.removeAllOf({ svcId });
      if (removed === 0 && ended === 0) return 0;
      await recordAccount(tx, deps, svcId, 'passkey.remove');
      return removed;
    });
