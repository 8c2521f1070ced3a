import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { createSoftwareAuthenticator } from '../../../packages/adapter-credentials/test/software-authenticator.ts';
import { countRows } from '../../../tools/services/count-rows.ts';
import { withClient } from '../../../tools/services/postgres.ts';
import { expectProblem } from './problem-shape.ts';
import { type ApiResponse, type ServiceUnderTest, startServiceUnderTest } from './service-under-test.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

let now = Date.parse('2026-03-02T09:00:00Z');
const clock = { now: () => now };
let service: ServiceUnderTest;
/** A second process, until a session was used there. */
let second: ServiceUnderTest;

beforeAll(async () => {
  const env = { TRUST_PROXY: 'loopback' };
  service = await startServiceUnderTest({ clock, env });
  second = await startServiceUnderTest({ clock, env, databaseUrl: service.databaseUrl });
});
afterAll(() => service.stop());

const codes = (): string[] =>
  service.logged
    .map((line) => JSON.parse(line) as { sign_in_code?: string })
    .flatMap(({ sign_in_code }) => sign_in_code ?? []);

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
      availability: { accepting_assignments: true, max_open_offers: null, away: [] },
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

test('a code works only in the browser, or with the client secret, that requested it', async () => {
  const { svcId, email } = await person();
  // Not part of the interface document, so not called through `callHttp`.
  const page = async (path: string, body: object, cookie = '') => {
    const headers = { 'Content-Type': 'application/json', 'X-Claims-Page': '1', Cookie: cookie };
    const init = {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { ...headers, ...from(ownAddress).headers },
    };
    const response = await fetch(`${service.url}/app/${path}`, init);
    const set = response.headers.get('set-cookie') ?? '';
    const json = response.status === 202 ? {} : ((await response.json()) as { code?: string });
    return { status: response.status, set, code: json.code };
  };
  const newCode = () =>
    eventually(
      () => codes().at(-1),
      (code) => code !== undefined && !seen.has(code),
    );
  const seen = new Set(codes());
  const asked = await page('sign-in-codes', { email });
  expect(asked.set).toMatch(/^svc-sign-in=svc_client_\w+; Path=\/; Max-Age=1800; HttpOnly; SameSite=Strict$/);
  const cookie = asked.set.split(';')[0] ?? '';
  const code = await newCode();

  const otherBrowser = await page('session', { email, code });
  expect([otherBrowser.status, otherBrowser.code]).toEqual([401, 'code_not_requested']);
  const forged = await page('session', { email, code }, 'svc-sign-in=chosen-by-someone-else');
  expect([forged.status, forged.code]).toEqual([401, 'code_not_requested']);
  expectProblem(await signIn({ email, code }), 401, 'invalid_sign_in');
  expect((await page('session', { email, code }, cookie)).status).toBe(201);
  const stored = await withClient(service.databaseUrl, (client) =>
    client.query('SELECT * FROM sign_in_codes'),
  );
  expect(JSON.stringify(stored.rows)).not.toContain(cookie.slice('svc-sign-in='.length));

  const client_secret = 'a'.repeat(43);
  seen.add(code ?? '');
  await service.call('POST', '/app/v1/sign-in-codes', {
    body: { email, client_secret },
    ...from(ownAddress),
  });
  const bound = await newCode();
  expectProblem(await signIn({ email, code: bound }), 401, 'invalid_sign_in');
  expectProblem(
    await signIn({ email, code: bound, client_secret: 'b'.repeat(43) }),
    401,
    'code_not_requested',
  );
  const opened = await signIn({ email, code: bound, client_secret });
  expect([opened.status, opened.json.adjuster.svc_id]).toEqual([201, svcId]);
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
  for (const behavior of ['manual', 'new'] as const) {
    const body = { svc_id: firm.account[behavior], sign_in_secret: firm.signInSecret[behavior] };
    const [first, other] = [await signIn(body), await signIn(body)];
    expect([first.status, other.status]).toEqual([201, 201]);
    expect(first.json.adjuster).toMatchObject({ svc_id: firm.account[behavior], test: true });
    const out = () => service.call('DELETE', '/app/v1/sessions/current', { as: first.json.token });
    expect([(await out()).status, (await out()).status]).toEqual([204, 401]);
    expect((await service.call('GET', '/app/v1/me', { as: other.json.token })).status).toBe(200);
  }
});

test('a session ends ninety days after its last use', async () => {
  const { svcId } = await person();
  const [used, idle] = [await service.session(svcId), await service.session(svcId)];
  const look = (as: string): Promise<ApiResponse> => service.call('GET', '/app/v1/me', { as });
  // Used in another process, which saves the last use when it stops.
  now += 89 * DAY;
  expect((await second.call('GET', '/app/v1/me', { as: used })).status).toBe(200);
  await second.stop();
  now += DAY;
  expectProblem(await look(idle), 401, 'invalid_session');
  now += 89 * DAY - 1;
  expect((await look(used)).status).toBe(200);
  // The last use a millisecond ago counts, although it is not saved yet.
  now += 1;
  expect((await look(used)).status).toBe(200);
  now += 90 * DAY;
  expectProblem(await look(used), 401, 'invalid_session');
});

test('codes are logged without the address or name of the account', () => {
  const lines = service.logged.filter((line) => line.includes('sign_in_code'));
  for (const line of lines) expect(line).not.toMatch(/@|Person/);
});

describe('a passkey', () => {
  const client_secret = 'c'.repeat(43);
  const siteOf = (url: string) => ({ origin: new URL(url).origin, rpId: new URL(url).hostname });
  const startSignIn = (secret = client_secret) =>
    service.call('POST', '/app/v1/passkey-options', { body: { client_secret: secret } });

  /** Adds a passkey of a new authenticator to the account of the session. */
  async function register(token: string) {
    const authenticator = createSoftwareAuthenticator();
    const started = await service.call('POST', '/app/v1/passkeys/options', { as: token });
    const body = { name: 'Phone', ...authenticator.create(started.json.options, siteOf(service.url)) };
    return {
      authenticator,
      body,
      added: await service.call('POST', '/app/v1/passkeys', { as: token, body }),
    };
  }

  test('is added, renamed, listed and removed, and signs in without an address', async () => {
    const { svcId, token } = await service.adjuster();
    const { authenticator, body, added } = await register(token);
    expect([added.status, added.json.name, added.json.last_used_at]).toEqual([201, 'Phone', null]);
    const path = `/app/v1/passkeys/${added.json.id}`;
    const renamed = await service.call('PATCH', path, { as: token, body: { name: 'Old phone' } });
    expect([renamed.status, renamed.json.name]).toEqual([200, 'Old phone']);
    expectProblem(
      await service.call('POST', '/app/v1/passkeys', { as: token, body }),
      422,
      'validation_failed',
    );

    const { options } = (await startSignIn()).json;
    expect([options.rpId, options.userVerification, options.allowCredentials ?? []]).toEqual([
      siteOf(service.url).rpId,
      'required',
      [],
    ]);
    const passkey = authenticator.get(options, siteOf(service.url));
    const opened = await signIn({ passkey, client_secret });
    expect([opened.status, opened.json.adjuster.svc_id]).toEqual([201, svcId]);
    expectProblem(await signIn({ passkey, client_secret }), 401, 'invalid_sign_in');

    const listed = await service.call('GET', '/app/v1/passkeys', { as: token });
    expect(listed.json.data).toEqual([{ ...renamed.json, last_used_at: new Date(now).toISOString() }]);
    const stranger = (await service.adjuster()).token;
    expectProblem(await service.call('DELETE', path, { as: stranger }), 404, 'not_found');
    expect((await service.call('DELETE', path, { as: token })).status).toBe(204);
    const gone = authenticator.get((await startSignIn()).json.options, siteOf(service.url));
    expectProblem(await signIn({ passkey: gone, client_secret }), 401, 'invalid_sign_in');
  });

  test('is refused for another site, client or challenge, without user verification, or altered', async () => {
    const { authenticator } = await register((await service.adjuster()).token);
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
      env: { TRUST_PROXY: 'loopback', BASE_URL: url, PASSKEYS: 'required', SESSION_LIMIT_PER_MINUTE: '36' },
      databaseUrl: service.databaseUrl,
    });
    const { email } = await person();
    const code = async () => {
      const before = strict.logged.length;
      await strict.call('POST', '/app/v1/sign-in-codes', { body: { email }, ...from(ownAddress) });
      const found = () =>
        strict.logged.slice(before).flatMap((line) => /"sign_in_code":"(\d+)"/.exec(line)?.[1] ?? []);
      const [latest] = await eventually(found, (codes) => codes.length > 0);
      return { body: { email, code: latest }, ...from(ownAddress) };
    };
    const as = (await strict.call('POST', '/app/v1/sessions', await code())).json.token;
    expectProblem(await strict.call('GET', '/app/v1/claims', { as }), 403, 'passkey_required');
    expect((await strict.call('GET', '/app/v1/me', { as })).status).toBe(200);
    const events = await fetch(`${strict.url}/app/events`, {
      headers: { Cookie: `__Host-svc-session=${as}` },
    });
    expect(events.status).toBe(403);

    const authenticator = createSoftwareAuthenticator();
    const started = await strict.call('POST', '/app/v1/passkeys/options', { as });
    const body = { name: 'Phone', ...authenticator.create(started.json.options, siteOf(url)) };
    const added = await strict.call('POST', '/app/v1/passkeys', { as, body });
    expect(added.status).toBe(201);
    expect((await strict.call('GET', '/app/v1/claims', { as })).status).toBe(200);
    const only = strict.call('DELETE', `/app/v1/passkeys/${added.json.id}`, { as });
    expectProblem(await only, 403, 'passkey_required');
    expectProblem(await strict.call('POST', '/app/v1/sessions', await code()), 403, 'passkey_required');

    // A third of the limit at once: twelve, of which six were used above.
    const statuses: number[] = [];
    for (let n = 0; n < 9; n += 1) statuses.push((await strict.call('GET', '/app/v1/me', { as })).status);
    expect(statuses).toEqual([...Array.from({ length: 12 - 6 }, () => 200), 429, 429, 429]);
    await strict.stop();
  });
});
