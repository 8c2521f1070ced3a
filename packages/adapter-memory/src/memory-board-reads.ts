import { type BoardClaim, type BoardReads, summaryOf } from '@svc/application';
import {
  type Claim,
  enteredCredentials,
  type FirmId,
  isClaimVisible,
  NO_CLOCKS,
  stepTimesOf,
} from '@svc/domain';
import { viewOf } from './memory-reads.ts';
import { compareText } from './pages.ts';
import { keyOf, type Tables } from './tables.ts';

const boardClaimOf = (claim: Claim): BoardClaim => {
  const { id, environment, externalId, claimNumber, updatedAt, closedAt } = claim;
  const { status, adjuster, offeredAt, respondedAt } = claim.assignment;
  return {
    ...{ id, environment, externalId, claimNumber, updatedAt, closedAt },
    ...{ status, adjuster, offeredAt, respondedAt },
    summary: summaryOf(claim.asSent),
    steps: stepTimesOf(claim.work),
  };
};

export function memoryBoardReads(tables: Tables): BoardReads {
  const claimsOf = (firmId: FirmId): Claim[] =>
    tables.claims.all().filter((claim) => claim.firmId === firmId);
  return {
    async claims(firmId, scan, after, count) {
      if (scan.by === 'adjuster') return onlyOnPostgres();
      const sign = scan.by === 'latest' ? -1 : 1;
      const isScanned = ({ environment, status, closedAt }: BoardClaim): boolean =>
        scan.by === 'waiting'
          ? environment === scan.environment && status === scan.status && closedAt === null
          : isClaimVisible({ environment }, scan.environment) && (scan.status ?? status) === status;
      const compare = (at: number, id: string, other: { at: number; id: string }): number =>
        sign * (at - other.at || compareText(id, other.id));
      return claimsOf(firmId)
        .map(boardClaimOf)
        .filter((claim) => isScanned(claim) && compare(claim.updatedAt, claim.id, after) > 0)
        .sort((one, other) => compare(one.updatedAt, one.id, { at: other.updatedAt, id: other.id }))
        .slice(0, count);
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
      const { closedAt, closure } = claim;
      const ending = { closedAt, ...(closure !== undefined && { closure }) };
      return { ...viewOf(claim), ...ending, steps: stepTimesOf(claim.work) };
    },

    async members(firmId, svcIds) {
      return svcIds.flatMap((svcId) => {
        const membership = tables.memberships.get(keyOf(firmId, svcId));
        const account = tables.accounts.get(keyOf(svcId));
        return membership && account ? [{ membership, adjuster: account.adjuster }] : [];
      });
    },

    async sharedCredentials(firmId, svcIds) {
      return new Map(
        svcIds.flatMap((svcId) => {
          const membership = tables.memberships.get(keyOf(firmId, svcId));
          const credentials = tables.accounts.get(keyOf(svcId))?.adjuster.credentials;
          const isShared = membership?.status === 'active' && membership.sharing.credentials;
          return isShared && credentials !== undefined ? [[svcId, enteredCredentials(credentials)]] : [];
        }),
      );
    },

    async offerWaitHours(firmId) {
      return tables.firms.get(keyOf(firmId))?.offerWaitHours ?? null;
    },

    async clocks(firmId) {
      return tables.firms.get(keyOf(firmId))?.clocks ?? NO_CLOCKS;
    },

    claimsByIdPrefix: onlyOnPostgres,
    counts: onlyOnPostgres,
    work: onlyOnPostgres,
    availability: onlyOnPostgres,
    answers: onlyOnPostgres,
    revisions: onlyOnPostgres,
  };
}

/** The desk shows them, and no rule depends on them: the suites of the board run on PostgreSQL alone. */
export const onlyOnPostgres = (): Promise<never> =>
  Promise.reject(new Error('What only the desk shows is not kept in memory.'));
