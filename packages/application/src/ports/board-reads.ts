import type {
  AssignmentStatus,
  Availability,
  Claim,
  ClaimId,
  EnteredCredentials,
  Environment,
  FirmClocks,
  FirmId,
  Instant,
  OfferOutcome,
  ReportGroup,
  StepTimes,
  Svcid,
} from '@svc/domain';
import type { ClaimSummary } from '../model/claim-summary.ts';
import type { ClaimView } from '../model/claim-views.ts';
import type { AdjusterView } from '../model/member-views.ts';
import type { KeysetPosition } from '../model/page.ts';

/** A claim as the board shows it. */
export interface BoardClaim {
  readonly id: ClaimId;
  readonly environment: Environment;
  readonly externalId: string;
  readonly claimNumber: string;
  readonly summary: ClaimSummary;
  readonly status: AssignmentStatus;
  readonly adjuster: Svcid;
  readonly offeredAt: Instant;
  readonly respondedAt: Instant | null;
  readonly updatedAt: Instant;
  readonly closedAt: Instant | null;
  /** What the adjuster has recorded, which the firm sees only by consent. */
  readonly steps: StepTimes;
}

/**
 * How claims are scanned. `waiting`: open claims of the environment with this status, by `updatedAt`, since when they wait.
 * `latest`: claims of every kind (test: of that environment), by `updatedAt`, the latest first. `adjuster`: those with this
 * status and adjuster, open or closed, by `offeredAt`.
 */
export type BoardScan =
  | {
      readonly by: 'waiting';
      readonly environment: Environment;
      readonly status: Exclude<AssignmentStatus, 'accepted'>;
    }
  | {
      readonly by: 'latest';
      readonly environment: Environment;
      readonly status: AssignmentStatus | undefined;
    }
  | {
      readonly by: 'adjuster';
      readonly adjuster: Svcid;
      readonly status: AssignmentStatus;
      readonly closed: boolean;
      readonly latestFirst: boolean;
    };

/** What an adjuster has to do for a firm. */
export interface AdjusterWork {
  readonly openOffers: number;
  readonly openClaims: number;
  /** Of the latest {@link ANSWERS_FOR_MEDIAN} answers, accepted or rejected; null: none. */
  readonly medianAnswerMs: number | null;
}

/** What adjusters have said of themselves, which firms see in part or as a warning. */
export interface AdjusterAvailability {
  readonly availability: Availability;
  /** Of all firms; counted only where the adjuster set a limit, else 0. */
  readonly pendingOffers: number;
}

export interface AnswersFilter {
  readonly environment: Environment;
  /** Of the offer; inclusive. */
  readonly since: Instant;
  /** Exclusive. */
  readonly until: Instant;
  readonly by: ReportGroup;
}

/** `weekStarts`: of the weeks of the period, in order; the first one is not after `since`. */
export interface AnswersQuery extends AnswersFilter {
  readonly weekStarts: readonly Instant[];
  /** Within how many hours of the acceptance the policyholder is to be reached: the first that matches. */
  readonly contactHours: readonly ContactHours[];
  /** On whose calendar dates of contacts are. */
  readonly firmTimeZone: string;
  readonly now: Instant;
}

export interface ContactHours {
  /** Key of its name; null: any. */
  readonly carrierKey: string | null;
  readonly catCode: string | null;
  readonly hours: number;
}

/** The offers of one adjuster, week or carrier. */
export interface AnswersGroup extends Readonly<Record<OfferOutcome, number>> {
  /** SVCID, number of the week, the first one is 1, or name of the carrier. */
  readonly group: string;
  readonly offers: number;
  /** Until accepted or rejected; null: none was. */
  readonly medianAnswerMs: number | null;
  readonly p90AnswerMs: number | null;
  /** Accepted claims whose adjusters let the firm see the first contact; the others are in neither of the next two. */
  readonly contactsShared: number;
  readonly contactsInTime: number;
  readonly contactsLate: number;
}

/** Reads for the firm's desk. Each one touches a number of rows that does not grow with the firm, except the report. */
export interface BoardReads {
  /** At most `count` claims after the position, in the order of the scan. */
  claims(firmId: FirmId, scan: BoardScan, after: KeysetPosition, count: number): Promise<BoardClaim[]>;
  /** At most `count` claims whose external id, and as many open ones whose claim number, starts with the text. */
  claimsByIdPrefix(
    firmId: FirmId,
    environment: Environment,
    prefix: string,
    count: number,
  ): Promise<BoardClaim[]>;
  /**
   * Open claims of the environment that wait, by status; `late`: pending ones that were offered and changed until the times.
   * Each at most `MAX_COUNTED_CLAIMS`.
   */
  counts(
    firmId: FirmId,
    environment: Environment,
    late: { readonly offeredUntil: Instant; readonly updatedUntil: Instant },
  ): Promise<Readonly<Record<'pending' | 'late' | 'rejected' | 'unassigned', number>>>;
  /** Claims with one of the external ids, and open ones with one of the claim numbers. */
  claimsWithIds(
    firmId: FirmId,
    environment: Environment,
    ids: readonly Pick<BoardClaim, 'externalId' | 'claimNumber'>[],
  ): Promise<Pick<BoardClaim, 'id' | 'externalId' | 'claimNumber' | 'closedAt'>[]>;
  claim(
    firmId: FirmId,
    id: ClaimId,
  ): Promise<(ClaimView & Pick<Claim, 'closedAt' | 'closure'> & Pick<BoardClaim, 'steps'>) | null>;
  /** Those that are members or were, in any order. */
  members(firmId: FirmId, svcIds: readonly Svcid[]): Promise<AdjusterView[]>;
  work(firmId: FirmId, svcIds: readonly Svcid[]): Promise<ReadonlyMap<Svcid, AdjusterWork>>;
  /** Of those with a record in the firm who have changed it. */
  availability(firmId: FirmId, svcIds: readonly Svcid[]): Promise<ReadonlyMap<Svcid, AdjusterAvailability>>;
  /** Of these adjusters, what members who share them have entered. */
  sharedCredentials(
    firmId: FirmId,
    svcIds: readonly Svcid[],
  ): Promise<ReadonlyMap<Svcid, EnteredCredentials>>;
  /** What the firm owes its carriers. */
  clocks(firmId: FirmId): Promise<FirmClocks>;
  /** How long the firm waits for the response to an offer; null: it has not said. */
  offerWaitHours(firmId: FirmId): Promise<number | null>;
  /** All offers, and at most {@link MAX_ANSWERS_GROUPS} groups: weeks in order, others with most offers first. */
  answers(
    firmId: FirmId,
    query: AnswersQuery,
    /** Cancels it. */
    signal?: AbortSignal,
  ): Promise<{ readonly total: AnswersGroup; readonly groups: AnswersGroup[] }>;
  /** Changes with each change of a claim that the firm can see. */
  revisions(firmIds: readonly FirmId[]): Promise<ReadonlyMap<FirmId, string>>;
}
