import { isDeepStrictEqual } from 'node:util';
import { expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { onCitus } from '../../../tools/services/citus.ts';
import { type CommandResult, svc, svcWithClosedStdout } from './child.ts';
import { claimBody, sendClaim, startServiceUnderTest } from './service-under-test.ts';
import { svcInProcess, svcJsonOn } from './svc-here.ts';

const UNKNOWN = '01890000-0000-7000-8000-000000000000';
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

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

test('a firm is created with test accounts, and its plan and limits are changed while a server runs', async () => {
  const created = await json('firm', 'create', '--name', 'Delta & Söhne', '--plan', 'claims_only');
  const { firm, test_accounts } = created;
  const [{ svc_id, sign_in_secret }] = test_accounts;
  const signedIn = await service.call('POST', '/app/v1/sessions', { body: { svc_id, sign_in_secret } });
  expect(signedIn.status).toBe(201);

  const key = await json('key', 'create', '--firm', firm.id, '--environment', 'live');
  expect((await me(key.secret)).json.scopes).toEqual(['claims:create', 'claims:read', 'claims:write']);

  await json('firm', 'set-plan', firm.id, 'read_only');
  await waitForState(async () => (await me(key.secret)).json.scopes, ['claims:read', 'adjusters:read']);

  await json('firm', 'set-limits', firm.id, '--burst', '1', '--requests-per-minute', '1');
  await waitForState(async () => (await me(key.secret)).status, 429);
});

test('deadlines of an event and the wait of a firm are changed, and adjusters see them', async () => {
  const firm = await service.firm();
  const { svcId, token } = await service.member(firm);
  const { json: sent } = await sendClaim(service, firm.live, claimBody(svcId));
  const waiting = await json('firm', 'set-offer-wait', firm.id, '--hours', '4');
  expect(waiting.firm.offer_wait_hours).toBe(4);
  const claim = await service.call('GET', `/app/v1/claims/${sent.id}`, { as: token });
  expect(Date.parse(claim.json.respond_by) - Date.parse(claim.json.offered_at)).toBe(4 * 3_600_000);
  expect((await json('firm', 'set-offer-wait', firm.id)).firm.offer_wait_hours).toBeNull();

  const seen = async () => (await service.call('GET', '/app/v1/deadlines', { as: token })).json.data;
  const ofEvent = ['--event', 'FL26-09', '--kind', 'proof_of_loss'];
  const deadline = { hours: 8760, source: 'Bulletin W-26009' };
  await json('deadline', 'set', ...ofEvent, '--hours', '8760', '--source', deadline.source);
  const events = async () => (await seen()).map(({ events }: { events: unknown }) => events);
  const { hours, source } = deadline;
  expect(await events()).toEqual([[], [], [], [{ cat_code: 'FL26-09', hours, source }]]);
  await json('deadline', 'remove', ...ofEvent);
  expect(await events()).toEqual([[], [], [], []]);
});

test('feeds are restamped after a restore while a server runs; /status names it, the audit trail the operator', async () => {
  const firm = await service.firm();
  const { svcId } = await service.member(firm);
  const { json: sent } = await sendClaim(service, firm.live, claimBody(svcId));
  const updatedAt = async () =>
    (await service.call('GET', `/v1/claims/${sent.id}`, { as: firm.live })).json.updated_at;
  const since = new Date().toISOString();
  const before = await updatedAt();
  const restamped = await json('feed', 'restamp', '--since', since, '--as', 'dana');
  expect(restamped).toEqual({ since, claims: expect.any(Number) });
  expect(restamped.claims).toBeGreaterThan(0);
  expect(Date.parse(await updatedAt())).toBeGreaterThan(Date.parse(before));
  const { restore } = (await service.call('GET', '/status')).json;
  expect(restore).toEqual({ to: since, at: TIME, effect: expect.stringContaining('send claims again') });
  // Reads before and after it are recorded in batches, in any order with it.
  const { audit } = await json('audit', 'list', '--firm', firm.id, '--limit', '10');
  expect(audit).toContainEqual(expect.objectContaining({ action: 'feed.restamp', actor: 'operator:dana' }));
  const again = await run('feed', 'restamp', '--since', since);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('once more')]);
});

test('a key is created, rolled and revoked while a server runs', async () => {
  const firm = await service.firm();
  const created = await json(
    ...['key', 'create', '--firm', firm.id, '--environment', 'test', '--purpose', 'claims'],
    ...['--expires-in', '90d', '--name', 'Claims import'],
  );
  expect((await me(created.secret)).json.key).toEqual({ id: created.key.id, environment: 'test' });

  const rolled = await json('key', 'roll', created.key.id, '--overlap', '1h');
  for (const secret of [created.secret, rolled.secret]) expect((await me(secret)).status).toBe(200);

  await json('key', 'revoke', rolled.key.id);
  await waitForState(async () => (await me(rolled.secret)).status, 401);
  const other = await json('key', 'create', '--firm', firm.id, '--environment', 'live');
  const ended = await json('key', 'roll', other.key.id, '--overlap', '0s');
  await waitForState(async () => (await me(other.secret)).status, 401);
  expect((await me(ended.secret)).status).toBe(200);
});

test('an adjuster is created, signed in, made a member, and denied and granted the permission to accept', async () => {
  const firm = await service.firm();
  await Promise.all([
    json('adjuster', 'create', '--svc-id', 'SVC-Bare'),
    json(
      ...['adjuster', 'create', '--svc-id', 'SVC-Full', '--first-name', 'Ana'],
      ...['--last-name', "O'Neill", '--email', 'ana@example.com'],
    ),
  ]);
  const { token } = await json('adjuster', 'session', 'SVC-Bare');
  await json('member', 'add', '--firm', firm.id, '--svc-id', 'SVC-Full');
  expect((await service.call('GET', '/app/v1/me', { as: token })).json).toMatchObject({ svc_id: 'SVC-Bare' });
  const set = (allowed: string) =>
    json('member', 'set', '--firm', firm.id, '--svc-id', 'SVC-Full', '--can-accept-claims', allowed);
  await set('false');
  expect((await sendClaim(service, firm.live, claimBody('SVC-Full'))).json.code).toBe(
    'adjuster_not_accepting',
  );
  await set('true');

  const status = async () => (await service.call('GET', '/app/v1/me', { as: token })).status;
  await json('adjuster', 'end-sessions', 'SVC-Bare');
  await waitForState(status, 401);
});

test('migrate reports an up-to-date schema, and doctor a healthy or unhealthy service', async () => {
  const [migrated, healthy, unhealthy] = await Promise.all([
    json('migrate'),
    json('doctor'),
    svcInProcess(['doctor', '--json'], { ...env, REDIS_URL: 'redis://127.0.0.1:1', TRUST_PROXY: 'true' }),
  ]);
  expect(migrated).toMatchObject({ current: true, applied_now: [] });
  expect((await run('migrate')).stdout).toMatch(
    /^Nothing to apply\.\nThe schema is up to date \(\d+ migrations\)\.\n$/,
  );
  for (const { at } of migrated.applied) expect(at).toEqual(TIME);
  expect(healthy.ok).toBe(true);
  expect(healthy.checks.map(({ what }: { what: string }) => what)).toEqual(
    expect.arrayContaining(['node', 'environment', 'database', 'schema', 'connections', 'redis', 'push']),
  );
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

test('doctor names each server of several, and what is wrong with it', async () => {
  const url = new URL(service.databaseUrl);
  const DATABASE_URL = service.databaseUrl.replace(url.host, `127.0.0.1:1,${url.host}`);
  const { code, stdout } = await svcInProcess(['doctor', '--json'], { ...env, DATABASE_URL });
  const checks = JSON.parse(stdout).checks.filter(({ what }: { what: string }) =>
    what.startsWith('database '),
  );
  expect(code).toBe(1);
  expect(checks).toEqual([
    { what: 'database 127.0.0.1:1', state: 'wrong', detail: expect.stringContaining('ECONNREFUSED') },
    { what: `database ${url.host}`, state: 'ok', detail: 'accepts writes' },
  ]);
});

test('as a child process it has the same results, plain output in a pipe, and shows only new secrets', async () => {
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

  const [keys, shown] = [await run('key', 'list', '--firm', firm.id), await run('firm', 'show', firm.id)];
  expect(keys.stdout + shown.stdout).not.toMatch(/svc_(live|test|signin)_/);
});

test('a closed standard output changes neither the operation nor the exit code', async () => {
  const unread = svcWithClosedStdout(['firm', 'create', '--name', 'Unread', '--json'], env);
  expect(await unread).toEqual({ code: 0, stdout: '', stderr: '' });
  expect((await json('firm', 'list')).firms).toContainEqual(expect.objectContaining({ name: 'Unread' }));
});

test('staff are invited, get another role and are removed while a server runs', async () => {
  const { firm } = await json('firm', 'create', '--name', 'Staffed');
  const of = ['--firm', firm.id, '--email', 'Priya@example.com'];
  const { staff } = await json('staff', 'invite', ...of, '--name', 'Priya', '--role', 'admin');
  const [{ token: as }, other] = [await json('staff', 'session', ...of), 'marcus@example.com'];
  const role = async () => {
    const { status, json: me } = await service.call('GET', '/firm/v1/me', { as });
    return status === 200 ? me.staff.role : status;
  };
  expect([staff.email, await role()]).toEqual(['Priya@example.com', 'admin']);
  await json('staff', 'invite', '--firm', firm.id, '--email', other, '--name', 'Marcus', '--role', 'admin');
  const inOtherCase = ['--firm', firm.id, '--email', 'pRIYA@example.COM'];
  const changed = await json('staff', 'set-role', ...inOtherCase, '--role', 'auditor');
  expect(changed.staff).toEqual({ ...staff, role: 'auditor' });
  await waitForState(role, 'auditor');
  expect((await json('staff', 'remove', ...of)).staff.id).toBe(staff.id);
  await waitForState(role, 401);
  const list = async () => (await json('staff', 'list', '--firm', firm.id)).staff;
  expect(await list()).toMatchObject([{ email: other, working_keys: 0 }]);
  const leaving = ['--firm', firm.id, '--email', 'nia@example.com'];
  for (const [options, working] of [
    [[], 1],
    [['--revoke-keys'], 0],
  ] as const) {
    await json('staff', 'invite', ...leaving, '--name', 'Nia', '--role', 'developer');
    const { token } = await json('staff', 'session', ...leaving);
    const body = { environment: 'test' };
    const { secret } = (await service.call('POST', '/firm/v1/keys', { as: token, body })).json;
    expect(await list()).toContainEqual(expect.objectContaining({ name: 'Nia', working_keys: 1 }));
    const { stdout, stderr } = await run('staff', 'remove', ...leaving, ...options, '--json');
    expect(JSON.parse(stdout).staff.working_keys).toBe(working);
    expect(stderr.startsWith('1 keys that the person made still work')).toBe(working === 1);
    await waitForState(async () => (await me(secret)).status, working === 1 ? 200 : 401);
  }
});
