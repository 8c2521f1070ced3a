import type { Instant } from '@svc/domain';

/** `YYYY-MM-DDTHH:MM:SS.sssZ`. */
export const toDateTime = (instant: Instant): string => new Date(instant).toISOString();

export const toDateTimeOrNull = (instant: Instant | null): string | null =>
  instant === null ? null : toDateTime(instant);
