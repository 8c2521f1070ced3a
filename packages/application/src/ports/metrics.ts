import type { AssignmentStatus, DeliveryOutcome } from '@svc/domain';
import type { UnavailableReason } from '../errors/unavailable.ts';
import type { JobKind } from '../model/job.ts';
import type { SignInFailure } from '../model/sign-in.ts';
import type { WebhookOutcome } from '../model/webhook.ts';

/** Failed: no attempt is left. */
export type JobOutcome = 'completed' | 'retried' | 'failed';

/** Unavailable: a lock, a key or the database. Conflict: with a concurrent change. Rejected: everything else. */
export type GroupFailure = 'unavailable' | 'conflict' | 'rejected';

/**
 * What happened, for the operator's metrics. Every method is synchronous and never throws. No argument identifies a firm
 * or a person, and each text is one of few.
 */
export interface Metrics {
  requestCompleted(request: {
    /** Method and path template. */
    readonly route: string;
    readonly status: number | 'aborted';
    /** Null: a stream, which stays open on purpose. */
    readonly seconds: number | null;
    /** The code of its problem document. */
    readonly code?: string | undefined;
    /** Why it could not be processed now, where `code` says so. */
    readonly unavailable?: UnavailableReason | undefined;
  }): void;
  /** A request over the limit of its IP address, which has no route yet. */
  addressLimited(): void;
  /** How long a transaction or a statement waited for a database connection. */
  connectionAwaited(seconds: number): void;
  /** @param changed the status of each claim whose change the firm's feed shows. */
  transactionCommitted(seconds: number, changed: readonly AssignmentStatus[]): void;
  /** A transaction of several requests was rolled back; each runs again alone. `rejected` points to a defect. */
  groupFailed(reason: GroupFailure): void;
  jobEnded(kind: JobKind, outcome: JobOutcome): void;
  /** One message to one device. */
  pushEnded(outcome: DeliveryOutcome): void;
  /** One attempt at the endpoint of a firm. */
  webhookEnded(outcome: WebhookOutcome): void;
  signInFailed(failure: SignInFailure): void;
}

export const NO_METRICS: Metrics = {
  requestCompleted() {},
  addressLimited() {},
  connectionAwaited() {},
  transactionCommitted() {},
  groupFailed() {},
  jobEnded() {},
  pushEnded() {},
  webhookEnded() {},
  signInFailed() {},
};

export interface ConnectionPool {
  readonly name: 'requests' | 'jobs';
  readonly max: number;
  readonly open: number;
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
}

export interface QueueState {
  /** Jobs that should run now and wait for a worker. */
  readonly due: number;
  /** Jobs for later, and those waiting for a retry. */
  readonly scheduled: number;
  readonly running: number;
  /** Jobs without an attempt left. */
  readonly failed: number;
  /** How long the oldest due job has waited; 0 without one. */
  readonly oldestDueSeconds: number;
}

export interface ReplicationState {
  readonly standbys: number;
  readonly synchronousStandbys: number;
  /** How many of those a commit waits for. */
  readonly requiredSynchronousStandbys: number;
  /** How far the slowest standby is behind; null where it is not known. */
  readonly maxLagSeconds: number | null;
}

/** What stops the database in hours or days if nobody looks. */
export interface MaintenanceState {
  /** Null without an archive. */
  readonly archive: {
    /** The last attempt to archive a segment of WAL failed. */
    readonly isFailing: boolean;
    /** Segments that wait for it; null where the role may not see them. */
    readonly waitingSegments: number | null;
  } | null;
  /** Of the oldest database: PostgreSQL stops writes at two billion. */
  readonly transactionIdAge: number;
  readonly multixactIdAge: number;
}

/** Endpoints for live changes. */
export interface WebhookEndpointCounts {
  readonly active: number;
  /** Active, but a signal of more than an hour ago is not delivered. */
  readonly failing: number;
  /** By the service: it failed for three days, or answered 410. */
  readonly paused: number;
}

/** What metrics read when they are collected. A rejected promise means that the value is not known. */
export interface MetricSources {
  pools(): readonly ConnectionPool[];
  queue(): Promise<QueueState>;
  /** Offers of live claims that wait longer than their firm does. */
  overdueOffers(): Promise<number>;
  /** Null where the role may not see it. */
  replication(): Promise<ReplicationState | null>;
  maintenance(): Promise<MaintenanceState>;
  webhookEndpoints(): Promise<WebhookEndpointCounts>;
  /** Whether each part the service depends on is up. */
  dependencies(): Promise<readonly { readonly name: string; readonly up: boolean }[]>;
  /** How far the clock of the process is ahead of that of the database; negative: behind. */
  clockAheadSeconds(): number;
  /** Counts since the start; null without Redis. */
  redis(): { readonly timeouts: number; readonly failures: number; readonly outages: number } | null;
}
