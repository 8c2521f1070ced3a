import { readFile } from 'node:fs/promises';
import { type Encoding, markedEncoding } from '@svc/csv-import';
import { type Environment, UsageError } from './environment.ts';

/** A file; `-` is standard input. */
export async function readInput(path: string, { stdin }: Pick<Environment, 'stdin'>): Promise<Uint8Array> {
  if (path === '-') return collect(stdin);
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${path} cannot be read: ${error.code}`);
  });
}

interface TextFile {
  readonly text: string;
  readonly encoding: Encoding;
}

/** UTF-8, or UTF-16 as Windows PowerShell writes it, without a byte order mark. Null: neither. */
export function decodeText(bytes: Uint8Array): TextFile | null {
  const encoding = markedEncoding(bytes) ?? 'utf-8';
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), encoding };
  } catch {
    return null;
  }
}

/** Null: there is no such file. */
export async function readTextFile(path: string): Promise<TextFile | null> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new UsageError(`${path} cannot be read: ${error.code}`);
  });
  return bytes === null ? null : textFile(bytes, path);
}

export function textFile(bytes: Uint8Array, path: string): TextFile {
  const decoded = decodeText(bytes);
  if (decoded === null) throw new UsageError(`${path} is neither UTF-8 nor UTF-16`);
  return decoded;
}

async function collect(stream: AsyncIterable<Uint8Array | string>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}
