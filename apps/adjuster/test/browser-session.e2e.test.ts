import { get, type IncomingHttpHeaders, type RequestOptions } from 'node:http';
import { expect, test } from '@jest/globals';
import { expectProblem } from '../../api/test/problem-shape.ts';
import { type ServiceUnderTest, startServiceUnderTest } from '../../api/test/service-under-test.ts';
import { buildPage, offerFullClaim } from './app-under-test.ts';

buildPage();
const service = await startServiceUnderTest();
const firm = await service.firm();

const PAGE = { 'X-Claims-Page': '1' };
const cookie = (token: string) => ({ Cookie: `svc-session=${token}` });
const statusOf = async (path: string, headers: Record<string, string>, method = 'GET'): Promise<number> =>
  (await fetch(service.url + path, { method, headers })).status;

const signInAsTest = (headers: Record<string, string> = PAGE, at = service.url) =>
  fetch(`${at}/app/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ svc_id: firm.account.manual, sign_in_secret: firm.signInSecret.manual }),
  });

test('with an https base URL the cookie is Secure with the __Host- prefix, and browsers stay on https', async () => {
  const secure = await startServiceUnderTest({
    env: { BASE_URL: 'https://claims.example' },
    databaseUrl: service.databaseUrl,
  });
  const { headers } = await signInAsTest(PAGE, secure.url);
  expect(headers.get('strict-transport-security')).toBe('max-age=63072000');
  expect((await fetch(`${service.url}/app`)).headers.has('strict-transport-security')).toBe(false);
  const set = headers.get('set-cookie') ?? '';
  expect(set).toMatch(/^__Host-svc-session=.*; Path=\/; .*HttpOnly; SameSite=Strict; Secure$/);
  expect(set).not.toContain('Domain');
  const { Cookie } = { Cookie: set.split(';')[0] ?? '' };
  const from = (Origin: string, Host: string) =>
    secure.call('GET', '/app/v1/me', { headers: { ...PAGE, Cookie, Origin, Host } });
  const statuses = [
    await from('https://claims.example', 'claims.example'),
    await from('https://evil.example', 'claims.example'),
    // A proxy may pass on any Host.
    await from('https://evil.example', 'evil.example'),
    await from('http://claims.example', 'claims.example'),
  ].map(({ status }) => status);
  expect(statuses).toEqual([200, 401, 401, 401]);
});

test('a cross-site request with the cookie is rejected, since it lacks the header of the page', async () => {
  const { token } = await service.member(firm);
  const held = cookie(token);
  expect(await statusOf('/app/v1/me', { ...held, ...PAGE })).toBe(200);
  expect(await statusOf('/app/v1/me', { ...held, ...PAGE, 'Sec-Fetch-Site': 'same-origin' })).toBe(200);
  for (const forged of [
    held,
    { ...held, Origin: 'https://evil.example' },
    { ...held, ...PAGE, Origin: 'https://evil.example' },
    { ...held, ...PAGE, Origin: 'null' },
    { ...held, ...PAGE, 'Sec-Fetch-Site': 'cross-site' },
    { ...held, ...PAGE, 'Sec-Fetch-Site': 'same-site', Origin: service.url },
    { ...held, ...PAGE, 'Sec-Fetch-Site': 'none' },
  ]) {
    expect(await statusOf('/app/v1/me', forged)).toBe(401);
    expect(await statusOf('/app/session', forged, 'DELETE')).toBe(401);
    expect(await statusOf('/app/sessions', forged, 'DELETE')).toBe(401);
    expect(await statusOf('/app/sign-in-codes', forged, 'POST')).toBe(401);
    expect(await statusOf('/app/passkey-options', forged, 'POST')).toBe(401);
  }
  expect((await signInAsTest({ Origin: 'https://evil.example', ...PAGE })).status).toBe(401);
  expect((await signInAsTest({})).status).toBe(401);
  expect(await statusOf('/app/v1/me', { ...held, ...PAGE })).toBe(200);
});

test('CORS preflights are not allowed, and the firm API accepts no cookie', async () => {
  const { token } = await service.member(firm);
  const preflight = await fetch(`${service.url}/app/v1/me`, {
    method: 'OPTIONS',
    headers: {
      Origin: 'https://evil.example',
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'x-claims-page',
    },
  });
  expect(preflight.status).toBe(405);
  expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  expect(await statusOf('/v1/claims', { ...cookie(token), ...PAGE })).toBe(401);
});

test('a bearer token takes precedence over a cookie, and an invalid cookie is not a session', async () => {
  const [one, two] = [await service.member(firm), await service.member(firm)];
  const headers = { ...PAGE, ...cookie(one.token), Authorization: `Bearer ${two.token}` };
  const me = await (await fetch(`${service.url}/app/v1/me`, { headers })).json();
  expect(me).toMatchObject({ svc_id: two.svcId });
  for (const invalid of ['', 'x', 'svc_app_x', `${one.token}x`, ' ', '"', 'a;b', '\t']) {
    expect(await statusOf('/app/v1/me', { ...PAGE, ...cookie(invalid) })).toBe(401);
  }
});

test('the page has a strict Content-Security-Policy, no other hosts, and cacheable files', async () => {
  for (const path of ['/app', '/app/']) {
    const response = await fetch(service.url + path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|http|\*|data:/);
    const html = await response.text();
    expect(html).not.toMatch(/<script>|<style|style=|onload=|https?:/);
    for (const [, url = ''] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
      expect(url).toMatch(/^\/app\//);
      const file = await fetch(service.url + url);
      expect(file.status).toBe(200);
      if (url.startsWith('/app/assets/')) expect(file.headers.get('cache-control')).toContain('immutable');
    }
    const tag = response.headers.get('etag') ?? '';
    expect((await fetch(service.url + path, { headers: { 'If-None-Match': tag } })).status).toBe(304);
  }
  const worker = await fetch(`${service.url}/app/sw.js`);
  expect(worker.headers.get('service-worker-allowed')).toBe('/app');
  expect((await fetch(`${service.url}/app`, { method: 'POST' })).status).toBe(405);
  for (const path of [
    '/app/none.js',
    '/app/../package.json',
    '/app/%2e%2e/package.json',
    '/app/.inputs',
    '/apps',
  ]) {
    expect(await statusOf(path, {})).toBe(404);
  }
});

test('with a path in the base URL, every URL of the page has that prefix', async () => {
  const prefixed = await startServiceUnderTest({
    env: { BASE_URL: 'https://claims.example/field' },
    databaseUrl: service.databaseUrl,
  });
  const html = await (await fetch(`${prefixed.url}/app`)).text();
  for (const [, url = ''] of html.matchAll(/(?:src|href)="([^"]+)"/g)) expect(url).toMatch(/^\/field\/app\//);
  const worker = await fetch(`${prefixed.url}/app/sw.js`);
  expect(worker.headers.get('service-worker-allowed')).toBe('/field/app');
});

test('the first load is at most 46 kB compressed, and the data of the map at most 400 kB', async () => {
  const sizeOf = async (path: string): Promise<number> =>
    (await request(service.url + path, { headers: { 'accept-encoding': 'gzip' } })).body.length;
  const html = await (await fetch(`${service.url}/app`)).text();
  const files = [...html.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(([, path = '']) => path);
  expect(files.length).toBeGreaterThan(1);
  const worker = await (await fetch(`${service.url}/app/sw.js`)).text();
  const named = (pattern: RegExp) => [...new Set(worker.match(pattern))].map((name) => `/app/${name}`);
  const [spanish, map] = [named(/assets\/es-[\w-]+\.js/g), named(/assets\/[\w-]+\.bin/g)];
  expect([spanish.length, map.length]).toEqual([1, 2]);
  const sum = async (paths: string[]) =>
    (await Promise.all(paths.map(sizeOf))).reduce((total, size) => total + size, 0);
  const english = await sum(['/app', ...files]);
  expect(english).toBeLessThanOrEqual(46_000);
  expect(await sum(map)).toBeLessThanOrEqual(400_000);
  for (const path of [...spanish, ...map]) expect(await statusOf(path, {})).toBe(200);
});

test('lists are compressed as the client accepts, to less than a quarter of their size', async () => {
  const { svcId, token } = await service.member(firm);
  for (let n = 0; n < 5; n += 1) await offerFullClaim(service, firm, svcId);
  const sizes = await Promise.all(
    ['br', 'gzip', 'identity'].map(async (coding) => {
      const { status, headers, body } = await request(`${service.url}/app/v1/claims`, {
        headers: { authorization: `Bearer ${token}`, 'accept-encoding': coding },
      });
      expect(status).toBe(200);
      expect(headers['content-encoding']).toBe(coding === 'identity' ? undefined : coding);
      expect(headers.vary).toBe('Accept-Encoding');
      return body.length;
    }),
  );
  const [brotli = 0, gzip = 0, plain = 0] = sizes;
  expect(plain).toBeGreaterThan(10_000);
  expect(Math.max(brotli, gzip)).toBeLessThan(plain / 4);
});

/** Returns the body as sent: fetch would decompress it. */
const request = (url: string, options: RequestOptions) =>
  new Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    get(url, options, async (response) => {
      const body = Buffer.concat(await response.toArray());
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
    }).on('error', reject);
  });

/** Opens an event stream. */
async function openStream(of: ServiceUnderTest, token: string, seen?: string) {
  const headers = { ...cookie(token), ...(seen !== undefined && { 'Last-Event-ID': seen }) };
  const response = await fetch(`${of.url}/app/events`, { headers });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  /** The id of the next change; undefined once the stream has ended. */
  async function next(): Promise<string | undefined> {
    const [event = '', id] = /event: changed\nid: (\S+)\n/.exec(text) ?? [];
    if (id !== undefined) {
      text = text.slice(text.indexOf(event) + event.length);
      return id;
    }
    const { value, done } = (await reader?.read()) ?? { done: true };
    text += value;
    return done ? undefined : next();
  }
  return { response, next, close: () => reader?.cancel() };
}

test('when push keys cannot be stored, the page gets 503 and the log names the missing setting', async () => {
  const keyless = await startServiceUnderTest({
    databaseUrl: service.databaseUrl,
    env: { DATA_DIR: '/dev/null/data' },
  });
  const response = await keyless.call('GET', '/app/push-key');
  expectProblem(response, 503, 'service_unavailable');
  expect(keyless.logged.join('')).toContain('push messages need the VAPID_… variables');
});

test('an open page gets an event for each change by any process, and one that has seen it for the next', async () => {
  const second = await startServiceUnderTest({ databaseUrl: service.databaseUrl });
  const { svcId, token } = await service.member(firm);
  const otherMember = await service.member(firm);
  const streams = await Promise.all([openStream(service, token), openStream(second, token)]);
  const other = await openStream(second, otherMember.token);
  expect(streams[0]?.response.headers.get('content-type')).toBe('text/event-stream');
  expect(streams[0]?.response.headers.get('cache-control')).toBe('no-store');
  const next = () => Promise.all(streams.map((stream) => stream.next()));
  const rename = (as: string) => service.call('PATCH', '/app/v1/me', { as, body: { first_name: 'Zoe' } });
  const [[first, same]] = await Promise.all([next(), other.next()]);
  expect(same).toBe(first);
  await offerFullClaim(service, firm, svcId);
  const [offered, ofSecond] = await next();
  expect([ofSecond, offered === first]).toEqual([offered, false]);
  const again = await openStream(service, token, offered);
  await rename(token);
  expect([...(await next()), await again.next()]).toEqual(
    Array(3).fill(expect.not.stringMatching(`^${offered}$`)),
  );
  // The first event of the other one since is of their own change.
  await rename(otherMember.token);
  const fresh = await openStream(second, otherMember.token);
  expect(await other.next()).toBe(await fresh.next());
  for (const { close } of [...streams, other, again, fresh]) await close();
  await second.stop();
});

test('streams need a session, and end cleanly when the process stops', async () => {
  const stopping = await startServiceUnderTest({ databaseUrl: service.databaseUrl });
  const { token } = await service.member(firm);
  for (const headers of [{}, cookie('svc_app_none'), { ...cookie(token), 'Sec-Fetch-Site': 'cross-site' }]) {
    const response = await fetch(`${stopping.url}/app/events`, {
      headers: headers as Record<string, string>,
    });
    expect(response.status).toBe(401);
  }
  expect(await statusOf('/app/events', cookie(token), 'HEAD')).toBe(405);
  const stream = await openStream(stopping, token);
  await stream.next();
  await stopping.stop();
  // Ended by the service: a broken connection would be an error.
  expect(await stream.next()).toBeUndefined();
});
