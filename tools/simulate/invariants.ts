// What must hold of the committed rows after every commit, whatever happens.

import type { Claim } from '@svc/domain';
import type { SharedMemory } from './interleaved-stores.ts';

/** As the specification lists them. */
const ALLOWED = new Set([
  'pending_acceptance>accepted',
  'pending_acceptance>rejected',
  'pending_acceptance>unassigned',
  'pending_acceptance>pending_acceptance',
  'rejected>pending_acceptance',
  'unassigned>pending_acceptance',
]);

export class InvariantBroken extends Error {
  override readonly name = 'InvariantBroken';
}

function require(holds: boolean, invariant: string, shown: unknown): void {
  if (!holds) throw new InvariantBroken(`${invariant}: ${JSON.stringify(shown)}`);
}

/** Compares the rows with those after the last commit. */
export function createInvariants({ committed }: SharedMemory): { check(): void } {
  let claims = new Map<string, Claim>();
  let newest = Number.NEGATIVE_INFINITY;
  let auditRows = 0;
  /** Numbers of jobs in the order of their creation, which is not that of the commits. */
  let jobs = new Set<number>();
  read();

  function read(): void {
    const rows = committed.claims.all();
    claims = new Map(rows.map((claim) => [claim.id, claim]));
    newest = Math.max(newest, ...rows.map(({ updatedAt }) => updatedAt));
    auditRows = committed.auditLog.all().length;
    jobs = new Set(committed.jobs.all().map(({ number }) => number));
  }

  return {
    check() {
      const rows = committed.claims.all();
      const changed = rows.filter((claim) => claims.get(claim.id) !== claim);
      if (changed.length > 0) {
        const log = committed.auditLog.all();
        require(log.length > auditRows, 'every change is in the audit trail', changed);
      }
      for (const claim of changed) checkChange(claims.get(claim.id), claim);
      const unique = (nameOf: (claim: Claim) => string | null, invariant: string): void => {
        const names = rows.flatMap((claim) => nameOf(claim) ?? []);
        require(new Set(names).size === names.length, invariant, names);
      };
      unique(({ environment, externalId }) => `${environment} ${externalId}`, 'external ids are unique');
      unique(
        ({ environment, claimNumber, closedAt }) =>
          closedAt === null ? `${environment} ${claimNumber}` : null,
        'claim numbers of open claims are unique',
      );
      unique(({ updatedAt }) => String(updatedAt), 'timestamps of the feed are unique');
      for (const { assignment, closedAt, firmId } of rows) {
        if (assignment.status !== 'pending_acceptance' || closedAt !== null) continue;
        const membership = committed.memberships
          .all()
          .find((each) => each.firmId === firmId && each.svcId === assignment.adjuster);
        const mayAccept = membership?.status === 'active' && membership.canAcceptClaims;
        require(mayAccept, 'pending offers are to members who may accept them', { assignment, membership });
      }
      const bound = new Set(committed.idempotency.all().map(({ claimId }) => claimId));
      for (const { id } of rows)
        require(claims.has(id) || bound.has(id), 'a claim is sent under an Idempotency-Key', id);
      read();
    },
  };

  function checkChange(before: Claim | undefined, after: Claim): void {
    const visible = before === undefined || before.updatedAt !== after.updatedAt;
    if (!visible) {
      const same = JSON.stringify(before.assignment) === JSON.stringify(after.assignment);
      require(same, 'every visible change moves updated_at', [before, after]);
      return;
    }
    require(after.updatedAt > newest, 'changes become visible in the order of the feed', { newest, after });
    const { status, offeredAt, adjuster } = after.assignment;
    if (before === undefined) require(status === 'pending_acceptance', 'a claim starts as an offer', after);
    else {
      const step = `${before.assignment.status}>${status}`;
      require(ALLOWED.has(step), 'claims follow allowed transitions', step);
      require(before.closedAt === null, 'a closed claim does not change', [before, after]);
      if (status !== 'pending_acceptance')
        require(adjuster === before.assignment.adjuster, 'a response is by the adjuster of the offer', after);
    }
    if (status !== 'pending_acceptance') return;
    const job = committed.jobs
      .all()
      .find(
        ({ number, job }) =>
          !jobs.has(number) &&
          job.kind === 'notify_offer' &&
          job.claimId === after.id &&
          job.svcId === adjuster,
      );
    require(job !== undefined, 'every offer has a notification', { offeredAt, adjuster });
  }
}
