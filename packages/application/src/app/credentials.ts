import { DomainError, type EnteredCredentials, enteredCredentials, withNextReminder } from '@svc/domain';
import type { AdjusterActor } from '../actors.ts';
import { recordOwnAction } from '../audit/events.ts';
import { existingAccount } from '../auth/accounts.ts';
import { isSameContent } from '../model/same-content.ts';
import type { Needs } from '../ports/needs.ts';

export const makeReadCredentials =
  ({ appReads }: Needs<'appReads'>) =>
  async ({ svcId }: AdjusterActor): Promise<EnteredCredentials> =>
    enteredCredentials(existingAccount(await appReads.adjuster(svcId)).credentials ?? {});

/**
 * Replaces what the adjuster has entered, and queues the next reminder.
 *
 * @param isBase whether these are the credentials from which the new ones were made.
 */
export const makeSaveCredentials =
  (deps: Needs<'uow' | 'clock'>) =>
  (
    actor: AdjusterActor,
    wanted: EnteredCredentials,
    isBase: (current: EnteredCredentials) => boolean = () => true,
  ): Promise<EnteredCredentials> =>
    deps.uow.run(async (tx) => {
      const { svcId } = actor;
      const stored = existingAccount(await tx.adjusters.lock(svcId)).credentials;
      const current = enteredCredentials(stored ?? {});
      if (isSameContent(current, wanted)) return current;
      if (!isBase(current))
        throw new DomainError(
          'credentials_changed',
          'The credentials were changed since those that were edited.',
        );
      const credentials = withNextReminder(wanted, deps.clock.now(), stored?.remindAt);
      const { remindAt: at } = credentials;
      await tx.adjusters.saveCredentials(svcId, credentials);
      if (at !== undefined && at !== stored?.remindAt)
        await tx.outbox.add({ kind: 'remind_credentials', svcId, at }, at);
      await recordOwnAction(tx, deps, actor, 'credentials.change');
      return wanted;
    });
