import { describe, expect, test } from '@jest/globals';
import { type ApiKey, BY_SERVICE } from '@svc/application';
import {
  DAY,
  DEFAULT_MAX_KEYS,
  HOUR,
  NO_OVERRIDES,
  type Purpose,
  type StaffId,
  type StaffRef,
} from '@svc/domain';
import { errorCodeOf } from '../../error-code.ts';
import { everyPage, type Fixture, type TestFirm } from '../../fixture.ts';

/** Who makes keys, and how many of them work. */
export function keysBehavior(fixture: () => Fixture): void {
  const create = (
    firm: TestFirm,
    by: StaffRef | undefined,
    environment: 'live' | 'test' = 'live',
    others: { lifetimeMs?: number; name?: string; purpose?: Purpose } = {},
  ) => {
    const properties = { firmId: firm.id, environment, purpose: 'claims', lifetimeMs: null } as const;
    return fixture().use.desk.createKey(BY_SERVICE, { ...properties, ...others }, by);
  };

  describe('keys of a firm', () => {
    test('have a name and who made them, which another name and a roll keep', async () => {
      const { newFirm, newStaff, use, stores, clock, newKey } = fixture();
      const [firm, stranger] = [await newFirm(), await newFirm()];
      const [admin, other] = [await newStaff(firm), await newStaff(firm)];
      await newKey(stranger);
      const { key } = await create(firm, admin, 'live', { name: 'Jean’s laptop' });
      expect(key).toMatchObject({ name: 'Jean’s laptop', madeBy: admin.staffId, madeByName: admin.name });
      expect(await stores.operatorReads.keys(firm.id)).toEqual([key]);
      const { desk } = use;
      expect((await desk.renameKey(BY_SERVICE, key.id, 'Import', firm.id)).name).toBe('Import');
      const rolled = await desk.rollKey(BY_SERVICE, key.id, HOUR, other);
      expect(rolled.key).toMatchObject({ name: 'Import', madeBy: other.staffId, madeByName: other.name });
      const { rows } = await stores.operatorReads.keyPage(firm.id, { after: null, limit: 9 });
      expect(new Set(rows.map(({ id, name, madeByName }) => [id, name, madeByName].join()))).toEqual(
        new Set([[key.id, 'Import', admin.name].join(), [rolled.key.id, 'Import', other.name].join()]),
      );
      clock.advance(1);
      const { key: ofOperator } = await newKey(firm, { environment: 'test' });
      expect(ofOperator).toMatchObject({ name: null, madeBy: null, madeByName: null });
      const working = await stores.operatorReads.workingKeys(firm.id, clock.now());
      expect(working[0]).toEqual(ofOperator);
      expect(working).toHaveLength(3);
      expect((await stores.operatorReads.keys(firm.id)).at(-1)).toEqual(ofOperator);
      const inPages = () => everyPage((page) => stores.operatorReads.keyPage(firm.id, page), 1);
      expect(await inPages()).toEqual(working);
      clock.advance(-2);
      const { key: earliest } = await newKey(firm);
      clock.advance(2);
      expect(await inPages()).toEqual([...working, earliest]);
      expect(await stores.operatorReads.workingKeys(firm.id, clock.now())).toEqual([...working, earliest]);
      expect(await stores.operatorReads.keys(firm.id)).toEqual([earliest, ...working.toReversed()]);
      expect(await errorCodeOf(desk.renameKey(BY_SERVICE, key.id, 'x', stranger.id))).toBe('not_found');
    });

    test('never may do more than who makes or replaces them, with the role of that moment', async () => {
      const { newFirm, newStaff, use } = fixture();
      const firm = await newFirm();
      const [admin, developer] = [await newStaff(firm), await newStaff(firm, 'developer')];
      const { key } = await create(firm, admin);
      for (const attempt of [
        () => create(firm, developer),
        () => create(firm, developer, 'live', { purpose: 'read_only' }),
        () => use.desk.rollKey(BY_SERVICE, key.id, HOUR, developer),
      ])
        expect(await errorCodeOf(attempt())).toBe('missing_permission');
      const { key: ofTest } = await create(firm, developer, 'test');
      await use.desk.rollKey(BY_SERVICE, ofTest.id, 0, developer);
      const second = await newStaff(firm);
      await use.updateStaff(second, { role: 'dispatcher' });
      expect(await errorCodeOf(create(firm, second, 'test'))).toBe('missing_permission');
      await use.removeStaff(second);
      expect(await errorCodeOf(create(firm, second, 'test'))).toBe('account_removed');
    });

    test('of one person are revoked together, and no others', async () => {
      const { newFirm, newStaff, use, stores, clock } = fixture();
      const [firm, other] = [await newFirm(), await newFirm()];
      const [admin, leaving] = [await newStaff(firm), await newStaff(firm)];
      await create(firm, admin);
      const own = [await create(firm, leaving), await create(firm, leaving, 'test')];
      await use.removeStaff(leaving);
      const revokeOf = (firmId: TestFirm['id'], staffId: StaffId) =>
        use.desk.revokeKeysOfMaker(BY_SERVICE, { firmId, staffId });
      expect(await revokeOf(other.id, leaving.staffId)).toEqual([]);
      const revoked = await revokeOf(firm.id, leaving.staffId);
      expect(new Set(revoked.map(({ id }) => id))).toEqual(new Set(own.map(({ key }) => key.id)));
      expect(new Set(revoked.map(({ madeByName }) => madeByName))).toEqual(new Set([leaving.name]));
      for (const { secret } of own) expect(await use.apiKeyAuthenticator.authenticate(secret)).toBeNull();
      const working = await stores.operatorReads.workingKeys(firm.id, clock.now());
      expect(working.map(({ madeBy }) => madeBy)).toEqual([admin.staffId]);
      expect(await revokeOf(firm.id, leaving.staffId)).toEqual([]);
    });

    test('are at most so many in each environment, also of requests at the same time; the operator raises it', async () => {
      const { newFirm, newStaff, use, stores, clock } = fixture();
      const firm = await newFirm();
      const admin = await newStaff(firm);
      const codes = await Promise.all(
        Array.from({ length: DEFAULT_MAX_KEYS + 5 }, (_, n) =>
          errorCodeOf(create(firm, n % 2 === 0 ? admin : undefined)).catch(() => null),
        ),
      );
      expect(codes.filter((code) => code === 'too_many_keys')).toHaveLength(5);
      await create(firm, admin, 'test');
      const working = await stores.operatorReads.workingKeys(firm.id, clock.now());
      expect(working).toHaveLength(DEFAULT_MAX_KEYS + 1);
      const [first] = working.filter(({ environment }) => environment === 'live');
      if (first === undefined) throw new Error('no key');
      await use.revokeKey(first.id);
      await create(firm, admin, 'live', { lifetimeMs: HOUR });
      expect(await errorCodeOf(create(firm, admin))).toBe('too_many_keys');
      clock.advance(HOUR);
      await create(firm, admin);
      await use.setLimits(firm.id, NO_OVERRIDES, DEFAULT_MAX_KEYS + 1);
      await create(firm, admin);
      expect(await errorCodeOf(create(firm, admin))).toBe('too_many_keys');
      expect((await use.setLimits(firm.id, NO_OVERRIDES)).maxKeys).toBeNull();
      expect(await errorCodeOf(create(firm, undefined))).toBe('too_many_keys');
    });

    test('at that number are replaced, each once at a time with an overlap, and at any time without one', async () => {
      const { newFirm, newStaff, use, stores, clock } = fixture();
      const firm = await newFirm();
      const admin = await newStaff(firm);
      await use.setLimits(firm.id, NO_OVERRIDES, 2);
      const roll = (key: ApiKey, overlapMs: number) => use.desk.rollKey(BY_SERVICE, key.id, overlapMs, admin);
      const { key: brief } = await create(firm, admin, 'live', { lifetimeMs: HOUR });
      let { key } = await create(firm, admin);
      for (const overlapMs of [DAY, DAY]) ({ key } = await roll(key, overlapMs));
      expect(await errorCodeOf(roll(key, DAY))).toBe('too_many_keys');
      ({ key } = await roll(key, 0));
      expect(await errorCodeOf(create(firm, admin))).toBe('too_many_keys');
      expect(await stores.operatorReads.workingKeys(firm.id, clock.now())).toHaveLength(4);
      clock.advance(HOUR);
      await create(firm, admin);
      clock.advance(DAY);
      // A key that has expired leaves no room for its successor.
      expect(await errorCodeOf(roll(brief, DAY))).toBe('too_many_keys');
      await roll(key, DAY);
    });
  });
}
