import type { AuditEvent } from '../model/audit.ts';

/** Events of no transaction: reads, and attempts that failed. */
export interface AuditLog {
  append(events: readonly AuditEvent[]): Promise<void>;
}
