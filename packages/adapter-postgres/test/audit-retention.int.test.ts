import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { auditEntriesFrom, auditRow, verifyAuditChain } from '@svc/application';
import { DAY, type FirmId, PLAN_RETENTION } from '@svc/domain';
import { sha256 } from '@svc/testkit/test-secrets';
import { connect, type PostgresStores } from '../src/index.ts';
import { aClaim, aFirm, NOW, newId } from './a-firm.ts';
import { distributedDatabase, type FreshDatabase } from './fresh-database.ts';

let database: FreshDatabase;
let stores: PostgresStores;
beforeAll(async () => {
  database = await distributedDatabase();
  stores = await connect({ url: database.url });
});
afterAll(async () => {
  await stores.close();
  await database.drop();
});

const { auditMs } = PLAN_RETENTION.standard;

async function readAt(chain: FirmId, at: number): Promise<void> {
  const caller = { actor: 'key:key_1', address: null, requestId: null };
  const entry = { at, ...caller, action: 'claim.read', object: `claim:${at}`, outcome: 'ok' } as const;
  await stores.audit.append([auditRow({ chain, entry })]);
}
const timesOf = async (firmId: FirmId) =>
  (await stores.auditReads.rows(firmId, { after: 0, limit: 100 })).flatMap(({ text }) =>
    auditEntriesFrom(text).map(({ at }) => at - NOW),
  );

test('events older than the plan allows are deleted, and the rest of the chain still verifies', async () => {
  const { firmId } = await aFirm(stores);
  for (const at of [-2, -1, 0, 1]) await readAt(firmId, NOW + at * DAY);
  const { audit } = await stores.purge(NOW + auditMs - DAY);
  expect(audit).toBe(2);
  expect(await timesOf(firmId)).toEqual([0, DAY]);
  const verified = await verifyAuditChain({ reads: stores.auditReads, sha256 }, firmId);
  expect(verified).toMatchObject({ intact: true, rows: 2 });
  await readAt(firmId, NOW + 2 * DAY);
  expect(await verifyAuditChain({ reads: stores.auditReads, sha256 }, firmId)).toMatchObject({ rows: 3 });
});

test('nothing of a firm under legal hold is deleted until it is released', async () => {
  const { firmId } = await aFirm(stores);
  await readAt(firmId, NOW);
  const hold = (since: number | null) => stores.unitOfWork.run((tx) => tx.firms.setLegalHold(firmId, since));
  await hold(NOW);
  await stores.purge(NOW + auditMs + DAY);
  expect(await timesOf(firmId)).toEqual([0]);
  await hold(null);
  await stores.purge(NOW + auditMs + DAY);
  expect(await timesOf(firmId)).toEqual([]);
  expect(await verifyAuditChain({ reads: stores.auditReads, sha256 }, firmId)).toMatchObject({
    intact: true,
  });
});

test('claims closed longer ago than the operator keeps them are deleted, except under legal hold', async () => {
  const retaining = await connect({ url: database.url, closedClaimRetentionMs: 10 * DAY });
  const [one, held] = [await aFirm(stores), await aFirm(stores)];
  const closedAt = (days: number | null) => ({ closedAt: days === null ? null : NOW - days * DAY });
  const add = async ({ firmId, svcId }: typeof one, days: number | null) => {
    const claim = aClaim(firmId, svcId, closedAt(days));
    await stores.unitOfWork.run((tx) => tx.claims.add(claim));
    return claim.id;
  };
  const [old, recent, open] = [await add(one, 11), await add(one, 9), await add(one, null)];
  const kept = await add(held, 11);
  await stores.unitOfWork.run((tx) => tx.firms.setLegalHold(held.firmId, NOW));
  const idsOf = async ({ firmId }: typeof one) =>
    (await stores.firmData.claims(firmId, null, 10)).map(({ id }) => id).sort();

  expect((await stores.purge(NOW)).closedClaims).toBe(0);
  expect((await retaining.purge(NOW)).closedClaims).toBe(1);
  expect([await idsOf(one), await idsOf(held)]).toEqual([[recent, open].sort(), [kept]]);
  const trail = await stores.auditReads.rows(one.firmId, { after: 0, limit: 10 });
  const purged = trail.flatMap(({ text }) => auditEntriesFrom(text));
  expect(purged).toEqual([
    expect.objectContaining({ actor: 'service', action: 'claims.purge', claims: [old] }),
  ]);
  await stores.unitOfWork.run((tx) => tx.firms.setLegalHold(held.firmId, null));
  expect((await retaining.purge(NOW)).closedClaims).toBe(1);
  await retaining.close();
});

test('reads of a firm that a restore has lost start its chain', async () => {
  const firmId = newId<FirmId>();
  for (const at of [0, 1]) await readAt(firmId, NOW + at);
  const verified = await verifyAuditChain({ reads: stores.auditReads, sha256 }, firmId);
  expect(verified).toMatchObject({ intact: true, rows: 2 });
});
