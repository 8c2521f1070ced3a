import {
  type AssignmentStatus,
  carrierNameKey,
  contactForFirm,
  type Environment,
  type FirmId,
  HOUR,
  type Instant,
  type Svcid,
} from '@svc/domain';
import type { KeysetPosition, Page, PageRequest } from '../model/page.ts';
import { countThatFits, jsonBytes } from '../model/page-size.ts';
import type { BoardClaim, BoardReads, BoardWalk } from '../ports/board-reads.ts';
import type { Clock } from '../ports/clock.ts';

export interface BoardFilter {
  readonly environment: Environment;
  readonly status?: AssignmentStatus | undefined;
  readonly adjuster?: Svcid | undefined;
  readonly carrier?: string | undefined;
  readonly state?: string | undefined;
  readonly closed: boolean;
  readonly text?: string | undefined;
  readonly order: 'waiting' | 'latest';
}

export interface BoardRow extends BoardClaim {
  readonly adjusterName: string | null;
  readonly waitingSince: Instant | null;
  readonly late: boolean;
}

/** Of one request: a rare match takes several, and none takes long however many claims the firm has. */
const MAX_CLAIMS_READ = 2000;
const BATCH_CLAIMS = 500;
/** A text that more ids start with is found by reading the claims, as names are. */
const MAX_ID_MATCHES = 50;
/** Before the id of a position: the claims found by their ids were shown before. */
const AFTER_IDS = 'ids-';
const withoutMark = ({ at, id }: KeysetPosition): KeysetPosition => ({ at, id: id.replace(AFTER_IDS, '') });
/** Before every claim. */
const START: Readonly<Record<BoardFilter['order'], KeysetPosition>> = {
  waiting: { at: 0, id: '00000000-0000-0000-0000-000000000000' },
  latest: { at: Date.UTC(9999, 0), id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' },
};

/** Since when an open claim waits for a response or for another offer. */
export const waitingSince = ({
  status,
  offeredAt,
  respondedAt,
  updatedAt,
  closedAt,
}: Pick<BoardClaim, 'status' | 'offeredAt' | 'respondedAt' | 'updatedAt' | 'closedAt'>): Instant | null => {
  if (closedAt !== null || status === 'accepted') return null;
  if (status === 'pending_acceptance') return offeredAt;
  return status === 'rejected' ? respondedAt : updatedAt;
};

/** Whether an offer waits longer than the firm allows. */
export const isLate = (
  { status, offeredAt, closedAt }: Pick<BoardClaim, 'status' | 'offeredAt' | 'closedAt'>,
  offerWaitHours: number | null,
  now: Instant,
): boolean =>
  status === 'pending_acceptance' &&
  closedAt === null &&
  offerWaitHours !== null &&
  offeredAt + offerWaitHours * HOUR <= now;

/** Text without regard to case and accents. */
const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

const startsWithText = ({ externalId, claimNumber }: BoardClaim, text: string): boolean =>
  externalId.startsWith(text) || claimNumber.startsWith(text);

function textMatcher(text: string): (claim: BoardClaim) => boolean {
  const words = folded(text).split(/\s+/u).filter(Boolean);
  return (claim) => {
    if (startsWithText(claim, text)) return true;
    const searched = folded(`${claim.summary.name} ${claim.summary.street} ${claim.summary.city}`);
    return words.length > 0 && words.every((word) => searched.includes(word));
  };
}

function matcherOf(filter: BoardFilter): (claim: BoardClaim) => boolean {
  const { environment, status, adjuster, state, closed, order } = filter;
  const carrier = filter.carrier === undefined ? undefined : carrierNameKey(filter.carrier);
  const hasText = filter.text === undefined ? () => true : textMatcher(filter.text);
  return (claim) =>
    claim.environment === environment &&
    (claim.closedAt !== null) === closed &&
    (status === undefined || claim.status === status) &&
    (adjuster === undefined || claim.adjuster === adjuster) &&
    (order === 'latest' || claim.status !== 'accepted') &&
    (state === undefined || claim.summary.state === state) &&
    (carrier === undefined || carrierNameKey(claim.summary.carrier) === carrier) &&
    hasText(claim);
}

const WAITING: readonly AssignmentStatus[] = ['pending_acceptance', 'rejected', 'unassigned'];
const ALL: readonly AssignmentStatus[] = [...WAITING, 'accepted'];

/** The walks that together have every claim of the filter, with what they are ordered by. */
function walksOf({ environment, status, adjuster, closed, order }: BoardFilter): {
  readonly walks: readonly BoardWalk[];
  readonly timeOf: (claim: BoardClaim) => Instant;
} {
  const latestFirst = order === 'latest';
  if (adjuster === undefined) {
    const walk: BoardWalk = latestFirst
      ? { by: 'latest', environment, status }
      : { by: 'waiting', environment };
    return { walks: [walk], timeOf: ({ updatedAt }) => updatedAt };
  }
  const statuses = status === undefined ? (latestFirst ? ALL : WAITING) : [status];
  return {
    walks: statuses.map((each) => ({ by: 'adjuster', adjuster, status: each, closed, latestFirst })),
    timeOf: ({ offeredAt }) => offeredAt,
  };
}

const rowBytes = ({ summary, externalId, claimNumber, adjuster }: BoardClaim): number =>
  [...Object.values(summary), externalId, claimNumber, adjuster].reduce(
    (bytes: number, text: string) => bytes + jsonBytes(text),
    0,
  );

/**
 * A page of the board. It reads a bounded number of claims, so it may have fewer rows than its limit, or none, and be
 * followed by another page.
 */
export const makeListBoard =
  (deps: { boardReads: BoardReads; clock: Clock }) =>
  async (firmId: FirmId, filter: BoardFilter, page: PageRequest): Promise<Page<BoardRow>> => {
    const { boardReads } = deps;
    const matches = matcherOf(filter);
    const { walks, timeOf } = walksOf(filter);
    const sign = filter.order === 'latest' ? -1 : 1;
    const positionOf = (claim: BoardClaim): KeysetPosition => ({ at: timeOf(claim), id: claim.id });
    const byPosition = (one: BoardClaim, other: BoardClaim): number =>
      sign * (timeOf(one) - timeOf(other) || (one.id < other.id ? -1 : 1));

    const { text } = filter;
    let byId: BoardClaim[] = [];
    let idsAreShown = page.after?.id.startsWith(AFTER_IDS) ?? false;
    if (text !== undefined && page.after === null) {
      const max = Math.min(MAX_ID_MATCHES, page.limit);
      const some = await boardReads.claimsByIdPrefix(firmId, filter.environment, text, max + 1);
      byId = [...new Map(some.map((claim) => [claim.id, claim])).values()];
      idsAreShown = byId.length <= max;
      byId = idsAreShown ? byId.filter(matches).sort(byPosition) : [];
    }
    /** Whether `claimsByIdPrefix` has it. */
    const isShown = ({ externalId, claimNumber, closedAt }: BoardClaim): boolean =>
      idsAreShown &&
      text !== undefined &&
      (externalId.startsWith(text) || (closedAt === null && claimNumber.startsWith(text)));

    const limit = page.limit - byId.length;
    const found: BoardClaim[] = [];
    let after = page.after === null ? START[filter.order] : withoutMark(page.after);
    let isEnd = false;
    let count = limit + 1;
    for (let read = 0; limit > 0 && !isEnd && found.length <= limit && read < MAX_CLAIMS_READ; ) {
      const [from, most] = [after, count];
      const parts = await Promise.all(walks.map((walk) => boardReads.claims(firmId, walk, from, most)));
      const batch = parts.flat().sort(byPosition).slice(0, most);
      const last = batch.at(-1);
      if (last !== undefined) after = positionOf(last);
      found.push(...batch.filter((claim) => matches(claim) && !isShown(claim)));
      isEnd = batch.length < most;
      read += batch.length;
      count = BATCH_CLAIMS;
    }
    const fitting = found.slice(0, countThatFits(found, { ...page, limit }, rowBytes));
    const last = fitting.at(-1);
    // What does not fit is read again.
    if (last !== undefined && fitting.length < found.length) [after, isEnd] = [positionOf(last), false];
    return {
      rows: await withNames(deps, firmId, [...byId, ...fitting]),
      next: isEnd ? null : { ...after, id: `${idsAreShown ? AFTER_IDS : ''}${after.id}` },
    };
  };

/** As the firm may see them: of active members. */
export async function adjusterNames(
  boardReads: Pick<BoardReads, 'members'>,
  firmId: FirmId,
  svcIds: readonly Svcid[],
): Promise<ReadonlyMap<Svcid, string | null>> {
  const members = svcIds.length === 0 ? [] : await boardReads.members(firmId, [...new Set(svcIds)]);
  return new Map(
    members.map(({ membership, adjuster }) => [adjuster.svcId, contactForFirm(membership, adjuster).name]),
  );
}

async function withNames(
  { boardReads, clock }: { boardReads: BoardReads; clock: Clock },
  firmId: FirmId,
  claims: readonly BoardClaim[],
): Promise<BoardRow[]> {
  const [names, offerWaitHours] = await Promise.all([
    adjusterNames(
      boardReads,
      firmId,
      claims.map(({ adjuster }) => adjuster),
    ),
    boardReads.offerWaitHours(firmId),
  ]);
  const now = clock.now();
  return claims.map((claim) => ({
    ...claim,
    adjusterName: names.get(claim.adjuster) ?? null,
    waitingSince: waitingSince(claim),
    late: isLate(claim, offerWaitHours, now),
  }));
}
