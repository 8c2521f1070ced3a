import {
  DAY,
  DomainError,
  emailKey,
  existing,
  type FirmId,
  type Instant,
  SIGN_IN_CODE_LIFETIME_MS,
  SIGN_IN_CODE_TRIES,
  SIGN_IN_LIMITS,
  SIGN_IN_TICKET_LIFETIME_MS,
  type StaffMember,
  type StaffRef,
  type Svcid,
  withAttempt,
} from '@svc/domain';
import type { AccountActor, AdjusterActor, RequestOrigin, StaffActor } from '../actors.ts';
import {
  accountObject,
  auditEvent,
  byAccount,
  chainsOf,
  recordAccountAction,
  recordOwnAction,
} from '../audit/events.ts';
import { TooManyAttempts } from '../errors/too-many-attempts.ts';
import { type Account, type AccountRef, accountRef } from '../model/account.ts';
import type { AuditCaller } from '../model/audit.ts';
import { type AuditChainId, SERVICE_CHAIN } from '../model/audit.ts';
import type { Firm } from '../model/firm.ts';
import type { PasskeyAssertion } from '../model/passkey.ts';
import type { SessionMethod } from '../model/session.ts';
import type { SignInTicket } from '../model/sign-in.ts';
import type { Needs } from '../ports/needs.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Tx } from '../ports/unit-of-work.ts';
import {
  type AccountKind,
  accountRemoved,
  confirmedEmail,
  existingAccount,
  isDisabled,
  STAFF,
} from './accounts.ts';
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
 * client can enter, guess or replace it. A code for one kind of account opens no session of another.
 */
const codeSlot = (
  secrets: Secrets,
  { name }: AccountKind<Account>,
  key: string,
  clientSecret: string | undefined,
): string =>
  clientSecret === undefined
    ? secrets.hashOfSubject('code', name, key)
    : secrets.hashOfSubject('bound code', name, key, clientSecret);

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
  { secrets, clock, networkOf }: Needs<'secrets' | 'clock' | 'networkOf'>,
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

/**
 * Whether another invitation may be emailed; counts it if so.
 *
 * @param recipient the SVCID of an adjuster, or the key of a staff member's address.
 */
export async function countInvitationMail(
  tx: Tx,
  { secrets, clock }: Needs<'secrets' | 'clock'>,
  firmId: FirmId,
  recipient: string,
): Promise<boolean> {
  const ofFirm = secrets.hashOfSubject('invitations of firm and recipient', firmId, recipient);
  const pauseMs = await countAttempt(tx, clock.now(), [
    { limit: SIGN_IN_LIMITS.invitationsPerFirmAndRecipient, subject: ofFirm },
    {
      limit: SIGN_IN_LIMITS.invitationsPerRecipient,
      subject: secrets.hashOfSubject('invitations of recipient', recipient),
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
  (
    deps: Needs<'uow' | 'secrets' | 'mailer' | 'clock' | 'networkOf' | 'signInMonitor'> & {
      accounts: AccountKind<Account>;
    },
  ) =>
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
      const [account] = await deps.accounts.findByEmail(tx, email);
      const slot = codeSlot(deps.secrets, deps.accounts, key, clientSecret);
      const stored = await tx.signInCodes.lock(slot);
      const seed = stored !== null && now < stored.expiresAt ? stored.seed : undefined;
      const issued = deps.secrets.issueCode(key, seed);
      await tx.signInCodes.put({ slot, codeHash: issued.hash, seed: issued.seed, expiresAt });
      if (account === undefined || account.email === null || isDisabled(account)) return null;
      return { email: account.email, code: issued.code };
    });
    // Not above, where the work may run again.
    if (mail === 'paused') deps.signInMonitor.count('code_not_mailed');
    else if (mail !== null) void deps.mailer.sendSignInCode(mail.email, mail.code);
  };

export interface OpenedSession<A extends Account> {
  readonly token: string;
  readonly expiresAt: number;
  readonly account: A;
}

interface ProofByCode {
  readonly email: string;
  readonly code: string;
  /** As sent when the code was requested. */
  readonly clientSecret?: string | undefined;
  /** Which of the firms that the address is staff of. Without it, the person chooses one. */
  readonly firmId?: FirmId | undefined;
}

interface ProofByPasskey {
  readonly passkey: PasskeyAssertion;
  /** As sent when the options were requested. */
  readonly clientSecret: string;
  readonly firmId?: FirmId | undefined;
}

/** The choice of a person of several firms, who has signed in otherwise. */
interface ProofByTicket {
  readonly ticket: string;
  readonly firmId: FirmId;
  /** As sent with the code or the passkey. */
  readonly clientSecret?: string | undefined;
}

export type SignInProof =
  | ProofByCode
  /** Test accounts only. */
  | { readonly svcId: Svcid; readonly signInSecret: string }
  | ProofByPasskey
  | ProofByTicket;

/** What a person of several firms chooses from, with the ticket that proves who they are. */
export interface FirmChoice {
  readonly ticket: string;
  readonly firms: readonly Pick<Firm, 'id' | 'name'>[];
}

/** What opening a session needs. */
export type SessionDeps = Needs<'uow' | 'secrets' | 'clock' | 'ids' | 'sessionMaxAgeMs'>;

/** A further session ends the one that has not been used for the longest time. */
const MAX_SESSIONS_PER_ACCOUNT = 10;

type SignInDeps<A extends Account> = SessionDeps &
  Needs<'networkOf' | 'auditBuffer' | 'signInMonitor' | 'passkeyVerifier' | 'passkeysRequired'> & {
    accounts: AccountKind<A>;
  };

/** The account that a failed sign-in named, if there is one, and the chains that record the attempt. */
interface FailedSignIn {
  readonly failed: AccountRef | null;
  /** The code was not requested by this client. */
  readonly notRequested?: true;
  /** The code was right, but the account must use its passkey. */
  readonly needsPasskey?: true;
  readonly chains: readonly AuditChainId[];
}

/** Opens a session without a sign-in. */
export const openByOperator = <A extends Account>(
  tx: Tx,
  deps: SessionDeps,
  accounts: AccountKind<A>,
  of: AccountRef,
  caller: AuditCaller,
): Promise<OpenedSession<A> | null> =>
  openSession(tx, { ...deps, accounts }, of, caller, 'operator', 'Opened by the operator');

/**
 * Opens a session for a device; the caller has authenticated the account or is the operator. Null: the account is
 * disabled or was removed.
 */
async function openSession<A extends Account>(
  tx: Tx,
  deps: Omit<SessionDeps, 'uow'> & { readonly accounts: AccountKind<A> },
  of: AccountRef,
  caller: AuditCaller,
  method: SessionMethod,
  deviceName: string | null,
): Promise<OpenedSession<A> | null> {
  // Locked, so that an account that is disabled at the same time has no session afterwards.
  const account = await deps.accounts.lock(tx, of);
  if (account === null || isDisabled(account)) return null;
  const { secret, hash } = deps.secrets.issue(deps.accounts.token);
  const at = deps.clock.now();
  const endsAt = at + deps.sessionMaxAgeMs;
  const expiresAt = Math.min(at + SESSION_LIFETIME_MS, endsAt);
  const ref = accountRef(account);
  await endSurplusSessions(tx, ref);
  await tx.sessions.add({
    id: deps.ids.next(),
    tokenHash: hash,
    account: ref,
    deviceName,
    createdAt: at,
    lastUsedAt: at,
    expiresAt,
    endsAt,
    method,
  });
  await recordAccountAction(tx, ref, caller, { at, action: 'session.open' });
  return { token: secret, expiresAt, account };
}

/** Makes room for one more session of the account. */
async function endSurplusSessions(tx: Tx, of: AccountRef): Promise<void> {
  const open = await tx.sessions.of(accountRef(of));
  for (const surplus of open.slice(MAX_SESSIONS_PER_ACCOUNT - 1)) await tx.sessions.remove(surplus);
}

/** Opens a session for a device. */
export const makeSignIn =
  <A extends Account>(deps: SignInDeps<A>) =>
  async (
    proof: SignInProof,
    origin: RequestOrigin,
    deviceName: string | null,
  ): Promise<OpenedSession<A> | FirmChoice> => {
    // A wrong code is counted, so the unit must commit: it returns the failure instead of throwing.
    const opening =
      'passkey' in proof
        ? byPasskey(deps, proof, origin, deviceName)
        : deps.uow.run((tx) =>
            'code' in proof
              ? byCode(tx, deps, proof, origin, deviceName)
              : 'ticket' in proof
                ? byTicket(tx, deps, proof, origin, deviceName)
                : bySecret(tx, deps, proof, origin, deviceName),
          );
    const result = await opening.catch((error: unknown) => {
      if (error instanceof TooManyAttempts) deps.signInMonitor.count('paused');
      throw error;
    });
    if ('token' in result || 'ticket' in result) return result;
    const { failed, chains, notRequested = false, needsPasskey = false } = result;
    deps.signInMonitor.count(notRequested ? 'not_requested_here' : 'refused');
    const caller = { actor: 'anonymous', address: origin.address, requestId: origin.requestId };
    const object = failed === null ? null : accountObject(failed);
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
async function failedSignIn(
  tx: Tx,
  { name }: AccountKind<Account>,
  failed: AccountRef | null = null,
): Promise<FailedSignIn> {
  if (failed === null && name === 'staff') return { failed, chains: [SERVICE_CHAIN] };
  return { failed, chains: await chainsOf(tx, failed ?? { svcId: '' as Svcid }) };
}

/** One of the accounts with the address, for the trail. */
const failedByEmail = async (
  tx: Tx,
  accounts: AccountKind<Account>,
  { email, firmId }: ProofByCode,
): Promise<FailedSignIn> =>
  failedSignIn(tx, accounts, ofFirm(await accounts.findByEmail(tx, email), firmId)[0]);

/** Without a firm, all accounts. */
const ofFirm = <A extends Account>(accounts: readonly A[], firmId: FirmId | undefined): readonly A[] =>
  firmId === undefined
    ? accounts
    : accounts.filter((account) => 'firmId' in account && account.firmId === firmId);

/** Locks the counter of wrong guesses of a client. Throws while the client must pause: it must not hold shared locks. */
async function lockGuesses(
  tx: Tx,
  { secrets, clock, networkOf }: Pick<SignInDeps<Account>, 'secrets' | 'clock' | 'networkOf'>,
  { address }: RequestOrigin,
) {
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
async function byCode<A extends Account>(
  tx: Tx,
  deps: SignInDeps<A>,
  proof: ProofByCode,
  origin: RequestOrigin,
  deviceName: string | null,
): Promise<OpenedSession<A> | FirmChoice | FailedSignIn> {
  const { accounts } = deps;
  const { email, code, clientSecret } = proof;
  const guesses = await lockGuesses(tx, deps, origin);
  const now = deps.clock.now();
  const key = emailKey(email);
  const subjects = subjectsOf(deps.secrets, key, deps.networkOf(origin.address), clientSecret);
  const counted = await tx.signInAttempts.lock([subjects.requested, subjects.tries]);
  const [requested, tried] = counted.map((one) => (one !== null && now < one.endsAt ? one : null));
  const hasRequested = requested != null;
  if (clientSecret !== undefined && !hasRequested) return notRequestedHere(tx, accounts, guesses, proof);
  const shared = hasRequested
    ? null
    : await lockCounters(tx, now, [
        { limit: SIGN_IN_LIMITS.strangersGuessesPerAccount, subject: subjects.strangersGuessesAtAccount },
        { limit: SIGN_IN_LIMITS.strangersGuessesInTotal, subject: subjects.strangersGuessesInTotal },
      ]);
  if (shared !== null && shared.pauseMs > 0) throw new TooManyAttempts(shared.pauseMs);
  const tries = requested ?? tried ?? { count: 0, lastAt: now, endsAt: now + SIGN_IN_CODE_LIFETIME_MS };
  if (tries.count >= SIGN_IN_CODE_TRIES) {
    await guesses.count();
    return failedByEmail(tx, accounts, proof);
  }

  const slot = codeSlot(deps.secrets, accounts, key, clientSecret);
  const stored = await tx.signInCodes.lock(slot);
  if (clientSecret !== undefined && stored === null) return notRequestedHere(tx, accounts, guesses, proof);
  const isCorrect =
    stored !== null &&
    now < stored.expiresAt &&
    deps.secrets.equal(stored.codeHash, deps.secrets.hashOfCode(key, code));
  if (!isCorrect) {
    await guesses.count();
    await shared?.count();
    const subject = hasRequested ? subjects.requested : subjects.tries;
    await tx.signInAttempts.put([{ subject, ...withAttempt(tries, now) }]);
    return failedByEmail(tx, accounts, proof);
  }
  await tx.signInCodes.remove(slot);
  const all = await accounts.findByEmail(tx, email);
  const chosen = ofFirm(all, proof.firmId);
  const [account] = chosen;
  if (account === undefined) return failedSignIn(tx, accounts);
  if (deps.passkeysRequired) {
    // One passkey opens every account of a person, so a code alone opens none of them.
    let hasPasskey = false;
    for (const one of all) {
      if ((await tx.passkeys.of(accountRef(one))).length === 0) continue;
      hasPasskey = true;
      await accounts.confirmEmail(tx, one, now);
    }
    if (hasPasskey) return { ...(await failedSignIn(tx, accounts, accountRef(account))), needsPasskey: true };
  }
  const proven = { method: 'code', hasProvedEmail: true, deviceName, clientSecret } as const;
  return openOrChoose(tx, deps, chosen, origin, proven);
}

/** How the person has proved who they are, on which client. */
interface Proven {
  readonly method: SignInTicket['method'];
  readonly hasProvedEmail: boolean;
  readonly deviceName: string | null;
  readonly clientSecret: string | undefined;
}

/** Opens a session of the only account; of several, the person chooses the firm first. */
async function openOrChoose<A extends Account>(
  tx: Tx,
  deps: SignInDeps<A>,
  chosen: readonly A[],
  origin: RequestOrigin,
  { method, hasProvedEmail, deviceName, clientSecret }: Proven,
): Promise<OpenedSession<A> | FirmChoice | FailedSignIn> {
  const { accounts, secrets, clock } = deps;
  const [account] = chosen;
  if (account === undefined) return failedSignIn(tx, accounts);
  if (chosen.length === 1) {
    if (hasProvedEmail) await accounts.confirmEmail(tx, account, clock.now());
    const ref = accountRef(account);
    const opened = await openSession(tx, deps, ref, byAccount({ ...ref, origin }), method, deviceName);
    return opened ?? failedSignIn(tx, accounts, ref);
  }
  const refs: StaffRef[] = [];
  const firms: FirmChoice['firms'][number][] = [];
  for (const one of chosen) {
    const firm = 'firmId' in one ? await tx.firms.find(one.firmId) : null;
    if (!('firmId' in one) || firm === null) continue;
    refs.push({ firmId: one.firmId, staffId: one.staffId });
    firms.push({ id: firm.id, name: firm.name });
  }
  const { secret, hash } = secrets.issue('sign_in_ticket');
  await tx.signInTickets.add({
    slot: ticketSlot(secrets, hash, clientSecret),
    accounts: refs,
    method,
    expiresAt: clock.now() + SIGN_IN_TICKET_LIFETIME_MS,
  });
  return { ticket: secret, firms };
}

/** Bound to the client like a code. */
const ticketSlot = (secrets: Secrets, hash: string, clientSecret: string | undefined): string =>
  clientSecret === undefined
    ? secrets.hashOfSubject('ticket', hash)
    : secrets.hashOfSubject('bound ticket', hash, clientSecret);

/** Failures count against the client like wrong codes. */
async function byTicket<A extends Account>(
  tx: Tx,
  deps: SignInDeps<A>,
  { ticket, firmId, clientSecret }: ProofByTicket,
  origin: RequestOrigin,
  deviceName: string | null,
): Promise<OpenedSession<A> | FailedSignIn> {
  const { accounts, secrets, clock } = deps;
  const guesses = await lockGuesses(tx, deps, origin);
  const hash = secrets.hashOf(ticket, 'sign_in_ticket');
  const found = hash === null ? null : await tx.signInTickets.take(ticketSlot(secrets, hash, clientSecret));
  const now = clock.now();
  const ref = found?.accounts.find((one) => one.firmId === firmId);
  // Null: the person was removed since.
  const account = ref === undefined ? null : await accounts.find(tx, ref);
  if (found === null || ref === undefined || account === null || now >= found.expiresAt) {
    await guesses.count();
    return failedSignIn(tx, accounts, account === null ? null : accountRef(account));
  }
  await accounts.confirmEmail(tx, account, now);
  const opened = await openSession(tx, deps, ref, byAccount({ ...ref, origin }), found.method, deviceName);
  return opened ?? failedSignIn(tx, accounts, ref);
}

/** Failures count against the client like wrong codes. The response is verified between two transactions. */
async function byPasskey<A extends Account>(
  deps: SignInDeps<A>,
  { passkey: response, clientSecret, firmId }: ProofByPasskey,
  origin: RequestOrigin,
  deviceName: string | null,
): Promise<OpenedSession<A> | FirmChoice | FailedSignIn> {
  const passkey = await deps.uow.run(async (tx) => {
    await lockGuesses(tx, deps, origin);
    return tx.passkeys.lockByCredential(response.credentialId);
  });
  const proof = passkey && (await verifyPasskey(deps, passkey, response, clientSecret));
  return deps.uow.run(async (tx) => {
    const guesses = await lockGuesses(tx, deps, origin);
    const isValid = proof !== null && (await usePasskey(tx, deps, proof));
    const account = passkey && (await deps.accounts.find(tx, passkey.account));
    if (account === null || !isValid) {
      await guesses.count();
      return failedSignIn(tx, deps.accounts, account && accountRef(account));
    }
    const chosen = ofFirm(await deps.accounts.ofPerson(tx, account), firmId);
    const hasProvedEmail = confirmedEmail(account) !== null;
    const proven = { method: 'passkey', hasProvedEmail, deviceName, clientSecret } as const;
    return openOrChoose(tx, deps, chosen, origin, proven);
  });
}

/** Nothing was checked, but the attempt counts against the client. The same for addresses without an account. */
async function notRequestedHere(
  tx: Tx,
  accounts: AccountKind<Account>,
  guesses: { count(): Promise<void> },
  proof: ProofByCode,
): Promise<FailedSignIn> {
  await guesses.count();
  return { ...(await failedByEmail(tx, accounts, proof)), notRequested: true };
}

/** Failures count against the client like wrong codes. */
async function bySecret<A extends Account>(
  tx: Tx,
  deps: SignInDeps<A>,
  { svcId, signInSecret }: { readonly svcId: Svcid; readonly signInSecret: string },
  origin: RequestOrigin,
  deviceName: string | null,
): Promise<OpenedSession<A> | FailedSignIn> {
  const guesses = await lockGuesses(tx, deps, origin);
  const hash = deps.secrets.hashOf(signInSecret, 'sign_in_secret');
  const stored = await tx.adjusters.signInSecretHash(svcId);
  const account = await deps.accounts.find(tx, { svcId });
  const ref = account && accountRef(account);
  if (ref === null || hash === null || stored === null || !deps.secrets.equal(hash, stored)) {
    await guesses.count();
    return failedSignIn(tx, deps.accounts, ref);
  }
  const opened = await openSession(tx, deps, ref, byAccount({ ...ref, origin }), 'secret', deviceName);
  return opened ?? failedSignIn(tx, deps.accounts, ref);
}

/** Gives a session to the account of the same person in another firm, as that person has it there. */
export const makeChangeFirm =
  (deps: Pick<SessionDeps, 'uow' | 'clock'>) =>
  (actor: StaffActor, tokenHash: string, firmId: FirmId): Promise<StaffMember> =>
    deps.uow.run(async (tx) => {
      const current = existingAccount(await STAFF.find(tx, actor));
      if (firmId === current.firmId) return current;
      const own = await STAFF.ofPerson(tx, current);
      const found = own.find((account) => account.firmId === firmId);
      const target = found === undefined ? null : await STAFF.lock(tx, found);
      const firm = await tx.firms.find(firmId);
      if (target === null || firm === null || firm.erasure !== null)
        throw new DomainError(
          'not_found',
          'No firm with this id has you as staff with the email address that this session has proved.',
        );
      const at = deps.clock.now();
      await STAFF.confirmEmail(tx, target, at);
      await endSurplusSessions(tx, target);
      if (!(await tx.sessions.move(tokenHash, target))) throw accountRemoved();
      await recordAccountAction(tx, current, byAccount(actor), { at, action: 'session.end' });
      const caller = byAccount({ ...accountRef(target), origin: actor.origin });
      await recordAccountAction(tx, target, caller, { at, action: 'session.open' });
      return target;
    });

type SignOutDeps = Needs<'uow' | 'clock'>;

/** Ends every session of the person, in each of their firms, and removes their devices from push notifications. */
export const makeSignOutEverywhere =
  <A extends Account>(deps: SignOutDeps & { accounts: AccountKind<A> }) =>
  (actor: AccountActor): Promise<void> =>
    deps.uow.run(async (tx) => {
      const current = existingAccount(await deps.accounts.find(tx, actor));
      await tx.sessions.removeAllOf(accountRef(current));
      await recordOwnAction(tx, deps, actor, 'sessions.end');
      for (const account of await deps.accounts.ofPerson(tx, current)) {
        const ref = accountRef(account);
        // In the trail of a firm where the person was signed in; none are left of the current one.
        if ((await tx.sessions.removeAllOf(ref)) > 0)
          await recordOwnAction(tx, deps, { ...ref, origin: actor.origin }, 'sessions.end');
      }
    });

/** Ends the session of this token and removes its devices from push notifications. */
export const makeSignOut =
  (deps: SignOutDeps) =>
  (actor: AccountActor, tokenHash: string): Promise<void> =>
    deps.uow.run(async (tx) => {
      await tx.sessions.remove({ account: accountRef(actor), tokenHash });
      await recordOwnAction(tx, deps, actor, 'session.end');
    });

/** Ends another session of the account, by its id, and removes its devices from push notifications. */
export const makeEndSession =
  (deps: SignOutDeps) =>
  (actor: AccountActor, sessionId: string): Promise<void> =>
    deps.uow.run(async (tx) => {
      const open = await tx.sessions.of(accountRef(actor));
      const session = open.find(({ id }) => id === sessionId);
      await tx.sessions.remove(existing(session, 'You have no session with this id.'));
      await recordOwnAction(tx, deps, actor, 'session.end');
    });
