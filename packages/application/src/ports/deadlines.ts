import type { DeadlineKind, DeadlineOverride } from '@svc/domain';

/** Deadlines of single events that differ from the general ones. */
export interface Deadlines {
  lock(event: string, kind: DeadlineKind): Promise<DeadlineOverride | null>;
  put(override: DeadlineOverride): Promise<void>;
  remove(event: string, kind: DeadlineKind): Promise<void>;
}
