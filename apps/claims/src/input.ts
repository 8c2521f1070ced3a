import { readFile } from 'node:fs/promises';
import { type Environment, UsageError } from './environment.ts';

/** A file; `-` is standard input. */
export async function readInput(path: string, { stdin }: Pick<Environment, 'stdin'>): Promise<Uint8Array> {
  if (path === '-') return collect(stdin);
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${path} cannot be read: ${error.code}`);
  });
}

async function collect(stream: AsyncIterable<Uint8Array | string>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}
