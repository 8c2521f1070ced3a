/** What a client may do to the service. */
export type Operation =
  | 'send'
  | 'offer'
  | 'get'
  | 'poll'
  | 'invite'
  | 'withdraw'
  | 'accept'
  | 'reject'
  | 'close'
  | 'leave'
  | 'join'
  | 'offers'
  | 'limited';

/** One view of one claim, as some answer showed it. */
export interface Seen {
  readonly id: string;
  readonly externalId: string;
  readonly status: string;
  readonly adjuster: string;
  readonly respondedAt: string | null;
  readonly reason: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What the client knew and meant when it asked. */
export interface Meant {
  readonly claimId?: string;
  readonly externalId?: string;
  readonly adjuster?: string;
  readonly reason?: string;
  /** The adjuster comes and goes, so that a refusal for not being in the firm is no wonder. */
  readonly mayHaveLeft?: boolean;
  /** A request that was made to be refused. */
  readonly refusal?: 'duplicate_claim' | 'idempotency_key_reused';
}

/** One attempt at one request. Times are milliseconds on the one clock of the recording process. */
export interface Call {
  readonly n: number;
  /** The firm whose key it was made with, or null for an adjuster's. */
  readonly firm: string | null;
  readonly actor: string;
  readonly operation: Operation;
  /** Attempts of one request share it. */
  readonly task: number;
  readonly attempt: number;
  readonly process: number;
  readonly idempotencyKey?: string;
  readonly meant: Meant;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Null: no answer, or not all of one. */
  readonly status: number | null;
  readonly code?: string;
  readonly replayed?: boolean;
  readonly existingClaimId?: string;
  readonly seen: readonly Seen[];
  /** What is wrong with the answer in itself: its shape, its headers. */
  readonly misshapen?: string;
  /** Tags of other firms in the answer. */
  readonly foreign?: readonly string[];
}

export const FAULTS = [
  'process killed',
  'process frozen',
  'all processes killed',
  'redis frozen',
  'redis flushed',
  'redis killed',
  'postgres connections ended',
  'postgres restarted',
  'postgres crashed',
  'postgres killed',
  'connections cut',
] as const;
export type FaultKind = (typeof FAULTS)[number];

export interface Fault {
  readonly kind: FaultKind;
  readonly startedAt: number;
  /** When what was taken away was given back. */
  readonly endedAt: number;
  /** How long after that until every process served a write again. */
  readonly recoveredAfter: number;
}

/** A time, on the one clock of the recording process. */
export interface Stretch {
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface LimitedKey {
  readonly actor: string;
  readonly requestsPerMinute: number;
  readonly burst: number;
}

export interface History {
  readonly seed: string;
  readonly processes: number;
  readonly calls: readonly Call[];
  readonly faults: readonly Fault[];
  /** When some process kept the limits in a bucket of its own: one for each process and time. */
  readonly ownBuckets: readonly Stretch[];
  /** Every claim of every firm once all is quiet again. */
  readonly final: ReadonlyMap<string, readonly Seen[]>;
  readonly limited: readonly LimitedKey[];
  /** Adjusters who answer by themselves, without a call. */
  readonly selfAnswering: ReadonlySet<string>;
}
