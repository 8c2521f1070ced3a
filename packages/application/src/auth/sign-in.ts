import {
  type Adjuster,
  type Attempts,
  DAY,
  DomainError,
  emailKey,
  type FirmId,
  type Instant,
  SIGN_IN_CODE_LIFETIME_MS,
  SIGN_IN_CODE_TRIES,
  SIGN_IN_LIMITS,
  type Svcid,
  withAttempt,
} from '@svc/domain';
import type { AdjusterActor, RequestOrigin } from '../actors.ts';
import {
  type AuditCaller,
  adjusterObject,
  auditEvent,
  byAdjuster,
  recordAccountAction,
  recordOwnAction,
} from '../audit/events.ts';
import { TooManyAttempts } from '../errors/too-many-attempts.ts';
import { type AuditChainId, type AuditEvent, SERVICE_CHAIN } from '../model/audit.ts';
import type { PasskeyAssertion } from '../model/passkey.ts';
import type { SessionMethod } from '../model/session.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Mailer } from '../ports/mailer.ts';
import type { PasskeyVerifier } from '../ports/passkey-verifier.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { SignInMonitor } from '../ports/sign-in-monitor.ts';
import type { Tx, UnitOfWork } from '../ports/unit-of-work.ts';
import { countAttempt, lockCounters } from './attempt-counters.ts';
import { usePasskey, verifyPasskey } from './passkeys.ts';

/** A session ends this long after its last use. */
export const SESSION_LIFETIME_MS = 90 * DAY;

const codeNotRequested = (): DomainError =>
  new DomainError(
    'code_not_requested',
    'No valid code was requested here for this email address. Request a new code, and enter it in the same browser.',
  );

const signInFailed = (): DomainError =>
  new DomainError('sign_in_refused', 'Sign-in failed: the code or secret is wrong or has expired.');

/** Groups the addresses of one client: one IPv4 address or one IPv6 network. */
export type NetworkOf = (clientAddress: string) => string;

/**
 * Subjects of the counters. They do not depend on whether an account exists, so limits do not reveal it. `tries` counts
 * wrong codes of a client for an address, `requested` the same for a client that requested the code. A client secret
 * identifies that client on any network. Stored hashes depend on the labels.
 */
const subjectsOf = (
  { hashOfSubject: of }: Secrets,
  email: string,
  client: string,
  clientSecret?: string | undefined,
) => ({
  codesOfClient: of('codes of client', client),
  codesOfClientAndRecipient: of('codes of client and recipient', client, email),
  codesOfRecipient: of('codes of recipient', email),
  codesInTotal: of('codes in total'),
  strangersGuessesAtAccount: of('guesses of strangers at account', email),
  strangersGuessesInTotal: of('guesses of strangers in total'),
  tries: of('tries', client, email),
  requested:
    clientSecret === undefined ? of('asked', client, email) : of('asked with secret', clientSecret, email),
});

/**
 * Under which a code is stored: no address is. With a client secret there is one code for each secret, so that no other
 * client can enter, guess or replace it.
 */
const codeSlot = (secrets: Secrets, key: string, clientSecret: string | undefined): string =>
  clientSecret === undefined
    ? secrets.hashOfSubject('code', key)
    : secrets.hashOfSubject('bound code', key, clientSecret);

/** Locks the counters of codes to an address. */
const lockCodeCounters = (tx: Tx, now: Instant, subjects: ReturnType<typeof subjectsOf>) =>
  lockCounters(
    tx,
    now,
    [
      { limit: SIGN_IN_LIMITS.codesPerClient, subject: subjects.codesOfClient },
      { limit: SIGN_IN_LIMITS.codesPerClientAndRecipient, subject: subjects.codesOfClientAndRecipient },
    ],
    [
      { limit: SIGN_IN_LIMITS.codesPerRecipient, subject: subjects.codesOfRecipient },
      { limit: SIGN_IN_LIMITS.codesInTotal, subject: subjects.codesInTotal },
    ],
  );

/** Counts a code for a new email address like a sign-in code to it. Throws when too many were requested. */
export async function countEmailCode(
  tx: Tx,
  { secrets, clock, networkOf }: { secrets: Secrets; clock: Clock; networkOf: NetworkOf },
  actor: AdjusterActor,
  email: string,
): Promise<void> {
  const now = clock.now();
  // The account stands for the client: its sessions may be on any network.
  const client = actor.origin === undefined ? actor.svcId : networkOf(actor.origin.address);
  const subjects = subjectsOf(secrets, emailKey(email), client);
  const counters = await lockCodeCounters(tx, now, subjects);
  if (counters.pauseMs > 0) throw new TooManyAttempts(counters.pauseMs);
  await counters.count();
}

/** Whether another invitation may be emailed to the adjuster; counts it if so. */
export async function countInvitationMail(
  tx: Tx,
  { secrets, clock }: { secrets: Secrets; clock: Clock },
  firmId: FirmId,
  svcId: Svcid,
): Promise<boolean> {
  const ofFirm = secrets.hashOfSubject('invitations of firm and recipient', firmId, svcId);
  const pauseMs = await countAttempt(tx, clock.now(), [
    { limit: SIGN_IN_LIMITS.invitationsPerFirmAndRecipient, subject: ofFirm },
    {
      limit: SIGN_IN_LIMITS.invitationsPerRecipient,
      subject: secrets.hashOfSubject('invitations of recipient', svcId),
    },
  ]);
  return pauseMs === 0;
}

/**
 * Mails a six-digit code to the address on file. Neither result nor timing reveals whether the account exists. While a
 * code is valid the same one is emailed again, so that another request cannot invalidate it. With a client secret, the
 * code works only together with it.
 */
export const makeRequestSignInCode =
  (deps: {
    uow: UnitOfWork;
    secrets: Secrets;
    mailer: Mailer;
    clock: Clock;
    networkOf: NetworkOf;
    signInMonitor: SignInMonitor;
  }) =>
  async (email: string, clientAddress: string, clientSecret?: string): Promise<void> => {
    const key = emailKey(email);
    const subjects = subjectsOf(deps.secrets, key, deps.networkOf(clientAddress), clientSecret);
    const mail = await deps.uow.run(async (tx) => {
      const now = deps.clock.now();
      const counters = await lockCodeCounters(tx, now, subjects);
      if (counters.pauseMs > 0) return 'paused' as const;
      await counters.count();

      const expiresAt = now + SIGN_IN_CODE_LIFETIME_MS;
      const usedTries = counters.sharedFreeUsedUp ? SIGN_IN_CODE_TRIES - 1 : 0;
      await tx.signInAttempts.lock([subjects.requested]);
      await tx.signInAttempts.put([
        { subject: subjects.requested, count: usedTries, lastAt: now, endsAt: expiresAt },
      ]);
      const adjuster = await tx.adjusters.findByEmail(email);
      const slot = codeSlot(deps.secrets, key, clientSecret);
      const stored = await tx.signInCodes.lock(slot);
      const seed = stored !== null && now < stored.expiresAt ? stored.seed : undefined;
      const issued = deps.secrets.issueCode(key, seed);
      await tx.signInCodes.put({ slot, codeHash: issued.hash, seed: issued.seed, expiresAt });
      if (adjuster === null || adjuster.email === null || adjuster.disabledAt !== undefined) return null;
      return { email: adjuster.email, code: issued.code };
    });
    // Not above, where the work may run again.
    if (mail === 'paused') deps.signInMonitor.count('code_not_mailed');
    else if (mail !== null) void deps.mailer.sendSignInCode(mail.email, mail.code);
  };

export interface OpenedSession {
  readonly token: string;
  readonly expiresAt: number;
  readonly adjuster: Adjuster;
}

interface ProofByCode {
  readonly email: string;
  readonly code: string;
  /** As sent when the code was requested. */
  readonly clientSecret?: string | undefined;
}

interface ProofByPasskey {
  readonly passkey: PasskeyAssertion;
  /** As sent when the options were requested. */
  readonly clientSecret: string;
}

export type SignInProof =
  | ProofByCode
  /** Test accounts only. */
  | { readonly svcId: Svcid; readonly signInSecret: string }
  | ProofByPasskey;

/** What opening a session needs. */
export interface SessionDeps {
  readonly uow: UnitOfWork;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The absolute end of a session after it was opened, however often it is used. */
  readonly sessionMaxAgeMs: number;
}

/** A further session ends the one that has not been used for the longest time. */
export const MAX_SESSIONS_PER_ADJUSTER = 10;

type SignInDeps = SessionDeps & {
  networkOf: NetworkOf;
  /** Takes failed sign-ins, which have no transaction. */
  auditBuffer: { add(event: AuditEvent): void };
  signInMonitor: SignInMonitor;
  passkeyVerifier: PasskeyVerifier;
  passkeysRequired: boolean;
};

/** The account that a failed sign-in named, if there is one, and the chains that record the attempt. */
interface FailedSignIn {
  readonly failed: Adjuster | null;
  /** The code was not requested by this client. */
  readonly notRequested?: true;
  /** The code was right, but the account must use its passkey. */
  readonly needsPasskey?: true;
  readonly chains: readonly AuditChainId[];
}

/**
 * Opens a session for a device; the caller has authenticated the adjuster or is the operator. Null: the account is
 * disabled.
 */
export async function openSession(
  tx: Tx,
  deps: Omit<SessionDeps, 'uow'>,
  svcId: Svcid,
  caller: AuditCaller,
  method: SessionMethod,
  deviceName: string | null,
): Promise<OpenedSession | null> {
  // Locked, so that an account that is disabled at the same time has no session afterwards.
  const adjuster = await tx.adjusters.lock(svcId);
  if (adjuster === null || adjuster.disabledAt !== undefined) return null;
  const { secret, hash } = deps.secrets.issue('app_session');
  const at = deps.clock.now();
  const endsAt = at + deps.sessionMaxAgeMs;
  const expiresAt = Math.min(at + SESSION_LIFETIME_MS, endsAt);
  const open = await tx.sessions.of(svcId);
  for (const surplus of open.slice(MAX_SESSIONS_PER_ADJUSTER - 1)) await tx.sessions.remove(surplus);
  await tx.sessions.add({
    id: deps.ids.next(),
    tokenHash: hash,
    svcId,
    deviceName,
    createdAt: at,
    lastUsedAt: at,
    expiresAt,
    endsAt,
    method,
  });
  await recordAccountAction(tx, svcId, caller, { at, action: 'session.open' });
  return { token: secret, expiresAt, adjuster };
}

/** Opens a session for a device. */
export const makeSignIn =
  (deps: SignInDeps) =>
  async (proof: SignInProof, origin: RequestOrigin, deviceName: string | null): Promise<OpenedSession> => {
    // A wrong code is counted, so the unit must commit: it returns the failure instead of throwing.
    const opening =
      'passkey' in proof
        ? byPasskey(deps, proof, origin, deviceName)
        : deps.uow.run((tx) =>
            'code' in proof
              ? byCode(tx, deps, proof, origin, deviceName)
              : bySecret(tx, deps, proof, origin, deviceName),
          );
    const result = await opening.catch((error: unknown) => {
      if (error instanceof TooManyAttempts) deps.signInMonitor.count('paused');
      throw error;
    });
    if ('token' in result) return result;
    const { failed, chains, notRequested = false, needsPasskey = false } = result;
    deps.signInMonitor.count(notRequested ? 'not_requested_here' : 'refused');
    const caller = { actor: 'anonymous', address: origin.address, requestId: origin.requestId };
    const object = failed === null ? null : adjusterObject(failed.svcId);
    const audited = {
      at: deps.clock.now(),
      action: 'sign_in',
      object,
      outcome: needsPasskey ? 'passkey_required' : 'sign_in_refused',
    } as const;
    for (const chain of chains) deps.auditBuffer.add(auditEvent(chain, caller, audited));
    if (needsPasskey)
      throw new DomainError('passkey_required', 'This account has a passkey. Sign in with it.');
    throw notRequested ? codeNotRequested() : signInFailed();
  };

/** The same statements with and without an account, so that their time does not reveal it. */
async function failedSignIn(tx: Tx, adjuster: Adjuster | null): Promise<FailedSignIn> {
  const firms = await tx.memberships.activeFirmsOf(adjuster?.svcId ?? ('' as Svcid));
  return { failed: adjuster, chains: firms.length === 0 ? [SERVICE_CHAIN] : firms };
}

/** Locks the counter of wrong guesses of a client. Throws while the client must pause: it must not hold shared locks. */
async function lockGuesses(tx: Tx, { secrets, clock, networkOf }: SignInDeps, { address }: RequestOrigin) {
  const subject = secrets.hashOfSubject('guesses of client', networkOf(address));
  const limit = SIGN_IN_LIMITS.guessesPerClient;
  const guesses = await lockCounters(tx, clock.now(), [{ limit, subject }]);
  if (guesses.pauseMs > 0) throw new TooManyAttempts(guesses.pauseMs);
  return guesses;
}

/**
 * A client that requested the code has its own tries, which no one else can use up. All other clients, strangers or the
 * owner on another network, share the limits per account and in total. With a client secret there are no others.
 */
async function byCode(
  tx: Tx,
  deps: SignInDeps,
  { email, code, clientSecret }: ProofByCode,
  origin: RequestOrigin,
  deviceName: string | null,
): Promise<OpenedSession | FailedSignIn> {
  const guesses = await lockGuesses(tx, deps, origin);
  const now = deps.clock.now();
  const key = emailKey(email);
  const subjects = subjectsOf(deps.secrets, key, deps.networkOf(origin.address), clientSecret);
  const [requested = null, tried = null] = await tx.signInAttempts.lock([subjects.requested, subjects.tries]);
  const hasRequested = requested !== null && now < requested.endsAt;
  if (clientSecret !== undefined && !hasRequested) return notRequestedHere(tx, guesses, email);
  const shared = hasRequested
    ? null
    : await lockCounters(tx, now, [
        { limit: SIGN_IN_LIMITS.strangersGuessesPerAccount, subject: subjects.strangersGuessesAtAccount },
        { limit: SIGN_IN_LIMITS.strangersGuessesInTotal, subject: subjects.strangersGuessesInTotal },
      ]);
  if (shared !== null && shared.pauseMs > 0) throw new TooManyAttempts(shared.pauseMs);
  const tries =
    hasRequested || (tried !== null && now < tried.endsAt)
      ? ((hasRequested ? requested : tried) as Attempts)
      : { count: 0, lastAt: now, endsAt: now + SIGN_IN_CODE_LIFETIME_MS };
  if (tries.count >= SIGN_IN_CODE_TRIES) {
    await guesses.count();
    return failedSignIn(tx, await tx.adjusters.findByEmail(email));
  }

  const slot = codeSlot(deps.secrets, key, clientSecret);
  const stored = await tx.signInCodes.lock(slot);
  if (clientSecret !== undefined && stored === null) return notRequestedHere(tx, guesses, email);
  const isCorrect =
    stored !== null &&
    now < stored.expiresAt &&
    deps.secrets.equal(stored.codeHash, deps.secrets.hashOfCode(key, code));
  if (!isCorrect) {
    await guesses.count();
    await shared?.count();
    const subject = hasRequested ? subjects.requested : subjects.tries;
    await tx.signInAttempts.put([{ subject, ...withAttempt(tries, now) }]);
    return failedSignIn(tx, await tx.adjusters.findByEmail(email));
  }
  await tx.signInCodes.remove(slot);
  const adjuster = await tx.adjusters.findByEmail(email);
  if (adjuster === null) return failedSignIn(tx, null);
  const { svcId } = adjuster;
  await tx.adjusters.confirmEmail(svcId);
  if (deps.passkeysRequired && (await tx.passkeys.of(svcId)).length > 0)
    return { ...(await failedSignIn(tx, adjuster)), needsPasskey: true };
  const opened = await openSession(tx, deps, svcId, byAdjuster({ svcId, origin }), 'code', deviceName);
  return opened ?? failedSignIn(tx, adjuster);
}

/** Failures count against the client like wrong codes. The response is verified between two transactions. */
async function byPasskey(
  deps: SignInDeps,
  { passkey: response, clientSecret }: ProofByPasskey,
  origin: RequestOrigin,
  deviceName: string | null,
): Promise<OpenedSession | FailedSignIn> {
  const passkey = await deps.uow.run(async (tx) => {
    await lockGuesses(tx, deps, origin);
    return tx.passkeys.lockByCredential(response.credentialId);
  });
  const proof = passkey && (await verifyPasskey(deps, passkey, response, clientSecret));
  return deps.uow.run(async (tx) => {
    const guesses = await lockGuesses(tx, deps, origin);
    const isValid = proof !== null && (await usePasskey(tx, deps, proof));
    const adjuster = passkey && (await tx.adjusters.find(passkey.svcId));
    if (adjuster === null || !isValid) {
      await guesses.count();
      return failedSignIn(tx, adjuster);
    }
    const { svcId } = adjuster;
    const opened = await openSession(tx, deps, svcId, byAdjuster({ svcId, origin }), 'passkey', deviceName);
    return opened ?? failedSignIn(tx, adjuster);
  });
}

/** Nothing was checked, but the attempt counts against the client. The same for addresses without an account. */
async function notRequestedHere(
  tx: Tx,
  guesses: { count(): Promise<void> },
  email: string,
): Promise<FailedSignIn> {
  await guesses.count();
  return { ...(await failedSignIn(tx, await tx.adjusters.findByEmail(email))), notRequested: true };
}

/** Failures count against the client like wrong codes. */
async function bySecret(
  tx: Tx,
  deps: SignInDeps,
  { svcId, signInSecret }: { readonly svcId: Svcid; readonly signInSecret: string },
  origin: RequestOrigin,
  deviceName: string | null,
): Promise<OpenedSession | FailedSignIn> {
  const guesses = await lockGuesses(tx, deps, origin);
  const hash = deps.secrets.hashOf(signInSecret, 'sign_in_secret');
  const stored = await tx.adjusters.signInSecretHash(svcId);
  const adjuster = await tx.adjusters.find(svcId);
  if (adjuster === null || hash === null || stored === null || !deps.secrets.equal(hash, stored)) {
    await guesses.count();
    return failedSignIn(tx, adjuster);
  }
  const opened = await openSession(tx, deps, svcId, byAdjuster({ svcId, origin }), 'secret', deviceName);
  return opened ?? failedSignIn(tx, adjuster);
}

type SignOutDeps = { uow: UnitOfWork; clock: Clock };

/** Ends every session of the adjuster and removes their devices from push notifications. */
export const makeSignOutEverywhere =
  (deps: SignOutDeps) =>
  (actor: AdjusterActor): Promise<void> =>
    deps.uow.run(async (tx) => {
      await tx.sessions.removeAllOf(actor.svcId);
      await recordOwnAction(tx, deps, actor, 'sessions.end');
    });

/** Ends the session of this token and removes its devices from push notifications. */
export const makeSignOut =
  (deps: SignOutDeps) =>
  (actor: AdjusterActor, tokenHash: string): Promise<void> =>
    deps.uow.run(async (tx) => {
      await tx.sessions.remove({ svcId: actor.svcId, tokenHash });
      await recordOwnAction(tx, deps, actor, 'session.end');
    });

/** Ends another session of the adjuster, by its id, and removes its devices from push notifications. */
export const makeEndSession =
  (deps: SignOutDeps) =>
  (actor: AdjusterActor, sessionId: string): Promise<void> =>
    deps.uow.run(async (tx) => {
      const open = await tx.sessions.of(actor.svcId);
      const session = open.find(({ id }) => id === sessionId);
      if (session === undefined) throw new DomainError('not_found', 'You have no session with this id.');
      await tx.sessions.remove(session);
      await recordOwnAction(tx, deps, actor, 'session.end');
    });
