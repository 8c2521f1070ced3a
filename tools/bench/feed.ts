import { setTimeout as pause } from 'node:timers/promises';
import { withClient } from '../services/postgres.ts';
import type { Firm } from './data.ts';

/** How long a slow transaction holds its stamp before it commits, and rests after that. */
const SLOW_MS = 40;
const REST_MS = 120;

interface Page {
  readonly data: readonly { readonly id: string; readonly updated_at: string }[];
  readonly next_cursor: string | null;
}

/** A claim as it was at one time: `id updated_at`. */
export type Version = string;

/** Reads the firm's changes as a careful client does that never looks at a millisecond twice. */
export function pollChanges(url: string, { key }: Firm, since: string) {
  const seen: Version[] = [];
  let polls = 0;
  let stopping = false;
  const page = async (query: string): Promise<Page> => {
    const answer = await fetch(`${url}/v1/claims?limit=200&${query}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    if (answer.status !== 200) throw new Error(`the poller was answered ${answer.status}`);
    return (await answer.json()) as Page;
  };
  let from = since;
  const poll = async (): Promise<void> => {
    let last = '';
    for (let cursor: string | null = ''; cursor !== null; ) {
      const more: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { data, next_cursor } = await page(`updated_since=${from}${more}`);
      for (const { id, updated_at } of data) seen.push(`${id} ${updated_at}`);
      last = data.at(-1)?.updated_at ?? last;
      cursor = next_cursor;
    }
    if (last !== '') from = new Date(Date.parse(last) + 1).toISOString();
    polls += 1;
  };
  const running = (async () => {
    while (!stopping) await poll();
    await poll();
  })();
  // Whoever stops it is told; until then a failure must not count as unhandled.
  running.catch(() => {});
  return {
    async stop(): Promise<{ seen: readonly Version[]; polls: number }> {
      stopping = true;
      await running;
      return { seen, polls };
    },
  };
}

/** Takes the feed's next stamp for a claim, and commits it only after a while; again and again. */
export function changeSlowly(databaseUrl: string, { id, claims }: Firm) {
  let changes = 0;
  let stopping = false;
  const running = withClient(databaseUrl, async (client) => {
    for (; !stopping; changes += 1) {
      await client.query('BEGIN');
      await client.query(
        `WITH stamp AS (
           UPDATE firm_feeds SET last_stamp = greatest(clock_timestamp(), last_stamp + interval '1 ms')
            WHERE firm_id = $1 RETURNING last_stamp)
         UPDATE claims SET updated_at = last_stamp FROM stamp WHERE firm_id = $1 AND id = $2`,
        [id, claims[changes % claims.length]],
      );
      await pause(SLOW_MS);
      await client.query('COMMIT');
      await pause(REST_MS);
    }
  });
  running.catch(() => {});
  return {
    changes: () => changes,
    async stop(): Promise<void> {
      stopping = true;
      await running;
    },
  };
}

/** Every claim of the firm as it is now, of those that have changed since. */
export async function changedSince(databaseUrl: string, { id }: Firm, since: string): Promise<Version[]> {
  const found: Version[] = [];
  await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query(
      `SELECT id || ' ' || to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS version
         FROM claims WHERE firm_id = $1 AND updated_at >= $2`,
      [id, since],
    );
    for (const { version } of rows) found.push(version);
  });
  return found;
}
