import { z } from 'zod';
import { intendedDate, intendedInstant, isCalendarDate, readInstant } from './calendar.ts';
import { LIMITS } from './limits.ts';
import { hasUnusableCharacter, invisibleCharacter, isBlank, lengthWithin } from './text.ts';

/** The documentation of a field. */
interface FieldMeta {
  readonly description: string;
  readonly example: unknown;
  /** Name of the schema in the OpenAPI document. */
  readonly id?: string;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

const NUMBER_FORMAT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });
const count = (value: number): string => NUMBER_FORMAT.format(value);

const charactersWithin = ({ min, max }: Bounds): string =>
  `${min === max ? '' : `${count(min)} to `}${count(max)} characters`;

const JSON_TYPES: Readonly<Record<string, string>> = {
  number: 'a number',
  boolean: 'a boolean',
  object: 'an object',
};

function jsonTypeOf(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  return JSON_TYPES[typeof value] ?? 'another type';
}

/** Says how to correct a value of the wrong type; null unless what was meant is certain. */
type TypeHint = (sent: unknown) => string | null;

/** The error of a value that is missing, null or of the wrong JSON type. */
export function expected(
  what: string,
  hintFor: TypeHint = () => null,
): { error: (issue: { code?: string; input?: unknown }) => string } {
  const missing = `This field is required: ${what}.`;
  const isNull = `Must be ${what}, not null. If the field is optional, omit it instead.`;
  return {
    error: ({ input }) => {
      if (input === undefined) return missing;
      if (input === null) return isNull;
      const received = typeof input === 'string' ? '' : `; received ${jsonTypeOf(input)}`;
      return withHint(`Must be ${what}${received}.`, hintFor(input));
    },
  };
}

const withHint = (detail: string, hint: string | null): string =>
  hint === null ? detail : `${detail.slice(0, -1)}; ${hint}`;

/** For a number where its digits are meant: they may be wrong as text too, as those of a day number of a spreadsheet. */
const inQuotes =
  (isValid: (text: string) => boolean, hintFor: (text: string) => string | null = () => null): TypeHint =>
  (sent) => {
    if (typeof sent !== 'number') return null;
    if (isValid(String(sent))) return 'send it in quotes.';
    const hint = hintFor(String(sent));
    return hint === null ? null : `send it in quotes; ${hint}`;
  };

const JSON_NUMBER = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;
const withoutQuotes: TypeHint = (sent) =>
  typeof sent === 'string' && JSON_NUMBER.test(sent.trim()) ? 'send the number without quotes.' : null;

const asBoolean: TypeHint = (sent) =>
  sent === 'true' || sent === 'false' ? `send ${sent} without quotes.` : null;

/** Returns the error text, or null for a valid value. */
type Check<Value> = (value: Value) => string | null;

/** At most one error per value: the first one found. */
const checked =
  <Value>(check: Check<Value>) =>
  (payload: { value: Value; issues: unknown[] }): void => {
    const detail = check(payload.value);
    if (detail !== null) payload.issues.push({ code: 'custom', message: detail, input: payload.value });
  };

const UNUSABLE = 'Must not contain U+0000 or an unpaired surrogate.';

/** A string whose length is counted in code points. `check` runs only on strings of a valid length. */
function textOf(what: string, bounds: Bounds, meta: object, check: Check<string> = () => null): z.ZodString {
  const withLength = `${what} of ${charactersWithin(bounds)}`;
  const errorOf: Check<string> = (value) => {
    if (!lengthWithin(value, bounds.min, bounds.max)) return `Must be ${withLength}.`;
    return hasUnusableCharacter(value) ? UNUSABLE : check(value);
  };
  const hint = inQuotes((value) => errorOf(value) === null);
  return z
    .string(expected(withLength, hint))
    .check(checked(errorOf))
    .meta({ minLength: bounds.min, maxLength: bounds.max, ...meta });
}

/** A string in a fixed format; its error describes the format only, not the length. */
function formattedString(
  what: string,
  keywords: object,
  meta: FieldMeta,
  isValid: (value: string) => boolean,
  hintFor: (sent: string) => string | null = () => null,
): z.ZodString {
  const detail = `Must be ${what}.`;
  return z
    .string(expected(what, inQuotes(isValid, hintFor)))
    .check(checked((value) => (isValid(value) ? null : withHint(detail, hintFor(value)))))
    .meta({ ...keywords, ...meta });
}

export const text = (bounds: Bounds, meta: FieldMeta): z.ZodString => textOf('a string', bounds, meta);

const didYouMean = (intended: string | null): string | null =>
  intended === null ? null : `did you mean ${intended}?`;

/** The documented pattern is looser than the check: it cannot list every invisible character. */
export const nonBlankText = (bounds: Bounds, meta: FieldMeta): z.ZodString =>
  textOf('a string', bounds, { pattern: '\\S', ...meta }, (value) =>
    isBlank(value) ? 'Must contain at least one visible character.' : null,
  );

const NO_OUTER_WHITESPACE = /^\S(.*\S)?$/;

/** An identifier that people copy and paste: no surrounding whitespace, no line break. */
export const identifier = (bounds: Bounds, meta: FieldMeta): z.ZodString =>
  textOf('a string', bounds, { pattern: NO_OUTER_WHITESPACE.source, ...meta }, (value) =>
    NO_OUTER_WHITESPACE.test(value) ? null : 'Must not start or end with whitespace or contain a line break.',
  );

export const phone = (meta: FieldMeta, bounds: Bounds = LIMITS.phone): z.ZodString =>
  textOf('a phone number', bounds, { pattern: '[0-9]', ...meta }, (value) =>
    /[0-9]/.test(value) ? null : 'Must contain at least one digit (0-9).',
  );

const EMAIL = /^[^\s@]+@[^\s@]+$/;

/** The documented pattern is looser than the check: it cannot list every invisible character. */
export const email = (meta: FieldMeta): z.ZodString =>
  textOf('an email address', LIMITS.email, { pattern: EMAIL.source, ...meta }, (value) => {
    if (!EMAIL.test(value))
      return 'Must be an email address: one @ with text on both sides and no whitespace.';
    const invisible = invisibleCharacter(value);
    return invisible === null ? null : `Must not contain invisible characters, such as ${invisible} here.`;
  });

const URL_SHAPE = /^https?:\/\/\S+$/i;

export const url = (bounds: Bounds, meta: FieldMeta): z.ZodString =>
  textOf('a URL', bounds, { pattern: URL_SHAPE.source, ...meta }, (value) =>
    URL_SHAPE.test(value) ? null : 'Must be a URL that starts with https://, without whitespace.',
  );

export const calendarDate = (meta: FieldMeta): z.ZodString =>
  formattedString('a valid calendar date (YYYY-MM-DD)', { format: 'date' }, meta, isCalendarDate, (sent) =>
    didYouMean(intendedDate(sent)),
  );

const TIME_OF_DAY = /^([01][0-9]|2[0-3]):[0-5][0-9]$/;

export const timeOfDay = (meta: FieldMeta): z.ZodString =>
  formattedString('a time from 00:00 to 23:59 (HH:MM)', { pattern: TIME_OF_DAY.source }, meta, (value) =>
    TIME_OF_DAY.test(value),
  );

/** The same time zone data as in the domain's rules. */
const isTimeZone = (name: string): boolean => {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
};

export const timeZone = (meta: FieldMeta): z.ZodString =>
  formattedString(
    'the IANA name of a time zone, such as America/Chicago',
    { format: 'time-zone', minLength: LIMITS.timeZone.min, maxLength: LIMITS.timeZone.max },
    meta,
    (value) => lengthWithin(value, LIMITS.timeZone.min, LIMITS.timeZone.max) && isTimeZone(value),
  );

/** Of years that are written with four digits, also in UTC. */
const isStorableInstant = (instant: number | null): boolean =>
  instant !== null && instant >= Date.parse('0001-01-01') && instant < Date.parse('+010000-01-01');

export const dateTime = (meta: FieldMeta): z.ZodString =>
  formattedString(
    'an RFC 3339 date-time with an offset, such as 2026-08-29T14:30:00Z',
    { format: 'date-time' },
    meta,
    (value) => isStorableInstant(readInstant(value)),
    (sent) => didYouMean(intendedInstant(sent)),
  );

const ZIP = /^[0-9]{5}(-[0-9]{4})?$/;

export const zip = (meta: FieldMeta): z.ZodString =>
  formattedString(
    'a ZIP code of five digits, or ZIP+4 such as 33901-1234',
    { pattern: ZIP.source },
    meta,
    (value) => ZIP.test(value),
    zipHint,
  );

/** Spreadsheets drop the first zero of ZIP codes in New England, New Jersey and Puerto Rico. */
function zipHint(sent: string): string | null {
  const digits = sent.trim();
  if (/^[0-9]{9}$/.test(digits)) return 'ZIP+4 has a hyphen after the fifth digit.';
  return /^[0-9]{4}$/.test(digits) ? 'write the first zero if the code begins with one.' : null;
}

/** Digits as a string, so that leading zeros are kept. */
export const digits = (length: number, meta: FieldMeta): z.ZodString => {
  const pattern = new RegExp(`^[0-9]{${length}}$`);
  return formattedString(`a string of exactly ${length} digits`, { pattern: pattern.source }, meta, (value) =>
    pattern.test(value),
  );
};

/** A text in one of the app's own formats, in which no personal data fits. */
export const matching = (what: string, pattern: RegExp, meta: FieldMeta): z.ZodString =>
  formattedString(what, { pattern: pattern.source }, meta, (value) => pattern.test(value));

const BASE64URL = /^[A-Za-z0-9_-]+={0,2}$/;

export const base64url = (bounds: Bounds, meta: FieldMeta): z.ZodString =>
  textOf('a base64url string', bounds, { pattern: BASE64URL.source, ...meta }, (value) =>
    BASE64URL.test(value) ? null : 'Must be base64url: only letters, digits, - and _.',
  );

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

export const base64 = (bounds: Bounds, meta: FieldMeta): z.ZodString =>
  textOf('a base64 string', bounds, { pattern: BASE64.source, ...meta }, (value) =>
    BASE64.test(value) ? null : 'Must be base64: only letters, digits, + and /, without line breaks.',
  );

const SECURE_OR_LOOPBACK = /^(https:\/\/[^/]|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?\/)/i;

/** A URL parser drops line breaks and tabs, so the text would name another address than is called. */
const PRINTABLE_ASCII = /^[!-~]+$/;

/** Browsers return https URLs only; http is allowed for a push service on the same machine, as in tests. */
export const pushServiceUrl = (bounds: Bounds, meta: FieldMeta): z.ZodString =>
  textOf('an https URL', bounds, { format: 'uri', ...meta }, (value) =>
    SECURE_OR_LOOPBACK.test(value) && PRINTABLE_ASCII.test(value) && URL.canParse(value)
      ? null
      : 'Must be an absolute URL that starts with https://, in printable ASCII without spaces.',
  );

export function oneOf<const Value extends string>(
  values: readonly Value[],
  meta: FieldMeta,
  what = `one of ${values.join(', ')}`,
) {
  const hint: TypeHint = (sent) =>
    typeof sent === 'string' ? didYouMean(intendedOneOf(values, sent)) : null;
  return z.enum(values, expected(what, hint)).meta({ ...meta });
}

/** Longer than any value however it is written; to compare a megabyte takes 100 ms. */
const MAX_COMPARED = 200;

/** The value with the same letters and digits: another case, spaces or punctuation, camelCase. */
export function intendedOneOf<const Value extends string>(
  values: readonly Value[],
  sent: string,
): Value | null {
  if (sent.length > MAX_COMPARED) return null;
  const normalized = (text: string): string => text.toLowerCase().replace(/[\s\p{P}]/gu, '');
  const wanted = normalized(sent);
  return values.find((value) => normalized(value) === wanted) ?? null;
}

/** An enum whose error text depends on the invalid value. */
export function oneOfWithHint<const Value extends string>(
  values: readonly Value[],
  meta: FieldMeta,
  what: string,
  errorFor: (sent: string) => string,
) {
  const { error } = expected(what);
  return z
    .enum(values, {
      error: (issue) => (typeof issue.input === 'string' ? errorFor(issue.input) : error(issue)),
    })
    .meta({ ...meta });
}

export const flag = (meta: FieldMeta): z.ZodBoolean =>
  z.boolean(expected('true or false', asBoolean)).meta({ ...meta });

export const integer = ({ min, max }: Bounds, meta: FieldMeta): z.ZodNumber => {
  const what = `an integer from ${count(min)} to ${count(max)}`;
  return z
    .number(expected(what, withoutQuotes))
    .check(
      checked((value) =>
        Number.isInteger(value) && value >= min && value <= max ? null : `Must be ${what}.`,
      ),
    )
    .meta({ type: 'integer', minimum: min, maximum: max, ...meta });
};

// Checked on the decimal text: most amounts in cents have no exact binary representation.
const DOLLARS_AND_CENTS = /^[0-9]+(\.[0-9]{1,2})?$/;

export const amount = (meta: FieldMeta): z.ZodNumber => {
  const { min, max } = LIMITS.amount;
  const what = `an amount in US dollars from ${count(min)} to ${count(max)} with at most two decimals`;
  return z
    .number(expected(what, withoutQuotes))
    .check(
      checked((value) =>
        value >= min && value <= max && DOLLARS_AND_CENTS.test(String(value)) ? null : `Must be ${what}.`,
      ),
    )
    .meta({ minimum: min, maximum: max, ...meta });
};

export const rate = (meta: FieldMeta): z.ZodNumber => {
  const { min, max } = LIMITS.rate;
  const what = `a fraction from ${min} to ${max}, such as 0.07 for 7%`;
  return z
    .number(expected(what, withoutQuotes))
    .check(checked((value) => (value >= min && value <= max ? null : `Must be ${what}.`)))
    .meta({ minimum: min, maximum: max, ...meta });
};

type Shape = z.core.$ZodLooseShape;

/** An object in a request; unknown fields are errors. */
export const fields = <const Fields extends Shape>(shape: Fields) =>
  z.strictObject(shape, { error: expected('an object').error });

interface PresenceError {
  readonly path: readonly string[];
  readonly detail: string;
}

/**
 * A rule about which fields are required together. It checks presence only, so it also runs when a field has an
 * invalid value, and all errors are reported at once.
 */
export const presenceRule =
  (errorsOf: (isPresent: (name: string) => boolean) => readonly PresenceError[]) =>
  <Schema extends z.ZodObject>(schema: Schema): Schema =>
    schema.superRefine(
      (sent, context) => {
        for (const { path, detail } of errorsOf((name) => Object.hasOwn(sent, name)))
          context.addIssue({ code: 'custom', message: detail, input: undefined, path: [...path] });
      },
      { when: ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value) },
    );

/** An array that is too long gets one error, and its items are not checked. */
export function arrayOf<Item extends z.ZodType>(max: number, item: Item, what: string, meta: FieldMeta) {
  return z
    .preprocess(
      (value, context) => {
        if (Array.isArray(value) && value.length > max) {
          context.issues.push({
            code: 'custom',
            message: `Must have at most ${count(max)} items; received ${count(value.length)}.`,
            input: undefined,
          });
        }
        return value;
      },
      z.array(item, expected(what)),
    )
    .meta({ maxItems: max, ...meta });
}

/** A value that is sent as a string whatever its type: a query or path parameter. */
function parameter<Value>(
  what: string,
  keywords: object,
  meta: FieldMeta,
  parse: (sent: string) => Value | null,
  hintFor: (sent: string) => string | null = () => null,
) {
  return z
    .string(expected(what))
    .transform((sent, context): Value => {
      const value = parse(sent);
      if (value !== null) return value;
      context.issues.push({
        code: 'custom',
        message: withHint(`Must be ${what}.`, hintFor(sent)),
        input: undefined,
      });
      return z.NEVER;
    })
    .meta({ ...keywords, ...meta });
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** @param hint where to find the id. */
export const uuidParameter = (meta: FieldMeta, hint: string | null = null) =>
  parameter(
    'a UUID',
    { format: 'uuid' },
    meta,
    (sent) => (UUID.test(sent) ? sent.toLowerCase() : null),
    () => hint,
  );

export const integerParameter = ({ min, max }: Bounds, meta: FieldMeta) =>
  parameter(
    `an integer from ${count(min)} to ${count(max)}`,
    { type: 'integer', minimum: min, maximum: max },
    meta,
    (sent) => {
      if (!/^(0|[1-9][0-9]{0,8})$/.test(sent)) return null;
      const value = Number(sent);
      return value >= min && value <= max ? value : null;
    },
  );

/** Milliseconds since 1970. */
export const instantParameter = (meta: FieldMeta) =>
  parameter(
    'an RFC 3339 date-time with an offset, such as 2026-08-29T14:30:00Z',
    { format: 'date-time' },
    meta,
    // A plus sign that was not percent-encoded is decoded as a space, which is valid nowhere else in a date-time.
    (sent) => readInstant(sent.replace(/ (?=[0-9]{2}:[0-9]{2}$)/, '+')),
    (sent) => didYouMean(intendedInstant(sent)),
  );

const PRINTABLE = /^[\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff][\x20-\x7e\x80-\xff]*$/;

/** A header value: no control characters, at least one visible character. */
export const headerText = (bounds: Bounds, meta: FieldMeta): z.ZodString =>
  textOf('printable text', bounds, meta, (value) =>
    PRINTABLE.test(value) ? null : 'Must be printable text with at least one visible character.',
  );

/** Fields of responses. They have a type and documentation, and no checks. */
export const responseField = {
  text: (description: string, example: string, keywords: object = {}): z.ZodString =>
    z.string().meta({ ...keywords, description, example }),
  uuid: (description: string, example: string): z.ZodString =>
    z.string().meta({ format: 'uuid', description, example }),
  dateTime: (description: string, example: string): z.ZodString =>
    z.string().meta({ format: 'date-time', description, example }),
  date: (description: string, example: string): z.ZodString =>
    z.string().meta({ format: 'date', description, example }),
  integer: (description: string, example: number): z.ZodNumber =>
    z.number().meta({ type: 'integer', description, example }),
  flag: (description: string, example: boolean): z.ZodBoolean => z.boolean().meta({ description, example }),
} as const;
