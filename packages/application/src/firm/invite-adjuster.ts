import {
  type Adjuster,
  checkInvitable,
  DomainError,
  type Instant,
  type InvitationNotes,
  invite,
  type Membership,
  NO_NOTES,
  type Svcid,
  TEST_ACCOUNTS,
  TEST_RESPONSE_DELAY_MS,
} from '@svc/domain';
import type { FirmActor } from '../actors.ts';
import { byFirm, recordMemberAction } from '../audit/events.ts';
import type { AdjusterView } from '../model/member-views.ts';
import type { Needs } from '../ports/needs.ts';
import type { Tx } from '../ports/unit-of-work.ts';

type Deps = Needs<'uow' | 'clock'>;

interface Invitee {
  readonly svcId: Svcid;
  readonly adjuster: Adjuster | null;
  /** Locked. */
  readonly current: Membership | null;
}

async function inviteIn(
  tx: Tx,
  actor: FirmActor,
  { svcId, adjuster: found, current }: Invitee,
  { notes, at }: { readonly notes: InvitationNotes; readonly at: Instant },
): Promise<AdjusterView> {
  const { firmId, environment } = actor;
  const adjuster = checkInvitable(found, firmId, environment);
  const membership = invite(current, { firmId, svcId, notes, at });
  await tx.memberships.save(membership);
  await recordMemberAction(tx, membership, byFirm(actor), { at, action: 'invitation.send' });

  const invitation = { firmId, svcId, invitedAt: at };
  await tx.outbox.add({ kind: 'notify_invitation', ...invitation });
  if (adjuster.testOf !== null && TEST_ACCOUNTS[adjuster.testOf.behavior].answersInvitation !== undefined) {
    await tx.outbox.add({ kind: 'simulate_invitation_response', ...invitation }, at + TEST_RESPONSE_DELAY_MS);
  }
  return { membership, adjuster };
}

/** Invites an adjuster, also again after a decline, expiry, withdrawal or departure. */
export const makeInviteAdjuster =
  ({ uow, clock }: Deps) =>
  (actor: FirmActor, { svcId, notes }: { svcId: Svcid; notes: InvitationNotes }): Promise<AdjusterView> =>
    uow.run(async (tx) => {
      const at = clock.now();
      const adjuster = await tx.adjusters.find(svcId);
      const current = await tx.memberships.lock(actor.firmId, svcId);
      return inviteIn(tx, actor, { svcId, adjuster, current }, { notes, at });
    });

/**
 * Each is a transaction, with what it reads and what it writes in few round trips: with 50 instead of 10, requests of other
 * firms waited twice as long.
 */
const GROUP = 10;

/**
 * Invites each adjuster as if alone. Safe to repeat, also after it has ended within the list.
 *
 * @returns why adjusters were not invited; all others were.
 */
export const makeInviteAdjusters =
  ({ uow, clock }: Deps) =>
  async (actor: FirmActor, svcIds: ReadonlySet<Svcid>): Promise<ReadonlyMap<Svcid, DomainError>> => {
    const refused = new Map<Svcid, DomainError>();
    // Sorted, so that two lists with the same people do not deadlock.
    const inOrder = [...svcIds].sort();
    for (let from = 0; from < inOrder.length; from += GROUP) {
      const group = inOrder.slice(from, from + GROUP);
      const errors = await uow.run(async (tx) => {
        const at = clock.now();
        const adjusters = await Promise.all(group.map((svcId) => tx.adjusters.find(svcId)));
        const memberships = await Promise.all(group.map((svcId) => tx.memberships.lock(actor.firmId, svcId)));
        const inviteOne = async (svcId: Svcid, n: number): Promise<DomainError | null> => {
          const invitee = { svcId, adjuster: adjusters[n] ?? null, current: memberships[n] ?? null };
          try {
            await inviteIn(tx, actor, invitee, { notes: NO_NOTES, at });
            return null;
          } catch (error) {
            // The rules come before the first write.
            if (error instanceof DomainError) return error;
            throw error;
          }
        };
        return Promise.all(group.map(inviteOne));
      });
      for (const [n, svcId] of group.entries()) {
        const error = errors[n] ?? null;
        if (error !== null) refused.set(svcId, error);
      }
    }
    return refused;
  };
