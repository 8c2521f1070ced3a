import { DomainError, type Instant, MINUTE, type Svcid } from '@svc/domain';
import type { AdjusterActor } from '../actors.ts';
import type {
  Passkey,
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyOptions,
  PasskeyVerifier,
} from '../ports/passkeys.ts';
import type { Clock, Ids, Mailer, Secrets } from '../ports/support.ts';
import type { Tx, UnitOfWork } from '../ports/unit-of-work.ts';
import { byAdjuster, recordAccountAction, recordOwnAction } from '../support/audit.ts';
import { existingAccount } from '../support/existing-account.ts';

export const MAX_PASSKEYS_PER_ADJUSTER = 10;

/** Time to answer a challenge; browsers wait up to five minutes for the user. */
const CHALLENGE_LIFETIME_MS = 5 * MINUTE;

interface ChallengeDeps {
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Who may answer a challenge: the session that adds a passkey, or the client that signs in. */
type ChallengeFor = { readonly session: string } | { readonly client: string };

interface Challenge {
  readonly id: string;
  readonly expiresAt: Instant;
}

const signatureOf = ({ secrets }: ChallengeDeps, of: ChallengeFor, id: string, end: string): string =>
  'session' in of
    ? secrets.hashOfSubject('passkey challenge of session', of.session, id, end)
    : secrets.hashOfSubject('passkey challenge of client', of.client, id, end);

/** Signed with its end and with who may answer it, so that requests for challenges store nothing. */
function issueChallenge(deps: ChallengeDeps, of: ChallengeFor): string {
  const [id, end] = [deps.ids.next(), String(deps.clock.now() + CHALLENGE_LIFETIME_MS)];
  return `${id}.${end}.${signatureOf(deps, of, id, end)}`;
}

/** Null unless the service issued the challenge to this client or session, less than five minutes ago. */
function readChallenge(deps: ChallengeDeps, of: ChallengeFor, text: string): Challenge | null {
  const [id = '', end = '', signature = ''] = text.split('.');
  const expiresAt = Number(end);
  const isOwn = deps.secrets.equal(signature, signatureOf(deps, of, id, end));
  return isOwn && deps.clock.now() < expiresAt ? { id, expiresAt } : null;
}

export const makeStartPasskeySignIn =
  (deps: ChallengeDeps & { passkeyVerifier: PasskeyVerifier }) =>
  (clientSecret: string): Promise<PasskeyOptions> =>
    deps.passkeyVerifier.signInOptions(issueChallenge(deps, { client: clientSecret }));

/** The account's passkey if the response proves that the client holds it; each challenge works once. */
export async function usePasskey(
  tx: Tx,
  deps: ChallengeDeps & { passkeyVerifier: PasskeyVerifier },
  response: PasskeyAssertion,
  clientSecret: string,
): Promise<{ readonly passkey: Passkey | null; readonly isValid: boolean }> {
  const passkey = await tx.passkeys.lockByCredential(response.credentialId);
  if (passkey === null) return { passkey, isValid: false };
  const verified = await verifyOnce(tx, deps, { client: clientSecret }, (isExpected) =>
    deps.passkeyVerifier.verifySignIn(response, passkey, isExpected),
  );
  if (verified === null) return { passkey, isValid: false };
  await tx.passkeys.save({ ...passkey, signCount: verified.signCount, lastUsedAt: deps.clock.now() });
  return { passkey, isValid: true };
}

/** What `verify` returns if the response answers a challenge of this session or client, for the first time. */
async function verifyOnce<Verified>(
  tx: Tx,
  deps: ChallengeDeps,
  of: ChallengeFor,
  verify: (isExpected: (text: string) => boolean) => Promise<Verified | null>,
): Promise<Verified | null> {
  const answered: Challenge[] = [];
  const verified = await verify((text) => {
    const challenge = readChallenge(deps, of, text);
    if (challenge !== null) answered.push(challenge);
    return challenge !== null;
  });
  const [challenge] = answered;
  if (verified === null || challenge === undefined) return null;
  return (await tx.usedChallenges.use(challenge.id, challenge.expiresAt)) ? verified : null;
}

const passkeyRefused = (): DomainError =>
  new DomainError(
    'passkey_refused',
    'The passkey could not be verified: the request was answered too late or on another device, or the passkey is registered already.',
  );

type RegistrationDeps = ChallengeDeps & {
  uow: UnitOfWork;
  passkeyVerifier: PasskeyVerifier;
  /** Whether accounts must sign in with a passkey. */
  passkeysRequired: boolean;
};

/** The session that adds a passkey. */
export interface RegisteringSession {
  readonly tokenHash: string;
  readonly mayOnlyAddPasskey: boolean;
}

/** A session that must be verified may add the first passkey of an account and no further one. */
function checkMayAdd(held: readonly Passkey[], { mayOnlyAddPasskey }: RegisteringSession): void {
  if (mayOnlyAddPasskey && held.length > 0)
    throw new DomainError('passkey_required', 'This account has a passkey. Sign in with it.');
  if (held.length >= MAX_PASSKEYS_PER_ADJUSTER)
    throw new DomainError(
      'too_many_passkeys',
      `An account has at most ${MAX_PASSKEYS_PER_ADJUSTER} passkeys. Remove one first.`,
    );
}

export const makeStartPasskeyRegistration =
  (deps: RegistrationDeps) =>
  async (actor: AdjusterActor, session: RegisteringSession): Promise<PasskeyOptions> => {
    const { adjuster, held } = await deps.uow.run(async (tx) => ({
      adjuster: existingAccount(await tx.adjusters.find(actor.svcId)),
      held: await tx.passkeys.of(actor.svcId),
    }));
    checkMayAdd(held, session);
    const name = [adjuster.firstName, adjuster.lastName].filter((part) => part !== null).join(' ');
    return deps.passkeyVerifier.registrationOptions({
      challenge: issueChallenge(deps, { session: session.tokenHash }),
      user: {
        // Authenticators store it, so it identifies the account to this service only.
        id: deps.secrets.hashOfSubject('passkey user', actor.svcId),
        name: adjuster.email ?? actor.svcId,
        displayName: name === '' ? actor.svcId : name,
      },
      existing: held,
    });
  };

/** Adds a passkey. The session has then proved a passkey, like one that was opened with it. */
export const makeRegisterPasskey =
  (deps: RegistrationDeps & { mailer: Mailer }) =>
  async (
    actor: AdjusterActor,
    session: RegisteringSession,
    { name, response }: { readonly name: string; readonly response: PasskeyAttestation },
  ): Promise<Passkey> => {
    const { passkey, email } = await deps.uow.run(async (tx) => {
      // Locked, so that two requests cannot both add the first passkey or exceed the maximum.
      const adjuster = existingAccount(await tx.adjusters.lock(actor.svcId));
      checkMayAdd(await tx.passkeys.of(actor.svcId), session);
      const verified = await verifyOnce(tx, deps, { session: session.tokenHash }, (isExpected) =>
        deps.passkeyVerifier.verifyRegistration(response, isExpected),
      );
      if (verified === null) throw passkeyRefused();
      const at = deps.clock.now();
      const passkey: Passkey = {
        id: deps.ids.next(),
        svcId: actor.svcId,
        name,
        ...verified,
        transports: response.transports,
        createdAt: at,
        lastUsedAt: null,
      };
      if (!(await tx.passkeys.add(passkey))) throw passkeyRefused();
      await tx.sessions.setMethod(session.tokenHash, 'passkey');
      await recordAccountAction(tx, actor.svcId, byAdjuster(actor), { at, action: 'passkey.add' });
      return { passkey, email: adjuster.email };
    });
    // Not above, where the work may run again.
    if (email !== null) void deps.mailer.sendAccountNotice(email, 'passkey_added');
    return passkey;
  };

/** Locks passkeys only, as a sign-in does before it locks the account. */
async function lockOwn(tx: Tx, svcId: Svcid, id: string): Promise<{ passkey: Passkey; isLast: boolean }> {
  const held = await tx.passkeys.lockOf(svcId);
  const passkey = held.find((each) => each.id === id);
  if (passkey === undefined) throw new DomainError('not_found', 'You have no passkey with this id.');
  return { passkey, isLast: held.length === 1 };
}

export const makeRenamePasskey =
  (deps: { uow: UnitOfWork; clock: Clock }) =>
  (actor: AdjusterActor, id: string, name: string): Promise<Passkey> =>
    deps.uow.run(async (tx) => {
      const { passkey } = await lockOwn(tx, actor.svcId, id);
      const renamed = { ...passkey, name };
      await tx.passkeys.save(renamed);
      await recordOwnAction(tx, deps, actor, 'passkey.rename');
      return renamed;
    });

/** Removes a passkey. Where passkeys are required the last one stays: only the operator removes it. */
export const makeRemovePasskey =
  (deps: { uow: UnitOfWork; clock: Clock; mailer: Mailer; passkeysRequired: boolean }) =>
  async (actor: AdjusterActor, id: string): Promise<void> => {
    const email = await deps.uow.run(async (tx) => {
      const { isLast } = await lockOwn(tx, actor.svcId, id);
      if (deps.passkeysRequired && isLast)
        throw new DomainError('passkey_required', 'This is your only passkey. Add another one first.');
      await tx.passkeys.remove(actor.svcId, id);
      await recordOwnAction(tx, deps, actor, 'passkey.remove');
      return (await tx.adjusters.find(actor.svcId))?.email ?? null;
    });
    if (email !== null) void deps.mailer.sendAccountNotice(email, 'passkey_removed');
  };
