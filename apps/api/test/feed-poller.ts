import { setTimeout as pause } from 'node:timers/promises';
import { withClient } from '../../../tools/services/postgres.ts';

/** A version of a claim. */
export interface Version {
  readonly id: string;
  readonly updated_at: string;
}

export interface Poller<Row> {
  readonly seen: readonly Row[];
  polls(): number;
  /** Polls once more and stops; rejects if a poll failed. */
  stop(): Promise<void>;
}

export const versionOf = ({ id, updated_at }: Version): string => `${id} ${updated_at}`;

/**
 * Polls a firm's changes from the last position, without overlap.
 *
 * @param fetchPage fetches a page of `GET /v1/claims` with `&updated_since=…&cursor=…` if present.
 */
export function startPoller<Row extends Version>(
  fetchPage: (
    query: string,
  ) => Promise<{ readonly data: readonly Row[]; readonly next_cursor: string | null }>,
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
      const page = await fetchPage(`${filter}${more}`);
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
  // Awaited by stop(); a failure before then must not count as unhandled.
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

/** Updates a claim with the feed's next timestamp, and commits after other work is done. Also on Citus. */
export const changeSlowly = (
  databaseUrl: string,
  firmId: string,
  claimId: string,
  work: () => Promise<void>,
): Promise<void> =>
  withClient(databaseUrl, async (client) => {
    await client.query('BEGIN');
    await client.query(
      `WITH stamp AS (UPDATE firm_feeds SET last_stamp =
           greatest($3::timestamptz, (last_stamp AT TIME ZONE 'UTC' + interval '1 ms') AT TIME ZONE 'UTC')
         WHERE firm_id = $1 RETURNING last_stamp)
       UPDATE claims SET status = 'unassigned', updated_at = last_stamp FROM stamp WHERE firm_id = $1 AND id = $2`,
      [firmId, claimId, new Date().toISOString()],
    );
    await work();
    await client.query('COMMIT');
  });
