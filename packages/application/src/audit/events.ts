import type { AuditAction, ClaimId, FirmId, Instant, KeyId, Membership, StaffId, Svcid } from '@svc/domain';
import type { AccountActor, FirmActor } from '../actors.ts';
import type { AccountRef } from '../model/account.ts';
import {
  type AnswerOnDevice,
  type AuditCaller,
  type AuditChainId,
  type AuditChanges,
  type AuditEvent,
  type AuditValue,
  SERVICE_CHAIN,
} from '../model/audit.ts';
import type { Needs } from '../ports/needs.ts';
import type { Tx } from '../ports/unit-of-work.ts';

const NO_REQUEST = { address: null, requestId: null } as const;

export const byFirm = ({ firmId, origin }: FirmActor): AuditCaller =>
  origin === undefined
    ? { actor: `firm:${firmId}`, ...NO_REQUEST }
    : {
        actor: 'keyId' in origin ? `key:${origin.keyId}` : `staff:${origin.staffId}`,
        address: origin.address,
        requestId: origin.requestId,
      };

export const byAccount = (actor: AccountActor): AuditCaller => ({
  actor: accountObject(actor),
  address: actor.origin?.address ?? null,
  requestId: actor.origin?.requestId ?? null,
});

export const byOperator = (name: string): AuditCaller => ({ actor: `operator:${name}`, ...NO_REQUEST });

/** The service's own work: simulated adjusters, retention. */
export const BY_SERVICE: AuditCaller = { actor: 'service', ...NO_REQUEST };

export const claimObject = (id: ClaimId): string => `claim:${id}`;

export const adjusterObject = (svcId: Svcid): string => `adjuster:${svcId}`;

export const webhookObject = (id: string): string => `webhook:${id}`;
export const importObject = (id: string): string => `import:${id}`;
export const keyObject = (id: KeyId): string => `key:${id}`;
export const staffObject = (id: StaffId): string => `staff:${id}`;

export const accountObject = (account: AccountRef): string =>
  'svcId' in account ? adjusterObject(account.svcId) : staffObject(account.staffId);

export const firmObject = (id: FirmId): string => `firm:${id}`;

interface AuditedAction {
  readonly at: Instant;
  readonly action: AuditAction;
  readonly object: string | null;
  readonly outcome?: string;
  readonly device?: AnswerOnDevice | undefined;
  readonly changes?: AuditChanges | null | undefined;
}

export const auditEvent = (
  chain: AuditChainId,
  caller: AuditCaller,
  { at, action, object, outcome = 'ok', device, changes }: AuditedAction,
): AuditEvent => ({
  chain,
  entry: {
    at,
    ...caller,
    action,
    object,
    ...(device !== undefined && { device }),
    ...(changes && { changes }),
    outcome,
  },
});

/** Records an action in the chain of the firm it belongs to. */
export const recordAction = (
  tx: Tx,
  firmId: FirmId,
  caller: AuditCaller,
  audited: AuditedAction,
): Promise<void> => tx.audit.record(auditEvent(firmId, caller, audited));

/** Records what somebody did about an adjuster's membership in a firm. */
export const recordMemberAction = (
  tx: Tx,
  { firmId, svcId }: Pick<Membership, 'firmId' | 'svcId'>,
  caller: AuditCaller,
  audited: Omit<AuditedAction, 'object'>,
): Promise<void> => recordAction(tx, firmId, caller, { ...audited, object: adjusterObject(svcId) });

type AuditValues = Readonly<Record<string, AuditValue>>;

/**
 * The values that differ; null: none. A command that changes nothing is not recorded.
 *
 * @param before without a value that was not set.
 */
export function changesBetween(before: AuditValues, after: AuditValues): AuditChanges | null {
  const changes = Object.keys({ ...before, ...after })
    .map((name) => [name, { from: before[name] ?? null, to: after[name] ?? null }] as const)
    .filter(([, { from, to }]) => from !== to);
  return changes.length === 0 ? null : Object.fromEntries(changes);
}

/** Records what the operator read or copied, and changed nothing. */
export const makeRecordOperatorAction =
  ({ uow, clock, operator }: Needs<'uow' | 'clock' | 'operator'>) =>
  (chain: AuditChainId, action: AuditAction, outcome?: string): Promise<void> =>
    uow.run((tx) =>
      recordAction(tx, chain, operator, {
        at: clock.now(),
        action,
        object: chain === SERVICE_CHAIN ? null : firmObject(chain),
        ...(outcome !== undefined && { outcome }),
      }),
    );

/** Records what the operator did to a firm. */
export const recordFirmAction = (
  tx: Tx,
  { clock, operator }: Needs<'clock' | 'operator'>,
  id: FirmId,
  action: AuditAction,
  changes?: AuditChanges | null,
): Promise<void> =>
  recordAction(tx, id, operator, {
    at: clock.now(),
    action,
    object: firmObject(id),
    changes,
  });

/** The chain of each firm that an adjuster is an active member of, or else the service's; of staff, their firm's. */
export async function chainsOf(tx: Tx, account: AccountRef): Promise<readonly AuditChainId[]> {
  if ('staffId' in account) return [account.firmId];
  const firms = await tx.memberships.activeFirmsOf(account.svcId);
  return firms.length === 0 ? [SERVICE_CHAIN] : firms;
}

/** Records an action on an account. */
export async function recordAccountAction(
  tx: Tx,
  account: AccountRef,
  caller: AuditCaller,
  audited: Omit<AuditedAction, 'object'>,
): Promise<void> {
  for (const chain of await chainsOf(tx, account))
    await recordAction(tx, chain, caller, { ...audited, object: accountObject(account) });
}

/** Records what somebody did to their account. */
export const recordOwnAction = (
  tx: Tx,
  { clock }: Needs<'clock'>,
  actor: AccountActor,
  action: AuditAction,
): Promise<void> => recordAccountAction(tx, actor, byAccount(actor), { at: clock.now(), action });
