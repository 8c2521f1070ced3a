import { appendFile, readFile } from 'node:fs/promises';

/** What a run remembers for the next one. It spares requests; that nothing is sent twice does not hang on it. */
export interface Journal {
  /** The claim's id, if this very claim was sent before. */
  idOf(idempotencyKey: string): string | undefined;
  note(idempotencyKey: string, id: string): Promise<void>;
}

interface Entry {
  readonly account: string;
  readonly key: string;
  readonly id: string;
}

/** `account` tells test from live and firm from firm: what was sent to one has not been sent to another. */
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
  // A line that a crash cut short must not swallow the next one.
  let start = text === '' || text.endsWith('\n') ? '' : '\n';
  return {
    idOf: (key) => ids.get(key),
    async note(key, id) {
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
