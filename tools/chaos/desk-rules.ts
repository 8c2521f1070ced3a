// What must hold of the desk, files, webhooks and receipts of a chaos run, whatever failed.
import type { Audit } from '../services/operator.ts';
import { idempotentRequests, importedRows, isUnknown } from './claim-register.ts';
import {
  type Call,
  type ClaimView,
  type Finding,
  grouped,
  type History,
  type ReceiptView,
  succeeded,
} from './history.ts';

type DeskRule = (history: History) => Iterable<Finding>;

/** Codes of rows that were not sent because of their adjuster, who may have left. */
const NOT_SENT: readonly (string | null)[] = ['adjuster_not_in_firm', 'adjuster_not_accepting'];

/** The row that each file has wrong. */
const isWrong = (externalId: string): boolean => externalId.endsWith('-2');

function* rowsAreSentOnce(history: History): Iterable<Finding> {
  const final = new Map(
    [...history.final].map(([firm, claims]) => [firm, grouped(claims, (one) => one.externalId)]),
  );
  const sent = new Map<string, Call>();
  for (const call of history.calls) {
    for (const { externalId, outcome, claimId, codes } of call.rows ?? []) {
      const claims = final.get(call.firm ?? '')?.get(externalId) ?? [];
      const row = `${externalId} is ${outcome}`;
      const isSent = outcome === 'sent' || outcome === 'already_sent';
      if (isSent && !history.isPartial && !claims.some(({ id }) => id === claimId))
        yield { description: `${row} as ${claimId}, which does not exist`, calls: [call] };
      if (isWrong(externalId) !== (outcome === 'invalid')) yield { description: row, calls: [call] };
      if (outcome === 'failed' && !codes.every((code) => NOT_SENT.includes(code)))
        yield { description: `${row}: ${codes.join(', ')}`, calls: [call] };
      const earlier = outcome === 'sent' ? sent.get(externalId) : undefined;
      if (earlier !== undefined) yield { description: `${row} twice`, calls: [earlier, call] };
      if (outcome === 'sent') sent.set(externalId, call);
    }
  }
  for (const claim of [...history.final.values()].flat())
    if (claim.externalId.includes('-file') && isWrong(claim.externalId))
      yield { description: `${claim.externalId} was sent`, calls: [] };
}

/** A clock that is read twice, and what a process does between. */
const TOLERANCE_MS = 50;

/** A poll from some signal that was taken shows each change of its environment, and each signal is signed. */
function* changesAreSignalled(history: History): Iterable<Finding> {
  for (const [firm, { signals, test }] of history.desks) {
    for (const { id, forged } of signals)
      if (forged !== undefined) yield { description: `${firm}: ${id}: ${forged}`, calls: [] };
    const taken = signals.filter(({ answered }) => answered !== null && answered < 300);
    if (history.isPartial) continue;
    for (const { id, updatedAt, test: isTest } of history.final.get(firm) ?? []) {
      if (isTest !== test) continue;
      const at = Date.parse(updatedAt) - (history.timeOrigin ?? 0) - TOLERANCE_MS;
      if (!taken.some((signal) => signal.at >= at && signal.updatedSince <= updatedAt))
        yield { description: `${firm}: the change of ${id} at ${updatedAt} was never signalled`, calls: [] };
    }
  }
}

const ENDS_OFFERS: readonly string[] = ['withdraw offer', 'close at desk'];

/** The receipt of a claim says what the claim says, and names a row of the audit trail about it. */
function* receiptsAgree(history: History): Iterable<Finding> {
  const { desks, final, audit } = history;
  const ended = new Set(
    history.calls
      .filter((call) => ENDS_OFFERS.includes(call.operation) && (succeeded(call) || isUnknown(call)))
      .map(({ intent }) => intent.claimId),
  );
  for (const [firm, { receipts }] of desks) {
    const claims = new Map((final.get(firm) ?? []).map((claim) => [claim.id, claim]));
    for (const receipt of receipts) {
      const claim = claims.get(receipt.claimId);
      const isForged = receipt.status === 'withdrawn' && !ended.has(receipt.claimId);
      const found = claim === undefined ? 'no claim' : contradiction(receipt, claim, audit.get(firm));
      const problem = isForged ? 'withdrawn, though nobody asked for it' : found;
      if (problem !== null) yield { description: `the receipt of ${receipt.claimId}: ${problem}`, calls: [] };
    }
  }
}

function contradiction(receipt: ReceiptView, claim: ClaimView, trail: Audit | undefined): string | null {
  const { adjuster, status, answeredAt, audit } = receipt;
  if (adjuster !== claim.adjuster) return `${adjuster} instead of ${claim.adjuster}`;
  if ((status === 'withdrawn' ? 'unassigned' : status) !== claim.status)
    return `${status} instead of ${claim.status}`;
  if (answeredAt !== claim.respondedAt) return `answered ${answeredAt} instead of ${claim.respondedAt}`;
  const row = audit === null ? undefined : trail?.rows.get(audit.seq);
  if (row?.hash !== audit?.hash) return `row ${audit?.seq} of the audit trail has another hash`;
  // An offer ends with its adjuster's membership, or when an answer finds that they may not accept it.
  const about = [`claim:${claim.id}`, ...(status === 'unassigned' ? [`adjuster:${adjuster}`] : [])];
  if (!about.some((object) => row?.objects.has(object) === true))
    return `row ${audit?.seq} of the audit trail is about ${[...(row?.objects ?? [])]}`;
  return null;
}

const OUTCOMES: Readonly<Record<string, string>> = { pending_acceptance: 'pending' };

/** Each acknowledged offer is in the claim's history once, and only the last one is open or answered as the claim says. */
function* offersAreInTheHistory(history: History): Iterable<Finding> {
  const made = grouped(idempotentRequests(history.calls).flatMap(offerOf), ({ claimId }) => claimId);
  const imported = new Map(importedRows(history).map(({ claimId, row }) => [claimId, row.adjuster]));
  for (const [firm, { offers }] of history.desks) {
    const claims = new Map((history.final.get(firm) ?? []).map((claim) => [claim.id, claim]));
    for (const [id, shown] of offers) {
      const known = made.get(id) ?? [];
      const first = imported.has(id) ? 1 : 0;
      const certain = known.filter(({ isCertain }) => isCertain).length + first;
      const possible = known.length + first;
      if (shown.length < certain || shown.length > possible)
        yield {
          description: `${id} has ${shown.length} offers of ${certain} to ${possible}: ${JSON.stringify(shown)}`,
          calls: history.calls.filter((call) => offersClaim(call, id)),
        };
      const claim = claims.get(id);
      const last = shown.at(-1);
      const earlier = shown
        .slice(0, -1)
        .find(({ outcome }) => outcome === 'pending' || outcome === 'accepted');
      if (earlier !== undefined)
        yield { description: `${id}: an earlier offer is ${earlier.outcome}`, calls: [] };
      const agrees =
        last?.adjuster === claim?.adjuster &&
        (last?.outcome === 'closed' ||
          (last?.outcome === 'withdrawn' && claim?.status === 'unassigned') ||
          last?.outcome === (OUTCOMES[claim?.status ?? ''] ?? claim?.status));
      if (!agrees)
        yield { description: `${id} is ${claim?.status}, its last offer ${last?.outcome}`, calls: [] };
    }
  }
}

const offersClaim = ({ operation, intent, seen, rows = [] }: Call, id: string): boolean =>
  (['send', 'offer'].includes(operation) && (intent.claimId === id || seen[0]?.id === id)) ||
  rows.some(({ claimId }) => claimId === id);

/** The attempts at a request with one key are one offer, certain once one of them was acknowledged. */
function offerOf(attempts: readonly Call[]): { claimId: string; isCertain: boolean }[] {
  const done = attempts.find(succeeded);
  const claimId = done?.seen[0]?.id ?? attempts[0]?.intent.claimId;
  if (claimId === undefined || (done === undefined && !attempts.some(isUnknown))) return [];
  return [{ claimId, isCertain: done !== undefined }];
}

export const DESK_RULES: Readonly<Record<string, DeskRule>> = {
  'every row of a file is one claim or none': rowsAreSentOnce,
  'every change is signalled, with a signature': changesAreSignalled,
  'receipts agree with the claim and the audit trail': receiptsAgree,
  'offers are in the history of their claim': offersAreInTheHistory,
};
