import type { AuditAction, ClaimId, FirmId, Instant } from '@svc/domain';

/** By name, what a setting was and what it became; null: not set. */
export type AuditChanges = Readonly<Record<string, { readonly from: AuditValue; readonly to: AuditValue }>>;

export type AuditValue = string | number | boolean | null;

/** By the device's clock. */
export interface AnswerOnDevice {
  readonly answeredAt: Instant;
  /** When the app first found no network for the answer; null: it did not have to keep it. */
  readonly keptOfflineSince: Instant | null;
}

/** One event. Holds ids and settings only: no names, addresses of people or contents of claims. */
export interface AuditEntry {
  readonly at: Instant;
  /** `key:ID`, `staff:ID`, `adjuster:SVCID`, `operator:NAME`, or `service` for its own work. */
  readonly actor: string;
  /** IP address of the client; null where no request was made. */
  readonly address: string | null;
  readonly action: AuditAction;
  /** Kind and id, such as `claim:ID`; null where there is none. */
  readonly object: string | null;
  /** The claims in the response to a list. */
  readonly claims?: readonly ClaimId[] | undefined;
  /** What the adjuster's device says about an answer. */
  readonly device?: AnswerOnDevice | undefined;
  /** What was set. */
  readonly changes?: AuditChanges | undefined;
  /** `ok`, or the code of the error. */
  readonly outcome: string;
  readonly requestId: string | null;
}

/**
 * Each firm has its own chain. The service's chain has the events that belong to no firm, such as a failed sign-in
 * or a session of an adjuster without a firm.
 */
export type AuditChainId = FirmId;

export const SERVICE_CHAIN = '00000000-0000-0000-0000-000000000000' as AuditChainId;

/** Who caused an event, and from where. */
export type AuditCaller = Pick<AuditEntry, 'actor' | 'address' | 'requestId'>;

export interface AuditEvent {
  readonly chain: AuditChainId;
  readonly entry: AuditEntry;
}

/** A link of a chain as stored: one event, or several. */
export interface AuditRow {
  readonly seq: number;
  /** Of its first event. */
  readonly at: Instant;
  /** Its events as the text that was hashed. */
  readonly text: string;
  /** Hexadecimal. */
  readonly hash: string;
}

/** The ends of a chain. */
export interface AuditChain {
  /** The latest row; seq 0: none yet. */
  readonly last: AuditLink;
  /** The row before the oldest that is kept: retention deletes from the start of the chain. */
  readonly purged: AuditLink;
}

export interface AuditLink {
  readonly seq: number;
  readonly hash: string;
}
