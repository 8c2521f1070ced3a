import { appendFile, readFile } from 'node:fs/promises';

/** Claims sent by earlier runs. Only saves requests: idempotency keys prevent sending a claim twice. */
export interface Journal {
  /** The id of the claim if it was sent before. */
  idOf(idempotencyKey: string): string | undefined;
  add(idempotencyKey: string, id: string): Promise<void>;
}

interface Entry {
  readonly account: string;
  readonly key: string;
  readonly id: string;
}

/** Entries of other firms, environments or services (`account`) are ignored. */
export async function openJournal(path: string, account: string): Promise<Journal> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const ids = new Map<string, string>();
  for (const line of text.split('\n')) {
    const entry = entryOf(line);
    if (entry?.account === account) ids.set(entry.key, entry.id);
  }
  // After a line that was truncated by a crash, start a new one.
  let start = text === '' || text.endsWith('\n') ? '' : '\n';
  return {
    idOf: (key) => ids.get(key),
    async add(key, id) {
      if (ids.get(key) === id) return;
      ids.set(key, id);
      const entry: Entry = { account, key, id };
      const line = `${start}${JSON.stringify(entry)}\n`;
      start = '';
      await appendFile(path, line, { mode: 0o600 });
    },
  };
}

function entryOf(line: string): Entry | undefined {
  try {
    return JSON.parse(line) as Entry;
  } catch {
    return undefined;
  }
}
