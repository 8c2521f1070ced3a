import {
  type AuditAction,
  acceptInvitation,
  DomainError,
  declineInvitation,
  existing,
  type FirmId,
  type Instant,
  isUnseenInvitation,
  leaveFirm,
  type Membership,
  type Sharing,
  type Svcid,
  unassignPendingOffer,
} from '@svc/domain';
import type { AdjusterActor } from '../actors.ts';
import { byAccount, changesBetween, recordMemberAction } from '../audit/events.ts';
import { existingAccount } from '../auth/accounts.ts';
import type { AuditChanges } from '../model/audit.ts';
import type { FirmMembershipView, InvitationView } from '../model/member-views.ts';
import type { Page, PageRequest } from '../model/page.ts';
import type { Needs } from '../ports/needs.ts';
import type { Tx } from '../ports/unit-of-work.ts';

type Deps = Needs<'uow' | 'appReads' | 'clock'>;

const record = (
  tx: Tx,
  { clock }: Deps,
  actor: AdjusterActor,
  firmId: FirmId,
  action: AuditAction,
  changes?: AuditChanges,
): Promise<void> =>
  recordMemberAction(tx, { firmId, svcId: actor.svcId }, byAccount(actor), {
    at: clock.now(),
    action,
    changes,
  });

async function lockMembership(tx: Tx, firmId: FirmId, svcId: Svcid): Promise<Membership> {
  const membership = await tx.memberships.lock(firmId, svcId);
  return existing(membership, 'You have no invitation from this firm and are not a member.');
}

async function lockActiveMembership(tx: Tx, firmId: FirmId, svcId: Svcid): Promise<Membership> {
  const membership = await lockMembership(tx, firmId, svcId);
  if (membership.status !== 'active')
    throw new DomainError('not_found', 'You are not a member of this firm.');
  return membership;
}

async function readFirm(
  deps: Pick<Deps, 'appReads'>,
  firmId: FirmId,
  svcId: Svcid,
): Promise<FirmMembershipView> {
  const firms = await deps.appReads.memberships(svcId);
  const view = firms.find((firm) => firm.firmId === firmId);
  // The adjuster may have left on another device since the commit.
  return existing(view, 'You are not a member of this firm.');
}

/** A page of pending invitations. Records when the adjuster's app first got each. */
export const makeListInvitations =
  ({ uow, appReads, clock }: Deps) =>
  async ({ svcId }: AdjusterActor, request: PageRequest): Promise<Page<InvitationView>> => {
    const page = await appReads.invitations(svcId, clock.now(), request);
    const unseen = page.rows.filter(({ seenAt }) => seenAt === null);
    if (unseen.length > 0)
      await uow.run(async (tx) => {
        for (const { firmId, invitedAt } of unseen) {
          const membership = await tx.memberships.lock(firmId, svcId);
          const seenAt = clock.now();
          if (membership !== null && isUnseenInvitation(membership, invitedAt, seenAt))
            await tx.memberships.save({ ...membership, seenAt });
        }
      });
    return page;
  };

export const makeAcceptInvitation =
  (deps: Deps) =>
  async (actor: AdjusterActor, firmId: FirmId): Promise<FirmMembershipView> => {
    const { svcId } = actor;
    await deps.uow.run(async (tx) => {
      const membership = await lockMembership(tx, firmId, svcId);
      const adjuster = existingAccount(await tx.adjusters.find(svcId));
      await tx.memberships.save(acceptInvitation(membership, adjuster, deps.clock.now()));
      await record(tx, deps, actor, firmId, 'invitation.accept');
    });
    return readFirm(deps, firmId, svcId);
  };

export const makeDeclineInvitation =
  (deps: Deps) =>
  (actor: AdjusterActor, firmId: FirmId): Promise<Membership> =>
    deps.uow.run(async (tx) => {
      const declined = declineInvitation(await lockMembership(tx, firmId, actor.svcId), deps.clock.now());
      await tx.memberships.save(declined);
      await record(tx, deps, actor, firmId, 'invitation.decline');
      return declined;
    });

/** Pauses or resumes assignments from one firm. */
export const makeSetAcceptingAssignments =
  (deps: Deps) =>
  async (
    actor: AdjusterActor,
    firmId: FirmId,
    acceptingAssignments: boolean,
  ): Promise<FirmMembershipView> => {
    const { svcId } = actor;
    await deps.uow.run(async (tx) => {
      const membership = await lockActiveMembership(tx, firmId, svcId);
      if (membership.acceptingAssignments === acceptingAssignments) return;
      await tx.memberships.save({ ...membership, acceptingAssignments });
      await record(tx, deps, actor, firmId, acceptingAssignments ? 'member.resume' : 'member.pause');
    });
    return readFirm(deps, firmId, svcId);
  };

export const makeReadSharing =
  (deps: Pick<Deps, 'appReads'>) =>
  async (actor: AdjusterActor, firmId: FirmId): Promise<Sharing> =>
    (await readFirm(deps, firmId, actor.svcId)).sharing;

/** Gives or withdraws the consent to what one firm sees. */
export const makeSetSharing =
  (deps: Deps) =>
  (actor: AdjusterActor, firmId: FirmId, wanted: Partial<Sharing>): Promise<Sharing> =>
    deps.uow.run(async (tx) => {
      const membership = await lockActiveMembership(tx, firmId, actor.svcId);
      const sharing = { ...membership.sharing, ...wanted };
      const changes = changesBetween({ ...membership.sharing }, sharing);
      if (changes === null) return sharing;
      await tx.memberships.save({ ...membership, sharing });
      await record(tx, deps, actor, firmId, 'member.sharing', changes);
      return sharing;
    });

/**
 * Makes pending offers `unassigned`. The caller's lock on the membership prevents new offers.
 *
 * @returns how many.
 */
export async function unassignPendingOffers(tx: Tx, firmId: FirmId, svcId: Svcid): Promise<number> {
  let count = 0;
  for (const claim of await tx.claims.lockPendingOf(firmId, svcId)) {
    const unassigned = unassignPendingOffer(claim);
    if (unassigned === null) continue;
    await tx.claims.save(unassigned);
    count += 1;
  }
  return count;
}

/** Ends a locked membership: pending offers become `unassigned`, accepted claims stay with the adjuster. */
export async function endMembership(tx: Tx, membership: Membership, at: Instant): Promise<Membership> {
  const { firmId, svcId } = membership;
  const firm = await tx.firms.find(firmId);
  if (firm === null) throw new Error(`a membership belongs to the firm ${firmId}, which does not exist`);
  const left = leaveFirm(membership, firm.plan, at);
  await tx.memberships.save(left);
  await unassignPendingOffers(tx, firmId, svcId);
  return left;
}

/** Leaves the firm: pending offers become `unassigned`; accepted claims stay with the adjuster. */
export const makeLeaveFirm =
  (deps: Deps) =>
  (actor: AdjusterActor, firmId: FirmId): Promise<void> =>
    deps.uow.run(async (tx) => {
      await endMembership(tx, await lockMembership(tx, firmId, actor.svcId), deps.clock.now());
      await record(tx, deps, actor, firmId, 'member.leave');
    });
