import { expect, test } from '@jest/globals';
import { operatorOf } from '../../../tools/services/operator.ts';
import { claimBody, sendClaim, startServiceUnderTest } from './service-under-test.ts';
import { svcInProcess } from './svc-here.ts';

const service = await startServiceUnderTest();

const svc = (...args: string[]) => svcInProcess(args, { DATABASE_URL: service.databaseUrl });

/** Every event of a firm, as `svc` exports it, without the exports. */
async function exported(firmId: string): Promise<Record<string, unknown>[]> {
  await service.service.services.auditBuffer.flush();
  const { code, stdout } = await svc('audit', 'export', '--firm', firmId);
  expect(code).toBe(0);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .filter(({ action }) => action !== 'audit.export');
}

test('every read of a claim is recorded with key or adjuster, address and request id', async () => {
  const firm = await service.firm();
  const { svcId, token } = await service.member(firm);
  // The adjuster's first offer is another firm's.
  const earlier = await service.firm();
  await operatorOf(service.service.services).addMember(earlier.id, svcId);
  await sendClaim(service, earlier.live, claimBody(svcId));
  const { id } = (await sendClaim(service, firm.live, claimBody(svcId))).json;
  const before = (await exported(firm.id)).length;
  const byKey = await service.call('GET', `/v1/claims/${id}`, { as: firm.live });
  const listed = await service.call('GET', '/v1/claims', { as: firm.live });
  await service.call('GET', '/v1/claims?updated_since=2099-01-01T00:00:00Z', { as: firm.live });
  const byAdjuster = await service.call('GET', `/app/v1/claims/${id}`, { as: token });
  await service.call('GET', '/app/v1/claims', { as: token });
  await service.call('GET', '/v1/adjusters', { as: firm.live });
  const keyId = (await service.call('GET', '/v1/me', { as: firm.live })).json.key.id;

  const events = (await exported(firm.id)).slice(before);
  const common = { outcome: 'ok', address: expect.stringContaining('127.0.0.1') };
  const [key, adjuster] = [{ actor: `key:${keyId}` }, { actor: `adjuster:${svcId}` }];
  expect(events).toEqual(
    [
      { ...key, action: 'claim.read', object: `claim:${id}`, request_id: byKey.headers.get('x-request-id') },
      { ...key, action: 'claims.read', claims: [id], request_id: listed.headers.get('x-request-id') },
      { ...adjuster, action: 'claim.read', request_id: byAdjuster.headers.get('x-request-id') },
      { ...adjuster, action: 'claims.read', claims: [id] },
      { ...key, action: 'adjusters.read' },
    ].map((event) => expect.objectContaining({ ...common, ...event })),
  );
});
