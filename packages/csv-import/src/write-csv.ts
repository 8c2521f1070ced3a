const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Without it, Excel takes another encoding. */
export const BYTE_ORDER_MARK = '\ufeff';

/** Rows as CSV whose cells are kept as they are. */
export const quotedCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(quoted).join(',')}\r\n`).join('');

/**
 * Where a spreadsheet would begin a formula, also of full-width characters: at the start of a cell, and after what separates
 * cells where the comma does not, which ends even a quoted cell.
 */
const FORMULA = /(^|[;|\t\r\n])([\s"']*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

/** A value that a spreadsheet would take for a formula, or a part of it, starts with an apostrophe. */
function cell(value: string | number | null): string {
  if (typeof value !== 'string') return String(value ?? '');
  const text = value.replace(FORMULA, "$1$2'").replace(/^[\t\r]/, "'$&");
  return /[",;|\t\r\n]/.test(text) ? quoted(text) : text;
}

/** Rows as a file for spreadsheets (RFC 4180). */
export const spreadsheetCsv = (rows: readonly (readonly (string | number | null)[])[]): string =>
  rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
