import { type AuditEntry, auditEntriesFrom, NO_METRICS, verifyAuditChain } from '@svc/application';
import type { FirmId } from '@svc/domain';
import { sha256 } from '@svc/testkit/test-secrets';
import { NOW } from './a-firm.ts';
import { openStores, undistributedDatabase } from './fresh-database.ts';

/**
 * Stores on a new database, with what they have committed.
 *
 * @param pooler with settings per transaction and no prepared statements, as behind a connection pooler
 */
export async function observedStores(pooler = false) {
  const database = await undistributedDatabase();
  /** Statuses of the claims that each transaction changed. */
  const committed: string[][] = [];
  const metrics = {
    ...NO_METRICS,
    transactionCommitted: (_seconds: number, changed: readonly string[]) => committed.push([...changed]),
  };
  const stores = await openStores({
    url: database.url,
    poolMax: 8,
    pooler,
    clock: { now: () => NOW },
    metrics,
  });
  const auditOf = async (firmId: FirmId): Promise<AuditEntry[]> => {
    const rows = await stores.auditReads.rows(firmId, { after: 0, limit: 1000 });
    return rows.flatMap(({ text }) => auditEntriesFrom(text));
  };
  const verifyAudit = (firmId: FirmId) => verifyAuditChain({ reads: stores.auditReads, sha256 }, firmId);
  return { database, stores, committed, auditOf, verifyAudit };
}
