import type { Instant } from '@svc/domain';
import type { Job } from '../model/job.ts';

export interface Outbox {
  /** @param runAt earliest time; default: immediately. */
  add(job: Job, runAt?: Instant): Promise<void>;
}
