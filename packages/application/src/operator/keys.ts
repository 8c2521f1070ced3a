import type { Environment, FirmId, KeyId, Purpose } from '@svc/domain';
import type { ApiKeyAuthenticator } from '../auth/api-key-authenticator.ts';
import type { Clock, Ids, Secrets } from '../ports/support.ts';
import type { ApiKey, Tx, UnitOfWork } from '../ports/unit-of-work.ts';
import { OperatorError } from './operator-error.ts';

export interface IssuedKey {
  readonly key: ApiKey;
  /** Shown once. */
  readonly secret: string;
}

type Deps = {
  uow: UnitOfWork;
  secrets: Secrets;
  clock: Clock;
  ids: Ids;
  apiKeyAuthenticator: ApiKeyAuthenticator;
};

async function issue(
  tx: Tx,
  deps: Deps,
  properties: { firmId: FirmId; environment: Environment; purpose: Purpose; expiresAt: number | null },
  createdAt: number,
): Promise<IssuedKey> {
  const { secret, hash } = deps.secrets.issue(properties.environment === 'live' ? 'live_key' : 'test_key');
  const key: ApiKey = {
    ...properties,
    id: `key_${deps.ids.next()}` as KeyId,
    secretHash: hash,
    createdAt,
    revokedAt: null,
    lastUsedAt: null,
  };
  await tx.keys.add(key);
  return { key, secret };
}

async function lockKey(tx: Tx, id: KeyId): Promise<ApiKey> {
  const key = await tx.keys.lock(id);
  if (key === null) throw new OperatorError(`no key has the id ${id}`);
  return key;
}

/** @param command.lifetime milliseconds; null: the key does not expire. */
export const makeCreateKey =
  (deps: Deps) =>
  (command: {
    firmId: FirmId;
    environment: Environment;
    purpose: Purpose;
    lifetime: number | null;
  }): Promise<IssuedKey> =>
    deps.uow.run(async (tx) => {
      const { firmId, environment, purpose, lifetime } = command;
      if ((await tx.firms.lock(firmId)) === null) throw new OperatorError(`no firm has the id ${firmId}`);
      const at = deps.clock.now();
      const expiresAt = lifetime === null ? null : at + lifetime;
      return issue(tx, deps, { firmId, environment, purpose, expiresAt }, at);
    });

/** Revoking again keeps the first time. */
export const makeRevokeKey =
  (deps: Deps) =>
  async (id: KeyId): Promise<ApiKey> => {
    const revoked = await deps.uow.run(async (tx) => {
      const key = await lockKey(tx, id);
      const next = { ...key, revokedAt: key.revokedAt ?? deps.clock.now() };
      await tx.keys.save(next);
      return next;
    });
    deps.apiKeyAuthenticator.invalidate();
    return revoked;
  };

/**
 * Replaces a key by a new one of the same firm, environment and purpose; the old one stays valid for the overlap.
 *
 * @param overlap milliseconds.
 */
export const makeRollKey =
  (deps: Deps) =>
  async (id: KeyId, overlap: number): Promise<IssuedKey & { readonly replaced: ApiKey }> => {
    const rolled = await deps.uow.run(async (tx) => {
      const old = await lockKey(tx, id);
      if (old.revokedAt !== null) throw new OperatorError(`the key ${id} is revoked; create a new one`);
      const at = deps.clock.now();
      const end = at + overlap;
      const replaced = { ...old, expiresAt: old.expiresAt === null ? end : Math.min(old.expiresAt, end) };
      await tx.keys.save(replaced);
      const { firmId, environment, purpose } = old;
      const properties = { firmId, environment, purpose, expiresAt: null };
      return { ...(await issue(tx, deps, properties, at)), replaced };
    });
    deps.apiKeyAuthenticator.invalidate();
    return rolled;
  };
