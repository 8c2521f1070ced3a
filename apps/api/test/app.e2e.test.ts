import { beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { countRows } from '../../../tools/services/count-rows.ts';
import { operatorOf } from '../../../tools/services/operator.ts';
import { withClient } from '../../../tools/services/postgres.ts';
import { getClaim, sentClaim } from './firm-calls.ts';
import { expectProblem } from './problem-shape.ts';
import { type ApiResponse, signInCodesIn, startServiceUnderTest } from './service-under-test.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

const now = Date.parse('2026-03-02T09:00:00Z');
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

/** A code other than the given one. */
const wrong = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

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

test('work on a claim and its closing are shown in the app, and are invisible to the firm', async () => {
  const firm = await service.firm();
  const { svcId, token: as } = await service.member(firm);
  const { id } = await sentClaim(service, firm.live, svcId);
  const app = (method: string, path: string, body?: object) =>
    service.call(method, `/app/v1/claims/${id}${path}`, { as, ...(body && { body }) });
  await app('POST', '/acceptance');
  const before = (await getClaim(service, firm.live, id)).text;
  const edits = { contact_date: '2026-03-01', notes: 'Water line 14 in. 😀', planned_visit_time: '10:30' };
  await app('PATCH', '/work', edits);
  const contact = { at: '2026-03-02T09:00:00.000Z', result: 'left_message', note: 'Call after 5.' };
  const recorded = await app('PUT', '/contacts/a', { ...contact, at: '2026-03-02T04:00:00-05:00' });
  const at = new Date(now).toISOString();
  const contacts = [{ id: 'a', ...contact, received_at: at }];
  expect(recorded.json.work).toEqual({ version: expect.any(String), ...edits, contacts });
  const closed = await app('POST', '/closure');
  expect(closed.json).toEqual({ ...recorded.json, closed_at: at });
  expect((await app('GET', '')).json).toEqual(closed.json);
  expect((await getClaim(service, firm.live, id)).text).toBe(before);
});
