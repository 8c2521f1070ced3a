import {
  type Adjuster,
  DomainError,
  emailKey,
  SIGN_IN_CODE_LIFETIME_MS,
  SIGN_IN_CODE_TRIES,
  type Svcid,
} from '@svc/domain';
import type { AdjusterActor } from '../actors.ts';
import { byAccount, recordAccountAction } from '../audit/events.ts';
import { countAccountNotice } from '../auth/account-notices.ts';
import { existingAccount } from '../auth/accounts.ts';
import { countEmailCode } from '../auth/sign-in.ts';
import type { PushSubscription } from '../model/device.ts';
import type { FirmMembershipView } from '../model/member-views.ts';
import { isSameContent } from '../model/same-content.ts';
import type { Needs } from '../ports/needs.ts';

export interface Profile {
  readonly adjuster: Adjuster;
  readonly firms: readonly FirmMembershipView[];
}

export const makeReadProfile =
  (deps: Needs<'appReads'>) =>
  async (actor: AdjusterActor): Promise<Profile> => {
    const [adjuster, firms] = await Promise.all([
      deps.appReads.adjuster(actor.svcId),
      deps.appReads.memberships(actor.svcId),
    ]);
    return { adjuster: existingAccount(adjuster), firms };
  };

type ProfileChanges = Partial<Pick<Adjuster, 'firstName' | 'lastName' | 'email'>>;

type UpdateDeps = Needs<'uow' | 'appReads' | 'clock' | 'secrets' | 'mailer' | 'networkOf'>;

/**
 * Missing fields are unchanged. The first email address of an account counts at once; a changed one once it is
 * confirmed by the code that is sent there. Whether another account has a changed address is not revealed: no code is sent
 * then. A first address that is taken is not stored.
 */
export const makeUpdateProfile =
  (deps: UpdateDeps) =>
  async (actor: AdjusterActor, { email, ...names }: ProfileChanges): Promise<Profile> => {
    const { adjuster, mail } = await deps.uow.run(async (tx) => {
      const current = existingAccount(await tx.adjusters.lock(actor.svcId));
      const at = deps.clock.now();
      const holder = email == null ? null : await tx.adjusters.findByEmail(email);
      // Simulated accounts share addresses: otherwise a firm could test with them who has an account.
      const isTaken = current.testOf === null && holder !== null && holder.svcId !== actor.svcId;
      const isSame = holder?.svcId === actor.svcId;
      const countsAtOnce = current.testOf !== null || current.email === null || isSame;
      // Also for a first address, of which the response shows whether it was taken.
      if (typeof email === 'string' && current.testOf === null && !isSame)
        await countEmailCode(tx, deps, actor, email);
      const changed: Adjuster = {
        ...current,
        ...names,
        ...(email !== undefined && countsAtOnce && !isTaken && { email }),
      };
      if (!isSameContent(changed, current)) {
        await tx.adjusters.saveProfile(changed);
        await recordAccountAction(tx, actor, byAccount(actor), { at, action: 'profile.change' });
      }
      if (email == null || countsAtOnce) return { adjuster: changed, mail: null };

      const { code, hash } = deps.secrets.issueCode(codeSubject(actor.svcId, email));
      const expiresAt = at + SIGN_IN_CODE_LIFETIME_MS;
      const change = { svcId: actor.svcId, email, codeHash: hash, expiresAt, triesLeft: SIGN_IN_CODE_TRIES };
      await tx.emailChanges.put(change);
      await recordAccountAction(tx, actor, byAccount(actor), { at, action: 'email.change' });
      const notify = await countAccountNotice(tx, deps, current);
      return { adjuster: changed, mail: { email, code: isTaken ? null : code, notify } };
    });
    if (mail !== null) {
      if (mail.code !== null) void deps.mailer.sendEmailCode(mail.email, mail.code);
      if (mail.notify !== null) void deps.mailer.sendAccountNotice(mail.notify, 'email_requested');
    }
    return { adjuster, firms: await deps.appReads.memberships(actor.svcId) };
  };

/** The code is bound to the account and the new address. */
const codeSubject = (svcId: Svcid, email: string): string => JSON.stringify([svcId, emailKey(email)]);

const codeRefused = (): DomainError =>
  new DomainError('code_refused', 'The code is wrong, has expired, or was tried too often.');

/** Replaces the email address by the one that the code was sent to. */
export const makeConfirmEmail =
  (deps: Pick<UpdateDeps, 'uow' | 'appReads' | 'clock' | 'secrets' | 'mailer'>) =>
  async (actor: AdjusterActor, code: string): Promise<Profile> => {
    // A wrong code is counted, so the unit must commit: it returns null instead of throwing.
    const confirming = deps.uow.run(async (tx) => {
      const at = deps.clock.now();
      const current = await tx.adjusters.lock(actor.svcId);
      const change = await tx.emailChanges.lock(actor.svcId);
      if (current === null || change === null || at >= change.expiresAt || change.triesLeft === 0)
        return null;
      const hash = deps.secrets.hashOfCode(codeSubject(actor.svcId, change.email), code);
      if (!deps.secrets.equal(change.codeHash, hash)) {
        await tx.emailChanges.put({ ...change, triesLeft: change.triesLeft - 1 });
        return null;
      }
      const adjuster: Adjuster = { ...current, email: change.email, emailConfirmed: true };
      await tx.adjusters.saveProfile(adjuster);
      await tx.emailChanges.remove(actor.svcId);
      await recordAccountAction(tx, actor, byAccount(actor), { at, action: 'email.confirm' });
      return { adjuster, notify: await countAccountNotice(tx, deps, current) };
    });
    const confirmed = await confirming.catch((error: unknown) => {
      // Another account has the address by now.
      if (error instanceof DomainError && error.code === 'email_taken') return null;
      throw error;
    });
    if (confirmed === null) throw codeRefused();
    if (confirmed.notify !== null) void deps.mailer.sendAccountNotice(confirmed.notify, 'email_changed');
    return { adjuster: confirmed.adjuster, firms: await deps.appReads.memberships(actor.svcId) };
  };

/** An account gets no push notifications on more devices; registering another one removes the oldest. */
const MAX_DEVICES_PER_ADJUSTER = 10;

/** Sets the push subscription of a device, for as long as the session of this token lasts. */
export const makePutDevice =
  (deps: Needs<'uow' | 'clock'>) =>
  (
    { svcId }: AdjusterActor,
    sessionHash: string,
    deviceId: string,
    subscription: PushSubscription,
  ): Promise<void> =>
    deps.uow.run(async (tx) => {
      await tx.devices.put({ svcId, deviceId, sessionHash, subscription, registeredAt: deps.clock.now() });
      await tx.devices.keepLatest(svcId, MAX_DEVICES_PER_ADJUSTER);
    });

export const makeRemoveDevice =
  (deps: Needs<'uow'>) =>
  (actor: AdjusterActor, deviceId: string): Promise<void> =>
    deps.uow.run((tx) => tx.devices.remove(actor.svcId, deviceId));
