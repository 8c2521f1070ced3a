import type { Attempts } from '@svc/domain';
import type { CountedAttempts } from '../model/sign-in.ts';

export interface SignInAttempts {
  /** Does not wait for locks. */
  find(subjects: readonly string[]): Promise<(Attempts | null)[]>;
  /** Locks the counters, or the keys of missing ones, until the transaction ends. */
  lock(subjects: readonly string[]): Promise<(Attempts | null)[]>;
  /** The caller has locked the subjects. */
  put(counted: readonly CountedAttempts[]): Promise<void>;
}
