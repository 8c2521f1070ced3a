import {
  type AuditAction,
  checkKeyCount,
  checkKeyPurpose,
  checkReplacedKeyCount,
  DEFAULT_MAX_KEYS,
  DomainError,
  type Environment,
  type FirmId,
  type Instant,
  type KeyId,
  type Purpose,
  type StaffId,
  type StaffRef,
} from '@svc/domain';
import { changesBetween, keyObject, recordAction } from '../audit/events.ts';
import { existingAccount } from '../auth/accounts.ts';
import { type ApiKey, endOfLifetime, isReplacedKey, isWorkingKey } from '../model/api-key.ts';
import type { AuditCaller, AuditChanges } from '../model/audit.ts';
import { toDateTimeOrNull } from '../model/date-time.ts';
import type { Firm } from '../model/firm.ts';
import type { Needs } from '../ports/needs.ts';
import type { Tx } from '../ports/unit-of-work.ts';
import { lockUnerasedFirm } from './existing.ts';

export interface IssuedKey {
  readonly key: ApiKey;
  /** Shown once. */
  readonly secret: string;
}

interface KeyProperties {
  readonly firmId: FirmId;
  readonly environment: Environment;
  readonly purpose: Purpose;
  /** Null: the key does not expire. */
  readonly lifetimeMs: number | null;
  readonly name?: string | null | undefined;
}

/** The staff member who makes a key; the operator has no account. */
type Maker = Pick<ApiKey, 'madeBy' | 'madeByName'>;

type Deps = Needs<'uow' | 'secrets' | 'clock' | 'ids' | 'apiKeyAuthenticator'>;

async function issue(
  tx: Tx,
  deps: Deps,
  caller: AuditCaller,
  { firmId, environment, purpose, lifetimeMs, name = null }: KeyProperties,
  maker: Maker,
  createdAt: Instant,
): Promise<IssuedKey> {
  const { secret, hash } = deps.secrets.issue(environment === 'live' ? 'live_key' : 'test_key');
  const key: ApiKey = {
    id: `key_${deps.ids.next()}` as KeyId,
    firmId,
    name,
    environment,
    purpose,
    ...maker,
    secretHash: hash,
    createdAt,
    expiresAt: endOfLifetime({ createdAt, lifetimeMs }),
    revokedAt: null,
    lifetimeMs,
    lastUsedAt: null,
  };
  await tx.keys.add(key);
  await recordKeyAction(tx, deps, caller, key, 'key.create', changesBetween({}, propertiesOf(key)));
  return { key, secret };
}

function recordKeyAction(
  tx: Tx,
  { clock }: Deps,
  caller: AuditCaller,
  key: ApiKey,
  action: AuditAction,
  changes: AuditChanges | null,
): Promise<void> {
  return recordAction(tx, key.firmId, caller, {
    at: clock.now(),
    action,
    object: keyObject(key.id),
    changes,
  });
}

const expiryOf = ({ expiresAt }: ApiKey) => ({ expires_at: toDateTimeOrNull(expiresAt) });

const propertiesOf = (key: ApiKey) => ({
  environment: key.environment,
  purpose: key.purpose,
  ...expiryOf(key),
});

/** A secret that was pasted instead of an id must not be shown. */
const shownId = (id: KeyId): string => (id.startsWith('svc_') ? 'given, which is the secret of a key' : id);

/** @param firmId whose key it must be; absent for the operator. */
async function lockKey(tx: Tx, id: KeyId, firmId: FirmId | undefined): Promise<ApiKey> {
  const key = await tx.keys.lock(id);
  if (key === null || (firmId !== undefined && key.firmId !== firmId))
    throw new DomainError('not_found', `No key has the id ${shownId(id)}.`);
  return key;
}

/** With the role of this moment: the firm is locked, as it is for a change of a role. */
async function makerOf(
  tx: Tx,
  by: StaffRef | undefined,
  { environment, purpose }: Pick<ApiKey, 'environment' | 'purpose'>,
): Promise<Maker> {
  if (by === undefined) return { madeBy: null, madeByName: null };
  const { staffId, name, role } = existingAccount(await tx.staff.find(by));
  checkKeyPurpose(role, environment, purpose);
  return { madeBy: staffId, madeByName: name };
}

/** Of one environment. The firm is locked, so that no other request adds one. */
async function countKeys(
  tx: Tx,
  { firmId, environment }: Pick<ApiKey, 'firmId' | 'environment'>,
  now: Instant,
): Promise<{ readonly working: number; readonly replaced: number }> {
  const keys = (await tx.keys.working(firmId, now)).filter((key) => key.environment === environment);
  const replaced = keys.filter(isReplacedKey).length;
  return { working: keys.length - replaced, replaced };
}

const maxKeysOf = ({ maxKeys }: Firm): number => maxKeys ?? DEFAULT_MAX_KEYS;

/** @param by the staff member who makes the key; absent for the operator. */
export const makeCreateKey =
  (deps: Deps) =>
  (caller: AuditCaller, properties: KeyProperties, by?: StaffRef): Promise<IssuedKey> =>
    deps.uow.run(async (tx) => {
      const firm = await lockUnerasedFirm(tx, properties.firmId);
      const maker = await makerOf(tx, by, properties);
      const at = deps.clock.now();
      const { working } = await countKeys(tx, properties, at);
      checkKeyCount(properties.environment, working, maxKeysOf(firm));
      return issue(tx, deps, caller, properties, maker, at);
    });

export const makeRenameKey =
  (deps: Deps) =>
  (caller: AuditCaller, id: KeyId, name: string | null, firmId: FirmId): Promise<ApiKey> =>
    deps.uow.run(async (tx) => {
      const key = await lockKey(tx, id, firmId);
      if (key.name === name) return key;
      const renamed = { ...key, name };
      await tx.keys.save(renamed);
      await recordKeyAction(tx, deps, caller, key, 'key.rename', null);
      return renamed;
    });

async function revoke(tx: Tx, deps: Deps, caller: AuditCaller, key: ApiKey): Promise<ApiKey> {
  if (key.revokedAt !== null) return key;
  const revoked = { ...key, revokedAt: deps.clock.now() };
  await tx.keys.save(revoked);
  await recordKeyAction(tx, deps, caller, key, 'key.revoke', null);
  return revoked;
}

/** A key that is revoked again keeps the time of its first revocation. */
export const makeRevokeKey =
  (deps: Deps) =>
  async (caller: AuditCaller, id: KeyId, firmId?: FirmId): Promise<ApiKey> => {
    const revoked = await deps.uow.run(async (tx) => revoke(tx, deps, caller, await lockKey(tx, id, firmId)));
    deps.apiKeyAuthenticator.invalidate();
    return revoked;
  };

/** Revokes all working keys that one person made, who may have been removed. */
export const makeRevokeKeysOfMaker =
  (deps: Deps) =>
  async (caller: AuditCaller, { firmId, staffId }: StaffRef): Promise<ApiKey[]> => {
    const revoked = await deps.uow.run(async (tx) => {
      const own = (await tx.keys.working(firmId, deps.clock.now())).filter(isMadeBy(staffId));
      const keys: ApiKey[] = [];
      // In one order, so that two such requests do not wait for each other.
      for (const id of own.map((key) => key.id).sort())
        keys.push(await revoke(tx, deps, caller, await lockKey(tx, id, firmId)));
      return keys;
    });
    deps.apiKeyAuthenticator.invalidate();
    return revoked;
  };

const isMadeBy =
  (staffId: StaffId) =>
  ({ madeBy }: ApiKey): boolean =>
    madeBy === staffId;

/**
 * Replaces a key with one of the same firm, environment, purpose, lifetime and name; the old one works for the overlap.
 *
 * @param by as above; the key must be of the firm of this person, who will see the secret of the new one.
 */
export const makeRollKey =
  (deps: Deps) =>
  async (
    caller: AuditCaller,
    id: KeyId,
    overlapMs: number,
    by?: StaffRef,
  ): Promise<IssuedKey & { readonly replaced: ApiKey }> => {
    const rolled = await deps.uow.run(async (tx) => {
      const old = await lockKey(tx, id, by?.firmId);
      if (old.revokedAt !== null)
        throw new DomainError('key_revoked', `The key ${id} is revoked; create a new one.`);
      if (isReplacedKey(old))
        throw new DomainError(
          'already_rolled',
          `The key ${id} was rolled already. Use the key that replaced it; if its secret is lost, revoke that key and create a new one.`,
        );
      const firm = await lockUnerasedFirm(tx, old.firmId);
      const maker = await makerOf(tx, by, old);
      const at = deps.clock.now();
      const end = at + overlapMs;
      // Always shortened: that is how a key that was rolled is recognized.
      const replaced = { ...old, expiresAt: old.expiresAt === null ? end : Math.min(old.expiresAt - 1, end) };
      const counts = await countKeys(tx, old, at);
      // One that has expired makes no room for the new one.
      if (!isWorkingKey(old, at)) checkKeyCount(old.environment, counts.working, maxKeysOf(firm));
      else if (isWorkingKey(replaced, at))
        checkReplacedKeyCount(old.environment, counts.replaced, maxKeysOf(firm));
      await tx.keys.save(replaced);
      const changes = changesBetween(expiryOf(old), expiryOf(replaced));
      await recordKeyAction(tx, deps, caller, old, 'key.roll', changes);
      return { ...(await issue(tx, deps, caller, old, maker, at)), replaced };
    });
    deps.apiKeyAuthenticator.invalidate();
    return rolled;
  };
