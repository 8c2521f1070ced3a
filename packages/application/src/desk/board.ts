import {
  type AssignmentStatus,
  carrierNameKey,
  contactForFirm,
  type Environment,
  type FirmId,
  HOUR,
  type Instant,
  type Svcid,
  searchText,
} from '@svc/domain';
import { AT_ONCE, type NextPiece } from '../model/next-piece.ts';
import { FIRST_POSITION, type KeysetPosition, type Page, type PageRequest } from '../model/page.ts';
import { countThatFits, jsonBytes } from '../model/page-size.ts';
import type { BoardClaim, BoardReads, BoardScan } from '../ports/board-reads.ts';
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
/** A piece. */
const BATCH_CLAIMS = 200;
/** A text that more ids start with is found by reading the claims, as names are. */
const MAX_ID_MATCHES = 50;
/** Before every claim. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const START: Readonly<Record<BoardFilter['order'], KeysetPosition>> = {
  waiting: FIRST_POSITION,
  latest: { at: Date.UTC(9999, 0), id: LAST_ID },
};

/** Where a page begins. */
interface Place {
  readonly after: KeysetPosition;
  /** The claims found by their ids were shown before. */
  readonly idsAreShown: boolean;
  /** Offers until then were late when the first page was read; null: none come first. */
  readonly lateUntil: Instant | null;
  readonly isAmongLate: boolean;
}

const PLACE = /^(ids-)?(?:(late|rest)-(\d+)-)?(.+)$/u;

/** In the id of a position. */
function positionOfPlace({ after: { at, id }, idsAreShown, lateUntil, isAmongLate }: Place): KeysetPosition {
  const late = lateUntil === null ? '' : `${isAmongLate ? 'late' : 'rest'}-${lateUntil}-`;
  return { at, id: `${idsAreShown ? 'ids-' : ''}${late}${id}` };
}

function placeOf({ at, id: marked }: KeysetPosition): Place {
  const [, ids, late, until, id = marked] = PLACE.exec(marked) ?? [];
  const lateUntil = until === undefined ? null : Number(until);
  return { after: { at, id }, idsAreShown: ids !== undefined, lateUntil, isAmongLate: late === 'late' };
}

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

const startsWithText = ({ externalId, claimNumber }: BoardClaim, text: string): boolean =>
  externalId.startsWith(text) || claimNumber.startsWith(text);

function textMatcher(text: string): (claim: BoardClaim) => boolean {
  const words = searchText(text).split(/\s+/u).filter(Boolean);
  return (claim) => {
    if (startsWithText(claim, text)) return true;
    const searched = searchText(`${claim.summary.name} ${claim.summary.street} ${claim.summary.city}`);
    return words.length > 0 && words.every((word) => searched.includes(word));
  };
}

const nameText = (name: string): string => searchText(carrierNameKey(name));

function matcherOf(filter: BoardFilter): (claim: BoardClaim) => boolean {
  const { environment, status, adjuster, state, closed, order } = filter;
  const carrier = filter.carrier === undefined ? undefined : nameText(filter.carrier);
  const hasText = filter.text === undefined ? () => true : textMatcher(filter.text);
  return (claim) =>
    claim.environment === environment &&
    (claim.closedAt !== null) === closed &&
    (status === undefined || claim.status === status) &&
    (adjuster === undefined || claim.adjuster === adjuster) &&
    (order === 'latest' || claim.status !== 'accepted') &&
    (state === undefined || claim.summary.state === state) &&
    (carrier === undefined || nameText(claim.summary.carrier).includes(carrier)) &&
    hasText(claim);
}

const ALL: readonly AssignmentStatus[] = ['pending_acceptance', 'rejected', 'unassigned', 'accepted'];

/** The scans that together have every claim of the filter, with what they are ordered by. */
function scansOf({ environment, status, adjuster, closed, order }: BoardFilter): {
  readonly scans: readonly BoardScan[];
  readonly timeOf: (claim: BoardClaim) => Instant;
} {
  const latestFirst = order === 'latest';
  if (latestFirst && adjuster === undefined)
    return { scans: [{ by: 'latest', environment, status }], timeOf: ({ updatedAt }) => updatedAt };
  const scansWith = (each: AssignmentStatus): readonly BoardScan[] => {
    if (adjuster !== undefined && (latestFirst || each === 'pending_acceptance'))
      return [{ by: 'adjuster', adjuster, status: each, closed, latestFirst }];
    // Those of an adjuster are not in the order of their wait, and few claims wait for another offer.
    return each === 'accepted' ? [] : [{ by: 'waiting', environment, status: each }];
  };
  return {
    scans: (status === undefined ? ALL : [status]).flatMap(scansWith),
    // As the scans are ordered: the time of the change may be later than that of the offer.
    timeOf: ({ status, offeredAt, updatedAt }) =>
      adjuster !== undefined && (latestFirst || status === 'pending_acceptance') ? offeredAt : updatedAt,
  };
}

const rowBytes = ({ summary, externalId, claimNumber, adjuster }: BoardClaim): number =>
  [...Object.values(summary), externalId, claimNumber, adjuster].reduce(
    (bytes: number, text: string) => bytes + jsonBytes(text),
    0,
  );

/**
 * A page of the board. It reads a bounded number of claims, so it may have fewer rows than its limit, or none, and be
 * followed by another page. In the order `waiting`, the offers that were late at the first page come before the others.
 */
export const makeListBoard =
  (deps: { boardReads: BoardReads; clock: Clock }) =>
  async (
    firmId: FirmId,
    filter: BoardFilter,
    page: PageRequest,
    nextPiece: NextPiece = AT_ONCE,
  ): Promise<Page<BoardRow>> => {
    const { boardReads } = deps;
    const matches = matcherOf(filter);
    const { scans, timeOf } = scansOf(filter);
    const sign = filter.order === 'latest' ? -1 : 1;
    const positionOf = (claim: BoardClaim): KeysetPosition => ({ at: timeOf(claim), id: claim.id });
    const offerWaitHours = await boardReads.offerWaitHours(firmId);
    const now = deps.clock.now();
    const start = START[filter.order];
    const hasLate = filter.order === 'waiting' && offerWaitHours !== null;
    const firstUntil = hasLate ? Math.max(now - offerWaitHours * HOUR, 0) : null;
    const { lateUntil, ...place }: Place =
      page.after === null
        ? { after: start, idsAreShown: false, lateUntil: firstUntil, isAmongLate: hasLate }
        : placeOf(page.after);
    const comesFirst = (claim: BoardClaim): boolean =>
      lateUntil !== null && claim.status === 'pending_acceptance' && timeOf(claim) <= lateUntil;
    const byPosition = (one: BoardClaim, other: BoardClaim): number =>
      Number(comesFirst(other)) - Number(comesFirst(one)) ||
      sign * (timeOf(one) - timeOf(other) || (one.id < other.id ? -1 : 1));

    const { text } = filter;
    let byId: BoardClaim[] = [];
    let { after, idsAreShown, isAmongLate } = place;
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
    const read = async (most: number): Promise<BoardClaim[]> => {
      const parts = scans.map((scan) => {
        if (scan.by === 'latest' || scan.status !== 'pending_acceptance')
          return isAmongLate ? [] : boardReads.claims(firmId, scan, after, most);
        const isBehindLate = !isAmongLate && lateUntil !== null && after.at <= lateUntil;
        const from = isBehindLate ? { at: lateUntil, id: LAST_ID } : after;
        return boardReads.claims(firmId, scan, from, most);
      });
      const batch = (await Promise.all(parts)).flat().filter((claim) => comesFirst(claim) === isAmongLate);
      return batch.sort(byPosition).slice(0, most);
    };
    let isEnd = false;
    let count = limit + 1;
    for (let total = 0; limit > 0 && !isEnd && found.length <= limit && total < MAX_CLAIMS_READ; ) {
      // The first claims of the board alone are no long work.
      if (total > 0 && !(await nextPiece())) break;
      const batch = await read(count);
      const last = batch.at(-1);
      if (last !== undefined) after = positionOf(last);
      found.push(...batch.filter((claim) => matches(claim) && !isShown(claim)));
      total += batch.length;
      const isLast = batch.length < count;
      count = BATCH_CLAIMS;
      if (!isLast) continue;
      if (isAmongLate) [after, isAmongLate, count] = [start, false, limit + 1];
      else isEnd = true;
    }
    const fitting = found.slice(0, countThatFits(found, { ...page, limit }, rowBytes));
    const last = fitting.at(-1);
    // What does not fit is read again.
    if (last !== undefined && fitting.length < found.length)
      [after, isAmongLate, isEnd] = [positionOf(last), comesFirst(last), false];
    const named = await withNames(deps, firmId, [...byId, ...fitting]);
    return {
      rows: named.map((row) => ({ ...row, late: isLate(row, offerWaitHours, now) })),
      next: isEnd ? null : positionOfPlace({ after, idsAreShown, lateUntil, isAmongLate }),
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
  { boardReads }: { boardReads: BoardReads },
  firmId: FirmId,
  claims: readonly BoardClaim[],
): Promise<Omit<BoardRow, 'late'>[]> {
  const adjusters = claims.map(({ adjuster }) => adjuster);
  const names = await adjusterNames(boardReads, firmId, adjusters);
  return claims.map((claim) => ({
    ...claim,
    adjusterName: names.get(claim.adjuster) ?? null,
    waitingSince: waitingSince(claim),
  }));
}
