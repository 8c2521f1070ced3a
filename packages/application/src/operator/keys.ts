import { DomainError, type Environment, type FirmId, type KeyId, type Purpose } from '@svc/domain';
import { type AuditCaller, changesBetween, keyObject, recordAction } from '../audit/events.ts';
import type { ApiKeyAuthenticator } from '../auth/api-key-authenticator.ts';
import type { ApiKey } from '../model/api-key.ts';
import type { AuditAction, AuditChanges } from '../model/audit.ts';
import { toDateTimeOrNull } from '../model/date-time.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Tx, UnitOfWork } from '../ports/unit-of-work.ts';
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
}

type Deps = {
  uow: UnitOfWork;
  secrets: Secrets;
  clock: Clock;
  ids: Ids;
  apiKeyAuthenticator: ApiKeyAuthenticator;
};

const endOfLifetime = ({ createdAt, lifetimeMs }: Pick<ApiKey, 'createdAt' | 'lifetimeMs'>) =>
  lifetimeMs === null ? null : createdAt + lifetimeMs;

async function issue(
  tx: Tx,
  deps: Deps,
  { firmId, environment, purpose, lifetimeMs }: KeyProperties,
  createdAt: number,
): Promise<IssuedKey> {
  const { secret, hash } = deps.secrets.issue(environment === 'live' ? 'live_key' : 'test_key');
  const key: ApiKey = {
    id: `key_${deps.ids.next()}` as KeyId,
    firmId,
    environment,
    purpose,
    secretHash: hash,
    createdAt,
    expiresAt: endOfLifetime({ createdAt, lifetimeMs }),
    revokedAt: null,
    lifetimeMs,
    lastUsedAt: null,
  };
  await tx.keys.add(key);
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

export const makeCreateKey =
  (deps: Deps) =>
  (caller: AuditCaller, properties: KeyProperties): Promise<IssuedKey> =>
    deps.uow.run(async (tx) => {
      await lockUnerasedFirm(tx, properties.firmId);
      const issued = await issue(tx, deps, properties, deps.clock.now());
      await recordKeyAction(
        tx,
        deps,
        caller,
        issued.key,
        'key.create',
        changesBetween({}, propertiesOf(issued.key)),
      );
      return issued;
    });

/** A key that is revoked again keeps the time of its first revocation. */
export const makeRevokeKey =
  (deps: Deps) =>
  async (caller: AuditCaller, id: KeyId, firmId?: FirmId): Promise<ApiKey> => {
    const revoked = await deps.uow.run(async (tx) => {
      const key = await lockKey(tx, id, firmId);
      if (key.revokedAt !== null) return key;
      const next = { ...key, revokedAt: deps.clock.now() };
      await tx.keys.save(next);
      await recordKeyAction(tx, deps, caller, key, 'key.revoke', null);
      return next;
    });
    deps.apiKeyAuthenticator.invalidate();
    return revoked;
  };

/** Replaces a key with one of the same firm, environment, purpose and lifetime; the old one works for the overlap. */
export const makeRollKey =
  (deps: Deps) =>
  async (
    caller: AuditCaller,
    id: KeyId,
    overlapMs: number,
    firmId?: FirmId,
  ): Promise<IssuedKey & { readonly replaced: ApiKey }> => {
    const rolled = await deps.uow.run(async (tx) => {
      const old = await lockKey(tx, id, firmId);
      if (old.revokedAt !== null)
        throw new DomainError('key_revoked', `The key ${id} is revoked; create a new one.`);
      if (old.expiresAt !== endOfLifetime(old))
        throw new DomainError(
          'already_rolled',
          `The key ${id} was rolled already. Use the key that replaced it; if its secret is lost, revoke that key and create a new one.`,
        );
      await lockUnerasedFirm(tx, old.firmId);
      const at = deps.clock.now();
      const end = at + overlapMs;
      // Always shortened: that is how a key that was rolled is recognized.
      const replaced = { ...old, expiresAt: old.expiresAt === null ? end : Math.min(old.expiresAt - 1, end) };
      await tx.keys.save(replaced);
      await recordKeyAction(
        tx,
        deps,
        caller,
        old,
        'key.roll',
        changesBetween(expiryOf(old), expiryOf(replaced)),
      );
      const issued = await issue(tx, deps, old, at);
      await recordKeyAction(
        tx,
        deps,
        caller,
        issued.key,
        'key.create',
        changesBetween({}, propertiesOf(issued.key)),
      );
      return { ...issued, replaced };
    });
    deps.apiKeyAuthenticator.invalidate();
    return rolled;
  };
