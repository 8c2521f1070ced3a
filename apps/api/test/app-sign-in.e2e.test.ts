import { beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { createSoftwareAuthenticator } from '../../../packages/adapter-credentials/test/software-authenticator.ts';
import { countRows } from '../../../tools/services/count-rows.ts';
import { operatorOf } from '../../../tools/services/operator.ts';
import { withClient } from '../../../tools/services/postgres.ts';
import { outcome } from './firm-calls.ts';
import { expectProblem } from './problem-shape.ts';
import { type ApiResponse, signInCodesIn, startServiceUnderTest } from './service-under-test.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

let now = Date.parse('2026-03-02T09:00:00Z');
const clock = { now: () => now };

const env = { TRUST_PROXY: 'loopback' };
const service = await startServiceUnderTest({ clock, env });

const codes = (): string[] => signInCodesIn(service.logged);

// Each test has its own address, since attempts count for a day.
let tests = 0;
let ownAddress = '';
beforeEach(() => {
  tests += 1;
  ownAddress = `198.51.100.${tests}`;
});
const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
const requestCode = (email: string, address = ownAddress): Promise<ApiResponse> =>
  service.call('POST', '/app/v1/sign-in-codes', { body: { email }, ...from(address) });
const signIn = (body: object, address = ownAddress): Promise<ApiResponse> =>
  service.call('POST', '/app/v1/sessions', { body, ...from(address) });

/** Requests a code and returns it from the log, where it is written without a mail server. */
async function codeFor(email: string): Promise<string> {
  const before = codes().length;
  await requestCode(email);
  await eventually(() => codes().length > before);
  const code = codes().at(-1);
  if (codes().length !== before + 1 || code === undefined) throw new Error('no code was logged');
  return code;
}

let people = 0;
async function person(): Promise<{ svcId: string; email: string }> {
  people += 1;
  const email = `Person.${people}@Example.com`;
  const { svcId } = await service.adjuster({ email });
  return { svcId, email };
}

const siteOf = (url: string) => ({ origin: new URL(url).origin, rpId: new URL(url).hostname });

/** A code other than the given one. */
const wrong = (code: string, by = 1): string => String((Number(code) + by) % 1_000_000).padStart(6, '0');

test('an emailed code opens a session for the account', async () => {
  const { svcId, email } = await person();
  const opened = await signIn({ email, code: await codeFor(email) });
  expect(opened.status).toBe(201);
  expect(opened.json).toEqual({
    token: expect.stringMatching(/^svc_app_[0-9A-Za-z]{49}$/),
    expires_at: new Date(now + 90 * DAY).toISOString(),
    adjuster: {
      svc_id: svcId,
      test: false,
      first_name: 'Jean',
      last_name: 'Delacroix',
      email,
      availability: { accepting_assignments: true, max_open_offers: null, away: [], work_zip: null },
      firms: [],
    },
  });
  const me = await service.call('GET', '/app/v1/me', { as: opened.json.token });
  expect([me.status, me.json]).toEqual([200, opened.json.adjuster]);
});

test('a request for a code gets the same empty response whether or not the address has an account', async () => {
  const { email } = await person();
  const known = await requestCode(email);
  const unknown = await requestCode('nobody-has-this@example.com');
  const fixed = ({ status, text, headers }: ApiResponse) => ({
    status,
    text,
    headers: [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date'),
  });
  expect(known.status).toBe(202);
  expect(fixed(unknown)).toEqual(fixed(known));
  const before = codes().length;
  await requestCode('nobody-has-this@example.com');
  expect(codes()).toHaveLength(before);
});

test('every failed sign-in gets the same response', async () => {
  const { svcId, email } = await person();
  const code = await codeFor(email);
  const firm = await service.firm();
  const failures = [
    await signIn({ email, code: wrong(code) }),
    await signIn({ email: 'nobody-has-this@example.com', code }),
    await signIn({ svc_id: svcId, sign_in_secret: firm.signInSecret.manual }),
    await signIn({ svc_id: 'nobody', sign_in_secret: firm.signInSecret.manual }),
    await signIn({ svc_id: firm.account.manual, sign_in_secret: firm.signInSecret.accepts }),
    await signIn({ svc_id: firm.account.manual, sign_in_secret: 'x' }),
  ];
  for (const failure of failures) expectProblem(failure, 401, 'invalid_sign_in');
  expect(new Set(failures.map(({ json: { request_id: _, ...rest } }) => JSON.stringify(rest))).size).toBe(1);
});

test('one address or IPv6 network gets twenty sign-in attempts, with or without a cookie, then 429 for every account', async () => {
  const { email } = await person();
  const code = await codeFor(email);
  const statuses: number[] = [];
  for (let i = 1; i <= 22; i++) {
    // Not part of the interface document, so not called through `callHttp`.
    const response = await fetch(`${service.url}/app/session`, {
      method: 'POST',
      body: JSON.stringify({ email: `nobody-${i}@example.com`, code }),
      headers: {
        ...from(`2001:db8:7:1::${i.toString(16)}`).headers,
        'Content-Type': 'application/json',
        'X-Claims-Page': '1',
      },
    });
    statuses.push(response.status);
  }
  expect(statuses).toEqual([...Array(20).fill(401), 429, 429]);
  const failed = await signIn({ email, code }, '2001:db8:7:1::ff');
  expectProblem(failed, 429, 'rate_limited');
  expect(failed.headers.get('retry-after')).toBe('60');
  expect((await signIn({ email, code }, '2001:db8:7:2::1')).status).toBe(201);
});

interface Signed {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

describe.each([
  {
    who: 'an adjuster',
    root: '/app',
    cookie: 'svc',
    otherRoot: '/firm',
    otherCookie: 'svc-staff',
    async newPerson(): Promise<Signed> {
      const { svcId, email } = await person();
      return { id: svcId, email, token: await service.session(svcId) };
    },
  },
  {
    who: 'a staff member',
    root: '/firm',
    cookie: 'svc-staff',
    otherRoot: '/app',
    otherCookie: 'svc',
    newPerson: async (): Promise<Signed> =>
      operatorOf(service.service.services).staff((await service.firm()).id, 'auditor'),
  },
])('$who', ({ root, cookie, otherRoot, otherCookie, newPerson }) => {
  const call = (method: string, path: string, { as, body }: { as?: string; body?: object } = {}) =>
    service.call(method, `${root}/v1/${path}`, {
      ...from(ownAddress),
      ...(as !== undefined && { as }),
      ...(body && { body }),
    });
  /** Of a profile, or of a new session. */
  const idOf = ({ json: { adjuster, svc_id, staff } }: ApiResponse) =>
    adjuster?.svc_id ?? svc_id ?? staff?.id;

  test('signs in with a code only in the browser, or with the client secret, that requested it', async () => {
    const { id, email } = await newPerson();
    // Not part of the interface document, so not called through `callHttp`.
    const page = async (method: string, path: string, body?: object, held = '') => {
      const init = {
        method,
        ...(body && { body: JSON.stringify(body) }),
        headers: {
          ...{ 'Content-Type': 'application/json', 'X-Claims-Page': '1', Cookie: held },
          ...from(ownAddress).headers,
        },
      };
      const response = await fetch(`${service.url}${root}/${path}`, init);
      const text = await response.text();
      const set = response.headers.get('set-cookie') ?? '';
      return { status: response.status, set, json: text === '' ? {} : JSON.parse(text) };
    };
    const newCode = () =>
      eventually(
        () => codes().at(-1),
        (code) => code !== undefined && !seen.has(code),
      );
    const seen = new Set(codes());
    const asked = await page('POST', 'sign-in-codes', { email });
    const [held = '', ...attributes] = asked.set.split('; ');
    expect(held).toMatch(new RegExp(`^${cookie}-sign-in=svc_client_\\w+$`));
    expect(attributes).toEqual(['Path=/', 'Max-Age=1800', 'HttpOnly', 'SameSite=Strict']);
    const code = await newCode();

    const otherBrowser = await page('POST', 'session', { email, code });
    expect([otherBrowser.status, otherBrowser.json.code]).toEqual([401, 'code_not_requested']);
    const forged = await page('POST', 'session', { email, code }, `${cookie}-sign-in=chosen-by-someone-else`);
    expect([forged.status, forged.json.code]).toEqual([401, 'code_not_requested']);
    expectProblem(await call('POST', 'sessions', { body: { email, code } }), 401, 'invalid_sign_in');
    const session = await page('POST', 'session', { email, code }, held);
    expect([session.status, Object.keys(session.json)]).toEqual([201, ['expires_at']]);
    const stored = await withClient(service.databaseUrl, (client) =>
      client.query('SELECT * FROM sign_in_codes'),
    );
    expect(JSON.stringify(stored.rows)).not.toContain(held.slice(`${cookie}-sign-in=`.length));

    expect(session.set).toMatch(
      new RegExp(`^${cookie}-session=svc_\\w+; Path=/; Max-Age=34560000; HttpOnly; SameSite=Strict$`),
    );
    const Cookie = session.set.split(';')[0] ?? '';
    const me = (headers: Record<string, string>, of = root) =>
      service.call('GET', `${of}/v1/me`, { headers });
    const fromPage = { 'X-Claims-Page': '1', Origin: service.url, Cookie };
    expect(idOf(await me(fromPage))).toBe(id);
    expectProblem(await me({ Cookie }), 401, 'invalid_session');
    expectProblem(await me({ ...fromPage, Origin: 'https://evil.example.com' }), 401, 'invalid_session');
    const elsewhere = Cookie.replace(cookie, otherCookie);
    expectProblem(await me({ ...fromPage, Cookie: elsewhere }, otherRoot), 401, 'invalid_session');
    const closed = await page('DELETE', 'session', undefined, Cookie);
    expect(closed.status).toBe(204);
    expect(closed.set).toContain(`${cookie}-session=; Path=/; Max-Age=0`);
    expectProblem(await me(fromPage), 401, 'invalid_session');

    const client_secret = 'a'.repeat(43);
    seen.add(code ?? '');
    await call('POST', 'sign-in-codes', { body: { email, client_secret } });
    const bound = { email, code: await newCode() };
    expectProblem(await call('POST', 'sessions', { body: bound }), 401, 'invalid_sign_in');
    const other = { ...bound, client_secret: 'b'.repeat(43) };
    expectProblem(await call('POST', 'sessions', { body: other }), 401, 'code_not_requested');
    const opened = await call('POST', 'sessions', { body: { ...bound, client_secret } });
    expect([opened.status, idOf(opened)]).toEqual([201, id]);
  });

  test('adds, renames, lists and removes a passkey, and signs in with it without an address', async () => {
    const { id, token: as } = await newPerson();
    const client_secret = 'c'.repeat(43);
    const startSignIn = () => call('POST', 'passkey-options', { body: { client_secret } });
    const authenticator = createSoftwareAuthenticator();
    const started = await call('POST', 'passkeys/options', { as });
    const body = { name: 'Phone', ...authenticator.create(started.json.options, siteOf(service.url)) };
    const added = await call('POST', 'passkeys', { as, body });
    expect([added.status, added.json.name, added.json.last_used_at]).toEqual([201, 'Phone', null]);
    const path = `passkeys/${added.json.id}`;
    const renamed = await call('PATCH', path, { as, body: { name: 'Old phone' } });
    expect([renamed.status, renamed.json.name]).toEqual([200, 'Old phone']);
    expectProblem(await call('POST', 'passkeys', { as, body }), 422, 'validation_failed');

    const { options } = (await startSignIn()).json;
    expect([options.rpId, options.userVerification, options.allowCredentials ?? []]).toEqual([
      siteOf(service.url).rpId,
      'required',
      [],
    ]);
    const proof = { passkey: authenticator.get(options, siteOf(service.url)), client_secret };
    const opened = await call('POST', 'sessions', { body: proof });
    expect([opened.status, idOf(opened)]).toEqual([201, id]);
    expectProblem(await call('POST', 'sessions', { body: proof }), 401, 'invalid_sign_in');

    const listed = await call('GET', 'passkeys', { as });
    expect(listed.json.data).toEqual([{ ...renamed.json, last_used_at: new Date(now).toISOString() }]);
    const stranger = (await newPerson()).token;
    expectProblem(await call('DELETE', path, { as: stranger }), 404, 'not_found');
    expect((await call('DELETE', path, { as })).status).toBe(204);
    const gone = authenticator.get((await startSignIn()).json.options, siteOf(service.url));
    const after = await call('POST', 'sessions', { body: { passkey: gone, client_secret } });
    expectProblem(after, 401, 'invalid_sign_in');
  });

  test('lists their sessions by device and ends another one', async () => {
    const { email } = await newPerson();
    const open = async (device: { name?: string; agent?: string }) => {
      const seen = codes().length;
      await call('POST', 'sign-in-codes', { body: { email } });
      await eventually(() => codes().length > seen);
      const opened = await service.call('POST', `${root}/v1/sessions`, {
        body: { email, code: codes().at(-1), ...(device.name && { device_name: device.name }) },
        headers: { ...from(ownAddress).headers, ...(device.agent && { 'User-Agent': device.agent }) },
      });
      return opened.json.token;
    };
    const phone = await open({
      agent:
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 (KHTML) Version/18.0 Mobile/15E148 Safari/604.1',
    });
    const as = await open({ name: 'Tablet in the truck' });
    type Listed = { id: string; device_name: string; current: boolean };
    // That of the operator, too.
    const list = async (): Promise<Listed[]> => (await call('GET', 'sessions', { as })).json.data;
    const named = (await list()).map(({ device_name, current }) => [device_name, current]);
    expect(named).toContainEqual(['Safari on iPhone', false]);
    expect(named.filter(([, current]) => current)).toEqual([['Tablet in the truck', true]]);
    const id = (await list()).find(({ device_name }) => device_name === 'Safari on iPhone')?.id;
    const end = () => call('DELETE', `sessions/${id}`, { as });
    expect((await end()).status).toBe(204);
    expectProblem(await call('GET', 'me', { as: phone }), 401, 'invalid_session');
    expectProblem(await end(), 404, 'not_found');
    expect(await list()).toHaveLength(named.length - 1);
  });
});

test('attempts for unknown addresses store few rows, without the address, for at most a day', async () => {
  const rows = () =>
    withClient(service.databaseUrl, async (client) => {
      const found = await client.query<{ subject: string; ends_at: Date }>('SELECT * FROM sign_in_attempts');
      return found.rows;
    });
  const before = await countRows(service.databaseUrl);
  const addresses = Array.from({ length: 60 }, (_, i) => `nobody-${i}@example.com`);
  await Promise.all(addresses.map((email) => requestCode(email)));
  await Promise.all(addresses.map((email) => signIn({ email, code: '000000' })));
  const after = await countRows(service.databaseUrl);
  const { 'public.sign_in_attempts': counted = 0, 'public.sign_in_codes': codesAfter = 0, ...others } = after;
  const {
    'public.sign_in_attempts': countedBefore = 0,
    'public.sign_in_codes': codesBefore = 0,
    ...othersBefore
  } = before;
  expect(others).toEqual(othersBefore);
  // Stored as for an account, so that the time of a response does not reveal one, and without the address.
  expect(codesAfter - codesBefore).toBeLessThanOrEqual(30);
  const keys = await withClient(service.databaseUrl, async (client) => {
    const found = await client.query<{ email_key: string }>('SELECT email_key FROM sign_in_codes');
    return found.rows.map(({ email_key }) => email_key);
  });
  expect(keys.filter((key) => key.includes('nobody'))).toEqual([]);
  // Thirty requests and twenty attempts were allowed; limited ones are not stored.
  expect(counted - countedBefore).toBeLessThanOrEqual(30 * 3 + 20 * 2 + 4);
  for (const { subject, ends_at } of await rows()) {
    expect(subject).toMatch(/^[0-9a-f]{64}$/);
    expect(ends_at.getTime() - now).toBeLessThan(DAY - 60 * MINUTE);
  }
});

test('a test account signs in with its secret, any number of times, and out of one session', async () => {
  const firm = await service.firm();
  const body = { svc_id: firm.account.manual, sign_in_secret: firm.signInSecret.manual };
  const [first, other] = [await signIn(body), await signIn(body)];
  expect([first.status, other.status]).toEqual([201, 201]);
  expect(first.json.adjuster).toMatchObject({ svc_id: firm.account.manual, test: true });
  const out = () => service.call('DELETE', '/app/v1/sessions/current', { as: first.json.token });
  expect([(await out()).status, (await out()).status]).toEqual([204, 401]);
  expect((await service.call('GET', '/app/v1/me', { as: other.json.token })).status).toBe(200);
});

test('a session ends ninety days after its last use, also one that another process saved when it stopped', async () => {
  const { svcId } = await person();
  const [used, idle] = [await service.session(svcId), await service.session(svcId)];
  const look = async (as: string) => outcome(await service.call('GET', '/app/v1/me', { as }));
  const second = await startServiceUnderTest({ clock, env, databaseUrl: service.databaseUrl });
  now += 89 * DAY;
  expect((await second.call('GET', '/app/v1/me', { as: used })).status).toBe(200);
  await second.stop();
  now += DAY;
  expect([await look(used), await look(idle)]).toEqual([[200], [401, 'invalid_session']]);
  now += 90 * DAY;
  expect(await look(used)).toEqual([401, 'invalid_session']);
});

test('codes are logged without the address or name of the account', () => {
  const lines = service.logged.filter((line) => line.includes('sign_in_code'));
  for (const line of lines) expect(line).not.toMatch(/@|Person/);
});

describe('a passkey', () => {
  const client_secret = 'c'.repeat(43);
  const startSignIn = (secret = client_secret) =>
    service.call('POST', '/app/v1/passkey-options', { body: { client_secret: secret } });

  /** Adds a passkey of a new authenticator to the account of the session. */
  async function register(token: string) {
    const authenticator = createSoftwareAuthenticator();
    const started = await service.call('POST', '/app/v1/passkeys/options', { as: token });
    const body = { name: 'Phone', ...authenticator.create(started.json.options, siteOf(service.url)) };
    await service.call('POST', '/app/v1/passkeys', { as: token, body });
    return authenticator;
  }

  test('is refused for another site, client or challenge, without user verification, or altered', async () => {
    const authenticator = await register((await service.adjuster()).token);
    const site = siteOf(service.url);
    const attempt = async (
      at: { origin: string; rpId: string },
      { secret = client_secret, verified = true, changed = {} } = {},
    ) => {
      const { options } = (await startSignIn()).json;
      const passkey = { ...authenticator.get(options, at, verified), ...changed };
      return (await signIn({ passkey, client_secret: secret })).status;
    };
    expect([
      await attempt({ ...site, origin: 'https://evil.example' }),
      await attempt({ ...site, rpId: 'evil.example' }),
      await attempt(site, { secret: 'd'.repeat(43) }),
      await attempt(site, { verified: false }),
      await attempt(site, { changed: { signature: 'MEUCIQDpHcG5vS3oW9Q' } }),
      await attempt(site, { changed: { client_data: 'e30' } }),
      await attempt(site, { changed: { credential_id: 'unknown' } }),
    ]).toEqual([401, 401, 401, 401, 401, 401, 401]);
    expect(await attempt(site)).toBe(201);
  });

  test('where it is required, a session by code only adds a passkey, a code then opens none, and sessions have a limit', async () => {
    const url = 'https://claims.example';
    const strict = await startServiceUnderTest({
      clock,
      env: {
        ...{ TRUST_PROXY: 'loopback', BASE_URL: url, PASSKEYS: 'required' },
        ...{ SESSION_LIMIT_PER_MINUTE: '36', SESSION_MAX_DAYS: '7' },
      },
      databaseUrl: service.databaseUrl,
    });
    const { email } = await person();
    const code = async (address = email, root = '/app') => {
      const before = signInCodesIn(strict.logged).length;
      await strict.call('POST', `${root}/v1/sign-in-codes`, {
        body: { email: address },
        ...from(ownAddress),
      });
      const [latest] = await eventually(
        () => signInCodesIn(strict.logged).slice(before),
        (found) => found.length > 0,
      );
      return { body: { email: address, code: latest }, ...from(ownAddress) };
    };
    const as = (await strict.call('POST', '/app/v1/sessions', await code())).json.token;
    expectProblem(await strict.call('GET', '/app/v1/claims', { as }), 403, 'passkey_required');
    expect((await strict.call('GET', '/app/v1/me', { as })).status).toBe(200);
    const events = await fetch(`${strict.url}/app/events`, {
      headers: { Cookie: `__Host-svc-session=${as}` },
    });
    expect(events.status).toBe(403);
    const staff = await operatorOf(service.service.services).staff((await service.firm()).id, 'admin');
    const opened = await strict.call('POST', '/firm/v1/sessions', await code(staff.email, '/firm'));
    const { token, expires_at } = opened.json;
    expect(Date.parse(expires_at)).toBe(now + 7 * DAY);
    expectProblem(await strict.call('GET', '/firm/v1/claims', { as: token }), 403, 'passkey_required');
    expect((await strict.call('GET', '/firm/v1/me', { as: token })).status).toBe(200);
    const changes = await fetch(`${strict.url}/firm/v1/changes`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(changes.status).toBe(403);

    const authenticator = createSoftwareAuthenticator();
    const started = await strict.call('POST', '/app/v1/passkeys/options', { as });
    const body = { name: 'Phone', ...authenticator.create(started.json.options, siteOf(url)) };
    const added = await strict.call('POST', '/app/v1/passkeys', { as, body });
    expect(added.status).toBe(201);
    expect((await strict.call('GET', '/app/v1/claims', { as })).status).toBe(200);
    const only = strict.call('DELETE', `/app/v1/passkeys/${added.json.id}`, { as });
    expectProblem(await only, 403, 'passkey_required');
    expectProblem(await strict.call('POST', '/app/v1/sessions', await code()), 403, 'passkey_required');

    // A third of the limit at once: twelve, of which some were used above.
    for (const [path, session, used] of [
      ['/app/v1/me', as, 6],
      ['/firm/v1/me', token, 2],
    ] as const) {
      const statuses: number[] = [];
      for (let n = used; n < 12 + 3; n += 1)
        statuses.push((await strict.call('GET', path, { as: session })).status);
      expect(statuses).toEqual([...Array.from({ length: 12 - used }, () => 200), 429, 429, 429]);
    }
    await strict.stop();
  });
});
