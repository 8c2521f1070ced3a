import { isDeepStrictEqual } from 'node:util';
import { expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { onCitus } from '../../../tools/services/citus.ts';
import { operatorOf } from '../../../tools/services/operator.ts';
import { type CommandResult, svc, svcWithClosedStdout } from './child.ts';
import { claimBody, sendClaim, startServiceUnderTest } from './service-under-test.ts';
import { svcInProcess, svcJsonOn } from './svc-here.ts';

const UNKNOWN = '01890000-0000-7000-8000-000000000000';

/** A running server, which must see the changes of the command line. */
const service = await startServiceUnderTest();
const env = { DATABASE_URL: service.databaseUrl };

const run = (...args: string[]): Promise<CommandResult> => svcInProcess(args, env);

const json = svcJsonOn(service.databaseUrl);

const me = (as: string) => service.call('GET', '/v1/me', { as });

/** Waits until the server has the wanted state. */
const waitForState = (read: () => Promise<unknown>, wanted: unknown) =>
  eventually(read, (found) => isDeepStrictEqual(found, wanted));

test('the tables are distributed only where the database has Citus', async () => {
  const { code, stdout, stderr } = await run('database', 'distribute');
  if (onCitus()) {
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^claims +split by firm over the workers +before$/m);
  } else {
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^svc: This database has no Citus extension, so it stays as it is: /);
  }
});

test('a firm with test accounts, its keys, plan and limits are made and changed while a server runs', async () => {
  const created = await json('firm', 'create', '--name', 'Delta & Söhne', '--plan', 'claims_only');
  const { firm, test_accounts } = created;
  const [{ svc_id, sign_in_secret }] = test_accounts;
  const signedIn = await service.call('POST', '/app/v1/sessions', { body: { svc_id, sign_in_secret } });
  expect(signedIn.status).toBe(201);

  const key = await json('key', 'create', '--firm', firm.id, '--environment', 'live');
  expect((await me(key.secret)).json.scopes).toEqual(['claims:create', 'claims:read', 'claims:write']);

  await json('firm', 'set-plan', firm.id, 'read_only');
  await waitForState(async () => (await me(key.secret)).json.scopes, ['claims:read', 'adjusters:read']);

  const rolled = await json('key', 'roll', key.key.id, '--overlap', '0s');
  await waitForState(async () => (await me(key.secret)).status, 401);
  await json('firm', 'set-limits', firm.id, '--burst', '1', '--requests-per-minute', '1');
  await waitForState(async () => (await me(rolled.secret)).status, 429);
  await json('key', 'revoke', rolled.key.id);
  await waitForState(async () => (await me(rolled.secret)).status, 401);
});

test('migrate reports an up-to-date schema, and doctor a healthy or unhealthy service', async () => {
  const [migrated, healthy, unhealthy] = await Promise.all([
    json('migrate'),
    json('doctor'),
    svcInProcess(['doctor', '--json'], { ...env, REDIS_URL: 'redis://127.0.0.1:1', TRUST_PROXY: 'true' }),
  ]);
  expect(migrated).toMatchObject({ current: true, applied_now: [] });
  expect(healthy.ok).toBe(true);
  expect(unhealthy.code).toBe(1);
  const { ok, checks } = JSON.parse(unhealthy.stdout) as {
    ok: boolean;
    checks: { what: string; detail: string }[];
  };
  expect(ok).toBe(false);
  // Every client could then choose the address that limits and the audit trail use.
  expect(checks.find(({ what }) => what === 'proxies')?.detail).toMatch(/^TRUST_PROXY is true/);
  expect(checks.find(({ what }) => what === 'redis')?.detail).toMatch(
    /^REDIS_URL: 127\.0\.0\.1:1: .*ECONNREFUSED/,
  );
});

test('as a child process it has the same results, and plain output in a pipe', async () => {
  const firm = await service.firm();
  const [list, failed, wrong] = await Promise.all([
    svc(['firm', 'list'], env),
    svc(['firm', 'show', UNKNOWN, '--json'], env),
    svc(['nonsense'], env),
  ]);
  expect([list.code, failed.code, wrong.code]).toEqual([0, 1, 2]);
  expect([list.stderr, failed.stdout, wrong.stdout]).toEqual(['', '', '']);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the output must have no terminal escapes
  expect(list.stdout).not.toMatch(/\u001b/);
  expect(list.stdout.split('\n').filter((line) => line.includes(firm.id))).toHaveLength(1);
});

test('a closed standard output changes neither the operation nor the exit code', async () => {
  const unread = svcWithClosedStdout(['firm', 'create', '--name', 'Unread', '--json'], env);
  expect(await unread).toEqual({ code: 0, stdout: '', stderr: '' });
  expect((await json('firm', 'list')).firms).toContainEqual(expect.objectContaining({ name: 'Unread' }));
});

/** Every event of a firm, as `svc` exports it, without the exports. */
async function exported(firmId: string): Promise<Record<string, unknown>[]> {
  await service.service.services.auditBuffer.flush();
  const { code, stdout } = await run('audit', 'export', '--firm', firmId);
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
