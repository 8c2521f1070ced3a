// What a long run must have met: without it, "0 violations" says less than it seems to.
import { idempotentRequests, isUnknown } from './claim-register.ts';
import { type Call, grouped, type History, succeeded } from './history.ts';

/** Shorter runs may miss some of it. */
export const COMPLETE_AFTER_SECONDS = 300;

const DATABASE_FAULTS = /^postgres/;

const SOMETIMES: Readonly<Record<string, (history: History) => boolean>> = {
  'a request that was replayed while PostgreSQL recovered': ({ calls, faults }) => {
    const outages = faults.filter(({ kind }) => DATABASE_FAULTS.test(kind));
    return calls.some(
      ({ replayed, startedAt, endedAt }) =>
        replayed === true &&
        outages.some(
          (fault) => startedAt <= fault.endedAt + fault.recoveredAfter && fault.startedAt <= endedAt,
        ),
    );
  },
  'a failover': ({ faults, hasStandby }) =>
    hasStandby !== true || faults.some(({ kind }) => kind === 'postgres failover'),
  'a commit that nobody was told of, found by the retry': ({ calls }) =>
    idempotentRequests(calls).some(
      ([first, ...retries]) =>
        first !== undefined && isUnknown(first) && retries.some(({ replayed }) => replayed === true),
    ),
  'a page that ends between changes of one transaction': ({ calls }) =>
    [...grouped(calls, pollOf).values()].some((pages) =>
      pages.some((page, n) => {
        const [last, next] = [page.seen.at(-1), pages[n + 1]?.seen[0]];
        return (
          last !== undefined &&
          next !== undefined &&
          Date.parse(next.updatedAt) - Date.parse(last.updatedAt) === 1
        );
      }),
    ),
  'an offer of a claim that another dispatcher had offered': has(({ code }) => code === 'claim_changed'),
  'an offer that a dispatcher withdrew': has(
    (call) => call.operation === 'withdraw offer' && succeeded(call),
  ),
  'an offer that was accepted before it could be withdrawn': has(
    ({ operation, code }) => operation === 'withdraw offer' && code === 'claim_already_accepted',
  ),
  'an answer to an offer that had ended': has(({ code }) => code === 'offer_not_pending'),
  'an offer that ended when its adjuster left': has(({ seen }) =>
    seen.some(({ status }) => status === 'unassigned'),
  ),
  'a row of a file that was sent before': has(({ rows }) =>
    (rows ?? []).some(({ outcome }) => outcome === 'already_sent'),
  ),
  'a part of a file whose response was lost': has(
    (call) => call.operation === 'import' && call.attempt > 1 && succeeded(call),
  ),
  'a webhook that arrived again': ({ desks }) =>
    [...desks.values()].some(({ signals }) => new Set(signals.map(({ id }) => id)).size < signals.length),
  'a webhook to an endpoint that had been gone': ({ desks }) =>
    [...desks.values()].some(({ signals }) => {
      const gone = signals.findIndex(({ answered }) => answered === 410);
      return gone !== -1 && signals.slice(gone).some(({ answered }) => answered === 204);
    }),
  'a person of the firm who had been removed': has(({ code }) => code === 'invalid_session'),
};

function has(is: (call: Call) => boolean): (history: History) => boolean {
  return ({ calls }) => calls.some(is);
}

const pollOf = ({ operation, firm, intent }: Call): string | undefined =>
  operation === 'poll' ? `${firm} ${intent.poll}` : undefined;

/** What the run never met. */
export const neverSeen = (history: History): string[] =>
  Object.entries(SOMETIMES).flatMap(([name, wasSeen]) => (wasSeen(history) ? [] : [name]));
