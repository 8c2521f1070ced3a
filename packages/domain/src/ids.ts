declare const brand: unique symbol;
type Branded<T, Name extends string> = T & { readonly [brand]: Name };

/** UUID of an adjusting firm. */
export type FirmId = Branded<string, 'FirmId'>;
/** UUID of a claim, assigned by the service. */
export type ClaimId = Branded<string, 'ClaimId'>;
/** Public id of an API key (never its secret). */
export type KeyId = Branded<string, 'KeyId'>;
/** Account id of an adjuster; case-sensitive, 1 to 128 characters. */
export type Svcid = Branded<string, 'Svcid'>;

/** UUID of a staff member of a firm. */
export type StaffId = Branded<string, 'StaffId'>;

/** Milliseconds since 1970-01-01T00:00:00Z, the precision of all stored times. */
export type Instant = number;
/** `YYYY-MM-DD`; never converted between time zones, compares as text. */
export type CalendarDate = string;

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
