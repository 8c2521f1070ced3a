import type { Instant } from '@svc/domain';
import { recordAction, recordFirmAction } from '../audit/events.ts';
import { SERVICE_CHAIN } from '../model/audit.ts';
import { toDateTime } from '../model/date-time.ts';
import type { FeedRestamp } from '../model/feed-restamp.ts';
import type { Needs } from '../ports/needs.ts';
import type { Tx } from '../ports/unit-of-work.ts';
import { OperatorError } from './operator-error.ts';

type Deps = Needs<'uow' | 'operatorReads' | 'clock' | 'operator'>;

/** The feed lock of a firm is held for one batch, so its writes go on in between. */
const BATCH_CLAIMS = 500;

async function start(tx: Tx, since: Instant, now: Instant): Promise<FeedRestamp> {
  if (since > now) throw new OperatorError(`${toDateTime(since)} is in the future`);
  const earlier = await tx.feeds.lockRestamps();
  const unfinished = earlier.find(({ finishedAt }) => finishedAt === null);
  if (unfinished !== undefined) {
    if (unfinished.since === since) return unfinished;
    throw new OperatorError(
      `a restamp since ${toDateTime(unfinished.since)} was interrupted; finish it first with --since ${toDateTime(unfinished.since)}`,
    );
  }
  const done = earlier.find((restamp) => restamp.since === since);
  if (done !== undefined)
    throw new OperatorError(
      `the feeds were restamped since ${toDateTime(since)} at ${toDateTime(done.startedAt)}; clients would get every open claim once more`,
    );
  // A process whose clock was ahead may have stamped it. Clients know such timestamps and get only later ones.
  const last = (await tx.feeds.lastTimestamp()) ?? now;
  return { since, startedAt: Math.max(now, last + 1), finishedAt: null };
}

/**
 * After a restore to `since`, a client may have read changes that are lost. Every claim that may have been among them
 * moves to the end of its firm's feed, so that a poll gets it as it is now. An interrupted run continues where it stopped.
 */
export const makeRestampFeeds =
  ({ uow, operatorReads, clock, operator }: Deps) =>
  async (since: Instant, onProgress: (done: number) => void): Promise<number> => {
    const restamp = await uow.run(async (tx) => {
      const now = clock.now();
      const started = await start(tx, since, now);
      await tx.feeds.saveRestamp(started);
      const audited = { at: now, action: 'feed.restamp', object: `since:${toDateTime(since)}` } as const;
      await recordAction(tx, SERVICE_CHAIN, operator, audited);
      return started;
    });
    let total = 0;
    for (const { id } of await operatorReads.firms()) {
      for (let count = BATCH_CLAIMS; count === BATCH_CLAIMS; ) {
        count = await uow.run(async (tx) => {
          const restamped = await tx.feeds.restamp(id, restamp, BATCH_CLAIMS);
          if (restamped > 0) await recordFirmAction(tx, { clock, operator }, id, 'feed.restamp');
          return restamped;
        });
        total += count;
        if (count > 0) onProgress(total);
      }
    }
    await uow.run((tx) => tx.feeds.saveRestamp({ ...restamp, finishedAt: clock.now() }));
    return total;
  };
