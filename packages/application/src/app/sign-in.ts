import { type Adjuster, DAY, DomainError, type KeyLimits, MINUTE, type Svcid } from '@svc/domain';
import type { RateLimiter } from '../ports/limits.ts';
import type { Clock, Mailer, Secrets } from '../ports/support.ts';
import type { Tx, UnitOfWork } from '../ports/unit-of-work.ts';

/** A session ends this long after its last use. */
export const SESSION_LIFETIME = 90 * DAY;
const SIGN_IN_CODE_LIFETIME = 10 * MINUTE;
const SIGN_IN_CODE_TRIES = 5;
/** Mails to one address: five at once, then one a minute. More would be somebody else's mischief. */
const CODE_REQUESTS: KeyLimits = { requestsPerMinute: 1, writesPerMinute: 1, burst: 5 };

const emailKey = (email: string): string => email.toLowerCase();
const refused = (): DomainError =>
  new DomainError('sign_in_refused', 'That did not match, or it is too late for it.');

/** Mails a six-digit code. Says nothing about whether the account exists, neither by its answer nor by waiting. */
export const makeRequestSignInCode =
  (deps: { uow: UnitOfWork; secrets: Secrets; mailer: Mailer; limiter: RateLimiter; clock: Clock }) =>
  async (email: string): Promise<void> => {
    const spent = await deps.limiter.spend(`sign-in:${emailKey(email)}`, CODE_REQUESTS, { write: false });
    if (!spent.allowed) return;
    const { code, hash } = deps.secrets.issueCode(emailKey(email));
    const known = await deps.uow.run(async (tx) => {
      const adjuster = await tx.adjusters.findByEmail(email);
      if (adjuster === null) return false;
      await tx.signInCodes.put({
        emailKey: emailKey(email),
        codeHash: hash,
        expiresAt: deps.clock.now() + SIGN_IN_CODE_LIFETIME,
        triesLeft: SIGN_IN_CODE_TRIES,
      });
      return true;
    });
    if (known) void deps.mailer.sendSignInCode(email, code);
  };

export interface OpenedSession {
  readonly token: string;
  readonly expiresAt: number;
  readonly adjuster: Adjuster;
}

export type SignInProof =
  | { readonly email: string; readonly code: string }
  /** Test accounts only. */
  | { readonly svcId: Svcid; readonly signInSecret: string };

type SessionDeps = { uow: UnitOfWork; secrets: Secrets; clock: Clock };

/** A session for a device of this adjuster's, who has proved who they are or is vouched for by the operator. */
export async function openSession(
  tx: Tx,
  deps: Pick<SessionDeps, 'secrets' | 'clock'>,
  adjuster: Adjuster,
): Promise<OpenedSession> {
  const { secret, hash } = deps.secrets.issue('app_session');
  const expiresAt = deps.clock.now() + SESSION_LIFETIME;
  await tx.sessions.add({ tokenHash: hash, svcId: adjuster.svcId, expiresAt });
  return { token: secret, expiresAt, adjuster };
}

/** Opens a session for a device. */
export const makeSignIn =
  (deps: SessionDeps) =>
  async (proof: SignInProof): Promise<OpenedSession> => {
    // A wrong code costs a try, which must be kept: so the unit returns its refusal instead of throwing it.
    const opened = await deps.uow.run(async (tx) =>
      'code' in proof
        ? byCode(tx, deps, proof.email, proof.code)
        : bySecret(tx, deps, proof.svcId, proof.signInSecret),
    );
    if (opened === null) throw refused();
    return opened;
  };

async function byCode(tx: Tx, deps: SessionDeps, email: string, code: string): Promise<OpenedSession | null> {
  const key = emailKey(email);
  const held = await tx.signInCodes.lock(key);
  if (held === null || deps.clock.now() >= held.expiresAt || held.triesLeft <= 0) return null;
  if (!deps.secrets.equal(held.codeHash, deps.secrets.hashOfCode(key, code))) {
    await tx.signInCodes.put({ ...held, triesLeft: held.triesLeft - 1 });
    return null;
  }
  await tx.signInCodes.remove(key);
  const adjuster = await tx.adjusters.findByEmail(email);
  return adjuster === null ? null : openSession(tx, deps, adjuster);
}

async function bySecret(
  tx: Tx,
  deps: SessionDeps,
  svcId: Svcid,
  secret: string,
): Promise<OpenedSession | null> {
  const hash = deps.secrets.hashOf(secret, 'sign_in_secret');
  const held = await tx.adjusters.signInSecretHash(svcId);
  if (hash === null || held === null || !deps.secrets.equal(hash, held)) return null;
  const adjuster = await tx.adjusters.find(svcId);
  return adjuster === null ? null : openSession(tx, deps, adjuster);
}

/** Ends every session of the adjuster, and tells none of their devices anything more. */
export const makeSignOutEverywhere =
  (deps: { uow: UnitOfWork }) =>
  (svcId: Svcid): Promise<void> =>
    deps.uow.run(async (tx) => {
      await tx.sessions.removeAllOf(svcId);
      await tx.devices.removeAllOf(svcId);
    });

/** Ends the session of this token. */
export const makeSignOut =
  (deps: { uow: UnitOfWork }) =>
  (tokenHash: string): Promise<void> =>
    deps.uow.run((tx) => tx.sessions.remove(tokenHash));
