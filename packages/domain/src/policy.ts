import type { CalendarDate } from './ids.ts';

/**
 * A policy must not expire before it takes effect; the same day is accepted, and one date alone is never judged.
 *
 * @returns null when the term stands, else what is wrong with the expiration date, in words for the sender.
 */
export function checkPolicyTerm(
  effective: CalendarDate | undefined,
  expiration: CalendarDate | undefined,
): string | null {
  if (effective === undefined || expiration === undefined || expiration >= effective) return null;
  return `The policy would expire on ${expiration}, before it takes effect on ${effective}.`;
}
