const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Rows as CSV whose cells are kept as they are. */
export const quotedCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(quoted).join(',')}\r\n`).join('');

/** A value that a spreadsheet would take for a formula starts with an apostrophe. */
function cell(value: string | number | null): string {
  if (typeof value !== 'string') return String(value ?? '');
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? quoted(text) : text;
}

/** Rows as a file for spreadsheets (RFC 4180). */
export const spreadsheetCsv = (rows: readonly (readonly (string | number | null)[])[]): string =>
  rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
