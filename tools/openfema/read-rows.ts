import type { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { type Header, type Row, readHeader } from './columns.ts';

/** The file cannot be read on; what is wrong is the message. */
export class UnreadableFile extends Error {}

export interface FileRow {
  /** Counted from 1, the header left out. */
  readonly number: number;
  /** Null when the row has more or fewer values than the header has names: nobody knows which is which. */
  readonly row: Row | null;
  readonly values: number;
}

export interface File {
  readonly header: Header;
  readonly rows: AsyncIterable<FileRow>;
}

const LONGEST_RECORD = 1024 * 1024;

/** Reads the header at once and the rows as they are asked for, so that a file of any size takes no more memory. */
export async function readFile(input: Readable): Promise<File> {
  const parser = parse({
    bom: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: LONGEST_RECORD,
  });
  input.on('error', (error) => parser.destroy(error));
  input.pipe(parser);

  const records = parser[Symbol.asyncIterator]() as AsyncIterator<string[]>;
  const first = await next(records);
  if (!first) throw new UnreadableFile('The file is empty.');
  const header = readHeader(first.map((name) => name.trim()));
  if (header.missing.length > 0) {
    parser.destroy();
    throw new UnreadableFile(
      `No row of this file could become a claim: it has no column ${header.missing.join(', ')}. It has ${shown(header.names)}.`,
    );
  }

  async function* rows(): AsyncGenerator<FileRow> {
    try {
      for (let number = 1; ; number++) {
        const record = await next(records);
        if (!record) return;
        const whole = record.length === header.names.length;
        yield { number, row: whole ? header.row(record) : null, values: record.length };
      }
    } finally {
      input.destroy();
      parser.destroy();
    }
  }
  return { header, rows: rows() };
}

async function next(records: AsyncIterator<string[]>): Promise<string[] | null> {
  try {
    const { done, value } = await records.next();
    return done ? null : value;
  } catch (error) {
    throw new UnreadableFile(`The file cannot be read: ${(error as Error).message}`);
  }
}

function shown(names: readonly string[]): string {
  const text = names.join(', ');
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
