import { DomainError, existing, type Instant, MAX_PASSKEYS_PER_ACCOUNT, MINUTE } from '@svc/domain';
import type { AccountActor } from '../actors.ts';
import { byAccount, recordAccountAction, recordOwnAction } from '../audit/events.ts';
import { accountKey, accountRef } from '../model/account.ts';
import type { Passkey, PasskeyAssertion, PasskeyAttestation, PasskeyOptions } from '../model/passkey.ts';
import type { Needs } from '../ports/needs.ts';
import type { Tx } from '../ports/unit-of-work.ts';
import { countAccountNotice } from './account-notices.ts';
import { displayName, existingAccount, findAccount, lockAccount } from './accounts.ts';

/** Time to answer a challenge; browsers wait up to five minutes for the user. */
const CHALLENGE_LIFETIME_MS = 5 * MINUTE;

type ChallengeDeps = Needs<'secrets' | 'clock' | 'ids'>;

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
  (deps: ChallengeDeps & Needs<'passkeyVerifier'>) =>
  (clientSecret: string): Promise<PasskeyOptions> =>
    deps.passkeyVerifier.signInOptions(issueChallenge(deps, { client: clientSecret }));

/** A response that answers a challenge of this session or client. The challenge works once: `tx.usedChallenges.use`. */
interface Answer<Verified> {
  readonly challenge: Challenge;
  readonly verified: Verified;
}

/** Without a transaction: how long it takes depends on the response. Null: not valid. */
async function verifyAnswer<Verified>(
  deps: ChallengeDeps,
  of: ChallengeFor,
  verify: (isExpected: (text: string) => boolean) => Promise<Verified | null>,
): Promise<Answer<Verified> | null> {
  const answered: Challenge[] = [];
  const verified = await verify((text) => {
    const challenge = readChallenge(deps, of, text);
    if (challenge !== null) answered.push(challenge);
    return challenge !== null;
  });
  const [challenge] = answered;
  return verified === null || challenge === undefined ? null : { challenge, verified };
}

const isFirstAnswer = (tx: Tx, { challenge }: Answer<unknown>): Promise<boolean> =>
  tx.usedChallenges.use(challenge.id, challenge.expiresAt);

type PasskeyProof = Awaited<ReturnType<typeof verifyPasskey>>;

/** A passkey, and what proves that the client holds it; null: the response is not valid. */
export const verifyPasskey = async (
  deps: ChallengeDeps & Needs<'passkeyVerifier'>,
  passkey: Passkey,
  response: PasskeyAssertion,
  clientSecret: string,
) => ({
  passkey,
  answer: await verifyAnswer(deps, { client: clientSecret }, (isExpected) =>
    deps.passkeyVerifier.verifySignIn(response, passkey, isExpected),
  ),
});

/** Records the use of a proven passkey. False: it was removed, a later use is recorded, or the challenge was used before. */
export async function usePasskey(
  tx: Tx,
  { clock }: Pick<ChallengeDeps, 'clock'>,
  { passkey, answer }: PasskeyProof,
): Promise<boolean> {
  const existing = await tx.passkeys.lockByCredential(passkey.credentialId);
  if (existing?.id !== passkey.id || answer === null) return false;
  const { signCount } = answer.verified;
  const isCopy = existing.signCount !== passkey.signCount && signCount <= existing.signCount;
  if (isCopy || !(await isFirstAnswer(tx, answer))) return false;
  await tx.passkeys.save({ ...existing, signCount, lastUsedAt: clock.now() });
  return true;
}

const passkeyRefused = (): DomainError =>
  new DomainError(
    'passkey_refused',
    'The passkey could not be verified: the request was answered too late or on another device, or the passkey is registered already.',
  );

type RegistrationDeps = ChallengeDeps & Needs<'uow' | 'passkeyVerifier' | 'passkeysRequired'>;

/** The session that adds a passkey. */
interface RegisteringSession {
  readonly tokenHash: string;
  readonly mayOnlyAddPasskey: boolean;
}

/** A session that must be verified may add the first passkey of an account and no further one. */
function checkMayAdd(existing: readonly Passkey[], { mayOnlyAddPasskey }: RegisteringSession): void {
  if (mayOnlyAddPasskey && existing.length > 0)
    throw new DomainError('passkey_required', 'This account has a passkey. Sign in with it.');
  if (existing.length >= MAX_PASSKEYS_PER_ACCOUNT)
    throw new DomainError(
      'too_many_passkeys',
      `An account has at most ${MAX_PASSKEYS_PER_ACCOUNT} passkeys. Remove one first.`,
    );
}

export const makeStartPasskeyRegistration =
  (deps: RegistrationDeps) =>
  async (actor: AccountActor, session: RegisteringSession): Promise<PasskeyOptions> => {
    const { account, existing } = await deps.uow.run(async (tx) => ({
      account: existingAccount(await findAccount(tx, actor)),
      existing: await tx.passkeys.of(accountRef(actor)),
    }));
    checkMayAdd(existing, session);
    const name = displayName(account);
    return deps.passkeyVerifier.registrationOptions({
      challenge: issueChallenge(deps, { session: session.tokenHash }),
      user: {
        // Authenticators store it, so it identifies the account to this service only.
        id: deps.secrets.hashOfSubject('passkey user', accountKey(actor)),
        name: account.email ?? name,
        displayName: name,
      },
      existing,
    });
  };

/** Adds a passkey. The session has then proved a passkey, like one that was opened with it. */
export const makeRegisterPasskey =
  (deps: RegistrationDeps & Needs<'mailer'>) =>
  async (
    actor: AccountActor,
    session: RegisteringSession,
    { name, response }: { readonly name: string; readonly response: PasskeyAttestation },
  ): Promise<Passkey> => {
    const answer = await verifyAnswer(deps, { session: session.tokenHash }, (isExpected) =>
      deps.passkeyVerifier.verifyRegistration(response, isExpected),
    );
    const { passkey, notify } = await deps.uow.run(async (tx) => {
      // Locked, so that two requests cannot both add the first passkey or exceed the maximum.
      const account = existingAccount(await lockAccount(tx, actor));
      checkMayAdd(await tx.passkeys.of(accountRef(actor)), session);
      if (answer === null || !(await isFirstAnswer(tx, answer))) throw passkeyRefused();
      const at = deps.clock.now();
      const passkey: Passkey = {
        id: deps.ids.next(),
        account: accountRef(actor),
        name,
        ...answer.verified,
        transports: response.transports,
        createdAt: at,
        lastUsedAt: null,
      };
      if (!(await tx.passkeys.add(passkey))) throw passkeyRefused();
      await tx.sessions.setMethod(session.tokenHash, 'passkey');
      await recordAccountAction(tx, actor, byAccount(actor), { at, action: 'passkey.add' });
      return { passkey, notify: await countAccountNotice(tx, deps, account) };
    });
    // Not above, where the work may run again.
    if (notify !== null) void deps.mailer.sendAccountNotice(notify, 'passkey_added');
    return passkey;
  };

/** Locks passkeys only, as a sign-in does before it locks the account. */
async function lockOwn(
  tx: Tx,
  actor: AccountActor,
  id: string,
): Promise<{ passkey: Passkey; isLast: boolean }> {
  const passkeys = await tx.passkeys.lockOf(accountRef(actor));
  const found = passkeys.find((each) => each.id === id);
  const passkey = existing(found, 'You have no passkey with this id.');
  return { passkey, isLast: passkeys.length === 1 };
}

export const makeRenamePasskey =
  (deps: Needs<'uow' | 'clock'>) =>
  (actor: AccountActor, id: string, name: string): Promise<Passkey> =>
    deps.uow.run(async (tx) => {
      const { passkey } = await lockOwn(tx, actor, id);
      if (passkey.name === name) return passkey;
      const renamed = { ...passkey, name };
      await tx.passkeys.save(renamed);
      await recordOwnAction(tx, deps, actor, 'passkey.rename');
      return renamed;
    });

/** Removes a passkey. Where passkeys are required the last one stays: only the operator removes it. */
export const makeRemovePasskey =
  (deps: Omit<RegistrationDeps, 'ids' | 'passkeyVerifier'> & Needs<'mailer'>) =>
  async (actor: AccountActor, id: string): Promise<void> => {
    const notify = await deps.uow.run(async (tx) => {
      const { isLast } = await lockOwn(tx, actor, id);
      if (deps.passkeysRequired && isLast)
        throw new DomainError('passkey_required', 'This is your only passkey. Add another one first.');
      await tx.passkeys.remove(accountRef(actor), id);
      await recordOwnAction(tx, deps, actor, 'passkey.remove');
      return countAccountNotice(tx, deps, existingAccount(await findAccount(tx, actor)));
    });
    if (notify !== null) void deps.mailer.sendAccountNotice(notify, 'passkey_removed');
  };
