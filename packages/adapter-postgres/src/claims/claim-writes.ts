import {
  type AppClaimView,
  type AssignmentChange,
  type Attempt,
  type ClaimWrites,
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
import type { TxSession } from '../driver/session.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { lockAndCountPending, lockClaim, lockOffered } from '../stores/pg-claims.ts';
import { type Groups, inGroups, type Locking, type Settled } from './groups.ts';
import type { ClaimStatements, Decided, Facts, FactsRequest } from './statements.ts';

/** Longer documents have transactions of their own, so that a statement has about a megabyte at most. */
const MAX_DOCUMENT = 16_384;

/** Undefined: the transaction cannot decide. */
type Decision<Result> =
  | (Decided & { resultOf(at: Instant): Result })
  | { readonly result: Result }
  | undefined;

interface Kind<Request, Read, Result> extends Pick<Groups<Request, Result>, 'maxTogether' | 'keysOf'> {
  /** In the order of the requests. Undefined: left out, since others have locked it. */
  read(
    session: TxSession,
    requests: readonly Request[],
    locking: Locking,
  ): Promise<readonly (Read | undefined)[]>;
  decide(request: Request, read: Read, locking: Locking): Decision<Result>;
  readonly write: 'add' | 'save';
}

type WithKey<F> = F & Pick<Facts, 'bound'>;
const hasLimit = (adjuster: Adjuster | null): adjuster is Adjuster =>
  adjuster?.availability?.maxOpenOffers != null;

/**
 * Two round trips: what the decisions depend on, with its locks, and what they write. Locks are taken in one order:
 * memberships, claims, accounts with a limit, keys, carriers, change feeds.
 *
 * @param maxTogether 1 where the claims of a transaction may be on several nodes.
 */
export function pgClaimWrites(
  database: Pick<Database, 'begin' | 'metrics'>,
  encryption: Encryption,
  statementsOn: (session: TxSession) => ClaimStatements,
  maxTogether: number,
): ClaimWrites {
  const saving = <Request, K, Result>(kind: Kind<Request, K, Result>) =>
    inGroups<Request, Result>(database, {
      ...kind,
      async save(transaction, requests, locking) {
        const settled: Settled<Request, Result> = new Map();
        const decided: (Decided & { of: Request; resultOf(at: Instant): Result })[] = [];
        const read = await kind.read(transaction, requests, locking);
        for (const [n, of] of requests.entries()) {
          const known = read[n];
          if (known === undefined) continue;
          try {
            const decision = kind.decide(of, known, locking);
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
        const savedAt = await statementsOn(transaction)[kind.write](decided, locking);
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

  /**
   * The facts after the locks, and the key with them or last: a rule never fails on the result of an earlier request
   * whose key was not found. A request that is alone locks the claim that it offers, and the account of an adjuster who
   * set a limit, so that one sender at a time counts offers.
   */
  const readFacts = async (session: TxSession, requests: readonly FactsRequest[], locking: Locking) => {
    const on = statementsOn(session);
    const [first] = requests;
    const [memberships, claim, read] = await Promise.all([
      on.lockMemberships(requests, locking),
      first?.claimId === undefined ? null : lockClaim(session, encryption, first.slot.firmId, first.claimId),
      on.facts(requests),
    ]);
    let facts = read;
    let pendingOffers = 0;
    const adjuster = read[0]?.adjuster ?? null;
    if (locking === '' && hasLimit(adjuster))
      [pendingOffers, facts] = await Promise.all([
        lockAndCountPending(session, encryption, adjuster.svcId),
        on.facts(requests),
      ]);
    return facts.map((each, n) => ({ ...each, membership: memberships[n] ?? null, pendingOffers, claim }));
  };

  type Send = SendRequest & { readonly decide: (facts: SendFacts) => NewClaim };
  const send = saving<Send, WithKey<SendFacts>, Claim | Attempt>({
    maxTogether,
    keysOf: ({ slot: { firmId, environment, key }, externalId, claimNumber }) => [
      `key ${firmId} ${environment} ${key}`,
      `external_id ${firmId} ${environment} ${externalId}`,
      `claim_number ${firmId} ${environment} ${claimNumber}`,
    ],
    read: readFacts,
    decide(request, { bound, ...facts }, locking) {
      const replay = replayOf(bound, request.fingerprint);
      if (replay !== null) return { result: replay };
      const isGroup = locking === 'SKIP LOCKED';
      const mustWait = facts.membership === null || hasLimit(facts.adjuster);
      if (isGroup && mustWait && facts.duplicate === null) return undefined;
      const decided = request.decide(facts);
      const { claim } = decided;
      if (isGroup && claim.asSent.length > MAX_DOCUMENT) return undefined;
      return { ...decided, request, resultOf: (at) => ({ ...claim, createdAt: at, updatedAt: at }) };
    },
    write: 'add',
  });

  type Offer = OfferRequest & { readonly decide: (facts: OfferFacts) => AssignmentChange };
  type Offered = Omit<OfferFacts, 'claim'> & { readonly claim: Claim | null };
  const offer = saving<Offer, WithKey<Offered>, Claim | Attempt | null>({
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
    write: 'save',
  });

  interface Response {
    readonly svcId: Svcid;
    readonly id: ClaimId;
    readonly decide: (offered: OfferedClaim) => ResponseChange;
  }
  const respond = saving<Response, OfferedClaim | null, AppClaimView | null>({
    maxTogether,
    keysOf: ({ id }) => [id],
    async read(session, requests, locking) {
      const offered = await lockOffered(session, encryption, requests, locking);
      const byId = new Map(offered.map((each) => [each.claim.id, each]));
      return requests.map(({ id }) => byId.get(id) ?? (locking === '' ? null : undefined));
    },
    decide({ decide }, offered) {
      if (offered === null) return { result: null };
      const { assignment, event } = decide(offered);
      const claim = { ...offered.claim, assignment };
      return { claim, jobs: [], event, resultOf: (updatedAt) => ({ ...claim, updatedAt, ...offered.forms }) };
    },
    write: 'save',
  });

  return {
    send: (request, decide) => send({ ...request, decide }),
    offer: (request, decide) => offer({ ...request, decide }),
    async respond(svcId, id, decide) {
      // PostgreSQL writes UUIDs in lower case.
      return isUuid(id) ? respond({ svcId, id: id.toLowerCase() as ClaimId, decide }) : null;
    },
  };
}
