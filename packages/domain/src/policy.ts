import type { CalendarDate } from './ids.ts';

/**
 * A policy must not expire before it takes effect; the same day is allowed, and a single date is not checked.
 *
 * @returns null when the term is valid, else an error message for the sender.
 */
export function checkPolicyTerm(
  effective: CalendarDate | undefined,
  expiration: CalendarDate | undefined,
): string | null {
  if (effective === undefined || expiration === undefined || expiration >= effective) return null;
  return `The policy would expire on ${expiration}, before it takes effect on ${effective}.`;
}
