import { type Adjuster, DomainError } from '@svc/domain';
import type { AdjusterActor } from '../actors.ts';
import type { AppReads, FirmMembershipView } from '../ports/reads.ts';
import type { Clock } from '../ports/support.ts';
import type { PushSubscription, UnitOfWork } from '../ports/unit-of-work.ts';
import { byAdjuster, recordAccountAct } from '../support/audit.ts';

export interface Profile {
  readonly adjuster: Adjuster;
  readonly firms: readonly FirmMembershipView[];
}

export const makeReadProfile =
  (deps: { reads: AppReads }) =>
  async (actor: AdjusterActor): Promise<Profile> => {
    const [adjuster, firms] = await Promise.all([
      deps.reads.adjuster(actor.svcId),
      deps.reads.memberships(actor.svcId),
    ]);
    if (adjuster === null) throw new DomainError('not_found', 'No such account.');
    return { adjuster, firms };
  };

/** Missing fields are unchanged. */
export const makeUpdateProfile =
  (deps: { uow: UnitOfWork; reads: AppReads; clock: Clock }) =>
  async (
    actor: AdjusterActor,
    changes: Partial<Pick<Adjuster, 'firstName' | 'lastName' | 'email'>>,
  ): Promise<Profile> => {
    const adjuster = await deps.uow.run(async (tx) => {
      const current = await tx.adjusters.lock(actor.svcId);
      if (current === null) throw new DomainError('not_found', 'No such account.');
      const changed: Adjuster = { ...current, ...changes };
      await tx.adjusters.saveProfile(changed);
      const act = { at: deps.clock.now(), action: 'profile.change' } as const;
      await recordAccountAct(tx, actor.svcId, byAdjuster(actor), act);
      return changed;
    });
    return { adjuster, firms: await deps.reads.memberships(actor.svcId) };
  };

/** Sets the push subscription of a device. */
export const makePutDevice =
  (deps: { uow: UnitOfWork }) =>
  (actor: AdjusterActor, deviceId: string, subscription: PushSubscription): Promise<void> =>
    deps.uow.run((tx) => tx.devices.put(actor.svcId, deviceId, subscription));

export const makeRemoveDevice =
  (deps: { uow: UnitOfWork }) =>
  (actor: AdjusterActor, deviceId: string): Promise<void> =>
    deps.uow.run((tx) => tx.devices.remove(actor.svcId, deviceId));
