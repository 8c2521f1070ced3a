import { expect, test } from '@jest/globals';
import {
  type CredentialStore,
  createSessionAuthenticator,
  invalidatingSessions,
  SESSION_LIFETIME_MS,
  Unavailable,
} from '@svc/application';
import { later } from '@svc/testkit/eventually';
import { memoryFixture } from './memory-fixture.ts';

/** An adjuster who is signed in, and a second process whose queries are counted and can fail. */
const started = async ({ passkeysRequired = false } = {}) => {
  const fixture = memoryFixture();
  const { memory, secrets, clock, use, newAdjuster } = fixture;
  const { svcId } = await newAdjuster();
  const { token } = await use.openSession(svcId);
  const state = { queries: 0, away: false };
  const credentials: CredentialStore = {
    ...memory.credentials,
    async sessionByHash(hash) {
      state.queries += 1;
      if (state.away) throw new Unavailable('away');
      return memory.credentials.sessionByHash(hash);
    },
  };
  const other = createSessionAuthenticator({ credentials, secrets, clock, passkeysRequired });
  return { ...fixture, svcId, token, state, other };
};
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a session is read once in 400 ms, and then in the background', async () => {
  const { other, token, state, clock, svcId, use } = await started();
  const tokens = [token, (await use.openSession(svcId)).token];
  for (let n = 0; n < 400; n++) {
    for (const each of tokens) expect((await other.authenticate(each))?.svcId).toBe(svcId);
    clock.advance(1);
  }
  expect(state.queries).toBe(2);
  for (let n = 0; n < 10; n++) for (const each of tokens) await other.authenticate(each);
  await settled();
  expect(state.queries).toBe(4);
});

test('20,000 sessions are held at most, and those that were dropped are read again', async () => {
  const { memory, secrets, clock, token } = await started();
  const session = await memory.credentials.sessionByHash(secrets.hashOf(token, 'app_session') ?? '');
  const read: string[] = [];
  const authenticator = createSessionAuthenticator({
    credentials: {
      ...memory.credentials,
      async sessionByHash(hash) {
        read.push(hash);
        return session;
      },
    },
    secrets: { ...secrets, hashOf: (given) => given },
    clock,
    passkeysRequired: false,
  });
  for (let n = 0; n < 20_000; n++) await authenticator.authenticate(`${n}`);
  for (const each of ['0', 'another', '0']) await authenticator.authenticate(each);
  expect(read.slice(20_000)).toEqual(['another', '0']);
});

test('a malformed token and an API key are rejected without a query', async () => {
  const { other, state, secrets } = await started();
  for (const junk of ['', 'junk', secrets.issue('live_key').secret])
    expect(await other.authenticate(junk)).toBeNull();
  expect([state.queries, other.takeUses()]).toEqual([0, new Map()]);
});

test('a session that another process ended is rejected within a second, and at once after its next query', async () => {
  const { other, token, use, svcId, clock } = await started();
  await other.authenticate(token);
  await use.endSessions(svcId);
  expect(await other.authenticate(token)).not.toBeNull();
  clock.advance(400);
  await other.authenticate(token);
  await settled();
  expect(await other.authenticate(token)).toBeNull();
});

test('while the store is away, a session is used for a second and no longer', async () => {
  const { other, token, state, clock } = await started();
  await other.authenticate(token);
  state.away = true;
  clock.advance(999);
  expect(await other.authenticate(token)).not.toBeNull();
  await settled();
  clock.advance(1);
  await expect(other.authenticate(token)).rejects.toThrow(Unavailable);
  state.away = false;
  expect(await other.authenticate(token)).not.toBeNull();
});

test('after a query in the background that failed, the session is read in the background again', async () => {
  const { other, token, state, clock } = await started();
  await other.authenticate(token);
  for (const away of [true, false]) {
    state.away = away;
    clock.advance(400);
    await other.authenticate(token);
    await settled();
  }
  expect(state.queries).toBe(3);
  clock.advance(999);
  await other.authenticate(token);
  expect(state.queries).toBe(4);
});

test('a session at its end is read again: it may have been used in another process', async () => {
  const { other, token, use, stores, clock } = await started();
  clock.advance(SESSION_LIFETIME_MS - 500);
  await other.authenticate(token);
  other.takeUses();
  await use.sessionAuthenticator.authenticate(token);
  await stores.credentials.recordUse({ keys: new Map(), sessions: use.sessionAuthenticator.takeUses() });
  clock.advance(500);
  expect(await other.authenticate(token)).not.toBeNull();
});

test('a clock that is set back does not extend the time', async () => {
  const { other, token, use, svcId, clock } = await started();
  await other.authenticate(token);
  await use.endSessions(svcId);
  clock.advance(-1);
  expect(await other.authenticate(token)).toBeNull();
});

test.each([
  ['in this process does not bring it back', 0],
  ['in another one makes it work for a second from its start, not from its end', 999],
])('a query that started before a session ended %s', async (_, passedMs) => {
  const { memory, secrets, clock, token, use, svcId } = await started();
  const { promise: held, resolve: release } = later();
  const credentials: CredentialStore = {
    ...memory.credentials,
    async sessionByHash(hash) {
      const session = await memory.credentials.sessionByHash(hash);
      await held;
      return session;
    },
  };
  const own = createSessionAuthenticator({ credentials, secrets, clock, passkeysRequired: false });
  const early = own.authenticate(token);
  await use.endSessions(svcId);
  if (passedMs === 0) own.invalidate();
  clock.advance(passedMs);
  release();
  expect(await early).not.toBeNull();
  clock.advance(1);
  expect(await own.authenticate(token)).toBeNull();
});

test('only a transaction that used sessions or staff makes them be read again', async () => {
  const { other, token, state, memory } = await started();
  const uow = invalidatingSessions({ unitOfWork: memory.unitOfWork, sessionAuthenticator: other });
  await other.authenticate(token);
  await uow.run(async ({ firms }) => firms);
  await other.authenticate(token);
  expect(state.queries).toBe(1);
  await uow.run(async ({ sessions }) => sessions);
  await other.authenticate(token);
  expect(state.queries).toBe(2);
  // Nobody knows whether a commit that failed took effect.
  await expect(uow.run(({ staff }) => Promise.reject(staff))).rejects.toBeDefined();
  await other.authenticate(token);
  expect(state.queries).toBe(3);
});

test('a session that may only add a passkey is read each time, so that it is complete at once', async () => {
  const { state, newAdjuster, use, external, other } = await started({ passkeysRequired: true });
  const { email } = await newAdjuster();
  await use.requestSignInCode(email ?? '');
  const { code = '' } = external.mails.at(-1) ?? {};
  const { token } = await use.signIn({ email: email ?? '', code });
  for (let n = 0; n < 3; n++)
    expect(await other.authenticate(token)).toMatchObject({ mayOnlyAddPasskey: true });
  expect(state.queries).toBe(3);
  expect(await use.sessionAuthenticator.authenticate(token)).toMatchObject({ mayOnlyAddPasskey: false });
});

test('a use is taken once, and requests at the same time wait for one query in the background', async () => {
  const { other, token, state, clock, secrets } = await started();
  await other.authenticate(token);
  clock.advance(400);
  await Promise.all([other.authenticate(token), other.authenticate(token), other.authenticate(token)]);
  await settled();
  expect(state.queries).toBe(2);
  const hash = secrets.hashOf(token, 'app_session');
  expect([other.takeUses(), other.takeUses()]).toEqual([new Map([[hash, clock.now()]]), new Map()]);
});
