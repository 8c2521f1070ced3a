import {
  type AuditAction,
  checkNotLastAdmin,
  DomainError,
  emailKey,
  existing,
  MAX_STAFF_PER_FIRM,
  nextLateOffersMail,
  type StaffId,
  type StaffMember,
  type StaffRef,
} from '@svc/domain';
import { changesBetween, recordAction, staffObject } from '../audit/events.ts';
import { accountRemoved, existingAccount, STAFF } from '../auth/accounts.ts';
import {
  countInvitationMail,
  type OpenedSession,
  openByOperator,
  type SessionDeps,
} from '../auth/sign-in.ts';
import type { AuditCaller, AuditChanges } from '../model/audit.ts';
import { lockUnerasedFirm } from '../operator/existing.ts';
import type { Needs } from '../ports/needs.ts';
import type { Tx } from '../ports/unit-of-work.ts';

// The same for the firm's desk and for the operator: only the caller differs.

type Deps = Needs<'uow' | 'clock'>;

const NO_MEMBER = 'No staff member of the firm has this id.';

const lockMember = async (tx: Tx, of: StaffRef): Promise<StaffMember> =>
  existing(await tx.staff.lock(of), NO_MEMBER);

const record = (
  tx: Tx,
  { clock }: Pick<Deps, 'clock'>,
  { firmId, staffId }: StaffRef,
  caller: AuditCaller,
  action: AuditAction,
  changes: AuditChanges | null = null,
): Promise<void> =>
  recordAction(tx, firmId, caller, {
    at: clock.now(),
    action,
    object: staffObject(staffId),
    changes,
  });

/**
 * Adds a person, who signs in with a code that is mailed to the address, and mails them the address of the desk. One who
 * is removed and invited again and again is not mailed each time.
 */
export const makeInviteStaff =
  (deps: Deps & Needs<'ids' | 'mailer' | 'secrets'>) =>
  async (
    caller: AuditCaller,
    invited: Pick<StaffMember, 'firmId' | 'name' | 'email' | 'role'>,
  ): Promise<StaffMember> => {
    const { firm, member, isMailed } = await deps.uow.run(async (tx) => {
      const firm = await lockUnerasedFirm(tx, invited.firmId);
      if ((await tx.staff.ofFirm(firm.id)).length >= MAX_STAFF_PER_FIRM)
        throw new DomainError(
          'too_many_staff',
          `A firm has at most ${MAX_STAFF_PER_FIRM} staff members. Remove one first.`,
        );
      const member: StaffMember = {
        ...invited,
        staffId: deps.ids.next() as StaffId,
        invitedAt: deps.clock.now(),
        joinedAt: null,
        lateOffersMailAt: null,
      };
      if (!(await tx.staff.add(member)))
        throw new DomainError('staff_exists', 'Must be an address that no other staff member has.');
      await record(tx, deps, member, caller, 'staff.invite', changesBetween({}, { role: member.role }));
      const isMailed = await countInvitationMail(tx, deps, firm.id, emailKey(member.email));
      return { firm, member, isMailed };
    });
    // Not above, where the work may run again.
    if (isMailed) void deps.mailer.sendStaffInvitation(member.email, firm.name);
    return member;
  };

/** A new role is in force within a second. */
export const makeUpdateStaff =
  (deps: Deps) =>
  (
    caller: AuditCaller,
    of: StaffRef,
    { name, role }: { readonly name?: string | undefined; readonly role?: StaffMember['role'] | undefined },
  ): Promise<StaffMember> =>
    deps.uow.run(async (tx) => {
      await lockUnerasedFirm(tx, of.firmId);
      const current = await lockMember(tx, of);
      const changed = { ...current, name: name ?? current.name, role: role ?? current.role };
      if (changed.role !== current.role) checkNotLastAdmin(await tx.staff.ofFirm(of.firmId), current);
      if (changed.role === current.role && changed.name === current.name) return current;
      await tx.staff.save(changed);
      const changes = changesBetween({ role: current.role }, { role: changed.role });
      if (changes !== null) await record(tx, deps, of, caller, 'staff.role', changes);
      if (changed.name !== current.name) await record(tx, deps, of, caller, 'staff.rename');
      return changed;
    });

/** The mail is at most one a day, also for who turns it off and on. */
export const makeSetLateOffersMail =
  (deps: Deps) =>
  (caller: AuditCaller, of: StaffRef, isWished: boolean): Promise<void> =>
    deps.uow.run(async (tx) => {
      const { firmId, staffId } = of;
      const member = existingAccount(await tx.staff.lock(of));
      const { lateOffersMailAt: current } = member;
      const now = deps.clock.now();
      const isQueued = (current ?? 0) > now;
      if (isWished ? isQueued : current === null) return;
      const at = isWished ? nextLateOffersMail(now) : null;
      await tx.staff.save({ ...member, lateOffersMailAt: at });
      if (at !== null) await tx.outbox.add({ kind: 'mail_late_offers', firmId, staffId, at }, at);
      const changes = changesBetween({ lateOffersMail: current !== null }, { lateOffersMail: isWished });
      await record(tx, deps, of, caller, 'staff.settings', changes);
    });

/** Ends the person's sessions, within a second everywhere, and removes their passkeys. */
export const makeRemoveStaff =
  (deps: Deps) =>
  (caller: AuditCaller, of: StaffRef): Promise<StaffMember> =>
    deps.uow.run(async (tx) => {
      await lockUnerasedFirm(tx, of.firmId);
      const member = await lockMember(tx, of);
      checkNotLastAdmin(await tx.staff.ofFirm(of.firmId), member);
      await tx.sessions.removeAllOf(of);
      await tx.passkeys.removeAllOf(of);
      await tx.staff.remove(of);
      await record(tx, deps, of, caller, 'staff.remove');
      return member;
    });

/** Opens a session for a staff member without a sign-in. */
export const makeOpenStaffSession =
  (deps: SessionDeps) =>
  (caller: AuditCaller, of: StaffRef): Promise<OpenedSession<StaffMember>> =>
    deps.uow.run(async (tx) => {
      return existing(await openByOperator(tx, deps, STAFF, of, caller), NO_MEMBER);
    });

export const makeReadOwnStaff = (deps: Needs<'staffReads'>) => async (of: StaffRef) => {
  const member = existingAccount(await deps.staffReads.find(of));
  const firms = await deps.staffReads.firmsOf(member.email);
  const firm = firms.find(({ id }) => id === member.firmId);
  // Removed between the two reads.
  if (firm === undefined) throw accountRemoved();
  // The firms where the same address is staff include this one.
  return { member, firm, firms };
};

export type OwnStaffProfile = Awaited<ReturnType<ReturnType<typeof makeReadOwnStaff>>>;
