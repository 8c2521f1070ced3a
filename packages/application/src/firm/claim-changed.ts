import { type Assignment, type Claim, DomainError, type FirmId, type Instant } from '@svc/domain';
import { adjusterNames } from '../desk/board.ts';
import { type OffererReads, offererName, offerersOf } from '../desk/offerers.ts';
import type { BoardReads } from '../ports/board-reads.ts';

export interface NameReads extends OffererReads {
  readonly boardReads: Pick<BoardReads, 'members'>;
}

const ENDINGS: Readonly<Record<Assignment['status'], string>> = {
  pending_acceptance: '',
  accepted: ' The offer was accepted.',
  rejected: ' The offer was rejected.',
  unassigned: ' The adjuster left, or may not accept claims now.',
};

/** The claim was offered, answered, withdrawn or unassigned after it was seen. */
class ClaimChanged extends DomainError {
  readonly assignment: Assignment;
  constructor({ assignment }: Pick<Claim, 'assignment'>) {
    super('claim_changed', 'The claim has changed since it was read.');
    this.assignment = assignment;
  }
}

/** @param seenUpdatedAt the `updatedAt` of the claim as it was seen; undefined: whatever has become of it. */
export function checkUnchanged(claim: Claim, seenUpdatedAt: Instant | undefined): void {
  if (seenUpdatedAt !== undefined && seenUpdatedAt !== claim.updatedAt) throw new ClaimChanged(claim);
}

/** Handles errors: where the claim has changed since it was seen, the detail says who offered it to whom. */
export const withChangeDescribed =
  (deps: NameReads, firmId: FirmId) =>
  async (error: unknown): Promise<never> => {
    if (!(error instanceof ClaimChanged)) throw error;
    throw new DomainError('claim_changed', await describe(deps, firmId, error.assignment));
  };

async function describe(deps: NameReads, firmId: FirmId, latest: Assignment): Promise<string> {
  const { adjuster, offeredBy, status, withdrawnBy } = latest;
  const [names, people] = await Promise.all([
    adjusterNames(deps.boardReads, firmId, [adjuster]),
    offerersOf(deps, firmId, [offeredBy, withdrawnBy ?? null]),
  ]);
  const name = names.get(adjuster);
  const to = name == null ? adjuster : `${name} (${adjuster})`;
  const nameOf = (person: string | null) =>
    offererName(person === null ? null : (people.get(person) ?? null));
  const ending = withdrawnBy === undefined ? ENDINGS[status] : ` ${nameOf(withdrawnBy)} withdrew the offer.`;
  return `The claim has changed since it was read: ${nameOf(offeredBy)} offered it to ${to}.${ending}`;
}
