import pc from 'picocolors';

const { bold, dim } = pc.createColors(process.stdout.isTTY === true);

export const printJson = (value: unknown): void => {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
};

/** One name and value per line. */
export function printFields(fields: Readonly<Record<string, unknown>>): void {
  const width = Math.max(0, ...Object.keys(fields).map((name) => name.length));
  for (const [name, value] of Object.entries(fields)) {
    process.stdout.write(`${dim(name.padEnd(width))}  ${shown(value)}\n`);
  }
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
  return Array.isArray(value) ? value.join(' ') : String(value);
}
