import type { AuditEvent } from '../model/audit.ts';

/** The trail within one transaction. */
export interface AuditTrail {
  /**
   * Written with the next change of a claim if all events are of its firm; otherwise as the last statements of the
   * transaction, in the order of the chains. The lock on a chain is held until the commit, so a transaction that changes
   * claims of several firms records after all changes. It may still deadlock with one that takes their locks in order: one
   * of them runs again.
   */
  record(event: AuditEvent): Promise<void>;
}
