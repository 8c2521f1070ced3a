import type { KeyId } from '@svc/domain';
import type { ApiKey } from '../model/api-key.ts';

export interface Keys {
  add(key: ApiKey): Promise<void>;
  lock(id: KeyId): Promise<ApiKey | null>;
  save(key: ApiKey): Promise<void>;
}
