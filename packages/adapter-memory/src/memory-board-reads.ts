import {
  type AnswersGroup,
  type AnswersQuery,
  type BoardClaim,
  type BoardReads,
  outcomeOf,
  summaryOf,
} from '@svc/application';
import {
  ANSWERS_FOR_MEDIAN,
  type Claim,
  carrierNameKey,
  type FirmId,
  type Instant,
  MAX_ANSWERS_GROUPS,
  MAX_COUNTED_CLAIMS,
  type Svcid,
} from '@svc/domain';
import { compareText } from './pages.ts';
import { keyOf, type Tables } from './tables.ts';

const boardClaimOf = (claim: Claim): BoardClaim => {
  const { id, environment, externalId, claimNumber, updatedAt, closedAt } = claim;
  const { status, adjuster, offeredAt, respondedAt } = claim.assignment;
  return {
    ...{ id, environment, externalId, claimNumber, updatedAt, closedAt },
    ...{ status, adjuster, offeredAt, respondedAt },
    summary: summaryOf(claim.asSent),
  };
};

/** With linear interpolation, as `percentile_cont` of SQL; null: no values. */
function percentile(values: readonly number[], fraction: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const position = (sorted.length - 1) * fraction;
  const [below, above] = [sorted[Math.floor(position)], sorted[Math.ceil(position)]];
  return below === undefined || above === undefined ? null : below + (above - below) * (position % 1);
}

interface MadeOffer {
  readonly claim: Claim;
  readonly adjuster: Svcid;
  readonly offeredAt: Instant;
  readonly respondedAt: Instant | null;
  readonly outcome: ReturnType<typeof outcomeOf>;
}

function groupOf(group: string, offers: readonly MadeOffer[]): AnswersGroup {
  const count = (outcome: MadeOffer['outcome']): number =>
    offers.filter((offer) => offer.outcome === outcome).length;
  const times = offers.flatMap(({ offeredAt, respondedAt }) =>
    respondedAt === null ? [] : [Math.max(respondedAt - offeredAt, 0)],
  );
  return {
    group,
    offers: offers.length,
    accepted: count('accepted'),
    rejected: count('rejected'),
    unassigned: count('unassigned'),
    withdrawn: count('withdrawn'),
    closed: count('closed'),
    pending: count('pending'),
    medianAnswerMs: percentile(times, 0.5),
    p90AnswerMs: percentile(times, 0.9),
  };
}

export function memoryBoardReads(tables: Tables): BoardReads {
  const claimsOf = (firmId: FirmId): Claim[] =>
    tables.claims.all().filter((claim) => claim.firmId === firmId);
  const offersOf = (firmId: FirmId): MadeOffer[] => {
    const latest = claimsOf(firmId).map((claim) => ({
      claim,
      ...claim.assignment,
      outcome: outcomeOf(claim.assignment.status, claim.closedAt),
    }));
    const earlier = tables.offers.all().flatMap(({ claimId, adjuster, offeredAt, end }) => {
      const claim = tables.claims.get(keyOf(claimId));
      if (end === null || claim?.firmId !== firmId) return [];
      return [{ claim, adjuster, offeredAt, ...end, outcome: outcomeOf(end.status, null) }];
    });
    return [...latest, ...earlier];
  };
  const nameOf = ({ by, weekStarts }: AnswersQuery, { claim, adjuster, offeredAt }: MadeOffer): string => {
    if (by === 'adjuster') return adjuster;
    if (by === 'week')
      return String(weekStarts.filter((start) => start <= offeredAt).length).padStart(3, '0');
    const key = carrierNameKey(claim.carrier.name);
    return tables.carriers.get(keyOf(claim.firmId, key))?.carrier.name ?? key;
  };
  return {
    async claims(firmId, scan, after, count) {
      const timeOf = (claim: BoardClaim) => (scan.by === 'adjuster' ? claim.offeredAt : claim.updatedAt);
      const sign = scan.by === 'latest' || (scan.by === 'adjuster' && scan.latestFirst) ? -1 : 1;
      const isScanned = ({ environment, status, adjuster, closedAt }: BoardClaim): boolean => {
        if (scan.by === 'waiting')
          return environment === scan.environment && status === scan.status && closedAt === null;
        if (scan.by === 'adjuster')
          return adjuster === scan.adjuster && status === scan.status && (closedAt !== null) === scan.closed;
        return (
          (scan.environment === 'live' || environment === 'test') &&
          (scan.status === undefined || status === scan.status)
        );
      };
      const compare = (at: number, id: string, other: { at: number; id: string }): number =>
        sign * (at - other.at || compareText(id, other.id));
      return claimsOf(firmId)
        .map(boardClaimOf)
        .filter((claim) => isScanned(claim) && compare(timeOf(claim), claim.id, after) > 0)
        .sort((one, other) => compare(timeOf(one), one.id, { at: timeOf(other), id: other.id }))
        .slice(0, count);
    },

    async claimsByIdPrefix(firmId, environment, prefix, count) {
      const found = claimsOf(firmId)
        .filter((claim) => claim.environment === environment)
        .map(boardClaimOf);
      return [
        ...found.filter(({ externalId }) => externalId.startsWith(prefix)).slice(0, count),
        ...found
          .filter(({ claimNumber, closedAt }) => closedAt === null && claimNumber.startsWith(prefix))
          .slice(0, count),
      ];
    },

    async counts(firmId, environment, { offeredUntil, updatedUntil }) {
      const open = claimsOf(firmId).filter(
        (claim) => claim.environment === environment && claim.closedAt === null,
      );
      const count = (status: string, until = Number.POSITIVE_INFINITY): number =>
        Math.min(
          open.filter(({ assignment }) => assignment.status === status && assignment.offeredAt <= until)
            .length,
          MAX_COUNTED_CLAIMS,
        );
      return {
        pending: count('pending_acceptance'),
        late: count('pending_acceptance', Math.min(offeredUntil, updatedUntil)),
        rejected: count('rejected'),
        unassigned: count('unassigned'),
      };
    },

    async claimsWithIds(firmId, environment, ids) {
      const externalIds = new Set(ids.map(({ externalId }) => externalId));
      const numbers = new Set(ids.map(({ claimNumber }) => claimNumber));
      return claimsOf(firmId)
        .filter(
          (claim) =>
            claim.environment === environment &&
            (externalIds.has(claim.externalId) ||
              (claim.closedAt === null && numbers.has(claim.claimNumber))),
        )
        .map(({ id, externalId, claimNumber, closedAt }) => ({ id, externalId, claimNumber, closedAt }));
    },

    async claim(firmId, id) {
      const claim = tables.claims.get(keyOf(id));
      if (claim?.firmId !== firmId) return null;
      const { environment, createdAt, updatedAt, assignment, asSent, closedAt } = claim;
      return { id, environment, createdAt, updatedAt, assignment, asSent, closedAt };
    },

    async members(firmId, svcIds) {
      return svcIds.flatMap((svcId) => {
        const membership = tables.memberships.get(keyOf(firmId, svcId));
        const account = tables.accounts.get(keyOf(svcId));
        return membership && account ? [{ membership, adjuster: account.adjuster }] : [];
      });
    },

    async work(firmId, svcIds) {
      return new Map(
        svcIds.map((svcId) => {
          const own = claimsOf(firmId).filter(({ assignment }) => assignment.adjuster === svcId);
          const countOpen = (status: string): number =>
            own.filter(({ assignment, closedAt }) => assignment.status === status && closedAt === null)
              .length;
          const answered = offersOf(firmId)
            .filter(({ adjuster }) => adjuster === svcId)
            .flatMap(({ offeredAt, respondedAt }) =>
              respondedAt === null ? [] : [{ offeredAt, ms: Math.max(respondedAt - offeredAt, 0) }],
            )
            .sort((a, b) => b.offeredAt - a.offeredAt)
            .slice(0, ANSWERS_FOR_MEDIAN);
          const work = {
            openOffers: countOpen('pending_acceptance'),
            openClaims: countOpen('accepted'),
            medianAnswerMs: percentile(
              answered.map(({ ms }) => ms),
              0.5,
            ),
          };
          return [svcId, work];
        }),
      );
    },

    async offerWaitHours(firmId) {
      return tables.firms.get(keyOf(firmId))?.offerWaitHours ?? null;
    },

    async answers(firmId, query) {
      const { environment, since, until, by } = query;
      const made = offersOf(firmId).filter(
        ({ claim, offeredAt }) =>
          claim.environment === environment && offeredAt >= since && offeredAt < until,
      );
      const names = [...new Set(made.map((offer) => nameOf(query, offer)))].sort(compareText);
      const groups = names.map((name) =>
        groupOf(
          name,
          made.filter((offer) => nameOf(query, offer) === name),
        ),
      );
      if (by !== 'week') groups.sort((a, b) => b.offers - a.offers);
      return { total: groupOf('', made), groups: groups.slice(0, MAX_ANSWERS_GROUPS) };
    },

    async revisions(firmIds) {
      return new Map(
        firmIds.flatMap((firmId) => {
          const feed = tables.feeds.get(keyOf(firmId));
          return feed === undefined ? [] : [[firmId, String(feed.lastTimestamp)] as const];
        }),
      );
    },
  };
}
