import {
  type AssignmentStatus,
  type BOARD_ORDERS,
  type ClaimClocks,
  carrierNameKey,
  type Environment,
  type FirmId,
  HOUR,
  type Instant,
  MAX_COUNTED_CLAIMS,
  MINUTE,
  type Svcid,
  searchText,
} from '@svc/domain';
import { AT_ONCE, mayReadOn, type NextPiece } from '../model/next-piece.ts';
import { FIRST_POSITION, type KeysetPosition, type Page, type PageRequest } from '../model/page.ts';
import { countThatFits, jsonBytes } from '../model/page-size.ts';
import type { BoardClaim, BoardReads, BoardScan } from '../ports/board-reads.ts';
import type { Needs } from '../ports/needs.ts';
import {
  type ClockReads,
  clockSettings,
  type SeenAdjuster,
  seenAdjusters,
  sharedClocks,
} from './claim-clocks.ts';

export interface BoardFilter {
  readonly environment: Environment;
  readonly status?: AssignmentStatus | undefined;
  readonly adjuster?: Svcid | undefined;
  readonly carrier?: string | undefined;
  readonly state?: string | undefined;
  readonly closed: boolean;
  readonly text?: string | undefined;
  /** Only offers that wait longer than the firm allows. */
  readonly late?: boolean | undefined;
  /** Only accepted claims of which a clock that the adjuster shares is late. */
  readonly clockLate?: boolean | undefined;
  readonly order: (typeof BOARD_ORDERS)[number];
}

export interface BoardRow extends Omit<BoardClaim, 'steps'> {
  readonly adjusterName: string | null;
  readonly waitingSince: Instant | null;
  readonly late: boolean;
  /** Null: the adjuster does not share them, or has not accepted. */
  readonly clocks: ClaimClocks | null;
}

/** Of one request: a rare match takes several, and none takes long however many claims the firm has. */
const MAX_CLAIMS_READ = 2000;
/** A piece. */
const BATCH_CLAIMS = 200;
/** With the one that tells whether the page is the last: takes a few milliseconds. */
const BATCH_AT_ONCE = 51;
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
  /** Of the parts that follow each other, the one that goes on. */
  readonly part: number;
}

const PLACE = /^(ids-)?(?:part(\d)-)?(.+)$/u;

/** In the id of a position. */
const positionOfPlace = ({ after: { at, id }, idsAreShown, part }: Place): KeysetPosition => ({
  at,
  id: `${idsAreShown ? 'ids-' : ''}${part === 0 ? '' : `part${part}-`}${id}`,
});

function placeOf({ at, id: marked }: KeysetPosition): Place {
  const [, ids, part = '0', id = marked] = PLACE.exec(marked) ?? [];
  return { after: { at, id }, idsAreShown: ids !== undefined, part: Number(part) };
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

/** Of those whose names the firm does not see, the SVCID alone is found. */
type Adjusters = ReadonlyMap<Svcid, SeenAdjuster>;

const digitsOf = (text: string): string => text.replace(/\D/gu, '');
/** Of fewer digits, too many phones have the same. */
const MIN_PHONE_DIGITS = 3;

/** Digits of a phone number or the last ones of another number, without the country's. */
function typedDigits(word: string): string | undefined {
  if (!/^[\d().+/-]+$/u.test(word)) return undefined;
  const digits = digitsOf(word).replace(/^1(?=\d{10}$)/u, '');
  return digits.length < MIN_PHONE_DIGITS ? undefined : digits;
}

function textMatcher(text: string): (claim: BoardClaim, adjusters: Adjusters) => boolean {
  const words = searchText(text)
    .split(/\s+/u)
    .filter(Boolean)
    .map((word) => ({ word, digits: typedDigits(word) }));
  return (claim, adjusters) => {
    if (startsWithText(claim, text)) return true;
    const { name, street, city, state, zip, phone = '', policyNumber = '' } = claim.summary;
    const numbers = [claim.claimNumber, claim.externalId, policyNumber].map(searchText);
    const adjuster = `${claim.adjuster} ${adjusters.get(claim.adjuster)?.name ?? ''}`;
    const searched = searchText(`${name} ${street} ${city} ${adjuster} ${policyNumber}`);
    const phoneDigits = digitsOf(phone);
    return (
      words.length > 0 &&
      words.every(
        ({ word, digits }) =>
          searched.includes(word) ||
          zip.startsWith(word) ||
          state.toLowerCase() === word ||
          numbers.some((number) => number.endsWith(word)) ||
          (digits !== undefined &&
            (phoneDigits.includes(digits) || numbers.some((number) => digitsOf(number).endsWith(digits)))),
      )
    );
  };
}

const nameText = (name: string): string => searchText(carrierNameKey(name));

function matcherOf(filter: BoardFilter): (claim: BoardClaim, adjusters: Adjusters) => boolean {
  const { environment, status, adjuster, state, closed, order } = filter;
  const carrier = filter.carrier === undefined ? undefined : nameText(filter.carrier);
  const hasText = filter.text === undefined ? () => true : textMatcher(filter.text);
  return (claim, adjusters) =>
    claim.environment === environment &&
    (claim.closedAt !== null) === closed &&
    (status === undefined || claim.status === status) &&
    (adjuster === undefined || claim.adjuster === adjuster) &&
    (order === 'latest' || claim.status !== 'accepted') &&
    (state === undefined || claim.summary.state === state) &&
    (carrier === undefined || nameText(claim.summary.carrier).includes(carrier)) &&
    hasText(claim, adjusters);
}

const ALL: readonly AssignmentStatus[] = ['pending_acceptance', 'rejected', 'unassigned', 'accepted'];

/**
 * The scans that together have every claim of the filter, in parts that follow each other, with what each part is ordered
 * by. What waits for another offer comes before what waits for a response: nobody else has it.
 */
function scansOf({ environment, status, adjuster, closed, order }: BoardFilter): {
  readonly parts: readonly (readonly BoardScan[])[];
  readonly timeOf: (claim: BoardClaim) => Instant;
} {
  const latestFirst = order === 'latest';
  if (latestFirst && adjuster === undefined)
    return { parts: [[{ by: 'latest', environment, status }]], timeOf: ({ updatedAt }) => updatedAt };
  const scansWith = (each: AssignmentStatus): readonly BoardScan[] => {
    if (adjuster !== undefined && (latestFirst || each === 'pending_acceptance'))
      return [{ by: 'adjuster', adjuster, status: each, closed, latestFirst }];
    // Those of an adjuster are not in the order of their wait, and few claims wait for another offer.
    return each === 'accepted' ? [] : [{ by: 'waiting', environment, status: each }];
  };
  const scans = (status === undefined ? ALL : [status]).flatMap(scansWith);
  const isPending = (scan: BoardScan): boolean => scan.status === 'pending_acceptance';
  return {
    parts: latestFirst ? [scans] : [scans.filter((scan) => !isPending(scan)), scans.filter(isPending)],
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

const NOT_SEEN: SeenAdjuster = { name: null, sharesClocks: false };

/** A change of a claim is written at most so long after the time of its offer. */
const MAX_WRITE_MS = MINUTE;

/**
 * A page of the board. It reads a bounded number of claims, so it may have fewer rows than its limit, or none, and be
 * followed by another page.
 */
export const makeListBoard =
  (deps: ClockReads & Needs<'boardReads'>) =>
  async (
    firmId: FirmId,
    filter: BoardFilter,
    page: PageRequest,
    nextPiece: NextPiece = AT_ONCE,
  ): Promise<Page<BoardRow>> => {
    const { boardReads } = deps;
    const { text } = filter;
    const isOfFilter = matcherOf(filter);
    const { parts, timeOf } = scansOf(filter);
    const sign = filter.order === 'latest' ? -1 : 1;
    const positionOf = (claim: BoardClaim): KeysetPosition => ({ at: timeOf(claim), id: claim.id });
    const byPosition = (one: BoardClaim, other: BoardClaim): number =>
      sign * (timeOf(one) - timeOf(other) || (one.id < other.id ? -1 : 1));
    const offerWaitHours = await boardReads.offerWaitHours(firmId);
    const settings = await clockSettings(deps, firmId);
    const { now } = settings;
    const start = START[filter.order];
    const place: Place =
      page.after === null ? { after: start, idsAreShown: false, part: 0 } : placeOf(page.after);
    /** Offers that are late come first among those that wait. */
    const isBehindLate = ({ at }: KeysetPosition): boolean =>
      filter.late === true &&
      filter.order === 'waiting' &&
      (offerWaitHours === null || at > now - offerWaitHours * HOUR + MAX_WRITE_MS);
    const adjusters = new Map<Svcid, SeenAdjuster>();
    const readAdjusters = async (claims: readonly BoardClaim[]): Promise<void> => {
      const unknown = claims.map(({ adjuster }) => adjuster).filter((id) => !adjusters.has(id));
      for (const id of unknown) adjusters.set(id, NOT_SEEN);
      for (const [id, seen] of await seenAdjusters(boardReads, firmId, unknown)) adjusters.set(id, seen);
    };
    const clocksOf = (claim: BoardClaim): ClaimClocks | null =>
      sharedClocks(claim, claim.summary, adjusters.get(claim.adjuster), settings);
    const isClockLate = (claim: BoardClaim): boolean => {
      const clocks = clocksOf(claim);
      return clocks !== null && (clocks.contact.late || clocks.inspection.late);
    };
    const matching = async (claims: readonly BoardClaim[]): Promise<BoardClaim[]> => {
      if (text !== undefined || filter.clockLate === true) await readAdjusters(claims);
      return claims.filter(
        (claim) =>
          isOfFilter(claim, adjusters) &&
          (filter.late !== true || isLate(claim, offerWaitHours, now)) &&
          (filter.clockLate !== true || isClockLate(claim)),
      );
    };

    let byId: BoardClaim[] = [];
    let { after, idsAreShown, part } = place;
    if (text !== undefined && page.after === null) {
      const max = Math.min(MAX_ID_MATCHES, page.limit);
      const some = await boardReads.claimsByIdPrefix(firmId, filter.environment, text, max + 1);
      byId = [...new Map(some.map((claim) => [claim.id, claim])).values()];
      idsAreShown = byId.length <= max;
      byId = idsAreShown ? (await matching(byId)).sort(byPosition) : [];
    }
    /** Whether `claimsByIdPrefix` has it. */
    const isShown = ({ externalId, claimNumber, closedAt }: BoardClaim): boolean =>
      idsAreShown &&
      text !== undefined &&
      (externalId.startsWith(text) || (closedAt === null && claimNumber.startsWith(text)));

    const limit = page.limit - byId.length;
    const found: { readonly claim: BoardClaim; readonly part: number }[] = [];
    const read = async (most: number): Promise<BoardClaim[]> => {
      const scans = parts[part] ?? [];
      const batches = await Promise.all(scans.map((scan) => boardReads.claims(firmId, scan, after, most)));
      return batches.flat().sort(byPosition).slice(0, most);
    };
    let isEnd = false;
    let count = limit + 1;
    for (let total = 0; limit > 0 && !isEnd && found.length <= limit; ) {
      // The first claims of a short page alone are no long work. Long ones take turns, or many at once would add up.
      const takesTurn = total > limit || count > BATCH_AT_ONCE;
      if (takesTurn && !(await mayReadOn(nextPiece, total, MAX_CLAIMS_READ))) break;
      const batch = await read(count);
      const last = batch.at(-1);
      if (last !== undefined) after = positionOf(last);
      const matches = (await matching(batch)).filter((claim) => !isShown(claim));
      found.push(...matches.map((claim) => ({ claim, part })));
      total += batch.length;
      const isLast = batch.length < count || isBehindLate(after);
      count = BATCH_CLAIMS;
      if (!isLast) continue;
      if (part + 1 < parts.length) [after, part, count] = [start, part + 1, limit + 1];
      else isEnd = true;
    }
    const claims = found.map(({ claim }) => claim);
    const fitting = claims.slice(0, countThatFits(claims, { ...page, limit }, rowBytes));
    const last = found[fitting.length - 1];
    // What does not fit is read again.
    if (last !== undefined && fitting.length < found.length)
      [after, part, isEnd] = [positionOf(last.claim), last.part, false];
    const shown = [...byId, ...fitting];
    await readAdjusters(shown);
    return {
      rows: shown.map(({ steps, ...claim }) => ({
        ...claim,
        adjusterName: adjusters.get(claim.adjuster)?.name ?? null,
        waitingSince: waitingSince(claim),
        late: isLate(claim, offerWaitHours, now),
        clocks: clocksOf({ steps, ...claim }),
      })),
      next: isEnd ? null : positionOfPlace({ after, idsAreShown, part }),
    };
  };

/** How many open claims wait, and how many of them are late or were rejected; each at most {@link MAX_COUNTED_CLAIMS}. */
export const makeCountBoard =
  ({ boardReads, clock }: Needs<'boardReads' | 'clock'>) =>
  async (firmId: FirmId, environment: Environment) => {
    const offerWaitHours = await boardReads.offerWaitHours(firmId);
    const lateUntil = offerWaitHours === null ? 0 : Math.max(clock.now() - offerWaitHours * HOUR, 0);
    const counts = await boardReads.counts(firmId, environment, {
      offeredUntil: lateUntil,
      updatedUntil: lateUntil + MAX_WRITE_MS,
    });
    const waiting = Math.min(counts.pending + counts.rejected + counts.unassigned, MAX_COUNTED_CLAIMS);
    return { waiting, late: counts.late, rejected: counts.rejected, unassigned: counts.unassigned };
  };

/** As the firm may see them: of active members. */
export async function adjusterNames(
  boardReads: Pick<BoardReads, 'members'>,
  firmId: FirmId,
  svcIds: readonly Svcid[],
): Promise<ReadonlyMap<Svcid, string | null>> {
  const seen = await seenAdjusters(boardReads, firmId, svcIds);
  return new Map([...seen].map(([svcId, { name }]) => [svcId, name]));
}
