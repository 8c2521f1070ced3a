import { describe, expect, test } from '@jest/globals';
import {
  type CredentialStore,
  createApiKeyAuthenticator,
  createSessionAuthenticator,
  GRANT_MAX_AGE_MS,
  Unavailable,
} from '@svc/application';
import { HOUR } from '@svc/domain';
import { memoryBench } from './memory-fixture.ts';

/** A second process with a key ring of its own, whose questions to the store are counted and can fail. */
const started = async () => {
  const bench = memoryBench();
  const { memory, secrets, clock, use } = bench;
  const firm = await bench.newFirm();
  const issued = await use.createKey({
    firmId: firm.id,
    environment: 'live',
    purpose: 'full_access',
    lifetime: null,
  });
  const asked = { keys: 0, versions: 0, sessions: 0 };
  const store = { away: false };
  const answer = async <T>(count: keyof typeof asked, from: () => Promise<T>): Promise<T> => {
    asked[count] += 1;
    if (store.away) throw new Unavailable('away');
    return from();
  };
  const credentials: CredentialStore = {
    keyByHash: (hash) => answer('keys', () => memory.credentials.keyByHash(hash)),
    sessionByHash: (hash) => answer('sessions', () => memory.credentials.sessionByHash(hash)),
    version: () => answer('versions', () => memory.credentials.version()),
    noteUse: (noted) => memory.credentials.noteUse(noted),
  };
  const elsewhere = createApiKeyAuthenticator({ credentials, secrets, clock });
  return { ...bench, firm, ...issued, asked, store, credentials, elsewhere };
};
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the key ring', () => {
  test('asks the store once for a key, and then only whether anything changed', async () => {
    const { elsewhere, secret, asked, clock } = await started();
    for (let n = 0; n < 100; n++) {
      expect(await elsewhere.authenticate(secret)).not.toBeNull();
      clock.advance(1);
    }
    expect(asked).toEqual({ keys: 1, versions: 1, sessions: 0 });
  });

  test('asks no store about junk', async () => {
    const { elsewhere, asked } = await started();
    for (const junk of ['', 'junk', 'svc_app_1', 'Bearer svc_live_1']) {
      expect(await elsewhere.authenticate(junk)).toBeNull();
    }
    expect(asked).toEqual({ keys: 0, versions: 0, sessions: 0 });
  });

  test('does not remember that a key is unknown: it works as soon as it exists', async () => {
    const { elsewhere, use, firm, secrets, memory } = await started();
    const { secret, hash } = secrets.issue('live_key');
    expect(await elsewhere.authenticate(secret)).toBeNull();
    const { key } = await use.createKey({
      firmId: firm.id,
      environment: 'live',
      purpose: 'claims',
      lifetime: null,
    });
    await memory.unitOfWork.run((tx) => tx.keys.save({ ...key, secretHash: hash }));
    expect(await elsewhere.authenticate(secret)).not.toBeNull();
  });

  test('a revocation is in force at once in the process that made it', async () => {
    const { use, secret, key } = await started();
    expect(await use.keyRing.authenticate(secret)).not.toBeNull();
    await use.revokeKey(key.id);
    expect(await use.keyRing.authenticate(secret)).toBeNull();
  });

  test('a revocation is in force within a second in every other process', async () => {
    const { use, elsewhere, secret, key, clock } = await started();
    expect(await elsewhere.authenticate(secret)).not.toBeNull();
    await use.revokeKey(key.id);
    clock.advance(GRANT_MAX_AGE_MS);
    expect(GRANT_MAX_AGE_MS).toBeLessThanOrEqual(1_000);
    expect(await elsewhere.authenticate(secret)).toBeNull();
  });

  test('a busy process confirms in the background, before anyone has to wait', async () => {
    const { elsewhere, use, secret, key, clock, asked } = await started();
    await elsewhere.authenticate(secret);
    await use.revokeKey(key.id);
    clock.advance(GRANT_MAX_AGE_MS / 2);
    await elsewhere.authenticate(secret);
    await settled();
    expect(asked.versions).toBe(2);
    expect(await elsewhere.authenticate(secret)).toBeNull();
  });

  test('a changed plan and changed limits are in force within a second', async () => {
    const { use, elsewhere, secret, firm, clock } = await started();
    expect((await elsewhere.authenticate(secret))?.plan).toBe('standard');
    await use.setPlan(firm.id, 'read_only');
    await use.setLimits(firm.id, { requestsPerMinute: 900, writesPerMinute: null, burst: null });
    clock.advance(GRANT_MAX_AGE_MS);
    expect(await elsewhere.authenticate(secret)).toMatchObject({
      plan: 'read_only',
      limits: { requestsPerMinute: 900 },
    });
  });

  test('a changed plan and changed limits are in force at once in the process that made them', async () => {
    const { use, secret, firm } = await started();
    await use.keyRing.authenticate(secret);
    await use.setPlan(firm.id, 'read_only');
    expect((await use.keyRing.authenticate(secret))?.plan).toBe('read_only');
    await use.setLimits(firm.id, { requestsPerMinute: 900, writesPerMinute: null, burst: null });
    expect((await use.keyRing.authenticate(secret))?.limits.requestsPerMinute).toBe(900);
  });

  test('a key ends by the clock, to the millisecond, without anyone being asked', async () => {
    const { use, elsewhere, firm, clock } = await started();
    const { secret } = await use.createKey({
      firmId: firm.id,
      environment: 'test',
      purpose: 'claims',
      lifetime: HOUR,
    });
    clock.advance(HOUR - 1);
    expect(await elsewhere.authenticate(secret)).not.toBeNull();
    clock.advance(1);
    expect(await elsewhere.authenticate(secret)).toBeNull();
  });

  test('a store that is away is noticed when the trust has run out, and no key is called invalid for it', async () => {
    const { elsewhere, secret, store, clock } = await started();
    await elsewhere.authenticate(secret);
    store.away = true;
    clock.advance(GRANT_MAX_AGE_MS - 1);
    expect(await elsewhere.authenticate(secret)).not.toBeNull();
    await settled();
    clock.advance(1);
    await expect(elsewhere.authenticate(secret)).rejects.toThrow(Unavailable);
    store.away = false;
    expect(await elsewhere.authenticate(secret)).not.toBeNull();
  });

  test('many requests at once ask together', async () => {
    const { elsewhere, secret, clock, asked } = await started();
    await elsewhere.authenticate(secret);
    clock.advance(GRANT_MAX_AGE_MS);
    await Promise.all(Array.from({ length: 50 }, () => elsewhere.authenticate(secret)));
    expect(asked.versions).toBe(2);
  });

  test('requests that come together ask for a new key together, and go on in their order', async () => {
    const { elsewhere, secret, asked } = await started();
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 25 }, async (_, n) => {
        expect(await elsewhere.authenticate(secret)).not.toBeNull();
        order.push(n);
      }),
    );
    expect(asked).toEqual({ keys: 1, versions: 1, sessions: 0 });
    expect(order).toEqual(Array.from({ length: 25 }, (_, n) => n));
  });

  /** A ring that knows no key yet, whose look-ups of keys come in when the test says so. */
  const slow = async () => {
    const bench = await started();
    const { memory, secrets, clock } = bench;
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
    return { ...bench, ring, arrivals };
  };

  test('a look-up that fails is made again for those who only waited for it', async () => {
    const { ring, secret, arrivals } = await slow();
    const [first, second] = [ring.authenticate(secret), ring.authenticate(secret)];
    await settled();
    expect(arrivals).toHaveLength(1);
    const refused = expect(first).rejects.toThrow(Unavailable);
    arrivals[0]?.(new Unavailable('the connection was cut'));
    await refused;
    await settled();
    arrivals[1]?.();
    expect(await second).not.toBeNull();
  });

  test('nobody waits for a look-up that was made before a change, or so long ago that it may miss one', async () => {
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
    for (const arrive of arrivals) arrive();
    expect(await early).not.toBeNull();
    expect(await afterwards).toBeNull();
    expect(await late).toBeNull();
  });

  test('a clock that was set back stretches no trust', async () => {
    const { elsewhere, use, secret, key, clock } = await started();
    await elsewhere.authenticate(secret);
    await use.revokeKey(key.id);
    clock.advance(-HOUR);
    expect(await elsewhere.authenticate(secret)).toBeNull();
  });

  test('an answer that was long on its way is no reason to trust a key revoked since', async () => {
    const { memory, use, secrets, clock, secret, key } = await started();
    let onItsWay: Promise<unknown> = Promise.resolve();
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
    let arrive = (): void => {};
    onItsWay = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    clock.advance(GRANT_MAX_AGE_MS / 2);
    // Asks in the background; the store answers at once, and the answer travels.
    await ring.authenticate(secret);
    await settled();
    await use.revokeKey(key.id);
    clock.advance(5 * GRANT_MAX_AGE_MS);
    const late = ring.authenticate(secret);
    await settled();
    arrive();
    expect(await late).toBeNull();
  });

  test('a question that fails is asked again for those who came after it', async () => {
    const { memory, secrets, clock, secret } = await started();
    let answers: Promise<string>[] = [];
    const broken: CredentialStore = {
      ...memory.credentials,
      version: () => answers.shift() ?? memory.credentials.version(),
    };
    const ring = createApiKeyAuthenticator({ credentials: broken, secrets, clock });
    await ring.authenticate(secret);
    clock.advance(GRANT_MAX_AGE_MS);
    let fail: (error: Error) => void = () => {};
    answers = [
      new Promise<string>((_, reject) => {
        fail = reject;
      }),
    ];
    const [first, second] = [ring.authenticate(secret), ring.authenticate(secret)];
    const refused = expect(first).rejects.toThrow(Unavailable);
    fail(new Unavailable('the connection was cut'));
    await refused;
    expect(await second).not.toBeNull();
  });

  test('a change that comes while a key is looked up is not missed', async () => {
    const { memory, use, secrets, clock, secret, key } = await started();
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

  test('tells which keys were used, once, and only those that worked', async () => {
    const { use, elsewhere, secret, key, firm, clock } = await started();
    const revoked = await use.createKey({
      firmId: firm.id,
      environment: 'live',
      purpose: 'claims',
      lifetime: null,
    });
    await use.revokeKey(revoked.key.id);
    await elsewhere.authenticate(secret);
    clock.advance(5);
    await elsewhere.authenticate(secret);
    await elsewhere.authenticate(revoked.secret);
    expect(elsewhere.takeUses()).toEqual(new Map([[key.id, clock.now()]]));
    expect(elsewhere.takeUses()).toEqual(new Map());
  });
});

describe('the session gate', () => {
  test('asks no store about junk, and takes no API key for a session', async () => {
    const { credentials, secrets, clock, secret, asked } = await started();
    const gate = createSessionAuthenticator({ credentials, secrets, clock });
    for (const junk of ['', 'junk', secret]) expect(await gate.authenticate(junk)).toBeNull();
    expect(asked.sessions).toBe(0);
    expect(gate.takeUses()).toEqual(new Map());
  });

  test('a store that is away does not sign anyone out', async () => {
    const { credentials, secrets, clock, use, store, newAdjuster } = await started();
    const { svcId } = await newAdjuster();
    const { token } = await use.openSession(svcId);
    const gate = createSessionAuthenticator({ credentials, secrets, clock });
    store.away = true;
    await expect(gate.authenticate(token)).rejects.toThrow(Unavailable);
    store.away = false;
    expect((await gate.authenticate(token))?.svcId).toBe(svcId);
  });
});
