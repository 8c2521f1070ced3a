import { expect, test } from '@jest/globals';
import type { FirmId } from '@svc/domain';
import { errorCodeOf } from '@svc/testkit';
import { BY_SERVICE } from '../../src/index.ts';
import { memoryFixture } from '../memory-fixture.ts';

test('staff create, replace and revoke keys of their own firm alone, and replace none that is revoked', async () => {
  const { newFirm, newStaff, use } = memoryFixture();
  const [firm, other] = [await newFirm(), await newFirm()];
  const properties = { environment: 'test', purpose: 'claims', lifetimeMs: null } as const;
  const { createKey, rollKey, revokeKey } = use.desk;
  const [admin, stranger] = [await newStaff(firm, 'admin'), await newStaff(other, 'admin')];
  const { key } = await createKey(BY_SERVICE, { ...properties, firmId: firm.id }, admin);
  const rolled = await rollKey(BY_SERVICE, key.id, 0, admin);
  for (const attempt of [
    createKey(BY_SERVICE, { ...properties, firmId: 'no firm' as FirmId }, admin),
    rollKey(BY_SERVICE, rolled.key.id, 0, stranger),
    revokeKey(BY_SERVICE, rolled.key.id, other.id),
  ])
    expect(await errorCodeOf(attempt)).toBe('not_found');
  expect(await revokeKey(BY_SERVICE, rolled.key.id, firm.id)).toMatchObject({
    revokedAt: expect.any(Number),
  });
  expect(await errorCodeOf(rollKey(BY_SERVICE, rolled.key.id, 0, admin))).toBe('key_revoked');
});
