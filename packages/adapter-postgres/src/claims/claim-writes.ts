import {
  type AppClaimView,
  type AssignmentChange,
  type ClaimWrites,
  type KeyedRequest,
  type KeyedResult,
  type NewClaim,
  type OfferedClaim,
  type OfferFacts,
  type OfferRequest,
  offerEnd,
  type ResponseChange,
  replayOf,
  type SendFacts,
  type SendRequest,
} from '@svc/application';
import type { Adjuster, AssignmentStatus, Claim, ClaimId, Instant, Svcid } from '@svc/domain';
import { isUuid } from '../driver/column-types.ts';
import type { ClaimStatements, Decided, Facts, FactsRequest } from '../firm-statements.ts';
import {
  type GroupOptions,
  type Groups,
  inGroups,
  type Settled,
  type WhenLocked,
  type WriteDatabase,
  type WriteTransaction,
} from './groups.ts';

/** Longer documents have transactions of their own, so that a statement has about a megabyte at most. */
const MAX_DOCUMENT = 16_384;

/** Undefined: the transaction cannot decide. */
type Decision<Result> =
  | (Decided & { resultOf(at: Instant): Result })
  | { readonly result: Result }
  | undefined;

interface Kind<Write, Read, Result> extends Pick<Groups<WriteTransaction, Write, Result>, 'keysOf'> {
  /** In the order of the writes. Undefined: left out, since others have locked it. */
  read(
    on: ClaimStatements,
    writes: readonly Write[],
    whenLocked: WhenLocked,
  ): Promise<readonly (Read | undefined)[]>;
  decide(write: Write, read: Read, whenLocked: WhenLocked): Decision<Result>;
  /** May leave out what others have locked only if it writes neither keys nor jobs. */
  save(
    on: ClaimStatements,
    decided: readonly Decided[],
    whenLocked: WhenLocked,
  ): ReturnType<ClaimStatements['add']>;
}

type WithKey<F> = F & Pick<Facts, 'bound'>;
type Send = SendRequest & { readonly decide: (facts: SendFacts) => NewClaim };
type Offer = OfferRequest & { readonly decide: (facts: OfferFacts) => AssignmentChange };
type Offered = Omit<OfferFacts, 'claim'> & { readonly claim: Claim | null };
interface OfferResponse {
  readonly svcId: Svcid;
  readonly id: ClaimId;
  readonly decide: (offered: OfferedClaim) => ResponseChange;
}

/**
 * Two round trips: what the decisions depend on, with its locks, and what they write. Locks are taken in one order:
 * memberships, claims, accounts with a limit, keys, carriers, change feeds.
 * @param options.maxTogether 1 where the claims of a transaction may be on several nodes.
 */
export function groupedClaimWrites<T extends WriteTransaction>(
  database: WriteDatabase<T>,
  statementsOn: (transaction: T) => ClaimStatements,
  options: GroupOptions,
): ClaimWrites {
  const send = saving<Send, WithKey<SendFacts>, Claim | KeyedResult>({
    keysOf: ({ slot, externalId, claimNumber }) => [
      keyOf(slot),
      `external_id ${slot.firmId} ${slot.environment} ${externalId}`,
      `claim_number ${slot.firmId} ${slot.environment} ${claimNumber}`,
    ],
    read: readFacts,
    decide(request, { bound, ...facts }, whenLocked) {
      const replay = replayOf(bound, request.fingerprint);
      if (replay !== null) return { result: replay };
      const isGroup = whenLocked === 'skip';
      if (isGroup && mustWait(facts) && facts.duplicate === null) return undefined;
      const decided = request.decide(facts);
      const { claim } = decided;
      if (isGroup && claim.asSent.length > MAX_DOCUMENT) return undefined;
      return { ...decided, request, resultOf: (at) => ({ ...claim, createdAt: at, updatedAt: at }) };
    },
    save: (on, decided) => on.add(decided),
  });

  const offer = saving<Offer, WithKey<Offered>, Claim | KeyedResult | null>({
    keysOf: ({ slot, claimId }) => [keyOf(slot), claimId],
    read: readFacts,
    decide(request, { bound, claim: current, ...facts }, whenLocked) {
      const replay = replayOf(bound, request.fingerprint);
      if (replay !== null) return { result: replay };
      if (whenLocked === 'skip' && (current === null || mustWait(facts))) return undefined;
      if (current === null) return { result: null };
      const { assignment, jobs, event } = request.decide({ ...facts, claim: current });
      const claim = { ...current, assignment };
      const ended = { claim: current, end: offerEnd(current, assignment.offeredAt) };
      return { claim, jobs, event, request, ended, resultOf: (updatedAt) => ({ ...claim, updatedAt }) };
    },
    save: (on, decided) => on.save(decided, 'wait'),
  });

  const respond = saving<OfferResponse, OfferedClaim | null, AppClaimView | null>({
    keysOf: ({ id }) => [id],
    async read(on, responses, whenLocked) {
      const offered = await on.lockOffered(responses, whenLocked);
      const byId = new Map(offered.map((each) => [each.claim.id, each]));
      return responses.map(({ id }) => byId.get(id) ?? (whenLocked === 'wait' ? null : undefined));
    },
    decide({ decide }, offered) {
      if (offered === null) return { result: null };
      const { assignment, event } = decide(offered);
      const claim = { ...offered.claim, assignment };
      return { claim, jobs: [], event, resultOf: (updatedAt) => ({ ...claim, updatedAt, ...offered.forms }) };
    },
    save: (on, decided, whenLocked) => on.save(decided, whenLocked),
  });

  return {
    send: (request, decide) => send({ ...request, decide }),
    offer: (request, decide) => offer({ ...request, claimId: asWritten(request.claimId), decide }),
    respond: async (svcId, id, decide) => (isUuid(id) ? respond({ svcId, id: asWritten(id), decide }) : null),
  };

  /** Reads, decides and writes what shares a transaction. */
  function saving<Write, Read, Result>(kind: Kind<Write, Read, Result>): (write: Write) => Promise<Result> {
    return inGroups<T, Write, Result>(database, {
      ...options,
      keysOf: kind.keysOf,
      async save(transaction, writes, whenLocked) {
        const on = statementsOn(transaction);
        const settled: Settled<Write, Result> = new Map();
        const decided: (Decided & { write: Write; resultOf(at: Instant): Result })[] = [];
        const read = await kind.read(on, writes, whenLocked);
        for (const [n, write] of writes.entries()) {
          const known = read[n];
          if (known === undefined) continue;
          try {
            const decision = kind.decide(write, known, whenLocked);
            if (decision === undefined) continue;
            if ('claim' in decision) decided.push({ ...decision, write });
            else settled.set(write, () => decision.result);
          } catch (error) {
            settled.set(write, () => {
              throw error;
            });
          }
        }
        if (decided.length === 0) return settled;
        const savedAt = await kind.save(on, decided, whenLocked);
        const statuses: AssignmentStatus[] = [];
        for (const { write, claim, resultOf } of decided) {
          const at = savedAt.get(claim.id);
          // Others have locked the feed of its firm.
          if (at === undefined) continue;
          statuses.push(claim.assignment.status);
          settled.set(write, () => resultOf(at));
        }
        database.metrics.transactionCommitted(transaction.commitSeconds, statuses);
        return settled;
      },
    });
  }

  /**
   * The facts after the locks, and the key with them or last: a rule never fails on the result of an earlier request
   * whose key was not found. A request that is alone locks the account of an adjuster who set a limit, so that one sender
   * at a time counts offers.
   */
  async function readFacts(on: ClaimStatements, requests: readonly FactsRequest[], whenLocked: WhenLocked) {
    const [memberships, claims, read] = await Promise.all([
      on.lockMemberships(requests, whenLocked),
      on.lockClaims(requests, whenLocked),
      on.facts(requests),
    ]);
    let facts = read;
    let pendingOffers = 0;
    const adjuster = read[0]?.adjuster ?? null;
    if (whenLocked === 'wait' && hasLimit(adjuster))
      [pendingOffers, facts] = await Promise.all([
        on.lockAndCountPending(adjuster.svcId),
        on.facts(requests),
      ]);
    return facts.map((each, n) => ({
      ...each,
      membership: memberships[n] ?? null,
      pendingOffers,
      claim: claims[n] ?? null,
    }));
  }
}

/** PostgreSQL writes UUIDs in lower case. */
const asWritten = (id: ClaimId): ClaimId => id.toLowerCase() as ClaimId;

const keyOf = ({ firmId, environment, key }: KeyedRequest['slot']): string =>
  `key ${firmId} ${environment} ${key}`;

/** Others may have locked the membership, or offers to the adjuster must be counted. */
const mustWait = ({ membership, adjuster }: Pick<SendFacts, 'membership' | 'adjuster'>): boolean =>
  membership === null || hasLimit(adjuster);

const hasLimit = (adjuster: Adjuster | null): adjuster is Adjuster =>
  adjuster?.availability?.maxOpenOffers != null;
