import { type CsvOptions, type Delimiter, rowsIn } from './read-csv.ts';
import { linesOf } from './records.ts';

export interface CsvPart {
  /** What the service reads of it. */
  readonly content: {
    readonly text: string;
    readonly delimiter: Delimiter;
    readonly header_row: number | undefined;
    /** The number of its first row in the whole file, as a spreadsheet counts; undefined: it is the whole file. */
    readonly first_row: number | undefined;
  };
  readonly rows: number;
  /** With text, after the header. */
  readonly lines: number;
}

/** The parts of a file, each with the header. A file within the limits has one. */
export function splitCsv(
  text: string,
  max: { readonly rows: number; readonly cells: number; readonly characters: number },
  options: Pick<CsvOptions, 'delimiter' | 'headerRow'> = {},
): [CsvPart, ...CsvPart[]] {
  const { content, delimiter, records, first } = rowsIn(text, options);
  const header = content.slice(records[first]?.start, records[first]?.end);
  const headerCells = records[first]?.cells.length ?? 0;
  const parts: CsvPart[] = [];
  let next = first + 1;
  while (next < records.length) {
    const start = records[next]?.start ?? 0;
    const from = next;
    let [rows, lines, cells] = [0, 0, headerCells];
    for (let record = records[next]; record !== undefined; record = records[next]) {
      cells += record.cells.length;
      const isFull =
        next - from === max.rows || cells > max.cells || header.length + record.end - start > max.characters;
      if (next > from && isFull) break;
      const withText = linesOf(content, record.start, record.end).filter((line) => line.trim() !== '').length;
      rows += Math.min(withText, 1);
      lines += withText;
      next += 1;
    }
    const part = header + content.slice(start, records[next - 1]?.end);
    parts.push({
      content: { text: part, delimiter, header_row: undefined, first_row: from + 1 },
      ...{ rows, lines },
    });
  }
  const [one, ...others] = parts;
  if (one !== undefined && others.length > 0) return [one, ...others];
  const { rows = 0, lines = 0 } = one ?? {};
  const whole = { text, delimiter, header_row: options.headerRow, first_row: undefined };
  return [{ content: whole, rows, lines }];
}
