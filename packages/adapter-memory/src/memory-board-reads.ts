import { ANSWERS_FOR_MEDIAN, type BoardClaim, type BoardReads, summaryOf } from '@svc/application';
import type { Claim, FirmId } from '@svc/domain';
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
export function percentile(values: readonly number[], fraction: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const position = (sorted.length - 1) * fraction;
  const [below, above] = [sorted[Math.floor(position)], sorted[Math.ceil(position)]];
  return below === undefined || above === undefined ? null : below + (above - below) * (position % 1);
}

export function memoryBoardReads(tables: Tables): BoardReads {
  const claimsOf = (firmId: FirmId): Claim[] =>
    tables.claims.all().filter((claim) => claim.firmId === firmId);
  return {
    async claims(firmId, walk, after, count) {
      const timeOf = (claim: BoardClaim) => (walk.by === 'adjuster' ? claim.offeredAt : claim.updatedAt);
      const sign = walk.by === 'latest' || (walk.by === 'adjuster' && walk.latestFirst) ? -1 : 1;
      const isWalked = ({ environment, status, adjuster, closedAt }: BoardClaim): boolean => {
        if (walk.by === 'waiting')
          return environment === walk.environment && status !== 'accepted' && closedAt === null;
        if (walk.by === 'adjuster')
          return adjuster === walk.adjuster && status === walk.status && (closedAt !== null) === walk.closed;
        return (
          (walk.environment === 'live' || environment === 'test') &&
          (walk.status === undefined || status === walk.status)
        );
      };
      const compare = (at: number, id: string, other: { at: number; id: string }): number =>
        sign * (at - other.at || compareText(id, other.id));
      return claimsOf(firmId)
        .map(boardClaimOf)
        .filter((claim) => isWalked(claim) && compare(timeOf(claim), claim.id, after) > 0)
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
          const answered = own
            .flatMap(({ assignment: { offeredAt, respondedAt } }) =>
              respondedAt === null ? [] : [{ offeredAt, ms: respondedAt - offeredAt }],
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
