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
  expect(created).toEqual({
    firm: { id: expect.stringMatching(/^[0-9a-f-]{36}$/), name: 'Delta & Söhne', plan: 'claims_only' },
    test_accounts: ['manual', 'accepts', 'rejects', 'paused', 'new', 'joins', 'declines'].map((behavior) => ({
      svc_id: expect.stringMatching(new RegExp(`_${behavior}$`)),
      behavior,
      sign_in_secret: expect.stringMatching(/^svc_signin_/),
    })),
  });
  const [{ svc_id, sign_in_secret }] = test_accounts;
  const signedIn = await service.call('POST', '/app/v1/sessions', { body: { svc_id, sign_in_secret } });
  expect(signedIn.status).toBe(201);

  const [shown, listed, key] = await Promise.all([
    json('firm', 'show', firm.id),
    json('firm', 'list'),
    json('key', 'create', '--firm', firm.id, '--environment', 'live'),
  ]);
  expect(shown.firm).toEqual({
    ...firm,
    status: 'active',
    limits: { requests_per_minute: null, writes_per_minute: null, burst: null, max_keys: null },
    offer_wait_hours: null,
    created_at: TIME,
  });
  expect(shown.test_accounts).toHaveLength(7);
  expect(JSON.stringify(shown)).not.toContain('svc_signin_');
  expect(listed.firms).toContainEqual(shown.firm);
  expect((await me(key.secret)).json.scopes).toEqual(['claims:create', 'claims:read', 'claims:write']);

  const changed = await json('firm', 'set-plan', firm.id, 'read_only');
  expect(changed.firm).toEqual({ ...shown.firm, plan: 'read_only' });
  await waitForState(async () => (await me(key.secret)).json.scopes, ['claims:read', 'adjusters:read']);

  const writes = await json('firm', 'set-limits', firm.id, '--writes-per-minute', '7', '--max-keys', '3');
  expect(writes.firm.limits).toEqual({
    ...{ requests_per_minute: null, writes_per_minute: 7, burst: null, max_keys: 3 },
  });
  const limits = ['--burst', '1', '--requests-per-minute', '1', '--max-keys', '1'];
  const limited = await json('firm', 'set-limits', firm.id, ...limits);
  expect(limited.firm.limits).toEqual({
    ...{ requests_per_minute: 1, writes_per_minute: null, burst: 1, max_keys: 1 },
  });
  await waitForState(async () => (await me(key.secret)).status, 429);
  expect((await json('firm', 'set-limits', firm.id)).firm).toEqual(changed.firm);
  expect((await run('firm', 'show', firm.id)).stdout).toMatch(
    /^requests_per_minute +300 \(default; test keys: 60\)$/m,
  );
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
  const deadline = { event: 'FL26-09', kind: 'proof_of_loss', hours: 8760, source: 'Bulletin W-26009' };
  expect(await json('deadline', 'set', ...ofEvent, '--hours', '8760', '--source', deadline.source)).toEqual({
    deadline,
  });
  const { deadlines } = await json('deadline', 'list');
  expect(deadlines).toHaveLength(5);
  expect(deadlines).toContainEqual({ ...deadline, from: 'loss' });
  const events = async () => (await seen()).map(({ events }: { events: unknown }) => events);
  const { hours, source } = deadline;
  expect(await events()).toEqual([[], [], [], [{ cat_code: 'FL26-09', hours, source }]]);
  await json('deadline', 'remove', ...ofEvent);
  expect(await events()).toEqual([[], [], [], []]);
  expect((await run('deadline', 'remove', ...ofEvent)).code).toBe(1);
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
  expect(created).toEqual({
    key: {
      id: expect.stringMatching(/^key_/),
      name: 'Claims import',
      created_by: { kind: 'operator', staff_id: null, name: null },
      attention: null,
      environment: 'test',
      purpose: 'claims',
      scopes: ['claims:create', 'claims:read', 'claims:write'],
      created_at: TIME,
      expires_at: TIME,
      revoked_at: null,
      last_used_at: null,
    },
    secret: expect.stringMatching(/^svc_test_/),
  });
  const { expires_at, created_at } = created.key;
  expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(90 * 86_400_000);
  expect((await me(created.secret)).json.key).toEqual({ id: created.key.id, environment: 'test' });

  const rolled = await json('key', 'roll', created.key.id, '--overlap', '1h');
  expect(rolled.key).toMatchObject({ environment: 'test', purpose: 'claims' });
  expect(rolled.key.id).not.toBe(created.key.id);
  expect(Date.parse(rolled.replaced.expires_at) - Date.parse(rolled.key.created_at)).toBe(3_600_000);
  for (const secret of [created.secret, rolled.secret]) expect((await me(secret)).status).toBe(200);

  const listed = await json('key', 'list', '--firm', firm.id);
  expect(listed.keys.map(({ id }: { id: string }) => id)).toEqual(
    expect.arrayContaining([created.key.id, rolled.key.id]),
  );
  expect(JSON.stringify(listed)).not.toMatch(/svc_(test|live)_|[0-9a-f]{64}/);

  const revoked = await json('key', 'revoke', rolled.key.id);
  expect(revoked.key).toMatchObject({ id: rolled.key.id, scopes: rolled.key.scopes, revoked_at: TIME });
  await waitForState(async () => (await me(rolled.secret)).status, 401);
  expect((await json('key', 'revoke', rolled.key.id)).key.revoked_at).toBe(revoked.key.revoked_at);
  const liveKey = ['key', 'create', '--firm', firm.id, '--environment', 'live'];
  const other = await json(...liveKey);
  expect(other.key).toMatchObject({ environment: 'live', purpose: 'full_access', expires_at: null });
  const { key: next, replaced } = await json('key', 'roll', (await json(...liveKey)).key.id);
  expect(Date.parse(replaced.expires_at) - Date.parse(next.created_at)).toBe(86_400_000);
  const ended = await json('key', 'roll', other.key.id, '--overlap', '0s');
  await waitForState(async () => (await me(other.secret)).status, 401);
  expect((await me(ended.secret)).status).toBe(200);
});

test('an adjuster is created, signed in, made a member, and denied and granted the permission to accept', async () => {
  const firm = await service.firm();
  const [bare, full] = await Promise.all([
    json('adjuster', 'create', '--svc-id', 'SVC-Bare'),
    json(
      ...['adjuster', 'create', '--svc-id', 'SVC-Full', '--first-name', 'Ana'],
      ...['--last-name', "O'Neill", '--email', 'ana@example.com'],
    ),
  ]);
  expect(bare.adjuster).toEqual({
    svc_id: 'SVC-Bare',
    test: false,
    first_name: null,
    last_name: null,
    email: null,
  });
  expect(full.adjuster).toMatchObject({ first_name: 'Ana', last_name: "O'Neill", email: 'ana@example.com' });

  const { token } = await json('adjuster', 'session', 'SVC-Bare');
  const added = await json('member', 'add', '--firm', firm.id, '--svc-id', 'SVC-Full');
  expect((await service.call('GET', '/app/v1/me', { as: token })).json).toMatchObject({ svc_id: 'SVC-Bare' });
  expect(added.member).toEqual({
    firm_id: firm.id,
    svc_id: 'SVC-Full',
    status: 'active',
    can_accept_claims: true,
    accepting_assignments: true,
  });
  const set = (allowed: string) =>
    json('member', 'set', '--firm', firm.id, '--svc-id', 'SVC-Full', '--can-accept-claims', allowed);
  expect((await set('false')).member.can_accept_claims).toBe(false);
  expect((await sendClaim(service, firm.live, claimBody('SVC-Full'))).json.code).toBe(
    'adjuster_not_accepting',
  );
  expect((await set('true')).member.can_accept_claims).toBe(true);

  const sessions = async () => (await json('adjuster', 'sessions', 'SVC-Bare')).sessions.length;
  const status = async () => (await service.call('GET', '/app/v1/me', { as: token })).status;
  const disable = () => json('adjuster', 'disable', 'SVC-Bare');
  await json('adjuster', 'session', 'SVC-Bare');
  expect(await sessions()).toBe(2);
  expect(await json('adjuster', 'end-sessions', 'SVC-Bare')).toEqual({ ended: 2 });
  expect(await sessions()).toBe(0);
  await waitForState(status, 401);
  expect((await disable()).adjuster).toEqual({ ...bare.adjuster, disabled_at: TIME });
  expect((await run('adjuster', 'session', 'SVC-Bare')).code).toBe(1);
  expect((await json('adjuster', 'enable', 'SVC-Bare')).adjuster).toEqual(bare.adjuster);
  expect((await json('adjuster', 'session', 'SVC-Bare')).token).toEqual(expect.any(String));
  const removed = await json('member', 'remove', '--firm', firm.id, '--svc-id', 'SVC-Full');
  expect(removed.member).toMatchObject({ svc_id: 'SVC-Full', status: 'left' });
});

test('a firm under legal hold cannot be erased until it is released', async () => {
  const firm = await service.firm();
  const erase = async () =>
    (await run('firm', 'erase', firm.id, '--confirm', 'Gulf Adjusting Partners', '--json')).code;
  expect(await json('firm', 'hold', firm.id)).toEqual({ firm: { id: firm.id, legal_hold_since: TIME } });
  expect(await erase()).toBe(1);
  expect(await json('firm', 'release', firm.id)).toEqual({ firm: { id: firm.id, legal_hold_since: null } });
  expect(await erase()).toBe(0);
});

test('the audit trail is listed and exported from a time on and until before another', async () => {
  const firm = await service.firm();
  for (const plan of ['claims_only', 'read_only', 'standard']) await json('firm', 'set-plan', firm.id, plan);
  const ofFirm = ['--firm', firm.id];
  const plansIn = (events: { action: string; changes?: { plan: { to: string } } }[]) =>
    events.flatMap(({ action, changes }) => (action === 'firm.plan' ? [changes?.plan.to] : []));
  const { audit } = await json('audit', 'list', ...ofFirm);
  const [latest, middle] = audit.filter(({ action }: { action: string }) => action === 'firm.plan');
  const period = [...ofFirm, '--since', middle.at, '--until', latest.at];
  expect(plansIn((await json('audit', 'list', ...period)).audit)).toEqual(['read_only']);
  const { stdout } = await run('audit', 'export', ...period);
  const exported = stdout.trimEnd().split('\n');
  expect(plansIn(exported.map((line) => JSON.parse(line)))).toEqual(['read_only']);
  expect((await json('audit', 'list', ...period, '--limit', '1')).audit).toHaveLength(1);
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

test.each([
  [['firm', 'show', UNKNOWN]],
  [['key', 'revoke', 'key_nope']],
  [['member', 'add', '--firm', UNKNOWN, '--svc-id', 'nobody']],
  [['claim', 'trace', UNKNOWN]],
  [['requests', '--firm', UNKNOWN]],
])('%j fails: it prints an error on standard error and exits with 1', async (args) => {
  const { code, stdout, stderr } = await run(...args, '--json');
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^svc: .+\n$/);
});

test('an export of a firm has names and times as in the API, and a last line with the counts', async () => {
  const firm = await service.firm();
  const { svcId } = await service.member(firm);
  const { id } = (await sendClaim(service, firm.live, claimBody(svcId))).json;
  await service.call('POST', `/v1/claims/${id}/assignment`, {
    ...{ as: firm.live, body: { adjuster_svc_id: svcId } },
    headers: { 'Idempotency-Key': 'again' },
  });
  const left = await service.member(firm);
  await run('member', 'remove', '--firm', firm.id, '--svc-id', left.svcId);
  const { webhook } = await json('webhook', 'create', '--firm', firm.id, '--url', 'https://hooks.example/1');
  await run('webhook', 'roll', webhook.id, '--firm', firm.id, '--overlap', '2h');
  const { code, stdout } = await run('firm', 'export', firm.id);
  expect(code).toBe(0);
  expect(stdout).not.toContain('whsec_');
  const lines: Record<string, unknown>[] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const of = (type: string) => lines.filter((line) => line.type === type);
  const counts = Object.fromEntries(
    ['firm', 'key', 'member', 'carrier', 'claim', 'offer', 'audit'].map((type) => [type, of(type).length]),
  );
  expect(lines.at(-1)).toEqual({ type: 'end', counts: expect.objectContaining(counts) });
  expect(of('claim')).toMatchObject([
    {
      id,
      firm_id: firm.id,
      created_at: TIME,
      assignment: { adjuster_svc_id: svcId, status: 'pending_acceptance', offered_at: TIME },
    },
  ]);
  const end = { status: 'withdrawn', ended_at: TIME, responded_at: null };
  expect(of('offer')).toMatchObject([{ claim_id: id, adjuster_svc_id: svcId, offered_at: TIME, end }]);
  expect(of('member')).toContainEqual(
    expect.objectContaining({ svc_id: left.svcId, status: 'left', readable_until: TIME }),
  );
  // As sent by the firm, the claim has its own names; all others are in snake_case.
  expect(stdout).not.toMatch(/"[a-z]+[A-Z]\w*":/);
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
