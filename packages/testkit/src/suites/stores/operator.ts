import { describe, expect, test } from '@jest/globals';
import type { ClaimId, FirmId, KeyId, Svcid } from '@svc/domain';
import { HOUR, NO_OVERRIDES, TEST_BEHAVIORS } from '@svc/domain';
import { errorCodeOf } from '../../error-code.ts';
import type { Fixture, TestFirm } from '../../fixture.ts';

export function operatorBehavior(fixture: () => Fixture): void {
  const newKey = (firm: TestFirm, environment: 'live' | 'test' = 'live', lifetimeMs: number | null = null) =>
    fixture().use.createKey({ firmId: firm.id, environment, purpose: 'full_access', lifetimeMs });

  describe('the operator', () => {
    test('sees a claim by the ids of its firm, and the jobs that wait for it', async () => {
      const { newTeam, newClaim, sendId, stores } = fixture();
      const { firm, svcId } = await newTeam();
      const claim = newClaim();
      const [claimId] = [await sendId(firm.live, svcId, { claim }), await sendId(firm.live, svcId)];
      const { externalId, claimNumber } = claim.facts;
      expect(await stores.operatorReads.claim(claimId)).toMatchObject({ externalId, claimNumber });
      const about = { firmId: firm.id, svcId, claimId };
      await stores.unitOfWork.run(async (tx) => {
        await tx.outbox.add({ kind: 'notify_offer_late', ...about, offeredAt: 0 }, 4e12);
        await tx.outbox.add({ kind: 'notify_offer_withdrawn', ...about }, 1000);
      });
      const waiting = { attempts: 0, failed: false };
      expect(await stores.operatorReads.jobsOfClaim(claimId)).toEqual([
        { kind: 'notify_offer_withdrawn', runAt: 1000, ...waiting },
        { kind: 'notify_offer', runAt: expect.any(Number), ...waiting },
        { kind: 'notify_offer_late', runAt: 4e12, ...waiting },
      ]);
    });

    test('creates a firm with its seven test accounts, four of them members', async () => {
      const { newFirm, stores, clock } = fixture();
      clock.advance(-1000);
      await newFirm();
      const at = clock.advance(1000);
      const firm = await newFirm('claims_only');
      const row = {
        id: firm.id,
        name: firm.name,
        plan: 'claims_only',
        limits: NO_OVERRIDES,
        maxKeys: null,
        offerWaitHours: null,
        clocks: null,
        createdAt: at,
        erasure: null,
      };
      expect(await stores.operatorReads.firm(firm.id)).toEqual(row);
      const firms = await stores.operatorReads.firms();
      expect(firms).toContainEqual(row);
      const times = firms.map(({ createdAt }) => createdAt);
      expect(times).toEqual(times.toSorted((one, other) => one - other));
      expect(await stores.unitOfWork.run((tx) => tx.firms.lock(firm.id))).toEqual(row);
      const accounts = await stores.operatorReads.testAccounts(firm.id);
      expect(accounts.map(({ testOf }) => testOf?.behavior)).toEqual([...TEST_BEHAVIORS].sort());
      for (const { svcId, email, testOf } of accounts) {
        expect(svcId).toMatch(new RegExp(`_${testOf?.behavior}$`));
        expect(email).toMatch(new RegExp(`^${testOf?.behavior}@[a-z0-9]+\\.test$`));
        expect(testOf?.firmId).toBe(firm.id);
      }
      expect(accounts.map(({ firstName, lastName }) => `${firstName} ${lastName}`).sort()).toEqual(
        [...TEST_BEHAVIORS]
          .sort()
          .map((behavior) => `Test ${behavior[0]?.toUpperCase()}${behavior.slice(1)}`),
      );
      const page = { after: null, limit: 50 };
      const members = (await stores.firmReads.adjusters(firm.id, 'test', page)).rows;
      const accepting = members.map(
        ({ adjuster, membership }) => `${adjuster.testOf?.behavior} ${membership.acceptingAssignments}`,
      );
      expect(accepting).toEqual(['accepts true', 'manual true', 'paused false', 'rejects true']);
    });

    test('a key grants the current scopes and limits of its purpose and firm', async () => {
      const { newFirm, use, stores, secrets } = fixture();
      const firm = await newFirm('read_only');
      const { key, secret } = await newKey(firm, 'test', HOUR);
      const hash = secrets.hashOf(secret, 'test_key') ?? '';
      const grant = () => stores.credentials.keyByHash(hash);
      const expected = {
        keyId: key.id,
        firmId: firm.id,
        firmName: firm.name,
        environment: 'test',
        purpose: 'full_access',
        plan: 'read_only',
        limits: NO_OVERRIDES,
        expiresAt: key.createdAt + HOUR,
        revokedAt: null,
      };
      expect(await grant()).toEqual(expected);
      await use.setPlan(firm.id, 'standard');
      const limits = { requestsPerMinute: 6_000, writesPerMinute: null, burst: 50 };
      await use.setLimits(firm.id, limits);
      expect(await grant()).toEqual({ ...expected, plan: 'standard', limits });
      await use.setLimits(firm.id, NO_OVERRIDES);
      const { revokedAt } = await use.revokeKey(key.id);
      expect(await grant()).toEqual({ ...expected, plan: 'standard', revokedAt });
      expect(await stores.credentials.keyByHash(`${hash}0`)).toBeNull();
    });

    test('every change to a key, a plan or limits changes the version; using a key does not', async () => {
      const { newFirm, use, stores, clock } = fixture();
      const firm = await newFirm();
      const seen = new Set<string>();
      const changed = async (): Promise<boolean> => {
        const version = await stores.credentials.version();
        const fresh = !seen.has(version);
        seen.add(version);
        return fresh;
      };
      await changed();
      const { key } = await newKey(firm);
      expect(await changed()).toBe(true);
      await use.rollKey(key.id, HOUR);
      expect(await changed()).toBe(true);
      await use.revokeKey(key.id);
      expect(await changed()).toBe(true);
      await use.setPlan(firm.id, 'claims_only');
      expect(await changed()).toBe(true);
      await use.setLimits(firm.id, { ...NO_OVERRIDES, burst: 5 });
      expect(await changed()).toBe(true);
      await stores.credentials.recordUse({ keys: new Map([[key.id, clock.now()]]), sessions: new Map() });
      expect(await changed()).toBe(false);
    });

    test('sees when a key was last used; a late update does not set it back', async () => {
      const { newFirm, stores, clock, ids } = fixture();
      const firm = await newFirm();
      const [{ key }, { key: unused }] = [await newKey(firm), await newKey(firm)];
      const { key: other } = await newKey(firm);
      const note = (at: number) =>
        stores.credentials.recordUse({
          keys: new Map([
            [key.id, at],
            [`key_${ids.next()}` as KeyId, at],
            [other.id, at - 1],
          ]),
          sessions: new Map(),
        });
      const lastUse = async (id: KeyId) =>
        (await stores.operatorReads.keys(firm.id)).find((held) => held.id === id)?.lastUsedAt;
      expect(await lastUse(key.id)).toBeNull();
      await note(clock.now());
      await note(clock.now() - HOUR);
      expect([await lastUse(key.id), await lastUse(other.id)]).toEqual([clock.now(), clock.now() - 1]);
      expect(await lastUse(unused.id)).toBeNull();
    });

    test('a rolled key is replaced by one of the same lifetime, and works no longer than before', async () => {
      const { newFirm, use, clock } = fixture();
      const firm = await newFirm();
      let { key } = await newKey(firm, 'live', 90 * 24 * HOUR);
      let { key: endless } = await newKey(firm);
      for (const overlap of [HOUR, 100 * 24 * HOUR]) {
        clock.advance(HOUR / 2);
        const rolled = await use.rollKey(key.id, overlap);
        expect(await errorCodeOf(use.rollKey(key.id, overlap))).toBe('already_rolled');
        expect(rolled.key.expiresAt).toBe(clock.now() + 90 * 24 * HOUR);
        expect(rolled.replaced.expiresAt).toBeLessThan(key.expiresAt ?? 0);
        key = rolled.key;
        endless = (await use.rollKey(endless.id, overlap)).key;
        expect(endless.expiresAt).toBeNull();
      }
    });

    test('can add only real adjusters and the firm’s own test accounts as members', async () => {
      const { newFirm, use } = fixture();
      const [firm, other] = [await newFirm(), await newFirm()];
      await use.addMember(firm.id, firm.accounts.new);
      await expect(use.addMember(firm.id, other.accounts.new)).rejects.toThrow('another firm');
      expect(await errorCodeOf(use.addMember(firm.id, firm.accounts.new))).toBe('already_member');
    });

    test('gets an error for ids that do not exist', async () => {
      const { newFirm, use, stores, ids } = fixture();
      const firm = await newFirm();
      const nothing = ids.next();
      expect(await stores.operatorReads.firm(nothing as FirmId)).toBeNull();
      expect(await stores.operatorReads.firm('no uuid' as FirmId)).toBeNull();
      expect(await stores.operatorReads.claim(nothing as ClaimId)).toBeNull();
      expect(await stores.operatorReads.claim('no uuid' as ClaimId)).toBeNull();
      expect(await stores.operatorReads.keys(nothing as FirmId)).toEqual([]);
      expect(await stores.jobReads.firmName(nothing as FirmId)).toBeNull();
      expect(await stores.jobReads.firmName(firm.id)).toBe(firm.name);
      for (const id of [nothing, 'no uuid']) {
        await expect(use.closeClaimAsOperator(id as ClaimId)).rejects.toThrow(id);
        await expect(use.revokeKey(id as KeyId)).rejects.toThrow(id);
        await expect(use.setPlan(id as FirmId, 'standard')).rejects.toThrow(id);
        await expect(use.openSession(id as Svcid)).rejects.toThrow(id);
        await expect(use.addMember(firm.id, id as Svcid)).rejects.toThrow(id);
        await expect(use.addMember(id as FirmId, firm.accounts.new)).rejects.toThrow(id);
        await expect(use.setMember(id as FirmId, firm.accounts.new, true)).rejects.toThrow(id);
        await expect(use.removeMember(id as FirmId, firm.accounts.new)).rejects.toThrow(id);
        await expect(use.enableAdjuster(id as Svcid)).rejects.toThrow(id);
        await expect(use.removePasskeys(id as Svcid)).rejects.toThrow(id);
        await expect(use.setLegalHold(id as FirmId, true)).rejects.toThrow(id);
        await expect(use.exportFirm(id as FirmId).next()).rejects.toThrow(id);
        const ofFirm = {
          firmId: id as FirmId,
          environment: 'live',
          purpose: 'claims',
          lifetimeMs: null,
        } as const;
        await expect(use.createKey(ofFirm)).rejects.toThrow(id);
      }
    });
  });
}
