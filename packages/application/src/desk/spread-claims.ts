import {
  type AdjusterWarning,
  DomainError,
  type Environment,
  type FirmId,
  isAdjusterVisible,
  type Svcid,
  spreadEvenly,
} from '@svc/domain';
import type { Needs } from '../ports/needs.ts';
import { type ClaimPlace, dayOf, distanceTo, readCandidates, warningsOf } from './candidates.ts';

/** A claim of the board, or a row of a file that nobody has. */
export interface ClaimToSpread extends ClaimPlace {
  readonly id: string;
  /** Who gets it last. */
  readonly rejectedBy: Svcid | undefined;
}

export interface ProposedOffer {
  readonly id: string;
  readonly adjuster: Svcid;
  readonly distance: number | null;
  readonly warnings: readonly AdjusterWarning[];
}

/** Costs in miles: farther than any distance, and more than that. */
const UNKNOWN_DISTANCE = 50_000;
const HAS_REJECTED = 100_000;

/**
 * Which of the adjusters could get which claim: as many each, and then the nearest. Offers nothing.
 *
 * `adjusters`: with the claims that they are going to get besides.
 */
export const makeSpreadClaims =
  ({ boardReads, zipDistance, clock }: Needs<'boardReads' | 'zipDistance' | 'clock'>) =>
  async (
    firmId: FirmId,
    environment: Environment,
    adjusters: ReadonlyMap<Svcid, number>,
    claims: readonly ClaimToSpread[],
  ): Promise<readonly ProposedOffer[]> => {
    const members = (await boardReads.members(firmId, [...adjusters.keys()])).filter(
      ({ membership, adjuster }) =>
        membership.status === 'active' && isAdjusterVisible(adjuster, environment),
    );
    const candidates = new Map(
      (await readCandidates(boardReads, firmId, members)).map((one) => [one.adjuster.svcId, one]),
    );
    const today = dayOf(clock.now());
    const candidateOf = (svcId: Svcid) => {
      const found = candidates.get(svcId);
      if (found !== undefined) return found;
      throw new DomainError('adjuster_not_in_firm', `${svcId} is not an active member of your firm.`);
    };
    const byId = new Map(claims.map((claim) => [claim.id, claim]));
    const spread = spreadEvenly([...byId.keys()], adjusters, (id, svcId) => {
      const claim = byId.get(id);
      if (claim === undefined) return 0;
      const miles = distanceTo(claim, candidateOf(svcId), zipDistance) ?? UNKNOWN_DISTANCE;
      return miles + (claim.rejectedBy === svcId ? HAS_REJECTED : 0);
    });
    const given = new Map(adjusters);
    return [...byId.values()].flatMap((claim) => {
      const adjuster = spread.get(claim.id);
      if (adjuster === undefined) return [];
      const candidate = candidateOf(adjuster);
      const before = given.get(adjuster) ?? 0;
      given.set(adjuster, before + 1);
      const distance = distanceTo(claim, candidate, zipDistance);
      return [{ id: claim.id, adjuster, distance, warnings: warningsOf(claim, candidate, today, before) }];
    });
  };
