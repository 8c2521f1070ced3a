import type { Svcid } from '@svc/domain';
import type { EmailChange } from '../model/sign-in.ts';

export interface EmailChanges {
  /** Replaces an earlier change of the same account. */
  put(change: EmailChange): Promise<void>;
  lock(svcId: Svcid): Promise<EmailChange | null>;
  remove(svcId: Svcid): Promise<void>;
}
