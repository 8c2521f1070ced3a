// The change feed of a chaos run as lists, one per firm: a visible change appends to the list, a poll reads all of it.
import { type Call, type ClaimView, type History, succeeded } from './history.ts';

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
 * Whether a firm's changes and polls could have happened one at a time, each between its start and its end. The changes
 * are in the order of `updated_at`, so it is enough to compare each poll with each change, and the changes with each other.
 * What a poll shows of a claim stands for all changes of that claim up to this one.
 */
export function checkFeed(history: History, firm: string) {
  const polls = pollsOf(history, firm);
  const claims = versionsOf(history, firm, polls.at(-1)?.startedAt ?? 0);
  const findings: string[] = [];
  const shown = new Set<Version>();
  let newest: Version | undefined;
  const byProof = [...claims.values()]
    .flatMap((versions) => [...versions.values()])
    .sort((a, b) => a.provenAt - b.provenAt);
  let proven = 0;
  for (const [n, { startedAt, endedAt, seen }] of polls.entries()) {
    const name = `poll ${n + 1} [${startedAt}, ${endedAt}]`;
    const before = newest;
    for (const { id, updatedAt } of seen) {
      for (const version of claims.get(id)?.values() ?? []) {
        if (version.updatedAt > updatedAt || shown.has(version)) continue;
        shown.add(version);
        if (before !== undefined && byTime(version, before) < 0)
          findings.push(
            `${name} shows ${version.element} only after an earlier one showed ${before.element}`,
          );
        if (version.startedAt > endedAt)
          findings.push(`${name} shows ${version.element}, which was requested later`);
        if (newest === undefined || byTime(version, newest) > 0) newest = version;
      }
    }
    for (
      let next = byProof[proven];
      next !== undefined && next.provenAt < startedAt;
      next = byProof[proven]
    ) {
      if (!shown.has(next))
        findings.push(`${name} does not show ${next.element}, proven at ${next.provenAt}`);
      proven += 1;
    }
  }
  // From the end: what nobody saw comes last, in any order.
  let earliest = byProof.find((version) => !shown.has(version));
  for (const version of [...shown].sort(byTime).reverse()) {
    if (earliest !== undefined && earliest.provenAt < version.startedAt)
      findings.push(`${version.element} comes before ${earliest.element}, proven before it was requested`);
    if (earliest === undefined || version.provenAt < earliest.provenAt) earliest = version;
  }
  return { polls: polls.length, changes: byProof.length, findings };
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
