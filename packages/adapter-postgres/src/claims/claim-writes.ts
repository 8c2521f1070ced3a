import {
  type AppClaimView,
  type AssignmentChange,
  type ClaimWrites,
  type KeyedResult,
  type NewClaim,
  type OfferedClaim,
  type OfferFacts,
  type OfferRequest,
  type ResponseChange,
  replayOf,
  type SendFacts,
  type SendRequest,
} from '@svc/application';
import type { Adjuster, AssignmentStatus, Claim, ClaimId, Instant, Svcid } from '@svc/domain';
import { isUuid } from '../driver/column-types.ts';
import type { Database } from '../driver/database.ts';
import type { TransactionExecutor } from '../driver/executor.ts';
import type { Encryption } from '../encryption/encryption.ts';
import type { Decided, Facts, FactsRequest, StatementsOn } from '../firm-statements.ts';
import { offeredFrom } from '../stores/offered-rows.ts';
import { lockAndCountPending, lockClaim } from '../stores/pg-claims.ts';
import { type Groups, inGroups, type Settled, type WhenLocked } from './groups.ts';

/** Longer documents have transactions of their own, so that a statement has about a megabyte at most. */
const MAX_DOCUMENT = 16_384;

/** Undefined: the transaction cannot decide. */
type Decision<Result> =
  | (Decided & { resultOf(at: Instant): Result })
  | { readonly result: Result }
  | undefined;

interface Kind<Write, Read, Result> extends Pick<Groups<Write, Result>, 'maxTogether' | 'keysOf'> {
  /** In the order of the writes. Undefined: left out, since others have locked it. */
  read(
    executor: TransactionExecutor,
    writes: readonly Write[],
    whenLocked: WhenLocked,
  ): Promise<readonly (Read | undefined)[]>;
  decide(write: Write, read: Read, whenLocked: WhenLocked): Decision<Result>;
  readonly statement: 'add' | 'save';
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
 *
 * @param maxTogether 1 where the claims of a transaction may be on several nodes.
 */
export function pgClaimWrites(
  database: Pick<Database, 'begin' | 'metrics'>,
  encryption: Encryption,
  statementsOn: StatementsOn,
  maxTogether: number,
): ClaimWrites {
  const send = saving<Send, WithKey<SendFacts>, Claim | KeyedResult>({
    maxTogether,
    keysOf: ({ slot: { firmId, environment, key }, externalId, claimNumber }) => [
      `key ${firmId} ${environment} ${key}`,
      `external_id ${firmId} ${environment} ${externalId}`,
      `claim_number ${firmId} ${environment} ${claimNumber}`,
    ],
    read: readFacts,
    decide(request, { bound, ...facts }, whenLocked) {
      const replay = replayOf(bound, request.fingerprint);
      if (replay !== null) return { result: replay };
      const isGroup = whenLocked === 'skip';
      const mustWait = facts.membership === null || hasLimit(facts.adjuster);
      if (isGroup && mustWait && facts.duplicate === null) return undefined;
      const decided = request.decide(facts);
      const { claim } = decided;
      if (isGroup && claim.asSent.length > MAX_DOCUMENT) return undefined;
      return { ...decided, request, resultOf: (at) => ({ ...claim, createdAt: at, updatedAt: at }) };
    },
    statement: 'add',
  });

  const offer = saving<Offer, WithKey<Offered>, Claim | KeyedResult | null>({
    // Offers are rare, and many of them wait for a claim.
    maxTogether: 1,
    keysOf: () => [],
    read: readFacts,
    decide(request, { bound, claim: current, ...facts }) {
      const replay = replayOf(bound, request.fingerprint);
      if (replay !== null || current === null) return { result: replay };
      const { assignment, jobs, event } = request.decide({ ...facts, claim: current });
      const claim = { ...current, assignment };
      return { claim, jobs, event, request, resultOf: (updatedAt) => ({ ...claim, updatedAt }) };
    },
    statement: 'save',
  });

  const respond = saving<OfferResponse, OfferedClaim | null, AppClaimView | null>({
    maxTogether,
    keysOf: ({ id }) => [id],
    async read(executor, responses, whenLocked) {
      const rows = await statementsOn(executor).lockOffered(responses, whenLocked);
      const offered = await offeredFrom(rows, encryption);
      const byId = new Map(offered.map((each) => [each.claim.id, each]));
      return responses.map(({ id }) => byId.get(id) ?? (whenLocked === 'wait' ? null : undefined));
    },
    decide({ decide }, offered) {
      if (offered === null) return { result: null };
      const { assignment, event } = decide(offered);
      const claim = { ...offered.claim, assignment };
      return { claim, jobs: [], event, resultOf: (updatedAt) => ({ ...claim, updatedAt, ...offered.forms }) };
    },
    statement: 'save',
  });

  return {
    send: (request, decide) => send({ ...request, decide }),
    offer: (request, decide) => offer({ ...request, decide }),
    async respond(svcId, id, decide) {
      // PostgreSQL writes UUIDs in lower case.
      return isUuid(id) ? respond({ svcId, id: id.toLowerCase() as ClaimId, decide }) : null;
    },
  };

  /** Reads, decides and writes what shares a transaction. */
  function saving<Write, Read, Result>(kind: Kind<Write, Read, Result>): (write: Write) => Promise<Result> {
    return inGroups<Write, Result>(database, {
      ...kind,
      async save(transaction, writes, whenLocked) {
        const settled: Settled<Write, Result> = new Map();
        const decided: (Decided & { of: Write; resultOf(at: Instant): Result })[] = [];
        const read = await kind.read(transaction, writes, whenLocked);
        for (const [n, of] of writes.entries()) {
          const known = read[n];
          if (known === undefined) continue;
          try {
            const decision = kind.decide(of, known, whenLocked);
            if (decision === undefined) continue;
            if ('claim' in decision) decided.push({ ...decision, of });
            else settled.set(of, () => decision.result);
          } catch (error) {
            settled.set(of, () => {
              throw error;
            });
          }
        }
        if (decided.length === 0) return settled;
        const savedAt = await statementsOn(transaction)[kind.statement](decided, whenLocked);
        const statuses: AssignmentStatus[] = [];
        for (const { of, claim, resultOf } of decided) {
          const at = savedAt.get(claim.id);
          // Others have locked the feed of its firm.
          if (at === undefined) continue;
          statuses.push(claim.assignment.status);
          settled.set(of, () => resultOf(at));
        }
        database.metrics.transactionCommitted(transaction.commitSeconds, statuses);
        return settled;
      },
    });
  }

  /**
   * The facts after the locks, and the key with them or last: a rule never fails on the result of an earlier request
   * whose key was not found. A request that is alone locks the claim that it offers, and the account of an adjuster who
   * set a limit, so that one sender at a time counts offers.
   */
  async function readFacts(
    executor: TransactionExecutor,
    requests: readonly FactsRequest[],
    whenLocked: WhenLocked,
  ) {
    const on = statementsOn(executor);
    const [first] = requests;
    const [memberships, claim, read] = await Promise.all([
      on.lockMemberships(requests, whenLocked),
      first?.claimId === undefined ? null : lockClaim(executor, encryption, first.slot.firmId, first.claimId),
      on.facts(requests),
    ]);
    let facts = read;
    let pendingOffers = 0;
    const adjuster = read[0]?.adjuster ?? null;
    if (whenLocked === 'wait' && hasLimit(adjuster))
      [pendingOffers, facts] = await Promise.all([
        lockAndCountPending(executor, encryption, adjuster.svcId),
        on.facts(requests),
      ]);
    return facts.map((each, n) => ({ ...each, membership: memberships[n] ?? null, pendingOffers, claim }));
  }
}

const hasLimit = (adjuster: Adjuster | null): adjuster is Adjuster =>
  adjuster?.availability?.maxOpenOffers != null;
