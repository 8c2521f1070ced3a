import { INVISIBLE_CHARACTER } from './vocabulary.ts';

const BLANK = /* @__PURE__ */ new RegExp(`^${INVISIBLE_CHARACTER}*$`, 'u');

/** Whether the text prints nothing: whitespace, control characters and invisible characters only. */
export const isBlank = (value: string): boolean => BLANK.test(value);

const APOSTROPHES = /['\u0060\u00b4\u02b9-\u02bd\u2018-\u201b\u2032\uff07]/gu;
/** Also the minus sign, which is no `Pd`. */
const DASHES = /[\p{Pd}\u2212]/gu;

/** Text as searches compare it: without regard to case, accents and apostrophes, and to which dash was typed. */
export const searchText = (text: string): string =>
  text.normalize('NFD').replace(/\p{M}/gu, '').replace(APOSTROPHES, '').replace(DASHES, '-').toLowerCase();
