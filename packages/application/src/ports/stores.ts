import type { AuditLog, AuditReads } from './audit.ts';
import type { ClaimWrites } from './claim-writes.ts';
import type { FaultStore } from './faults.ts';
import type { FirmData } from './firm-data.ts';
import type { AppReads, CredentialStore, FirmReads, JobReads, OperatorReads } from './reads.ts';
import type { RequestLogStore } from './request-log.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** What the use cases store and read. */
export interface Stores {
  readonly unitOfWork: UnitOfWork;
  readonly claimWrites: ClaimWrites;
  readonly firmReads: FirmReads;
  readonly appReads: AppReads;
  readonly operatorReads: OperatorReads;
  readonly jobReads: JobReads;
  readonly credentials: CredentialStore;
  readonly faults: FaultStore;
  readonly firmData: FirmData;
  readonly audit: AuditLog;
  readonly auditReads: AuditReads;
  readonly requestLog: RequestLogStore;
}
