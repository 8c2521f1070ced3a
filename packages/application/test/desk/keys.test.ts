import { expect, test } from '@jest/globals';
import { type FirmId, HOUR, type KeyId, type StaffId, type StaffRole } from '@svc/domain';
import { errorCodeOf } from '@svc/testkit';
import { type ApiKey, BY_SERVICE, makerOf } from '../../src/index.ts';
import { memoryFixture } from '../memory-fixture.ts';

test('staff create, replace and revoke keys of their own firm alone, and replace none that is revoked', async () => {
  const { newFirm, newStaff, use } = memoryFixture();
  const [firm, other] = [await newFirm(), await newFirm()];
  const properties = { environment: 'test', purpose: 'claims', lifetimeMs: null } as const;
  const { createKey, rollKey, revokeKey } = use.desk;
  const [admin, stranger] = [await newStaff(firm, 'admin'), await newStaff(other, 'admin')];
  const { key, secret } = await createKey(BY_SERVICE, { ...properties, firmId: firm.id }, admin);
  expect(await use.apiKeyAuthenticator.authenticate(secret)).not.toBeNull();
  const rolled = await rollKey(BY_SERVICE, key.id, 0, admin);
  expect(await use.apiKeyAuthenticator.authenticate(secret)).toBeNull();
  for (const attempt of [
    createKey(BY_SERVICE, { ...properties, firmId: 'no firm' as FirmId }, admin),
    rollKey(BY_SERVICE, rolled.key.id, 0, stranger),
    revokeKey(BY_SERVICE, rolled.key.id, other.id),
  ])
    expect(await errorCodeOf(attempt)).toBe('not_found');
  for (const [id, shown] of [
    ['key_none', 'key_none'],
    [rolled.secret, 'given, which is the secret of a key'],
  ] as const)
    await expect(revokeKey(BY_SERVICE, id as KeyId)).rejects.toThrow(`No key has the id ${shown}.`);
  expect(await revokeKey(BY_SERVICE, rolled.key.id, firm.id)).toMatchObject({
    revokedAt: expect.any(Number),
  });
  expect(await errorCodeOf(rollKey(BY_SERVICE, rolled.key.id, 0, admin))).toBe('key_revoked');
});

test('the trail has each act on a key with what it changed, and what it ends is refused at once', async () => {
  const { newFirm, newStaff, use, clock, auditOf } = memoryFixture();
  const firm = await newFirm();
  const admin = await newStaff(firm);
  const { createKey, renameKey, rollKey, revokeKey, revokeKeysOfMaker } = use.desk;
  const caller = { actor: `staff:${admin.staffId}`, address: '192.0.2.9', requestId: 'request' };
  const create = (lifetimeMs: number | null) =>
    createKey(caller, { firmId: firm.id, environment: 'live', purpose: 'read_only', lifetimeMs }, admin);
  const before = (await auditOf(firm.id)).length;
  const at = clock.now();
  const works = async (secret: string) => (await use.apiKeyAuthenticator.authenticate(secret)) !== null;
  const one = await create(2 * HOUR);
  expect(await works(one.secret)).toBe(true);
  for (let times = 0; times < 2; times += 1) await renameKey(caller, one.key.id, 'Import', firm.id);
  clock.advance(1);
  const two = await rollKey(caller, one.key.id, HOUR, admin);
  expect(two.replaced).toEqual({ ...one.key, name: 'Import', expiresAt: at + HOUR + 1 });
  const created = { ...two.key, id: one.key.id, secretHash: one.key.secretHash };
  expect(one.key).toEqual({ ...created, name: null, createdAt: at, expiresAt: at + 2 * HOUR });
  expect([await works(one.secret), await works(two.secret)]).toEqual([true, true]);
  clock.advance(1);
  const revoked = await revokeKey(caller, two.key.id, firm.id);
  expect([await works(two.secret), revoked]).toEqual([false, { ...two.key, revokedAt: at + 2 }]);
  clock.advance(1);
  expect(await revokeKey(caller, two.key.id, firm.id)).toEqual(revoked);
  const three = await create(null);
  expect(await works(three.secret)).toBe(true);
  const all = await revokeKeysOfMaker(caller, admin);
  expect(all.map(({ id, revokedAt }) => [id, revokedAt])).toEqual(
    [one.key.id, three.key.id].sort().map((id) => [id, at + 3]),
  );
  expect([await works(one.secret), await works(three.secret)]).toEqual([false, false]);
  const time = (ms: number) => new Date(ms).toISOString();
  const entry = (action: string, { id }: ApiKey, passedMs: number, changes?: object) => ({
    ...caller,
    ...{ action, at: at + passedMs, object: `key:${id}`, outcome: 'ok', ...(changes && { changes }) },
  });
  const made = (expiresAt?: number) => ({
    environment: { from: null, to: 'live' },
    purpose: { from: null, to: 'read_only' },
    ...(expiresAt !== undefined && { expires_at: { from: null, to: time(expiresAt) } }),
  });
  const order = [one.key, three.key].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  expect((await auditOf(firm.id)).slice(before)).toEqual([
    entry('key.create', one.key, 0, made(at + 2 * HOUR)),
    entry('key.rename', one.key, 0),
    entry('key.roll', one.key, 1, { expires_at: { from: time(at + 2 * HOUR), to: time(at + HOUR + 1) } }),
    entry('key.create', two.key, 1, made(at + 2 * HOUR + 1)),
    entry('key.revoke', two.key, 2),
    entry('key.create', three.key, 3, made()),
    ...order.map((key) => entry('key.revoke', key, 3)),
  ]);
});

test.each<
  [madeBy: string | null, role: StaffRole, changes: Partial<ApiKey>, name: string | null, string | null]
>([
  [null, 'admin', {}, null, null],
  ['s', 'admin', {}, 'Ana now', null],
  ['s', 'developer', {}, 'Ana now', 'maker_role_changed'],
  ['s', 'developer', { environment: 'test' }, 'Ana now', null],
  ['s', 'developer', { revokedAt: 1 }, 'Ana now', null],
  ['s', 'developer', { expiresAt: 4 }, 'Ana now', null],
  ['s', 'developer', { expiresAt: 5 }, 'Ana now', 'maker_role_changed'],
  ['gone', 'admin', {}, 'Ana then', 'maker_removed'],
  ['gone', 'admin', { revokedAt: 1 }, 'Ana then', null],
])('a key that %p made, now %s, %p, is by %p and needs attention: %p', (...row) => {
  const [madeBy, role, changes, name, attention] = row;
  const key: ApiKey = {
    ...{ id: 'key_1' as KeyId, firmId: 'firm' as FirmId, name: 'Import', environment: 'live' },
    ...{ purpose: 'claims', madeBy: madeBy as StaffId | null, madeByName: madeBy && 'Ana then' },
    ...{ secretHash: '', createdAt: 0, expiresAt: null, revokedAt: null, lifetimeMs: null, lastUsedAt: null },
    ...changes,
  };
  const member = { firmId: key.firmId, role, email: '', invitedAt: 0, joinedAt: 0, lateOffersMailAt: null };
  const staff = ['other', 's'].map((id) => ({
    ...{ ...member, staffId: id as StaffId, name: id === 's' ? 'Ana now' : 'Ben' },
  }));
  expect(makerOf(key, staff, 4)).toEqual({
    maker: { kind: madeBy === null ? 'operator' : 'staff', staffId: madeBy, name },
    attention,
  });
});
