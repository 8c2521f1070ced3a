import { type CalendarDate, DAY, HOUR, type Instant } from './ids.ts';
import { CREDENTIAL_REMINDER_DAYS, LICENSE_WARNING_DAYS } from './limits.ts';
import type { AdjusterWarning, FcnCategory, FormType, LicenseKind } from './vocabulary.ts';

/** The authorization by FEMA, a Flood Control Number, with the kinds of losses that it is for. */
export interface Fcn {
  readonly number: string;
  readonly categories: readonly FcnCategory[];
  /** The last day on which it counts. */
  readonly expiresOn: CalendarDate;
}

export interface License {
  readonly state: string;
  readonly kind: LicenseKind;
  readonly number: string;
  /** The last day on which it counts. */
  readonly expiresOn: CalendarDate;
}

/** What an adjuster has entered about themselves. What is absent is unknown. */
export interface AdjusterCredentials {
  readonly fcn?: Fcn;
  readonly licenses?: readonly License[];
  /** When the next reminder is queued. */
  readonly remindAt?: Instant;
}

/** Without what the service needs for its reminders. */
export type EnteredCredentials = Omit<AdjusterCredentials, 'remindAt'>;

/** What the adjuster has entered, which a firm sees by consent. */
export const enteredCredentials = ({ remindAt: _, ...entered }: AdjusterCredentials): EnteredCredentials =>
  entered;

const CATEGORIES_OF_FORM: Readonly<Record<FormType, readonly FcnCategory[]>> = {
  dwelling: ['residential', 'manufactured_home'],
  general_property: ['small_commercial', 'large_commercial'],
  rcbap: ['rcbap'],
};

/**
 * What a dispatcher should know before an offer: licenses are listed and none is of the claim's state; all of the
 * state, or the FCN, have ended or end within 14 days; the FCN has no category for the policy's form. What the adjuster
 * has not entered, or does not share, is unknown: it is never called missing.
 */
export function credentialWarnings(
  credentials: EnteredCredentials | undefined,
  claim: { readonly state: string; readonly form: FormType | undefined },
  today: CalendarDate,
): AdjusterWarning[] {
  const { fcn, licenses = [] } = credentials ?? {};
  const ends = (dates: readonly CalendarDate[]): boolean =>
    dates.length > 0 && dates.every((date) => daysUntil(date, today) <= LICENSE_WARNING_DAYS);
  const ofState = licenses.filter(({ state }) => state === claim.state).map(({ expiresOn }) => expiresOn);
  const warnings: AdjusterWarning[] = [];
  if (licenses.length > 0 && ofState.length === 0) warnings.push('license_missing');
  if (ends(ofState) || ends(fcn === undefined ? [] : [fcn.expiresOn])) warnings.push('license_expires');
  const wanted = claim.form === undefined ? [] : CATEGORIES_OF_FORM[claim.form];
  const authorized = fcn?.categories ?? [];
  if (authorized.length > 0 && wanted.length > 0 && !wanted.some((each) => authorized.includes(each)))
    warnings.push('fcn_category');
  return warnings;
}

const midnight = (date: CalendarDate): Instant => Date.parse(`${date}T00:00:00Z`);

/** Days until a date; negative once it is over. */
export const daysUntil = (date: CalendarDate, today: CalendarDate): number =>
  (midnight(date) - midnight(today)) / DAY;

const expiriesOf = ({ fcn, licenses = [] }: AdjusterCredentials): CalendarDate[] =>
  [...(fcn === undefined ? [] : [fcn]), ...licenses].map(({ expiresOn }) => expiresOn);

/** Noon in New York in summer: in every state it is day. */
const REMINDED_AT_MS = 16 * HOUR;

const remindersOf = (credentials: AdjusterCredentials): { at: Instant; expiresOn: CalendarDate }[] =>
  expiriesOf(credentials).flatMap((expiresOn) =>
    CREDENTIAL_REMINDER_DAYS.map((days) => ({
      at: midnight(expiresOn) - days * DAY + REMINDED_AT_MS,
      expiresOn,
    })),
  );

/** When something has to be said next; undefined: never. */
function nextReminder(credentials: AdjusterCredentials, after: Instant): Instant | undefined {
  const later = remindersOf(credentials)
    .map(({ at }) => at)
    .filter((at) => at > after);
  return later.length === 0 ? undefined : Math.min(...later);
}

/** The earliest end that has to be told at `since` or later, until `now`; undefined: none. */
export const endToRemindOf = (
  credentials: AdjusterCredentials,
  since: Instant,
  now: Instant,
): CalendarDate | undefined =>
  remindersOf(credentials)
    .filter(({ at }) => since <= at && at <= now)
    .map(({ expiresOn }) => expiresOn)
    .sort()[0];

/** Whether a license or the authorization ends on this day, so that it can still be told. */
export const endsOn = (credentials: AdjusterCredentials | undefined, date: CalendarDate): boolean =>
  expiriesOf(credentials ?? {}).includes(date);

/**
 * Adjusters are reminded 60 and 14 days before an end, at 16:00 UTC. A reminder that is queued stays. `queued`: when
 * one is due already, which looks again then.
 */
export function withNextReminder(
  stored: AdjusterCredentials,
  at: Instant,
  queued?: Instant,
): AdjusterCredentials {
  const credentials = enteredCredentials(stored);
  const next = nextReminder(credentials, at);
  const remindAt = queued === undefined || (next !== undefined && next < queued) ? next : queued;
  return { ...credentials, ...(remindAt !== undefined && { remindAt }) };
}
