import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { INTERFACE_VERSION } from '@svc/contract';
import { permissionsOf, STAFF_ROLES } from '@svc/domain';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import type { Services } from '../src/composition/container.ts';
import { readDocsFiles } from '../src/http/docs/files.ts';
import { docsPages } from '../src/http/docs/pages.ts';
import { eventStreams } from '../src/http/event-streams.ts';
import { jwksPage } from '../src/http/receipts/jwks-page.ts';
import { accountRoutes } from '../src/http/routes/account-routes.ts';
import { appPages } from '../src/http/static/app-pages.ts';
import { statusPage } from '../src/http/status/page.ts';
import { ADDRESSES, application, type Callers, FIRM, NOW, type Results } from './application.ts';

const ORIGIN = { requestId: expect.any(String), address: '192.0.2.1' };
const PAGES = [
  ['app', 'adjusterSignIn', '__Host-svc-', 'adjuster', { svcId: 'SVC-1', origin: ORIGIN }],
  ['firm', 'staffSignIn', '__Host-svc-staff-', 'staff', { firmId: FIRM, staffId: 'staff-1', origin: ORIGIN }],
] as const;

test.each(PAGES)(
  'the page /%s signs in and out with its own cookies',
  async (page, signIn, cookie, token, actor) => {
    const opened: Results = { [`${signIn}.signIn`]: { token: 'TOKEN', expiresAt: NOW, account: 'ACCOUNT' } };
    const ask = async (method: string, path: string, cookies = '', body?: object, results = opened) => {
      const { status, json, header, calls } = await application<Services>(
        (use) => ({ routes: accountRoutes(use) }),
        {
          ...{
            'secrets.issue': (kind: string) => ({ secret: kind === 'client_secret' ? 'ISSUED' : kind }),
            [`${signIn}.startPasskeySignIn`]: 'OPTIONS',
            ...results,
          },
          'secrets.hashOf': (secret: string, kind: string) =>
            secret === 'HELD' && kind === 'client_secret' ? 'HASH' : null,
        },
      )(method, `/${page}/${path}`, {
        headers: { 'x-claims-page': '1', cookie: cookies, 'user-agent': 'Firefox/1' },
        body,
      });
      const asked = calls.filter(([name]) => name.startsWith(signIn)).map(([, ...sent]) => sent);
      return [status, json, header('Set-Cookie'), ...asked];
    };
    const held = `${cookie}sign-in=HELD`;
    const kept = (secret: string) =>
      `${cookie}sign-in=${secret}; Path=/; Max-Age=1800; HttpOnly; SameSite=Strict; Secure`;
    const session = (value: string, seconds: number) =>
      `${cookie}session=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict; Secure`;
    const email = 'ana@example.com';
    // Only that of the cookie counts.
    const client_secret = 'p3mE0vS2kQ8xT5rWzN1cYb7LhGdJf4Ua';
    for (const [cookies, secret] of [
      ['', 'ISSUED'],
      [held, 'HELD'],
      [`${cookie}sign-in=FORGED`, 'ISSUED'],
    ] as const) {
      expect(await ask('POST', 'sign-in-codes', cookies, { email, client_secret })).toEqual([
        ...[202, null, kept(secret), [email, '192.0.2.1', secret]],
      ]);
      expect(await ask('POST', 'passkey-options', cookies)).toEqual([
        ...[200, { options: 'OPTIONS' }, kept(secret), [secret]],
      ]);
    }
    const proof = { email, code: '402913' };
    expect(await ask('POST', 'session', held, { ...proof, client_secret })).toEqual([
      ...[201, { expires_at: '2026-09-01T23:30:00.000Z' }, session('TOKEN', 34_560_000)],
      [{ ...proof, clientSecret: 'HELD' }, ORIGIN, 'Firefox'],
    ]);
    const several = { [`${signIn}.signIn`]: { ticket: 'T', firms: [] } };
    expect((await ask('POST', 'session', held, proof, several)).slice(0, 3)).toEqual([
      ...[200, several[`${signIn}.signIn`], undefined],
    ]);
    const own = `${cookie}session=${token}`;
    expect(await ask('DELETE', 'session', own)).toEqual([204, null, session('', 0), [actor, 'hash']]);
    expect(await ask('DELETE', 'sessions', own)).toEqual([204, null, session('', 0), [actor]]);
  },
);

/** Who reads live updates at a path, or why not. */
async function readerAt(
  path: string,
  headers: Record<string, string>,
  callers: Callers = {},
  isDraining = false,
) {
  const subscribe = ({ response }: { response: { end(): void } }) => response.end();
  const results = { 'liveUpdates.subscribe': subscribe, 'boardUpdates.subscribe': subscribe, isDraining };
  const { json, calls, audited } = await application<Services>(
    (use) => ({ pages: eventStreams(use) }),
    results,
    callers,
  )('GET', path, { headers });
  const read = calls.flatMap(([name, reader]) =>
    name.endsWith('.subscribe') ? [[name.split('.')[0], { ...Object(reader), response: undefined }]] : [],
  );
  return [
    ...read,
    ...(json === null ? [] : [json.code]),
    ...audited.map(({ chain, actor, address, action, outcome }) =>
      [chain, actor, address, action, outcome].join(' '),
    ),
  ];
}

test('live updates go to the session of the page or the token of a program, while it may read', async () => {
  const [app, firm] = ['/app/events', '/firm/v1/changes'];
  const cookie = '__Host-svc-session=adjuster; __Host-svc-staff-session=staff';
  const adjuster = [
    'liveUpdates',
    { account: 'SVC-1', topic: 'SVC-1', tokenHash: 'hash', role: null, seen: null },
  ];
  const staff = [
    'boardUpdates',
    { account: 'staff-1', topic: FIRM, tokenHash: 'hash', role: 'admin', seen: null },
  ];
  const bearer = { authorization: 'Bearer staff' };
  expect(await readerAt(app, { cookie })).toEqual([adjuster]);
  expect(await readerAt(app, { cookie, 'last-event-id': 'e' })).toEqual([
    ['liveUpdates', { ...Object(adjuster[1]), seen: 'e' }],
  ]);
  expect(await readerAt(firm, { cookie })).toEqual([staff]);
  expect(await readerAt(firm, bearer)).toEqual([staff]);
  expect(
    await readerAt(firm, { ...bearer, cookie: '__Host-svc-staff-session=other', 'last-event-id': 'e' }),
  ).toEqual([['boardUpdates', { ...Object(staff[1]), seen: 'e' }]]);
  const foreign = { cookie, 'sec-fetch-site': 'cross-site' };
  expect(await readerAt(app, { authorization: 'Bearer adjuster' })).toEqual(['invalid_session']);
  for (const path of [app, firm]) {
    for (const headers of [{}, foreign]) expect(await readerAt(path, headers)).toEqual(['invalid_session']);
    expect(await readerAt(path, { cookie }, { session: { mayOnlyAddPasskey: true } })).toEqual([
      'passkey_required',
    ]);
    expect(await readerAt(path, { cookie }, {}, true)).toEqual(['service_unavailable']);
  }
  expect(await readerAt(`${firm}?a`, bearer)).toEqual(['validation_failed']);
  for (const role of STAFF_ROLES)
    expect(await readerAt(firm, bearer, { staff: { role } })).toEqual(
      permissionsOf(role, 'standard').includes('claims:read')
        ? [['boardUpdates', { ...Object(staff[1]), role }]]
        : ['insufficient_scope', `${FIRM} staff:staff-1 192.0.2.1 claims.read insufficient_scope`],
    );
});

const CHECKED = {
  ...{ status: 'down', since: NOW, restore: { to: NOW - 2000, at: NOW - 1000 } },
  parts: [
    { name: 'api', up: true, since: NOW - 5000 },
    { name: 'database', up: false, since: NOW - 4000 },
    { name: 'redis', up: false, since: NOW - 3000 },
  ],
};

test('/status says what is down since when and with what effect, as JSON and as a page', async () => {
  const [docsUrl, supportEmail] = ['https://docs.example/?"<a>', 'a&b@claims.example'];
  const addresses = { ...ADDRESSES, docsUrl, supportEmail };
  const ask = (accept: string, checked: object = CHECKED) =>
    application<Services>(({ status }) => ({ pages: [statusPage({ status, addresses })] }), {
      'status.check': checked,
    })('GET', '/status', { headers: { accept } });
  const { json, header, status, trace } = await ask('*/*');
  const effect = 'Requests get 503 with Retry-After. Nothing that was accepted is lost.';
  const restored =
    'Later changes are lost. Polling delivers the affected claims once more; send claims again that were sent after this time.';
  const ofRedis = 'Every request works. Rate limits are counted by each server process alone.';
  expect(json).toEqual({
    ...{ status: 'down', since: '2026-09-01T23:30:00.000Z', support: supportEmail },
    parts: [
      { name: 'api', status: 'up', since: '2026-09-01T23:29:55.000Z' },
      { name: 'database', status: 'down', since: '2026-09-01T23:29:56.000Z', effect },
      { name: 'redis', status: 'down', since: '2026-09-01T23:29:57.000Z', effect: ofRedis },
    ],
    restore: { to: '2026-09-01T23:29:58.000Z', at: '2026-09-01T23:29:59.000Z', effect: restored },
  });
  const shownHeaders = ['Content-Type', 'Vary', 'Access-Control-Allow-Origin', 'X-Request-Id'];
  expect([status, ...shownHeaders.map(header)]).toEqual([
    ...[200, 'application/json', 'Accept', '*', trace?.requestId],
  ]);
  const page = await ask('text/html');
  expect(page.header('Content-Type')).toBe('text/html; charset=utf-8');
  const shown = page.text
    .replace(/<style>.*<\/style>/s, '')
    .replace(/<[^>]*>/g, '|')
    .replace(/\s*\|[|\s]*/g, '|');
  expect(shown).toBe(
    '|Status: Down|Claim Assignment|Documentation|Down|Since|2026-09-01 23:30:00 UTC|, as observed by the process that responds.|Part|Status|Since|' +
      `API|up|2026-09-01 23:29:55 UTC|Database|down.|${effect}|2026-09-01 23:29:56 UTC|Rate limits|down.|${ofRedis}|2026-09-01 23:29:57 UTC|` +
      `The service was restored to|2026-09-01 23:29:58 UTC|. ${restored}|Support|:|a&#38;b@claims.example|`,
  );
  expect([...page.text.matchAll(/(?:href|datetime)="([^"]*)"/g)].map(([, value]) => value)).toEqual([
    ...[
      ...['https://docs.example/?&#34;&#60;a&#62;', '2026-09-01T23:30:00.000Z', '2026-09-01T23:29:55.000Z'],
      '2026-09-01T23:29:56.000Z',
    ],
    ...[
      ...['2026-09-01T23:29:57.000Z', '2026-09-01T23:29:58.000Z'],
      ...['https://docs.example/?&#34;&#60;a&#62;/support', 'mailto:a%26b@claims.example'],
    ],
  ]);
  const [, style = ''] = /<style>(.*)<\/style>/s.exec(page.text) ?? [];
  const digest = createHash('sha256').update(style).digest('base64');
  expect(page.header('Content-Security-Policy')).toBe(
    `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  const draining = { ...CHECKED, parts: [{ name: 'api', up: false, since: NOW }] };
  const shutDown = { effect: 'The service is shutting down; requests get 503.' };
  expect((await ask('*/*', draining)).json.parts).toMatchObject([shutDown]);
  for (const [one, title] of [
    ['up', 'All parts are up'],
    ['degraded', 'Up, with degraded parts'],
  ]) {
    const calm = { ...CHECKED, status: one, restore: null };
    expect((await ask('text/html', calm)).text).toContain(`<h1 class="${one}">${title}</h1>`);
    expect((await ask('*/*', calm)).json).not.toHaveProperty('restore');
  }
});

test('the public keys of receipts are those of the signer, and the app has the key for push messages', async () => {
  const results = {
    'receiptSigner.publicKeys': [
      { kid: 'KID', x: 'X' },
      { kid: 'OLD', x: 'Y' },
    ],
    pushKey: 'PUSH',
  };
  const shown: unknown[] = [];
  const filesOf: Parameters<typeof appPages>[1] = (...of) => {
    shown.push(of);
    return [];
  };
  const ask = application<Services>(
    (use) => ({ pages: [jwksPage(use), ...appPages(use, filesOf)] }),
    results,
  );
  const keys = await ask('GET', '/.well-known/jwks.json');
  const of = { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' };
  expect(keys.json).toEqual({
    keys: [
      { ...of, kid: 'KID', x: 'X' },
      { ...of, kid: 'OLD', x: 'Y' },
    ],
  });
  expect(['Content-Type', 'Cache-Control', 'Access-Control-Allow-Origin'].map(keys.header)).toEqual([
    ...['application/json', 'public, max-age=300', '*'],
  ]);
  const push = await ask('GET', '/app/push-key');
  const denied = (geolocation: string) =>
    `camera=(), geolocation=(${geolocation}), microphone=(), payment=()`;
  expect(shown).toEqual([
    [{ package: '@svc/adjuster', path: '/app', permissionsPolicy: denied('self') }, ADDRESSES],
    [{ package: '@svc/desk', path: '/firm', permissionsPolicy: denied('') }, ADDRESSES],
  ]);
  expect([push.header('Content-Type'), push.json]).toEqual(['application/json', { key: 'PUSH' }]);
});

const folder = temporaryFolder();
mkdirSync(join(folder, 'site/assets'), { recursive: true });
mkdirSync(join(folder, 'site/packages'), { recursive: true });
const placeholders = {
  ...{ baseUrl: '@BASE', docsUrl: '@DOCS', supportEmail: '@MAIL', pathPrefix: '@PATH', version: '@VERSION' },
};
for (const [name, text] of Object.entries({
  'site.json': JSON.stringify({
    ...{ version: '1', placeholders, scripts: ["'sha256-s'"], styles: ["'sha256-t'"] },
  }),
  'site/index.html': '@BASE @DOCS @MAIL @PATH',
  ...{
    ...{ 'site/index.md': 'index', 'site/errors.html': 'errors', 'site/errors.md': 'as text' },
    'site/packages/index.md': 'of packages',
    'site/404.html': 'no page',
  },
  ...{
    ...{ 'site/packages/index.html': 'packages', 'site/llms.txt': '@BASE', 'site/favicon.ico': '@BASE' },
    'site/assets/a.@VERSION.js': 'js',
    ...{ 'site/a.png': '@BASE', 'site/a.tgz': '@BASE', 'site/a.woff2': '@BASE' },
  },
}))
  writeFileSync(join(folder, name), text);

test('the documentation has its addresses filled in, moved paths, Markdown for who prefers it, and a page for others', async () => {
  const read = (of: typeof ADDRESSES) => readDocsFiles(of, folder);
  const addresses = { ...ADDRESSES };
  const counted = jest.fn(read);
  const ask = application<Services>(() => ({ pages: docsPages({ addresses }, counted) }));
  const asset = [...(read(ADDRESSES)?.byPath.keys() ?? [])].find((path) => path.includes('assets')) ?? '';
  const version = /^\/docs\/assets\/a\.([0-9a-f]{12})\.js$/.exec(asset)?.[1];
  const atRoot = read({ ...ADDRESSES, baseUrl: 'https://a.example/' })?.byPath.get('/docs')?.content;
  expect(String(await atRoot?.bytes(null))).toBe(
    'https://a.example/ https://docs.example help@claims.example ',
  );
  for (const name of ['a.png', 'a.tgz', 'a.woff2'])
    expect(String(await read(ADDRESSES)?.byPath.get(`/docs/${name}`)?.content.bytes(null))).toBe('@BASE');
  for (const changed of [{ baseUrl: 'https://a.example/' }, { docsUrl: '' }, { supportEmail: '' }])
    expect(read({ ...ADDRESSES, ...changed })?.byPath.has(asset)).toBe(false);
  const [short, forever, html] = [
    ...['public, max-age=300', 'public, max-age=31536000, immutable', 'text/html; charset=utf-8'],
  ];
  const base = 'https://claims.example/flood';
  for (const [path, accept, ...expected] of [
    ['/', 'text/html', 302, '/flood/docs', short, 'Accept', undefined],
    ['/', 'application/json', 404, undefined, 'no-store', 'Accept', undefined],
    ['/docs/', '*/*', 308, '/flood/docs', short, 'Accept', undefined],
    ['/docs/index', '*/*', 308, '/flood/docs', short, 'Accept', undefined],
    ['/docs/packages', '*/*', 308, '/flood/docs/packages/', short, 'Accept', undefined],
    [
      ...['/docs', '*/*', 200, `${base} https://docs.example help@claims.example /flood`, short],
      ...['Accept, Accept-Encoding', undefined, 'GET /docs'],
    ],
    ['/docs', 'text/markdown', 200, 'index', short, 'Accept, Accept-Encoding', undefined, 'GET /docs'],
    [
      ...['/docs/errors', 'text/html', 200, 'errors', short, 'Accept, Accept-Encoding', undefined],
      'GET /docs/errors',
    ],
    [
      ...['/docs/errors', 'text/markdown, text/html;q=0.1', 200, 'as text', short, 'Accept, Accept-Encoding'],
      ...[undefined, 'GET /docs/errors'],
    ],
    [
      ...[
        '/docs/packages/',
        'text/markdown',
        200,
        'of packages',
        short,
        'Accept, Accept-Encoding',
        undefined,
      ],
      'GET /docs/packages/',
    ],
    ...['nowhere', '%2e%2e%2fsite.json', '..%2f..%2fsite.json'].map(
      (name) =>
        [
          ...[`/docs/${name}`, '*/*', 404, 'no page', 'no-store', 'Accept-Encoding', undefined],
          'GET /docs/{page}',
        ] as const,
    ),
    [
      ...[`/docs/assets/a.${version}.js`, '*/*', 200, 'js', forever, 'Accept-Encoding', undefined],
      'GET /docs/assets/{name}',
    ],
    ['/llms.txt', '*/*', 200, base, short, 'Accept-Encoding', '*', 'GET /llms.txt'],
    ['/favicon.ico', '*/*', 200, '@BASE', short, 'Accept-Encoding', '*', 'GET /favicon.ico'],
  ] as const) {
    const { status, text, header, trace } = await ask('GET', path, { headers: { accept } });
    const content = status === 200 || expected[1] === 'no page' ? text : header('Location');
    expect([
      ...[path, status, content],
      ...['Cache-Control', 'Vary', 'Access-Control-Allow-Origin'].map(header),
      trace?.route,
    ]).toEqual([...[path, ...expected.slice(0, 5), expected[5] ?? expect.any(String)]]);
  }
  const page = await ask('GET', '/docs', { headers: { accept: 'text/html' } });
  expect([page.header('Content-Type'), page.header('Referrer-Policy')]).toEqual([html, 'same-origin']);
  expect(page.header('Content-Security-Policy')).toBe(
    "default-src 'none'; script-src 'self' 'sha256-s'; style-src 'self'; style-src-attr 'unsafe-hashes' 'sha256-t'; " +
      "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  for (const [path, openapi, first] of [
    ['/openapi.json', '3.1', '/v1/claims'],
    ['/openapi-3.0.json', '3.0', '/v1/claims'],
    ['/app/openapi.json', '3.1', '/app/v1'],
    ['/firm/openapi.json', '3.1', '/firm/v1'],
  ] as const) {
    const { json, header } = await ask('GET', path);
    expect([
      ...[json.openapi.slice(0, 3), Object.keys(json.paths)[0]?.startsWith(first), json.servers[0].url],
    ]).toEqual([openapi, true, base]);
    expect(json).toMatchObject({
      info: {
        version: INTERFACE_VERSION,
        contact: { url: 'https://docs.example/support', email: 'help@claims.example' },
      },
      externalDocs: { url: 'https://docs.example' },
    });
    expect([header('Cache-Control'), header('Access-Control-Allow-Origin')]).toEqual([short, '*']);
  }
  addresses.baseUrl = 'https://a.example';
  const changed = [
    (await ask('GET', '/llms.txt')).text,
    (await ask('GET', '/openapi.json')).json.servers[0].url,
  ];
  expect([...changed, counted.mock.calls.length]).toEqual([addresses.baseUrl, addresses.baseUrl, 2]);
  const unbuilt = application<Services>((use) => ({
    pages: docsPages(use, () => readDocsFiles(ADDRESSES, join(folder, 'none'))),
  }));
  expect((await unbuilt('GET', '/docs')).json.detail).toBe(
    'The documentation has not been built. Run "npx pnpm@12.21.0 build".',
  );
  mkdirSync(join(folder, 'broken/site.json'), { recursive: true });
  expect(() => readDocsFiles(ADDRESSES, join(folder, 'broken'))).toThrow('EISDIR');
});
