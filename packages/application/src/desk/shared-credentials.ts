import { DomainError, type EnteredCredentials, type FirmId, type Svcid } from '@svc/domain';
import type { BoardReads } from '../ports/board-reads.ts';

/** Empty where the adjuster lets the firm see them and has entered none. */
export const makeReadSharedCredentials =
  ({ boardReads }: { boardReads: Pick<BoardReads, 'members' | 'sharedCredentials'> }) =>
  async (firmId: FirmId, svcId: Svcid): Promise<EnteredCredentials> => {
    const [[member], shared] = await Promise.all([
      boardReads.members(firmId, [svcId]),
      boardReads.sharedCredentials(firmId, [svcId]),
    ]);
    if (member?.membership.sharing.credentials !== true)
      throw new DomainError('not_found', 'No adjuster with this SVCID shares credentials with your firm.');
    return shared.get(svcId) ?? {};
  };
