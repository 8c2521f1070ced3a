import type { FirmId, Instant, KeyId } from '@svc/domain';
import type { ApiKey } from '../model/api-key.ts';

export interface Keys {
  add(key: ApiKey): Promise<void>;
  lock(id: KeyId): Promise<ApiKey | null>;
  /** The keys of the firm that work at this time, latest first. Without a lock. */
  working(firmId: FirmId, now: Instant): Promise<ApiKey[]>;
  save(key: ApiKey): Promise<void>;
}
