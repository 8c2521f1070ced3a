import { appendFile } from 'node:fs/promises';
import { UsageError } from '../environment.ts';
import { readTextFile } from '../input.ts';
import { parseJson } from '../json.ts';

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
  const { text, encoding } = (await readTextFile(path)) ?? { text: '' };
  // Lines in UTF-8 are added to it.
  if (encoding?.startsWith('utf-16'))
    throw new UsageError(
      `${path} was saved in UTF-16: save it in UTF-8, or remove it, since no claim is sent twice without it`,
    );
  const ids = new Map<string, string>();
  for (const line of text.split('\n')) {
    const entry = parseJson(line) as Entry | null | undefined;
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
