// The change feed of a chaos run as lists, one per firm, for the list-append analysis: a visible change is an append, a
// poll is a read.
import type { ListTransaction } from '../history-check/list-append.ts';
import { type Call, type ClaimView, type History, succeeded } from './history.ts';

/** Polls that are analyzed together, so that the size of the lists does not grow with the run. */
const POLLS_PER_LIST = 200;

interface Version {
  readonly element: string;
  readonly updatedAt: string;
  /** Between the start of a request that may have made the change, and the first response that proves it. */
  readonly startedAt: number;
  provenAt: number;
}

interface Poll {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly seen: readonly ClaimView[];
}

const elementOf = ({ id, updatedAt }: ClaimView): string => `${id}@${updatedAt}`;
const byTime = (a: Version, b: Version): number =>
  a.updatedAt === b.updatedAt ? (a.element < b.element ? -1 : 1) : a.updatedAt < b.updatedAt ? -1 : 1;

/**
 * The transactions of each firm's lists. A poll shows the latest change of each claim only, so what it shows of a claim
 * stands for all changes of that claim up to this one.
 */
export function* feedLists(history: History): Generator<[list: string, transactions: ListTransaction[]]> {
  for (const firm of history.final.keys()) {
    const polls = pollsOf(history, firm);
    const versions = versionsOf(history, firm, polls.at(-1)?.startedAt ?? 0);
    for (let at = 0; at < polls.length; at += POLLS_PER_LIST) {
      const last = Math.min(at + POLLS_PER_LIST, polls.length);
      yield [`${firm}, polls ${at + 1} to ${last}`, readsOf(versions, polls, at)];
    }
  }
}

/** Complete polls: a poll reads pages until the last one. */
function pollsOf({ calls }: History, firm: string): Poll[] {
  const polls: Poll[] = [];
  let pages: Call[] = [];
  for (const call of calls) {
    if (call.operation !== 'poll' || call.firm !== firm || !succeeded(call)) continue;
    if (pages[0] !== undefined && pages[0].intent.poll !== call.intent.poll) pages = [];
    pages.push(call);
    if (call.hasMore === true) continue;
    const startedAt = pages[0]?.startedAt ?? call.startedAt;
    polls.push({ startedAt, endedAt: call.endedAt, seen: pages.flatMap(({ seen }) => seen) });
    pages = [];
  }
  return polls;
}

/** Every change that some response showed, by claim. */
function versionsOf(
  { calls, final }: History,
  firm: string,
  lastPollAt: number,
): Map<string, Map<string, Version>> {
  const claims = new Map<string, Map<string, Version>>();
  const sentAt = new Map<string, number>();
  for (const { operation, intent, startedAt } of calls) {
    const sent = operation === 'send' ? [intent.externalId ?? ''] : [];
    for (const externalId of [...sent, ...(intent.rows ?? []).map((row) => row.externalId)])
      sentAt.set(externalId, Math.min(startedAt, sentAt.get(externalId) ?? startedAt));
  }
  const own = new Set(final.get(firm)?.map(({ id }) => id));
  for (const call of calls) if (call.firm === firm) for (const { id } of call.seen) own.add(id);
  const note = (claim: ClaimView, provenAt: number): void => {
    if (!own.has(claim.id)) return;
    const versions = claims.get(claim.id) ?? new Map<string, Version>();
    claims.set(claim.id, versions);
    const known = versions.get(claim.updatedAt);
    if (known !== undefined) known.provenAt = Math.min(known.provenAt, provenAt);
    else {
      const startedAt = Math.min(sentAt.get(claim.externalId) ?? 0, provenAt);
      versions.set(claim.updatedAt, {
        element: elementOf(claim),
        updatedAt: claim.updatedAt,
        startedAt,
        provenAt,
      });
    }
  };
  for (const { seen, endedAt } of calls) for (const claim of seen) note(claim, endedAt);
  // Nothing changes once the clients have stopped, so the last poll shows what the final list shows.
  for (const claim of final.get(firm) ?? []) note(claim, lastPollAt - 0.001);
  return claims;
}

function readsOf(
  claims: ReadonlyMap<string, ReadonlyMap<string, Version>>,
  polls: readonly Poll[],
  from: number,
): ListTransaction[] {
  const transactions: ListTransaction[] = [];
  const shown = new Set<string>();
  const show = ({ seen }: Poll): Version[] => {
    const news: Version[] = [];
    for (const { id, updatedAt } of seen) {
      for (const version of claims.get(id)?.values() ?? []) {
        if (version.updatedAt > updatedAt || shown.has(version.element)) continue;
        shown.add(version.element);
        news.push(version);
      }
    }
    return news;
  };
  for (const poll of polls.slice(0, from)) show(poll);
  const before = new Set(shown);
  const list: Version[] = [];
  const part = polls.slice(from, from + POLLS_PER_LIST);
  for (const poll of part) {
    list.push(...show(poll));
    transactions.push({
      process: 'poller',
      operation: [['read', 'changes']],
      result: [list.toSorted(byTime).map(({ element }) => element)],
      invocation: poll.startedAt,
      completion: poll.endedAt,
      outcome: 'ok',
    });
  }
  const end = part.at(-1)?.endedAt ?? 0;
  for (const [id, versions] of claims) {
    for (const { element, startedAt, provenAt } of versions.values()) {
      if (before.has(element) || (startedAt > end && !shown.has(element))) continue;
      transactions.push({
        process: id,
        operation: [['append', 'changes', element]],
        result: [null],
        invocation: startedAt,
        completion: provenAt,
        outcome: 'ok',
      });
    }
  }
  return transactions;
}
