import { expect, test } from '@jest/globals';
import { auditEntriesFrom, SERVICE_CHAIN } from '@svc/application';
import type { FirmId } from '@svc/domain';
import { operatorOf } from '../../../tools/services/operator.ts';
import { withClient } from '../../../tools/services/postgres.ts';
import { outcome } from './firm-calls.ts';
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

test('attempts that fail are recorded with the error; a malformed request is not', async () => {
  const firm = await service.firm();
  const { svcId, token } = await service.member(firm);
  const stranger = await service.adjuster();
  const { id } = (await sendClaim(service, firm.live, claimBody(svcId))).json;
  const before = (await exported(firm.id)).length;
  const readOnly = await service.key(firm, { purpose: 'read_only' });
  await service.call('GET', '/v1/claims/01980a5e-4c7f-7b3e-9d8a-2f6b1c0d5e4a', { as: firm.live });
  await sendClaim(service, readOnly, claimBody(svcId));
  await service.call('GET', '/v1/claims/no-uuid', { as: firm.live });
  await service.call('GET', `/app/v1/claims/${id}`, { as: stranger.token });
  await service.call('PUT', `/app/v1/claims/${id}/contacts/first-call`, {
    as: stranger.token,
    body: { at: '2026-09-02T10:00:00Z', result: 'no_answer' },
  });
  await service.call('POST', `/app/v1/claims/${id}/acceptance`, { as: token });
  const device = { answered_at: '2026-09-02T10:00:00.000Z', kept_offline_since: '2026-09-02T10:00:05.000Z' };
  const late = { as: token, body: device };
  for (const answer of ['acceptance', 'rejection'])
    expect(outcome(await service.call('POST', `/app/v1/claims/${id}/${answer}`, late))).toEqual([
      409,
      'offer_not_pending',
    ]);
  await service.call('POST', `/app/v1/claims/${id}/acceptance`, { ...late, as: stranger.token });
  const events = (await exported(firm.id)).slice(before);
  // Actions are recorded in their transactions, failed attempts in batches: each in its own order.
  const inOrder = (succeeded: boolean) =>
    events.flatMap(({ action, outcome }) => ((outcome === 'ok') === succeeded ? [[action, outcome]] : []));
  expect(inOrder(true)).toEqual([
    ['key.create', 'ok'],
    ['claim.accept', 'ok'],
  ]);
  expect(inOrder(false)).toEqual([
    ['claim.read', 'not_found'],
    ['claim.send', 'insufficient_scope'],
    ['claim.accept', 'offer_not_pending'],
    ['claim.reject', 'offer_not_pending'],
  ]);
  // The desk shows the firm when an answer was given that came too late.
  const { token: auditor } = await operatorOf(service.service.services).staff(firm.id as FirmId, 'auditor');
  const { json } = await service.call('GET', `/firm/v1/audit?object=claim:${id}`, { as: auditor });
  expect(json.data.slice(0, 2)).toMatchObject(
    ['claim.reject', 'claim.accept'].map((action) => ({ action, actor: `adjuster:${svcId}`, device })),
  );
  const auditReads = service.service.services.auditReads;
  const ofService = (await auditReads.latest(SERVICE_CHAIN, { limit: 100 })).flatMap(({ text }) =>
    auditEntriesFrom(text),
  );
  for (const action of ['claim.read', 'claim.work', 'claim.accept'])
    expect(ofService).toContainEqual(
      expect.objectContaining({ actor: `adjuster:${stranger.svcId}`, action, outcome: 'not_found' }),
    );
});

test('reads of keys and webhooks, simulated faults, and each attempt that a role does not allow are recorded', async () => {
  const firm = await service.firm();
  const [developer, dispatcher] = [
    await service.staff(firm, 'developer'),
    await service.staff(firm, 'dispatcher'),
  ];
  const body = { url: 'https://8.8.8.8/claims' };
  const created = await service.call('POST', '/firm/v1/webhooks', { as: developer, body });
  const deliveries = `/firm/v1/webhooks/${created.json.webhook.id}/deliveries`;
  const before = (await exported(firm.id)).length;
  for (let times = 0; times < 3; times += 1)
    expect((await service.call('GET', deliveries, { as: developer })).status).toBe(200);
  for (const path of ['keys', 'webhooks', 'limits', 'requests', 'readiness'])
    for (const as of [developer, dispatcher]) await service.call('GET', `/firm/v1/${path}`, { as });
  const webhook = '01980a5e-4c7f-7b3e-9d8a-2f6b1c0d5e4a';
  await service.call('PATCH', `/firm/v1/webhooks/${webhook}`, { as: developer, body: { state: 'paused' } });
  const faults = { kind: 'slow', count: 2 };
  for (const as of [firm.test, firm.live]) {
    await service.call('PUT', '/v1/test/faults', { as, body: faults });
    await service.call('DELETE', '/v1/test/faults', { as });
  }
  const keyId = (await service.call('GET', '/v1/me', { as: firm.test })).json.key.id;
  const events = (await exported(firm.id)).slice(before);
  const succeeded = events.filter(({ outcome }) => outcome === 'ok');
  const failed = events.filter(({ outcome }) => outcome !== 'ok');
  // Reads are written apart from changes, in batches.
  const isRead = ({ action }: Record<string, unknown>) => String(action).endsWith('.read');
  expect(succeeded.filter((event) => !isRead(event))).toMatchObject([
    {
      action: 'faults.set',
      object: `key:${keyId}`,
      changes: { kind: { from: null, to: 'slow' }, count: { from: null, to: 2 } },
    },
    { action: 'faults.clear', object: `key:${keyId}` },
  ]);
  // A page repeats its reads of deliveries, limits, requests and readiness, which show no secrets and nothing of people.
  expect(succeeded.filter(isRead).map(({ action }) => action)).toEqual(['keys.read', 'webhooks.read']);
  expect(failed.map(({ action, outcome, object }) => [action, outcome, object])).toEqual([
    ...['keys', 'webhooks', 'keys', 'requests', 'readiness'].map((list) => [
      `${list}.read`,
      'insufficient_scope',
      null,
    ]),
    ['webhook.change', 'not_found', `webhook:${webhook}`],
    ['faults.set', 'environment_mismatch', null],
    ['faults.clear', 'environment_mismatch', null],
  ]);
});

test('reads of the last second before a shutdown are not lost', async () => {
  const firm = await service.firm();
  const { svcId } = await service.member(firm);
  const { id } = (await sendClaim(service, firm.live, claimBody(svcId))).json;
  const second = await startServiceUnderTest({ databaseUrl: service.databaseUrl });
  const reads = await Promise.all(
    Array.from({ length: 20 }, () => second.call('GET', `/v1/claims/${id}`, { as: firm.live })),
  );
  // A slow machine may refuse some of so many at once.
  const served = reads.filter(({ status }) => status !== 503);
  expect([...new Set(served.map(({ status }) => status))]).toEqual([200]);
  await second.stop();
  const recorded = (await exported(firm.id)).filter(({ action }) => action === 'claim.read');
  expect(recorded).toHaveLength(served.length);
  const { stdout } = await svc('audit', 'list', '--firm', firm.id, '--limit', '1000', '--json');
  const latest = JSON.parse(stdout).audit.reverse();
  expect((await exported(firm.id)).slice(0, 25).filter(({ action }) => action !== 'audit.read')).toEqual(
    latest.filter(({ action }: { action: string }) => !action.startsWith('audit.')).slice(0, 25),
  );
});

test('svc audit verify fails and names the row that somebody changed or removed', async () => {
  const firm = await service.firm();
  await service.member(firm);
  const verify = () => svc('audit', 'verify', '--firm', firm.id, '--json');
  const intact = await verify();
  expect([intact.code, JSON.parse(intact.stdout).intact]).toEqual([0, true]);
  const { last } = JSON.parse(intact.stdout);
  const knowing = async (row: string) =>
    (await svc('audit', 'verify', '--firm', firm.id, '--known', row)).code;
  expect(await knowing(`${last.seq}:${last.hash}`)).toBe(0);
  expect(await knowing(`${last.seq}:${'0'.repeat(64)}`)).toBe(1);
  const ofService = JSON.parse((await svc('audit', 'verify', '--service', '--json')).stdout).last;
  const row = `${ofService.seq}:${ofService.hash}`;
  expect([await knowing(row), (await svc('audit', 'verify', '--service', '--known', row)).code]).toEqual([
    1, 0,
  ]);
  await withClient(service.databaseUrl, (sql) =>
    sql.query('DELETE FROM audit_log WHERE firm_id = $1 AND seq = 3', [firm.id]),
  );
  const broken = await verify();
  expect(broken.code).toBe(1);
  expect(JSON.parse(broken.stdout)).toEqual({ intact: false, seq: 3, problem: 'missing' });
  expect(broken.stderr).toContain('row 3 is missing');
  const within = async (...period: string[]) =>
    (await svc('audit', 'verify', '--firm', firm.id, ...period)).code;
  const ofRow = async (seq: number) =>
    withClient(service.databaseUrl, async (sql) => {
      const { rows } = await sql.query('SELECT at FROM audit_log WHERE firm_id = $1 AND seq = $2', [
        ...[firm.id, seq],
      ]);
      return new Date(rows[0].at).toISOString();
    });
  expect(await within('--since', await ofRow(last.seq + 1))).toBe(0);
  expect(await within('--until', await ofRow(2))).toBe(0);
  expect(await within('--since', await ofRow(1), '--until', await ofRow(last.seq + 1))).toBe(1);
  await withClient(service.databaseUrl, (sql) =>
    sql.query('UPDATE firm_feeds SET audit_purged_seq = 3 WHERE firm_id = $1', [firm.id]),
  );
  for (const [seq, isDeleted] of [
    [2, true],
    [3, false],
  ] as const) {
    const { code, stderr } = await svc(
      'audit',
      'verify',
      '--firm',
      firm.id,
      '--known',
      `${seq}:${last.hash}`,
    );
    const detail = `svc: row ${seq} was deleted by retention; name a row from 3 on\n`;
    expect([seq, code, stderr === detail]).toEqual([seq, 1, isDeleted]);
  }
  await withClient(service.databaseUrl, (sql) =>
    sql.query('DELETE FROM firm_feeds WHERE firm_id = $1', [firm.id]),
  );
  await verify();
  const removed = await verify();
  expect([removed.code, removed.stderr]).toEqual([
    1,
    'svc: the firm has no audit chain: it was removed, or nothing was recorded since an upgrade\n',
  ]);
});

test('svc audit export leaves out a row that is not part of the chain, and names it', async () => {
  const firm = await service.firm();
  await withClient(service.databaseUrl, (sql) =>
    sql.query(
      'INSERT INTO audit_log SELECT firm_id, seq + 100000, at, entry, hash FROM audit_log WHERE firm_id = $1 AND seq = 1',
      [firm.id],
    ),
  );
  const { code, stdout, stderr } = await svc('audit', 'export', '--firm', firm.id);
  expect([code, stderr]).toEqual([0, expect.stringContaining('row 100001 is not part of the chain')]);
  expect(stdout).not.toContain('100001');
  const verified = await svc('audit', 'verify', '--firm', firm.id);
  expect([verified.code, verified.stderr]).toEqual([
    1,
    expect.stringContaining('row 100001 is not part of the chain'),
  ]);
});
