import type { ClaimId, DeadlineOverride, FirmId, Instant, Svcid } from '@svc/domain';
import type { AssignmentState } from '../model/claim-views.ts';
import type { RegisteredDevice } from '../model/device.ts';

/** Reads for jobs. */
export interface JobReads {
  firmName(firmId: FirmId): Promise<string | null>;
  /** How many live offers wait longer than the firm does. */
  lateOffers(firmId: FirmId, now: Instant): Promise<number>;
  assignment(firmId: FirmId, claimId: ClaimId): Promise<AssignmentState | null>;
  /** Those whose session has not ended at `now`; ordered by id. */
  devices(svcId: Svcid, now: Instant): Promise<RegisteredDevice[]>;
  /** Ordered by event, then kind. */
  deadlineOverrides(): Promise<DeadlineOverride[]>;
}
