import { expect, test } from '@jest/globals';
import {
  sessionCookie,
  signInCookie,
  signInSecretOf,
  useSessionCookie,
} from '../src/http/browser-session.ts';
import { exchange } from './exchange.ts';

const secure = { baseUrl: 'https://claims.example/flood', docsUrl: '' };
const plain = { baseUrl: 'http://localhost:3000', docsUrl: '' };

test('cookies without HTTPS have plain names, and no script reads them either', () => {
  expect([sessionCookie('firm', plain, 't'), signInCookie('app', plain, 's')]).toEqual([
    'svc-staff-session=t; Path=/; Max-Age=34560000; HttpOnly; SameSite=Strict',
    'svc-sign-in=s; Path=/; Max-Age=1800; HttpOnly; SameSite=Strict',
  ]);
});

test.each([
  ['a=1;  __Host-svc-sign-in=s; b=2', 's'],
  ['svc-sign-in=s', null],
  ['__Host-svc-staff-sign-in=s', null],
  ['__Host-svc-sign-in=', null],
  ['__Host-svc-sign-in=s é', null],
  [undefined, null],
])('of the cookies %j the secret of a sign-in over HTTPS is %j', (cookies, secret) => {
  expect(signInSecretOf('app', cookies, secure)).toBe(secret);
});

const requestWith = (headers: Readonly<Record<string, string>>) => exchange(headers).request;
const COOKIES = '__Host-svc-session=app; __Host-svc-staff-session=staff';
const PAGE = { 'x-claims-page': '1' };

test.each<[path: string, headers: Record<string, string>, authorization: string | undefined]>([
  ['/app/v1/me', { ...PAGE, 'sec-fetch-site': 'same-origin', origin: 'null' }, 'Bearer app'],
  ['/firm/v1/me', { ...PAGE, origin: 'https://claims.example' }, 'Bearer staff'],
  ['/app/session', PAGE, 'Bearer app'],
  ['/firm/sessions', PAGE, 'Bearer staff'],
  ['/app/v1/me', { ...PAGE, authorization: 'Bearer own' }, 'Bearer own'],
  ['/app/v1/me', { 'sec-fetch-site': 'same-origin' }, undefined],
  ['/app/v1/me', { ...PAGE, origin: 'https://claims.example.evil' }, undefined],
  ...['same-site', 'cross-site', 'none'].map((site): [string, Record<string, string>, undefined] => [
    '/app/v1/me',
    { ...PAGE, 'sec-fetch-site': site, origin: 'https://claims.example' },
    undefined,
  ]),
  ['/app/push-key', PAGE, undefined],
])('a request of %s with %j has the credential %s', (path, headers, authorization) => {
  const request = requestWith({ cookie: COOKIES, ...headers });
  useSessionCookie(request, path, secure);
  expect(request.headers.authorization).toBe(authorization);
});

test.each(['session', 'sessions', 'sign-in-codes', 'passkey-options'])(
  'an endpoint of the pages, %s, is called by their scripts alone',
  (name) => {
    for (const [page, who] of [
      ['app', 'adjuster app'],
      ['firm', "firm's desk"],
    ])
      for (const headers of [{}, { ...PAGE, 'sec-fetch-site': 'cross-site' }])
        expect(() => useSessionCookie(requestWith(headers), `/${page}/${name}`, secure)).toThrow(
          expect.objectContaining({
            code: 'invalid_session',
            message: `Only the ${who} at ${secure.baseUrl} may call this endpoint, from a browser.`,
          }),
        );
  },
);
