import { describe, expect, test } from '@jest/globals';
import {
  type CredentialStore,
  createApiKeyAuthenticator,
  GRANT_MAX_AGE_MS,
  Unavailable,
} from '@svc/application';
import { HOUR } from '@svc/domain';
import { later } from '@svc/testkit/eventually';
import { memoryFixture } from './memory-fixture.ts';

/** A second process with its own authenticator, whose queries are counted and can fail. */
const setUp = async () => {
  const fixture = memoryFixture();
  const { memory, secrets, clock, use } = fixture;
  const firm = await fixture.newFirm();
  const newKey = (lifetimeMs: number | null = null) =>
    use.createKey({ firmId: firm.id, environment: 'live', purpose: 'full_access', lifetimeMs });
  const issued = await newKey();
  const queries = { keys: 0, versions: 0 };
  const store = { away: false };
  const countQuery = async <T>(count: keyof typeof queries, from: () => Promise<T>): Promise<T> => {
    queries[count] += 1;
    if (store.away) throw new Unavailable('away');
    return from();
  };
  const credentials: CredentialStore = {
    ...memory.credentials,
    keyByHash: (hash) => countQuery('keys', () => memory.credentials.keyByHash(hash)),
    version: () => countQuery('versions', () => memory.credentials.version()),
  };
  const otherProcess = createApiKeyAuthenticator({ credentials, secrets, clock });
  return { ...fixture, newKey, ...issued, queries, store, otherProcess };
};
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the API key authenticator', () => {
  test('queries a key once, then only the version', async () => {
    const { otherProcess, secret, newKey, queries, clock } = await setUp();
    const secrets = [secret, (await newKey()).secret];
    for (let n = 0; n < 100; n++) {
      for (const each of secrets) expect(await otherProcess.authenticate(each)).not.toBeNull();
      clock.advance(1);
    }
    expect(queries).toEqual({ keys: 2, versions: 1 });
    clock.advance(GRANT_MAX_AGE_MS);
    expect(await otherProcess.authenticate(secret)).not.toBeNull();
    expect(queries).toEqual({ keys: 2, versions: 2 });
  });

  test('makes no query for a malformed secret', async () => {
    const { otherProcess, queries } = await setUp();
    for (const junk of ['', 'junk', 'svc_app_1', 'Bearer svc_live_1']) {
      expect(await otherProcess.authenticate(junk)).toBeNull();
    }
    expect(queries).toEqual({ keys: 0, versions: 0 });
  });

  test('tells why a key is not valid', async () => {
    const { use, newKey, secrets, secret, key, clock } = await setUp();
    const { check } = use.apiKeyAuthenticator;
    const { secret: brief } = await newKey(HOUR);
    expect(await check(secret)).toMatchObject({ grant: { keyId: key.id } });
    clock.advance(HOUR);
    await use.revokeKey(key.id);
    const rejections = [];
    for (const each of ['svc_liv', secrets.issue('live_key').secret, secret, brief])
      rejections.push(await check(each));
    const reasons = ['malformed', 'unknown', 'revoked', 'expired'];
    expect(rejections).toEqual(reasons.map((rejected) => ({ rejected })));
  });

  test('does not cache unknown keys: a key works as soon as it exists', async () => {
    const { otherProcess, newKey, secrets, memory } = await setUp();
    const { secret, hash } = secrets.issue('live_key');
    expect(await otherProcess.authenticate(secret)).toBeNull();
    const { key } = await newKey();
    await memory.unitOfWork.run((tx) => tx.keys.save({ ...key, secretHash: hash }));
    expect(await otherProcess.authenticate(secret)).not.toBeNull();
  });

  test('a busy process confirms in the background, so that no request waits', async () => {
    const { otherProcess, use, secret, key, clock, queries } = await setUp();
    await otherProcess.authenticate(secret);
    await use.revokeKey(key.id);
    clock.advance(GRANT_MAX_AGE_MS / 2);
    await otherProcess.authenticate(secret);
    await settled();
    expect(queries.versions).toBe(2);
    expect(await otherProcess.authenticate(secret)).toBeNull();
  });

  test('changes of plan, limits and keys apply at once in the process that made them, and within a second in others', async () => {
    const { use, otherProcess, secret, key, clock } = await setUp();
    const own = use.apiKeyAuthenticator;
    for (const process of [own, otherProcess])
      expect(await process.authenticate(secret)).toMatchObject({ plan: 'standard' });
    await use.setPlan(key.firmId, 'read_only');
    expect(await own.authenticate(secret)).toMatchObject({ plan: 'read_only' });
    await use.setLimits(key.firmId, { requestsPerMinute: 900, writesPerMinute: null, burst: null });
    const changed = { plan: 'read_only', limits: { requestsPerMinute: 900 } };
    expect(await own.authenticate(secret)).toMatchObject(changed);
    clock.advance(GRANT_MAX_AGE_MS);
    expect(GRANT_MAX_AGE_MS).toBeLessThanOrEqual(1_000);
    expect(await otherProcess.authenticate(secret)).toMatchObject(changed);
    await use.revokeKey(key.id);
    expect(await own.authenticate(secret)).toBeNull();
    clock.advance(GRANT_MAX_AGE_MS);
    expect(await otherProcess.authenticate(secret)).toBeNull();
  });

  test('holds 20,000 keys at most, and reads those again that it has dropped', async () => {
    const { memory, secrets, clock, secret } = await setUp();
    const grant = await memory.credentials.keyByHash(secrets.hashOf(secret, 'live_key') ?? '');
    const read: string[] = [];
    const authenticator = createApiKeyAuthenticator({
      credentials: {
        ...memory.credentials,
        async keyByHash(hash) {
          read.push(hash);
          return grant;
        },
      },
      secrets: { ...secrets, hashOf: (given) => given },
      clock,
    });
    for (let n = 0; n < 20_000; n++) await authenticator.check(`${n}`);
    for (const each of ['0', 'another', '0']) await authenticator.check(each);
    expect(read.slice(20_000)).toEqual(['another', '0']);
  });

  test('a key expires to the millisecond without a query', async () => {
    const { otherProcess, newKey, clock } = await setUp();
    const { secret } = await newKey(HOUR);
    clock.advance(HOUR - 1);
    expect(await otherProcess.authenticate(secret)).not.toBeNull();
    clock.advance(1);
    expect(await otherProcess.authenticate(secret)).toBeNull();
  });

  test('a store outage fails requests after the cache time, without reporting keys as invalid', async () => {
    const { otherProcess, secret, store, clock } = await setUp();
    await otherProcess.authenticate(secret);
    store.away = true;
    clock.advance(GRANT_MAX_AGE_MS - 1);
    expect(await otherProcess.authenticate(secret)).not.toBeNull();
    await settled();
    clock.advance(1);
    await expect(otherProcess.authenticate(secret)).rejects.toThrow(Unavailable);
    store.away = false;
    expect(await otherProcess.authenticate(secret)).not.toBeNull();
  });

  test('concurrent requests share the query for a new key, or for its confirmation, and keep their order', async () => {
    const { otherProcess, secret, queries, clock } = await setUp();
    for (const versions of [1, 2]) {
      const order: number[] = [];
      await Promise.all(
        Array.from({ length: 25 }, async (_, n) => {
          expect(await otherProcess.authenticate(secret)).not.toBeNull();
          order.push(n);
        }),
      );
      expect(queries).toEqual({ keys: 1, versions });
      expect(order).toEqual(Array.from({ length: 25 }, (_, n) => n));
      clock.advance(GRANT_MAX_AGE_MS);
    }
  });

  /** An authenticator with an empty cache whose key queries complete when the test allows it. */
  const slow = async () => {
    const fixture = await setUp();
    const { memory, secrets, clock } = fixture;
    const arrivals: ((failure?: Error) => void)[] = [];
    const credentials: CredentialStore = {
      ...memory.credentials,
      async keyByHash(hash) {
        const grant = await memory.credentials.keyByHash(hash);
        await new Promise<void>((resolve, reject) => {
          arrivals.push((failure) => (failure === undefined ? resolve() : reject(failure)));
        });
        return grant;
      },
    };
    const ring = createApiKeyAuthenticator({ credentials, secrets, clock });
    return { ...fixture, ring, arrivals };
  };

  test('a failed query is retried for the requests that only waited for it', async () => {
    const { ring, secret, arrivals } = await slow();
    const [first, second] = [ring.authenticate(secret), ring.authenticate(secret)];
    await settled();
    expect(arrivals).toHaveLength(1);
    const rejection = expect(first).rejects.toThrow(Unavailable);
    arrivals[0]?.(new Unavailable('the connection was cut'));
    await rejection;
    await settled();
    arrivals[1]?.();
    expect(await second).not.toBeNull();
  });

  test('no request shares a query that started before a change or longer ago than the cache time', async () => {
    const { ring, secret, key, use, clock, arrivals } = await slow();
    const early = ring.authenticate(secret);
    await settled();
    await use.revokeKey(key.id);
    ring.invalidate();
    const afterwards = ring.authenticate(secret);
    await settled();
    expect(arrivals).toHaveLength(2);
    clock.advance(GRANT_MAX_AGE_MS);
    const late = ring.authenticate(secret);
    await settled();
    expect(arrivals).toHaveLength(3);
    clock.advance(-2 * GRANT_MAX_AGE_MS);
    const earlier = ring.authenticate(secret);
    await settled();
    expect(arrivals).toHaveLength(4);
    // One that ends does not end that a later one is shared.
    arrivals[1]?.();
    expect(await afterwards).toBeNull();
    const shared = ring.authenticate(secret);
    await settled();
    expect(arrivals).toHaveLength(4);
    for (const arrive of arrivals) arrive();
    expect(await early).not.toBeNull();
    for (const each of [late, earlier, shared]) expect(await each).toBeNull();
  });

  test('a clock set back does not extend the cache time', async () => {
    const { otherProcess, use, secret, key, clock } = await setUp();
    await otherProcess.authenticate(secret);
    await use.revokeKey(key.id);
    clock.advance(-HOUR);
    expect(await otherProcess.authenticate(secret)).toBeNull();
  });

  test.each([GRANT_MAX_AGE_MS, -GRANT_MAX_AGE_MS])(
    'a slow version query does not confirm a key revoked since, %i ms later',
    async (passedMs) => {
      const { memory, use, secrets, clock, secret, key } = await setUp();
      let onItsWay: Promise<void> = Promise.resolve();
      const far: CredentialStore = {
        ...memory.credentials,
        async version() {
          const version = await memory.credentials.version();
          await onItsWay;
          return version;
        },
      };
      const ring = createApiKeyAuthenticator({ credentials: far, secrets, clock });
      expect(await ring.authenticate(secret)).not.toBeNull();
      const { promise, resolve: arrive } = later();
      onItsWay = promise;
      clock.advance(GRANT_MAX_AGE_MS / 2);
      // A background query: the store responds immediately, the response is delayed.
      await ring.authenticate(secret);
      await settled();
      await use.revokeKey(key.id);
      clock.advance(passedMs);
      const late = ring.authenticate(secret);
      await settled();
      arrive();
      expect(await late).toBeNull();
    },
  );

  test('a failed version query is repeated for requests that arrived after it', async () => {
    const { memory, secrets, clock, secret } = await setUp();
    let versions: Promise<string>[] = [];
    const broken: CredentialStore = {
      ...memory.credentials,
      version: () => versions.shift() ?? memory.credentials.version(),
    };
    const ring = createApiKeyAuthenticator({ credentials: broken, secrets, clock });
    await ring.authenticate(secret);
    clock.advance(GRANT_MAX_AGE_MS);
    let fail: (error: Error) => void = () => {};
    versions = [
      new Promise<string>((_, reject) => {
        fail = reject;
      }),
    ];
    const [first, second] = [ring.authenticate(secret), ring.authenticate(secret)];
    const rejection = expect(first).rejects.toThrow(Unavailable);
    fail(new Unavailable('the connection was cut'));
    await rejection;
    expect(await second).not.toBeNull();
  });

  test('a change during a key query is not missed', async () => {
    const { memory, use, secrets, clock, secret, key } = await setUp();
    let inBetween = async (): Promise<unknown> => undefined;
    const slow: CredentialStore = {
      ...memory.credentials,
      async keyByHash(hash) {
        const grant = await memory.credentials.keyByHash(hash);
        await inBetween();
        return grant;
      },
    };
    const ring = createApiKeyAuthenticator({ credentials: slow, secrets, clock });
    inBetween = async () => {
      await use.revokeKey(key.id);
      ring.invalidate();
    };
    await ring.authenticate(secret);
    inBetween = async () => undefined;
    expect(await ring.authenticate(secret)).toBeNull();
  });

  test('returns each used key once, with the time to the second, and only valid ones', async () => {
    const { use, newKey, otherProcess, secret, key, clock } = await setUp();
    const revoked = await newKey();
    await use.revokeKey(revoked.key.id);
    await otherProcess.authenticate(secret);
    const used = clock.now();
    clock.advance(999);
    await otherProcess.authenticate(secret);
    await otherProcess.authenticate(revoked.secret);
    expect(otherProcess.takeUses()).toEqual(new Map([[key.id, used]]));
    await otherProcess.authenticate(secret);
    clock.advance(1000);
    await otherProcess.authenticate(secret);
    expect(otherProcess.takeUses()).toEqual(new Map([[key.id, clock.now()]]));
    expect(otherProcess.takeUses()).toEqual(new Map());
  });
});
