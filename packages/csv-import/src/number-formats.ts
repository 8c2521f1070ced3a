// How a workbook shows the number of a cell, as far as it decides what was meant: a date, a time, or digits.

export type NumberFormat =
  | { readonly kind: 'number' }
  /** Zeros for digits, such as `00000` for a ZIP code. */
  | { readonly kind: 'digits'; readonly mask: string }
  | {
      readonly kind: 'date';
      readonly hasDay: boolean;
      readonly hasTime: boolean;
      /** Hours above 24. */
      readonly isElapsed: boolean;
    };

const NUMBER: NumberFormat = { kind: 'number' };

/** Those of dates and times, which workbooks use by number (ECMA-376, 18.8.30); of other languages, with a date. */
const BUILT_IN: ReadonlyMap<number, string> = new Map([
  ...[14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58].map((id) => [id, 'd'] as const),
  ...[18, 19, 20, 21, 32, 33, 34, 35, 45, 47, 55, 56].map((id) => [id, 'h'] as const),
  [22, 'd h'],
  [46, '[h]'],
]);

/** Excel's limit. */
const MAX_CODE = 255;

export function numberFormat(id: number, codes: ReadonlyMap<number, string>): NumberFormat {
  const code = (codes.get(id) ?? BUILT_IN.get(id) ?? '').slice(0, MAX_CODE);
  // Of positive numbers.
  const [section = ''] = code.replace(/"[^"]*"|\\;/g, (text) => text.replaceAll(';', ' ')).split(';', 1);
  const mask = section.replace(/\\(.)|"([^"]*)"/g, '$1$2');
  if (/^0[0 -]*$/.test(mask)) return { kind: 'digits', mask };
  const elapsed = /\[(h+|m+|s+)\]/i.test(section);
  const shown = section.replace(/\\.|"[^"]*"|_.|\*.|\[[^\]]*\]/g, '').toLowerCase();
  const hasTime = elapsed || /[hs]/.test(shown);
  const hasDay = /[yd]/.test(shown) || (!hasTime && shown.includes('m'));
  if (!hasTime && !hasDay) return NUMBER;
  return { kind: 'date', hasDay, hasTime, isElapsed: elapsed };
}

/** From this number on, doubles and spreadsheets do not have every digit. */
const MAX_EXACT = 1e15;
const DAY_SECONDS = 86_400;
const FIRST_DAY_MS = Date.UTC(1899, 11, 30);
/** Those of Macs began in 1904. */
const DAYS_TO_1904 = 1462;
/** 9999-12-31. */
const LAST_DAY = 2_958_465;
/** Excel has a February 29 in 1900. */
const NO_DAY = 60;

/** What a cell shows, with the digits and the day that it has: a number as it is stored, a date as `2026-08-27`. */
export function shownNumber(stored: string, format: NumberFormat, hasDatesSince1904: boolean): string {
  const value = Number(stored);
  if (stored.trim() === '' || !Number.isFinite(value)) return stored;
  if (format.kind === 'date') return shownDate(value, format, hasDatesSince1904);
  if (Math.abs(value) >= MAX_EXACT) return value.toExponential(14).toUpperCase();
  const text = String(Number(value.toPrecision(15)));
  if (format.kind === 'number' || !/^\d+$/.test(text)) return text;
  return filled(format.mask, text);
}

/** From the last digit on; those that have no zero are before it. */
function filled(mask: string, digits: string): string {
  let left = digits;
  let text = '';
  for (const one of [...mask].reverse()) {
    text = (one === '0' ? left.slice(-1) || '0' : one) + text;
    if (one === '0') left = left.slice(0, -1);
  }
  return left + text;
}

function shownDate(
  value: number,
  format: Extract<NumberFormat, { kind: 'date' }>,
  hasDatesSince1904: boolean,
): string {
  // Excel shows these for what is no date.
  if (value < 0 || value > LAST_DAY) return '########';
  const seconds = Math.round(value * DAY_SECONDS);
  const two = (number: number): string => String(number).padStart(2, '0');
  const ofDay = seconds % DAY_SECONDS;
  const hours = Math.floor((format.isElapsed ? seconds : ofDay) / 3600);
  const time = [hours, Math.floor(seconds / 60) % 60, ...(seconds % 60 === 0 ? [] : [seconds % 60])]
    .map(two)
    .join(':');
  if (!format.hasDay) return time;
  const day = Math.floor(seconds / DAY_SECONDS) + (hasDatesSince1904 ? DAYS_TO_1904 : 0);
  // Written as Excel shows it: no calendar has this day.
  const date =
    day === NO_DAY
      ? '1900-02-29'
      : new Date(FIRST_DAY_MS + (day < NO_DAY ? day + 1 : day) * DAY_SECONDS * 1000)
          .toISOString()
          .slice(0, 10);
  return format.hasTime && ofDay !== 0 ? `${date} ${time}` : date;
}
