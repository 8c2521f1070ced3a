import pc from 'picocolors';

const { bold, dim } = pc.createColors(process.stdout.isTTY === true);

/** JSON leaves DEL and the control characters above it as they are, and some terminals obey them. */
const escaped = (json: string): string => json.replace(/[\u007f-\u009f]/g, escapeOf);

export const printJson = (value: unknown): void => {
  process.stdout.write(`${escaped(JSON.stringify(value, null, 2))}\n`);
};

export const jsonLine = (value: unknown): string => `${escaped(JSON.stringify(value))}\n`;

const PROGRESS_INTERVAL_MS = 3000;

/** Shows how far a long command is, at most every few seconds. */
export function progressOf(what: string): (done: number) => void {
  let shownAt = performance.now();
  return (done) => {
    if (performance.now() - shownAt < PROGRESS_INTERVAL_MS) return;
    shownAt = performance.now();
    process.stderr.write(`${done} ${what}\n`);
  };
}

/** Such as `1 key` and `2 keys`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** One name and value per line. */
export function printFields(fields: Readonly<Record<string, unknown>>): void {
  const width = Math.max(0, ...Object.keys(fields).map((name) => name.length));
  for (const [name, value] of Object.entries(fields)) {
    process.stdout.write(`${dim(name.padEnd(width))}  ${shown(value)}\n`);
  }
}

/** With `--json` one document, otherwise a line or fields. */
export function print(
  { json }: { readonly json?: boolean | undefined },
  document: unknown,
  shown: string | Parameters<typeof printFields>[0],
): void {
  if (json) printJson(document);
  else if (typeof shown === 'string') process.stdout.write(`${shown}\n`);
  else printFields(shown);
}

/** Rows under their column names, aligned with spaces. */
export function printTable(rows: readonly Readonly<Record<string, unknown>>[], empty: string): void {
  const first = rows[0];
  if (first === undefined) {
    process.stdout.write(`${empty}\n`);
    return;
  }
  const columns = Object.keys(first);
  const cells = rows.map((row) => columns.map((column) => shown(row[column])));
  const widths = columns.map((column, i) =>
    Math.max(column.length, ...cells.map((row) => row[i]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  process.stdout.write(`${bold(line(columns))}\n`);
  for (const row of cells) process.stdout.write(`${line(row)}\n`);
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return withoutControls(Array.isArray(value) ? value.join(' ') : String(value));
}

/** Control characters, which a terminal would obey, as visible escapes: names come from firms and adjusters. */
export const withoutControls = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, escapeOf);

function escapeOf(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}
