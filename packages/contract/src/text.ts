import { INVISIBLE_CHARACTER } from '@svc/domain/vocabulary';

// PostgreSQL text cannot contain U+0000, and UTF-8 cannot encode an unpaired surrogate.
const UNUSABLE = /[\0\p{Cs}]/u;

export const hasUnusableCharacter = (value: string): boolean => UNUSABLE.test(value);

const BLANK = /* @__PURE__ */ new RegExp(`^${INVISIBLE_CHARACTER}*$`, 'u');
const FIRST_INVISIBLE = /* @__PURE__ */ new RegExp(INVISIBLE_CHARACTER, 'u');

/** Whether the text has no visible character. */
export const isBlank = (value: string): boolean => BLANK.test(value);

/** The code point of the first invisible character, as in `U+200B`; null: none. */
export function invisibleCharacter(value: string): string | null {
  const found = FIRST_INVISIBLE.exec(value)?.[0].codePointAt(0);
  return found === undefined ? null : `U+${found.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Length in Unicode code points, as in PostgreSQL; `length` counts UTF-16 units. */
export function codePointLength(value: string): number {
  let pairs = 0;
  for (let index = 0; index < value.length - 1; index++) {
    const unit = value.charCodeAt(index);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = value.charCodeAt(index + 1);
    if (next >= 0xdc00 && next <= 0xdfff) pairs++;
  }
  return value.length - pairs;
}

/** Counts code points only if needed: a code point is one or two UTF-16 units. */
export function lengthWithin(value: string, min: number, max: number): boolean {
  const units = value.length;
  if (units < min || units > 2 * max) return false;
  if (units >= 2 * min && units <= max) return true;
  const length = codePointLength(value);
  return length >= min && length <= max;
}
