import type { AccountReads } from './account-reads.ts';
import type { AppReads } from './app-reads.ts';
import type { AuditLog } from './audit-log.ts';
import type { AuditReads } from './audit-reads.ts';
import type { BoardReads } from './board-reads.ts';
import type { ClaimWrites } from './claim-writes.ts';
import type { CredentialStore } from './credential-store.ts';
import type { FaultStore } from './faults.ts';
import type { FirmData } from './firm-data.ts';
import type { FirmReads } from './firm-reads.ts';
import type { JobReads } from './job-reads.ts';
import type { OfferHistory } from './offer-history.ts';
import type { OperatorReads } from './operator-reads.ts';
import type { ReceiptKeys } from './receipt-signer.ts';
import type { RequestLogStore } from './request-log.ts';
import type { StaffReads } from './staff-reads.ts';
import type { UnitOfWork } from './unit-of-work.ts';
import type { WebhookQueue, WebhookReads } from './webhooks.ts';

/** What the use cases store and read. */
export interface Stores {
  readonly unitOfWork: UnitOfWork;
  readonly claimWrites: ClaimWrites;
  readonly firmReads: FirmReads;
  readonly accountReads: AccountReads;
  readonly appReads: AppReads;
  readonly boardReads: BoardReads;
  readonly operatorReads: OperatorReads;
  readonly staffReads: StaffReads;
  readonly jobReads: JobReads;
  readonly offerHistory: OfferHistory;
  readonly receiptKeys: ReceiptKeys;
  readonly credentials: CredentialStore;
  readonly faults: FaultStore;
  readonly firmData: FirmData;
  readonly audit: AuditLog;
  readonly auditReads: AuditReads;
  readonly requestLog: RequestLogStore;
  readonly webhookReads: WebhookReads;
  readonly webhookQueue: WebhookQueue;
}
