import { DomainError, type EnteredCredentials, type FirmId, type Svcid } from '@svc/domain';
import type { Needs } from '../ports/needs.ts';

/** Empty where the adjuster lets the firm see them and has entered none. */
export const makeReadSharedCredentials =
  ({ boardReads }: Needs<'boardReads'>) =>
  async (firmId: FirmId, svcId: Svcid): Promise<EnteredCredentials> => {
    const [[member], shared] = await Promise.all([
      boardReads.members(firmId, [svcId]),
      boardReads.sharedCredentials(firmId, [svcId]),
    ]);
    if (member?.membership.sharing.credentials !== true)
      throw new DomainError('not_found', 'No adjuster with this SVCID shares credentials with your firm.');
    return shared.get(svcId) ?? {};
  };
