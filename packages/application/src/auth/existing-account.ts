import { type Adjuster, DomainError } from '@svc/domain';

/** The account that a session belongs to; it may have been erased since the session was checked. */
export function existingAccount(adjuster: Adjuster | null): Adjuster {
  if (adjuster === null) throw new DomainError('not_found', 'No such account.');
  return adjuster;
}
