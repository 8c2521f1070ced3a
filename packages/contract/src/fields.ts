import { z } from 'zod';
import { isCalendarDate, readInstant } from './calendar.ts';
import { LIMITS } from './limits.ts';
import { hasUnusableCharacter, isBlank, lengthWithin } from './text.ts';

/** What the documentation says about a field. */
interface FieldMeta {
  readonly description: string;
  readonly example: unknown;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

const NUMBER_FORMAT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });
const count = (value: number): string => NUMBER_FORMAT.format(value);

const charactersWithin = ({ min, max }: Bounds): string => `${count(min)} to ${count(max)} characters`;

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
};

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  return KINDS[typeof value] ?? 'something else';
}

/** The wording for a value that is missing or of another JSON type than the field takes. */
export function wanted(what: string): { error: (issue: { code?: string; input?: unknown }) => string } {
  const missing = `This field is required: ${what}.`;
  const nothing = `Must be ${what}; null is not accepted. To send nothing, leave an optional field out.`;
  return {
    error: ({ input }) => {
      if (input === undefined) return missing;
      if (input === null) return nothing;
      return typeof input === 'string' ? `Must be ${what}.` : `Must be ${what}; ${kindOf(input)} was sent.`;
    },
  };
}

type Judge<Value> = (value: Value) => string | null;

// One check per field with one finding: two complaints about one value help nobody.
const judged =
  <Value>(judge: Judge<Value>) =>
  (payload: { value: Value; issues: unknown[] }): void => {
    const detail = judge(payload.value);
    if (detail !== null) payload.issues.push({ code: 'custom', message: detail, input: payload.value });
  };

const UNUSABLE = 'Must not contain the character U+0000 or half of a surrogate pair.';

const longerOrShorter = (what: string, { min, max }: Bounds): string =>
  min === max ? `Must be ${what}.` : `Must be ${what} of ${charactersWithin({ min, max })}.`;

/** Text whose length counts code points. `refuse` sees only text of the right length. */
function textOf(what: string, bounds: Bounds, meta: object, refuse: Judge<string> = () => null): z.ZodString {
  const wrongLength = longerOrShorter(what, bounds);
  return z
    .string(wanted(`${what} of ${charactersWithin(bounds)}`))
    .check(
      judged((value) => {
        if (!lengthWithin(value, bounds.min, bounds.max)) return wrongLength;
        if (hasUnusableCharacter(value)) return UNUSABLE;
        return refuse(value);
      }),
    )
    .meta({ minLength: bounds.min, maxLength: bounds.max, ...meta });
}

/** Text of a fixed form, too short to be worth a word about its length. */
function formed(
  what: string,
  keywords: object,
  meta: FieldMeta,
  fits: (value: string) => boolean,
): z.ZodString {
  const refused = `Must be ${what}.`;
  return z
    .string(wanted(what))
    .check(judged((value) => (fits(value) ? null : refused)))
    .meta({ ...keywords, ...meta });
}

export const text = (bounds: Bounds, meta: FieldMeta): z.ZodString => textOf('text', bounds, meta);

/** Text that has to name something. The documented pattern cannot list every invisible character. */
export const nonBlankText = (bounds: Bounds, meta: FieldMeta): z.ZodString =>
  textOf('text', bounds, { pattern: '\\S', ...meta }, (value) =>
    isBlank(value) ? 'Must contain at least one visible character.' : null,
  );

const NO_OUTER_WHITESPACE = /^\S(.*\S)?$/;

/** An identifier that people copy and paste: no white space around it, no line break in it. */
export const identifier = (bounds: Bounds, meta: FieldMeta): z.ZodString =>
  textOf('text', bounds, { pattern: NO_OUTER_WHITESPACE.source, ...meta }, (value) =>
    NO_OUTER_WHITESPACE.test(value)
      ? null
      : 'Must neither begin nor end with white space, nor contain a line break.',
  );

export const phone = (meta: FieldMeta): z.ZodString =>
  textOf('a telephone number', LIMITS.phone, { pattern: '[0-9]', ...meta }, (value) =>
    /[0-9]/.test(value) ? null : 'Must contain at least one digit from 0 to 9.',
  );

const EMAIL = /^[^\s@]+@[^\s@]+$/;

export const email = (meta: FieldMeta): z.ZodString =>
  textOf('an email address', LIMITS.email, { pattern: EMAIL.source, ...meta }, (value) =>
    EMAIL.test(value)
      ? null
      : 'Must be an email address: one @ with something on both sides and no white space.',
  );

export const calendarDate = (meta: FieldMeta): z.ZodString =>
  formed('a calendar date that exists, written YYYY-MM-DD', { format: 'date' }, meta, isCalendarDate);

const TIME_OF_DAY = /^([01][0-9]|2[0-3]):[0-5][0-9]$/;

export const timeOfDay = (meta: FieldMeta): z.ZodString =>
  formed('a time of day from 00:00 to 23:59, written HH:MM', { pattern: TIME_OF_DAY.source }, meta, (value) =>
    TIME_OF_DAY.test(value),
  );

const ZIP = /^[0-9]{5}(-[0-9]{4})?$/;

export const zip = (meta: FieldMeta): z.ZodString =>
  formed('a ZIP code of five digits, or ZIP+4 such as 33901-1234', { pattern: ZIP.source }, meta, (value) =>
    ZIP.test(value),
  );

/** Digits as text, since leading zeros count. */
export const digits = (length: number, meta: FieldMeta): z.ZodString => {
  const pattern = new RegExp(`^[0-9]{${length}}$`);
  return formed(`exactly ${length} digits, sent as text`, { pattern: pattern.source }, meta, (value) =>
    pattern.test(value),
  );
};

const BASE64URL = /^[A-Za-z0-9_-]+={0,2}$/;

export const base64url = (bounds: Bounds, meta: FieldMeta): z.ZodString =>
  textOf('base64url text', bounds, { pattern: BASE64URL.source, ...meta }, (value) =>
    BASE64URL.test(value) ? null : 'Must be base64url: letters, digits, - and _ only.',
  );

const SECURE_OR_LOOPBACK = /^(https:\/\/[^/]|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?\/)/i;

/** Where a push service listens. Browsers give https addresses only; plain http is for one on the same machine. */
export const pushAddress = (bounds: Bounds, meta: FieldMeta): z.ZodString =>
  textOf('an https address', bounds, { format: 'uri', ...meta }, (value) =>
    SECURE_OR_LOOPBACK.test(value) && URL.canParse(value)
      ? null
      : 'Must be an absolute address that begins with https://.',
  );

export function oneOf<const Value extends string>(
  values: readonly Value[],
  meta: FieldMeta,
  what = `one of ${values.join(', ')}`,
) {
  return z.enum(values, wanted(what)).meta({ ...meta });
}

/** An enum whose refusal depends on what was sent. */
export function oneOfExplained<const Value extends string>(
  values: readonly Value[],
  meta: FieldMeta,
  what: string,
  explain: (sent: string) => string,
) {
  const { error } = wanted(what);
  return z
    .enum(values, {
      error: (issue) => (typeof issue.input === 'string' ? explain(issue.input) : error(issue)),
    })
    .meta({ ...meta });
}

export const flag = (meta: FieldMeta): z.ZodBoolean => z.boolean(wanted('true or false')).meta({ ...meta });

export const integer = ({ min, max }: Bounds, meta: FieldMeta): z.ZodNumber => {
  const what = `a whole number from ${count(min)} to ${count(max)}`;
  return z
    .number(wanted(what))
    .check(
      judged((value) =>
        Number.isInteger(value) && value >= min && value <= max ? null : `Must be ${what}.`,
      ),
    )
    .meta({ type: 'integer', minimum: min, maximum: max, ...meta });
};

// Judged on the decimal digits, as written on a cheque: in binary, most cents are no exact fraction.
const DOLLARS_AND_CENTS = /^[0-9]+(\.[0-9]{1,2})?$/;

export const amount = (meta: FieldMeta): z.ZodNumber => {
  const { min, max } = LIMITS.amount;
  const what = `an amount of US dollars from ${count(min)} to ${count(max)} with at most two decimals`;
  return z
    .number(wanted(what))
    .check(
      judged((value) =>
        value >= min && value <= max && DOLLARS_AND_CENTS.test(String(value)) ? null : `Must be ${what}.`,
      ),
    )
    .meta({ minimum: min, maximum: max, ...meta });
};

export const rate = (meta: FieldMeta): z.ZodNumber => {
  const { min, max } = LIMITS.rate;
  const what = `a fraction from ${min} to ${max}, such as 0.07 for 7%`;
  return z
    .number(wanted(what))
    .check(judged((value) => (value >= min && value <= max ? null : `Must be ${what}.`)))
    .meta({ minimum: min, maximum: max, ...meta });
};

type Shape = z.core.$ZodLooseShape;

/** An object of a request: a field it does not list is a mistake of the sender's. */
export const fields = <const Fields extends Shape>(shape: Fields) =>
  z.strictObject(shape, { error: wanted('an object').error });

interface Finding {
  readonly path: readonly string[];
  readonly detail: string;
}

/**
 * A rule about which fields have to come together. It looks at presence only, so it speaks up beside
 * errors in the fields themselves instead of after they are mended.
 */
export const presence =
  (findings: (present: (name: string) => boolean) => readonly Finding[]) =>
  <Schema extends z.ZodObject>(schema: Schema): Schema => {
    const check = z.core._check<Record<string, unknown>>(
      (payload) => {
        const sent = payload.value;
        for (const { path, detail } of findings((name) => Object.hasOwn(sent, name))) {
          payload.issues.push({ code: 'custom', message: detail, input: undefined, path: [...path] });
        }
      },
      { when: ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value) },
    );
    return schema.check(check) as Schema;
  };

/** An array that is refused as a whole when too long: one complaint, whatever its items hold. */
export function atMost<Item extends z.ZodType>(max: number, item: Item, what: string, meta: FieldMeta) {
  return z
    .preprocess(
      (value, context) => {
        if (Array.isArray(value) && value.length > max) {
          context.issues.push({
            code: 'custom',
            message: `Must hold at most ${count(max)} items; ${count(value.length)} were sent.`,
            input: undefined,
          });
        }
        return value;
      },
      z.array(item, wanted(what)),
    )
    .meta({ maxItems: max, ...meta });
}

/** Fields of requests that arrive as text whatever they mean: query parameters, path parameters, headers. */
function readFrom<Value>(
  what: string,
  keywords: object,
  meta: FieldMeta,
  read: (sent: string) => Value | null,
) {
  return z
    .string(wanted(what))
    .transform((sent, context): Value => {
      const value = read(sent);
      if (value !== null) return value;
      context.issues.push({ code: 'custom', message: `Must be ${what}.`, input: undefined });
      return z.NEVER;
    })
    .meta({ ...keywords, ...meta });
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const uuidParameter = (meta: FieldMeta) =>
  readFrom('a uuid', { format: 'uuid' }, meta, (sent) => (UUID.test(sent) ? sent.toLowerCase() : null));

export const integerParameter = ({ min, max }: Bounds, meta: FieldMeta) =>
  readFrom(
    `a whole number from ${count(min)} to ${count(max)}`,
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
  readFrom(
    'an RFC 3339 date-time with its offset, such as 2026-08-29T14:30:00Z',
    { format: 'date-time' },
    meta,
    // A plus sign that was not percent-encoded arrives as a space. No date-time has one there otherwise,
    // so it can only mean the offset.
    (sent) => readInstant(sent.replace(/ (?=[0-9]{2}:[0-9]{2}$)/, '+')),
  );

const PRINTABLE = /^[\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff][\x20-\x7e\x80-\xff]*$/;

/** A header's value as HTTP delivers it: bytes, of which none is a control character and one is visible. */
export const headerText = (bounds: Bounds, meta: FieldMeta): z.ZodString =>
  textOf('printable text', bounds, meta, (value) =>
    PRINTABLE.test(value) ? null : 'Must be printable text with at least one visible character.',
  );

/** Fields of responses: a reader takes them as they come. */
export const shown = {
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
