import type { Instant } from '@svc/domain';

/** Challenges that were answered. They are signed, so only used ones are stored. */
export interface UsedChallenges {
  /** False if it was used before. Two concurrent uses: one is true. */
  use(challenge: string, expiresAt: Instant): Promise<boolean>;
}
