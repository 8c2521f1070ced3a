import type { ClaimId, FirmId, Instant, Svcid } from '@svc/domain';
import type { AdjusterActor, FirmActor, Operator } from '../actors.ts';
import {
  type AuditAction,
  type AuditChainId,
  type AuditEntry,
  type AuditEvent,
  SERVICE_CHAIN,
} from '../ports/audit.ts';
import type { Clock } from '../ports/support.ts';
import type { Tx } from '../ports/unit-of-work.ts';

/** Who caused an event, and from where. */
export type AuditCaller = Pick<AuditEntry, 'actor' | 'address' | 'requestId'>;

const NO_REQUEST = { address: null, requestId: null } as const;

export const byFirm = ({ firmId, origin }: FirmActor): AuditCaller =>
  origin === undefined
    ? { actor: `firm:${firmId}`, ...NO_REQUEST }
    : { actor: `key:${origin.keyId}`, address: origin.address, requestId: origin.requestId };

export const byAdjuster = ({ svcId, origin }: AdjusterActor): AuditCaller => ({
  actor: `adjuster:${svcId}`,
  address: origin?.address ?? null,
  requestId: origin?.requestId ?? null,
});

export const byOperator = ({ name }: Operator): AuditCaller => ({ actor: `operator:${name}`, ...NO_REQUEST });

/** The service's own work: simulated adjusters, retention. */
export const BY_SERVICE: AuditCaller = { actor: 'service', ...NO_REQUEST };

export const claimObject = (id: ClaimId): string => `claim:${id}`;
export const adjusterObject = (svcId: Svcid): string => `adjuster:${svcId}`;
export const firmObject = (id: FirmId): string => `firm:${id}`;

interface Act {
  readonly at: Instant;
  readonly action: AuditAction;
  readonly object: string | null;
  readonly outcome?: string;
}

export const auditEvent = (
  chain: AuditChainId,
  caller: AuditCaller,
  { at, action, object, outcome = 'ok' }: Act,
): AuditEvent => ({ chain, entry: { at, ...caller, action, object, outcome } });

/** Records an act in the chain of the firm it belongs to. */
export const recordAct = (tx: Tx, firmId: FirmId, caller: AuditCaller, act: Act): Promise<void> =>
  tx.audit.record(auditEvent(firmId, caller, act));

/** Records what the operator did to a firm. */
export const recordFirmAct = (
  tx: Tx,
  { clock, operator }: { readonly clock: Clock; readonly operator: Operator },
  id: FirmId,
  action: AuditAction,
): Promise<void> =>
  recordAct(tx, id, byOperator(operator), { at: clock.now(), action, object: firmObject(id) });

/** Records an act on an account in the chain of each firm it is an active member of; without any, in the service's. */
export async function recordAccountAct(
  tx: Tx,
  svcId: Svcid,
  caller: AuditCaller,
  act: Omit<Act, 'object'>,
): Promise<void> {
  const firms = await tx.memberships.activeFirmsOf(svcId);
  for (const firmId of firms.length === 0 ? [SERVICE_CHAIN] : firms)
    await recordAct(tx, firmId, caller, { ...act, object: adjusterObject(svcId) });
}

/** Records what an adjuster did to the own account. */
export const recordOwnAct = (
  tx: Tx,
  { clock }: { readonly clock: Clock },
  actor: AdjusterActor,
  action: AuditAction,
): Promise<void> => recordAccountAct(tx, actor.svcId, byAdjuster(actor), { at: clock.now(), action });
