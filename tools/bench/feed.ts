import { setTimeout as pause } from 'node:timers/promises';
import { withClient } from '../services/postgres.ts';

/** A claim as it was at one time. */
export interface Version {
  readonly id: string;
  readonly updated_at: string;
}

export interface Poller<Row> {
  readonly seen: readonly Row[];
  polls(): number;
  /** Looks once more, and ends; fails if a poll did. */
  stop(): Promise<void>;
}

export const versionOf = ({ id, updated_at }: Version): string => `${id} ${updated_at}`;

/**
 * Asks for a firm's changes again and again from where it last was, looking at nothing twice.
 *
 * @param ask for a page of `GET /v1/claims`, given `&updated_since=…&cursor=…` as far as there are any.
 */
export function startPoller<Row extends Version>(
  ask: (query: string) => Promise<{ readonly data: readonly Row[]; readonly next_cursor: string | null }>,
  since = '',
): Poller<Row> {
  const seen: Row[] = [];
  let from = since;
  let stopped = false;
  let polls = 0;
  const poll = async (): Promise<void> => {
    const filter = from === '' ? '' : `&updated_since=${from}`;
    let cursor: string | null = null;
    let last = '';
    do {
      const more: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = await ask(`${filter}${more}`);
      seen.push(...page.data);
      last = page.data.at(-1)?.updated_at ?? last;
      cursor = page.next_cursor;
    } while (cursor !== null);
    if (last !== '') from = new Date(Date.parse(last) + 1).toISOString();
    polls += 1;
  };
  const running = (async () => {
    while (!stopped) {
      await poll();
      await pause(1);
    }
    await poll();
  })();
  // Whoever stops it is told; until then a failure must not count as unhandled.
  running.catch(() => {});
  return {
    seen,
    polls: () => polls,
    async stop() {
      stopped = true;
      await running;
    },
  };
}

/** Takes the feed's next stamp for a claim, and commits only once something else has been done. */
export const changeSlowly = (
  databaseUrl: string,
  firmId: string,
  claimId: string,
  meanwhile: () => Promise<void>,
): Promise<void> =>
  withClient(databaseUrl, async (client) => {
    await client.query('BEGIN');
    await client.query(
      `WITH stamp AS (UPDATE firm_feeds SET last_stamp = greatest(clock_timestamp(), last_stamp + interval '1 ms')
         WHERE firm_id = $1 RETURNING last_stamp)
       UPDATE claims SET status = 'unassigned', updated_at = last_stamp FROM stamp WHERE firm_id = $1 AND id = $2`,
      [firmId, claimId],
    );
    await meanwhile();
    await client.query('COMMIT');
  });
