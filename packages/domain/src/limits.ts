// Numbers that rules enforce and the interface documents.

/** Rate limits of a key. Each bucket refills evenly; `burst` is how many requests it accepts at once. */
export const DEFAULT_LIMITS = {
  live: { requestsPerMinute: 300, writesPerMinute: 120, burst: 20 },
  test: { requestsPerMinute: 60, writesPerMinute: 30, burst: 20 },
} as const;

/** Keys of a firm and environment that work at a time, unless the firm has another number. */
export const DEFAULT_MAX_KEYS = 20;
/** So that the list of a firm's staff is one page. */
export const MAX_STAFF_PER_FIRM = 200;
export const MAX_PASSKEYS_PER_ACCOUNT = 10;
/** A firm has no more rules for its clocks. */
export const MAX_CLOCK_RULES = 100;

/** A claim has no more contacts: further ones are rejected. */
export const MAX_CONTACTS = 200;

export const IDEMPOTENCY_WINDOW_HOURS = 24;
export const INVITATION_LIFETIME_DAYS = 7;
/** Over a weekend too, five days remain to answer. */
export const INVITATION_REMINDER_HOURS = 48;
/** The longest period of the audit trail that is verified at once. */
export const MAX_VERIFIED_DAYS = 31;

/** Before a license or an FCN ends, its adjuster is reminded. */
export const CREDENTIAL_REMINDER_DAYS = [60, 14] as const;
/** Dispatchers are warned of licenses that end within these days. */
export const LICENSE_WARNING_DAYS = 14;
export const MAX_LICENSES = 60;

/** Webhook endpoints of a firm and environment. */
export const MAX_WEBHOOKS = 5;
/** In characters. */
export const MAX_WEBHOOK_URL_LENGTH = 2000;

/** Offers in the history of a claim. */
export const MAX_OFFERS_READ = 100;
/** The latest answers of an adjuster whose median is shown. */
export const ANSWERS_FOR_MEDIAN = 20;
/** Rows of a report. */
export const MAX_ANSWERS_GROUPS = 1000;
/** Of counts on the board. */
export const MAX_COUNTED_CLAIMS = 10_000;
