/** Reasons for rejecting an offer, and what the firm reads: one wording whatever language the adjuster uses. */
export const REJECTION_REASONS = {
  too_far: 'Too far away',
  workload: 'Too many open files',
  dates: 'Not available on these dates',
  conflict_of_interest: 'Conflict of interest',
  claim_type: 'Not my type of claim',
} as const;
export type RejectionCode = keyof typeof REJECTION_REASONS;
export const REJECTION_CODES = Object.keys(REJECTION_REASONS) as readonly RejectionCode[];

/** The reason as sent to the firm; undefined when none was given. */
export function rejectionText(code: RejectionCode | null, ownWords: string): string | undefined {
  const words = ownWords.trim();
  if (code === null) return words === '' ? undefined : words;
  return words === '' ? REJECTION_REASONS[code] : `${REJECTION_REASONS[code]}: ${words}`;
}

/** How many characters of own words fit beside the coded reason. */
export const maxOwnWords = (code: RejectionCode | null, maxLength: number): number =>
  code === null ? maxLength : maxLength - REJECTION_REASONS[code].length - 2;
