import type { ClaimId, FirmId, Instant } from '@svc/domain';

/** What the audit trail records. Stored and exported: names may be added, never changed. */
export const AUDIT_ACTIONS = [
  'adjuster.create',
  'adjuster.disable',
  'adjuster.enable',
  'adjusters.read',
  'audit.export',
  'audit.purge',
  'audit.read',
  'audit.verify',
  'availability.change',
  'carrier.change',
  'carrier.remove',
  'claim.accept',
  'claim.close',
  'claim.offer',
  'claim.push',
  'claim.push_withdrawn',
  'claim.read',
  'claim.reject',
  'claim.send',
  'claim.work',
  'claims.check',
  'claims.import',
  'claims.purge',
  'claims.read',
  'database.backup',
  'database.distribute',
  'database.migrate',
  'database.move',
  'database.restore',
  'deadline.change',
  'email.change',
  'email.confirm',
  'encryption.apply',
  'encryption.rotate',
  'faults.clear',
  'faults.set',
  'feed.restamp',
  'firm.create',
  'firm.erase',
  'firm.export',
  'firm.hold',
  'firm.limits',
  'firm.offer_wait',
  'firm.plan',
  'firm.release',
  'imports.read',
  'invitation.accept',
  'invitation.decline',
  'invitation.send',
  'invitation.withdraw',
  'key.create',
  'key.rename',
  'key.revoke',
  'key.roll',
  'keys.read',
  'member.add',
  'member.change',
  'member.leave',
  'member.pause',
  'member.permission',
  'member.remove',
  'member.resume',
  'passkey.add',
  'passkey.remove',
  'passkey.rename',
  'profile.change',
  'readiness.read',
  'report.read',
  'requests.read',
  'session.end',
  'session.open',
  'sessions.end',
  'sign_in',
  'staff.change',
  'staff.invite',
  'staff.read',
  'staff.remove',
  'staff.rename',
  'staff.role',
  'staff.settings',
  'webhook.change',
  'webhook.create',
  'webhook.pause',
  'webhook.remove',
  'webhook.replay',
  'webhook.resume',
  'webhook.roll',
  'webhook.test',
  'webhooks.read',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

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
  /** What the operator set. */
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
