import type { NewAuditRow } from '../model/audit.ts';

/** Events of no transaction: reads, and attempts that failed. */
export interface AuditLog {
  append(rows: readonly NewAuditRow[]): Promise<void>;
}
