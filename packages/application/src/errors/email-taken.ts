import { DomainError } from '@svc/domain';

/** An address belongs to one account. */
export const emailTaken = (): DomainError =>
  new DomainError('email_taken', 'Another account uses this e-mail address.');
