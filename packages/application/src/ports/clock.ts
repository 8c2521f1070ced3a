import type { Instant } from '@svc/domain';

export interface Clock {
  now(): Instant;
}
