/** Reasons for rejecting an offer, as sent to the firm: in English, whatever language the adjuster uses. */
export const REJECTION_REASONS = {
  too_far: 'Too far away',
  workload: 'Too many open claims',
  dates: 'Not available on these dates',
  conflict_of_interest: 'Conflict of interest',
  claim_type: 'Not my type of claim',
} as const;
export type RejectionCode = keyof typeof REJECTION_REASONS;
export const REJECTION_CODES = Object.keys(REJECTION_REASONS) as readonly RejectionCode[];

/** The reason as sent to the firm; undefined when none was given. */
export function rejectionText(code: RejectionCode | null, freeText: string): string | undefined {
  const text = freeText.trim();
  if (code === null) return text === '' ? undefined : text;
  return text === '' ? REJECTION_REASONS[code] : `${REJECTION_REASONS[code]}: ${text}`;
}

/** How many characters of free text fit after the coded reason and its separator. */
export const maxFreeTextLength = (code: RejectionCode | null, maxLength: number): number =>
  code === null ? maxLength : maxLength - REJECTION_REASONS[code].length - 2;

/** As typed, and not sent yet. */
export interface TypedRejection {
  readonly code: RejectionCode | null;
  readonly freeText: string;
}
