import {
  type AuditCaller,
  type AuditEvent,
  adjusterObject,
  auditEvent,
  claimObject,
  firmObject,
  importObject,
  keyObject,
  type RejectedAnswer,
  SERVICE_CHAIN,
  staffObject,
  webhookObject,
} from '@svc/application';
import type { Endpoint, ErrorCode } from '@svc/contract';
import type { AuditAction, ClaimId, FirmId, Instant, KeyId, StaffId, Svcid } from '@svc/domain';

/** What a response shows of people, claims, keys and webhooks, or of the trail itself. */
export interface AuditedRead {
  readonly firmId: FirmId;
  readonly action: Extract<AuditAction, `${string}.read`>;
  readonly object: string | null;
  readonly claims?: readonly ClaimId[];
}

/** A page of claims of one firm; an empty one reveals nothing. */
export const claimsRead = (firmId: FirmId, rows: readonly { readonly id: ClaimId }[]): AuditedRead[] =>
  rows.length === 0
    ? []
    : [{ firmId, action: 'claims.read', object: null, claims: rows.map(({ id }) => id) }];

/** Filled in step by step, like the trace it belongs to. */
export interface AuditedRequest {
  readonly caller: AuditCaller;
  /** Null: only reads in the response are recorded. */
  readonly action: AuditAction | null;
  /** Null for adjusters, who may belong to several firms. Staff belong to one. */
  readonly firmId: FirmId | null;
  readonly params: Readonly<Record<string, string>>;
  reads?: readonly AuditedRead[];
  /** Why items of a list were rejected, each code once. */
  rejections?: readonly ErrorCode[];
  /** Of an offer, where it does not count. */
  rejectedAnswer?: Pick<RejectedAnswer, 'firmId' | 'device' | 'isRecorded'>;
}

export const auditedRequest = (
  { audit: action }: Pick<Endpoint, 'audit'>,
  params: AuditedRequest['params'],
  caller: AuditCaller,
  firmId: FirmId | null,
): AuditedRequest => ({ caller, action, firmId, params });

/** Nothing was attempted, or nothing is known about it. Rejected in any number, they would fill the trail. */
const NOT_RECORDED: ReadonlySet<ErrorCode> = new Set([
  'malformed_request',
  'validation_failed',
  'payload_too_large',
  'rate_limited',
  'internal_error',
  'service_unavailable',
]);

function objectOf({
  id,
  svc_id,
  firm_id,
  staff_id,
  key_id,
  webhook_id,
  import_id,
}: AuditedRequest['params']): string | null {
  if (id !== undefined) return claimObject(id as ClaimId);
  if (svc_id !== undefined) return adjusterObject(svc_id as Svcid);
  // A secret that was pasted instead of an id is not recorded.
  if (key_id !== undefined) return /^key_[\w-]{1,60}$/.test(key_id) ? keyObject(key_id as KeyId) : null;
  if (staff_id !== undefined) return staffObject(staff_id as StaffId);
  if (webhook_id !== undefined) return webhookObject(webhook_id);
  if (import_id !== undefined) return importObject(import_id);
  return firm_id === undefined ? null : firmObject(firm_id as FirmId);
}

/** The events of a completed request that no transaction has recorded. */
export function auditEventsOf(
  { caller, action, firmId, params, reads = [], rejections = [], rejectedAnswer }: AuditedRequest,
  result: { readonly at: Instant; readonly code: string | undefined; readonly aborted: boolean },
): AuditEvent[] {
  const { at, code, aborted } = result;
  // An aborted response may have been received in part.
  const outcome = aborted ? 'aborted' : (code ?? 'ok');
  if (reads.length > 0) {
    const { actor, address, requestId } = caller;
    // Copies with `...` take most of a microsecond of a read.
    return reads.map(({ firmId: chain, action, object, claims }) => ({
      chain,
      entry: { at, actor, address, action, object, claims, outcome, requestId },
    }));
  }
  if (rejectedAnswer?.isRecorded === true) return [];
  if (action === null) return [];
  const codes = code === undefined ? rejections : [code];
  const chain = firmId ?? rejectedAnswer?.firmId ?? SERVICE_CHAIN;
  const audited = { at, action, object: objectOf(params), device: rejectedAnswer?.device };
  return codes
    .filter((each) => !NOT_RECORDED.has(each as ErrorCode))
    .map((each) => auditEvent(chain, caller, { ...audited, outcome: each }));
}
