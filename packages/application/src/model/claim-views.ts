import type {
  APP_CLAIM_STATUSES,
  Assignment,
  AssignmentStatus,
  CarrierDetails,
  Claim,
  ClaimAccess,
  ClaimAsSent,
  ClaimId,
  ClaimWork,
  Environment,
  FirmClocks,
  FirmId,
  Instant,
  Svcid,
} from '@svc/domain';
import type { JobKind } from './job.ts';

/** A claim as the firm sees it. */
export interface ClaimView {
  readonly id: ClaimId;
  readonly environment: Environment;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly assignment: Assignment;
  readonly asSent: ClaimAsSent;
}

export interface ClaimFilter {
  /** Inclusive. */
  readonly updatedSince?: Instant | undefined;
  readonly assignmentStatus?: AssignmentStatus | undefined;
  /** Searches the key's own environment only. */
  readonly externalId?: string | undefined;
}

/** A claim as the adjuster sees it. */
export interface AppClaimView extends ClaimView, FormDetails {
  readonly work: ClaimWork;
  readonly closedAt: Instant | null;
}

/** `pending_acceptance` and `accepted`: not closed. `closed`: accepted and closed. */
export type AppClaimList = (typeof APP_CLAIM_STATUSES)[number];

/** A job about a claim that has not succeeded yet. */
export interface ClaimJob {
  readonly kind: JobKind;
  readonly runAt: Instant;
  readonly attempts: number;
  /** No attempt is left. */
  readonly failed: boolean;
}

/** What a notification of an offer names and depends on. */
export interface AssignmentState {
  readonly firmName: string;
  readonly environment: Environment;
  readonly status: AssignmentStatus;
  readonly adjuster: Svcid | null;
  readonly offeredAt: Instant;
  readonly closedAt: Instant | null;
  /** How long the firm waits for the answer; null: it has not said. */
  readonly offerWaitHours: number | null;
}

export interface OfferedClaim {
  readonly claim: Claim;
  readonly membership: ClaimAccess;
  readonly forms: FormDetails;
}

/** What the adjuster's forms need besides the claim: its firm and the firm's carrier book entry. */
export interface FormDetails {
  readonly firm: { readonly id: FirmId; readonly name: string };
  /** How long the firm waits for the answer to an offer; null: it has not said. */
  readonly offerWaitHours: number | null;
  /** What the firm owes its carriers; null: it has not said. */
  readonly clocks: FirmClocks | null;
  /** Null when the book has no such carrier. */
  readonly bookCarrier: CarrierDetails | null;
}
