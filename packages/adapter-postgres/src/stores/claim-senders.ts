import type { ClaimId, FirmId, Svcid } from '@svc/domain';
import { byAdjuster, rowsByAdjuster } from '../driver/citus.ts';
import { first, type TxSession } from '../driver/session.ts';

/** The firm that sent a claim, among those the adjuster ever belonged to. */
const FIND = byAdjuster(
  'claims_find_sender',
  (inFirms) => `SELECT m.firm_id FROM memberships m JOIN claims c ON c.firm_id = m.firm_id AND c.id = $2
    WHERE m.svc_id = $1 ${inFirms}`,
);

/**
 * Citus can lock rows of only one firm per statement, so a lock by adjuster looks up the firm first. A claim's firm never
 * changes, so the lookup is cached per transaction.
 */
export interface ClaimSenders {
  find(svcId: Svcid, id: ClaimId): Promise<FirmId | null>;
}

export function claimSenders(session: TxSession): ClaimSenders {
  const found = new Map<string, Promise<FirmId | null>>();
  const find = async (svcId: Svcid, id: ClaimId): Promise<FirmId | null> =>
    first(await rowsByAdjuster<{ firm_id: FirmId }>(session, FIND, [svcId, id]))?.firm_id ?? null;
  return {
    find(svcId, id) {
      const key = `${svcId} ${id}`;
      const firmId = found.get(key) ?? find(svcId, id);
      found.set(key, firmId);
      return firmId;
    },
  };
}
