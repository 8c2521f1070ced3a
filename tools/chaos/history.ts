import type { ErrorCode } from '@svc/contract';
import type { Audit } from '../services/operator.ts';

export type Operation =
  | 'send'
  | 'offer'
  | 'get'
  | 'list'
  | 'poll'
  | 'invite'
  | 'withdraw'
  | 'withdraw offer'
  | 'close at desk'
  | 'accept'
  | 'reject'
  | 'close'
  | 'leave'
  | 'join'
  | 'suspend'
  | 'permit'
  | 'disable'
  | 'enable'
  | 'create key'
  | 'revoke key'
  | 'offers'
  | 'limited'
  | 'import'
  | 'list board'
  | 'add staff'
  | 'demote'
  | 'remove staff'
  | 'change webhook';

/** A claim as a response showed it. */
export interface ClaimView {
  readonly id: string;
  readonly externalId: string;
  readonly test: boolean;
  readonly status: string;
  readonly adjuster: string;
  readonly respondedAt: string | null;
  readonly reason: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What the client knew and intended with a request. */
export interface Intent {
  readonly claimId?: string;
  readonly externalId?: string;
  readonly adjuster?: string;
  readonly reason?: string;
  /**
   * The adjuster leaves and rejoins, loses the permission to accept claims or is disabled, so that the offer may be
   * rejected.
   */
  readonly mayHaveLeft?: boolean;
  /** The pages of one poll have the same number. */
  readonly poll?: number;
  /** The error that the request must get. */
  readonly expectedError?: ErrorCode;
  /** The `updated_at` of the claim as the dispatcher saw it. */
  readonly basedOn?: string;
  /** The rows of a file, of which one request sends a part. */
  readonly rows?: readonly { readonly externalId: string; readonly adjuster: string }[];
  /** What the action is on, as the audit trail names it. */
  readonly object?: string;
}

/** A row of a file as the response of an import showed it. */
export interface RowView {
  readonly externalId: string;
  readonly outcome: string;
  readonly claimId: string | null;
  readonly codes: readonly (string | null)[];
}

/** A webhook that arrived. `answered` is the status of the response; null: the connection was closed instead. */
export interface Signal {
  readonly id: string;
  readonly at: number;
  readonly updatedSince: string;
  readonly answered: number | null;
  /** What is wrong with its signature. */
  readonly forged?: string;
}

/** What the receipt of a claim says. */
export interface ReceiptView {
  readonly claimId: string;
  readonly adjuster: string;
  readonly status: string;
  readonly answeredAt: string | null;
  readonly audit: { readonly seq: number; readonly hash: string } | null;
}

/** An offer in the history of a claim, as the desk shows it. */
export interface OfferView {
  readonly adjuster: string;
  readonly outcome: string;
  readonly reason: string | null;
}

/** What the firm's people and systems saw beside the claims, after the run and of webhooks all the time. */
export interface DeskView {
  /** Whether its signals are of test claims. */
  readonly test: boolean;
  readonly signals: readonly Signal[];
  readonly receipts: readonly ReceiptView[];
  readonly offers: ReadonlyMap<string, readonly OfferView[]>;
}

/** One attempt at a request. Times are milliseconds on the clock of the recording process. */
export interface Call {
  readonly n: number;
  /** The firm whose key was used; null for an adjuster. */
  readonly firm: string | null;
  readonly actor: string;
  readonly operation: Operation;
  /** Shared by the attempts of one request. */
  readonly task: number;
  readonly attempt: number;
  readonly process: number;
  /** After the environment of the API key, which it belongs to. */
  readonly idempotencyKey?: string;
  readonly intent: Intent;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Null without a complete response. */
  readonly status: number | null;
  readonly code?: string;
  readonly replayed?: boolean;
  readonly existingClaimId?: string;
  readonly seen: readonly ClaimView[];
  /** The list goes on after this page. */
  readonly hasMore?: true;
  /** The rows that the request read. */
  readonly rows?: readonly RowView[];
  /** What is wrong with the response's schema or headers. */
  readonly malformed?: string;
  /** Tags of other firms in the response. */
  readonly foreign?: readonly string[];
}

export interface Finding {
  readonly description: string;
  /** The calls that show it. */
  readonly calls: readonly Call[];
}

export const succeeded = ({ status }: Call): boolean => status !== null && status < 300;

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
  'postgres failover',
  'connections cut',
  'postgres connections cut',
] as const;
export type FaultKind = (typeof FAULTS)[number];

export interface Fault {
  readonly kind: FaultKind;
  readonly startedAt: number;
  /** When recovery became possible. */
  readonly endedAt: number;
  /** Milliseconds after that until every process was healthy. */
  readonly recoveredAfter: number;
}

export interface Interval {
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface LimitedKey {
  readonly actor: string;
  readonly requestsPerMinute: number;
  readonly burst: number;
}

export interface History {
  /** The run goes on: there is no final state yet, and requests may still get their responses. */
  readonly isPartial?: true;
  readonly seed: string;
  /** PostgreSQL has one to fail over to. */
  readonly hasStandby?: boolean;
  readonly processes: number;
  /** The time, in milliseconds since 1970, at 0 on the clock of the calls; absent if that is no clock. */
  readonly timeOrigin?: number;
  readonly calls: readonly Call[];
  readonly faults: readonly Fault[];
  /** Intervals in which a process counted requests locally. */
  readonly localBuckets: readonly Interval[];
  /** All claims of each firm after the run. */
  readonly final: ReadonlyMap<string, readonly ClaimView[]>;
  /** The audit trails that were read after the run, by firm. */
  readonly audit: ReadonlyMap<string, Audit>;
  readonly limited: readonly LimitedKey[];
  /** By firm. */
  readonly desks: ReadonlyMap<string, DeskView>;
  /** Test accounts that respond without a call. */
  readonly autoResponding: ReadonlySet<string>;
}

/** Items by name, in order; those without a name are left out. */
export function grouped<T>(items: Iterable<T>, nameOf: (item: T) => string | undefined): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = nameOf(item);
    if (name === undefined) continue;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return groups;
}
