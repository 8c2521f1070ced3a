import type { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { type Header, type Row, readHeader } from './columns.ts';

export class UnreadableFile extends Error {}

interface FileRow {
  /** From 1, not counting the header. */
  readonly number: number;
  /** Null when the row has more or fewer values than the header. */
  readonly row: Row | null;
  readonly values: number;
}

export interface File {
  readonly header: Header;
  readonly rows: AsyncIterable<FileRow>;
}

const LONGEST_RECORD = 1024 * 1024;

/** Streams rows, so that memory does not depend on the file's size. */
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
      `Required columns are missing: ${header.missing.join(', ')}. Found: ${shown(header.names)}.`,
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
