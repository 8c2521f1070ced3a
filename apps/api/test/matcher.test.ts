import { expect, test } from '@jest/globals';
import { type Endpoint, endpoints } from '@svc/contract';
import fc from 'fast-check';
import { HttpProblem } from '../src/http/problems/http-problem.ts';
import { createMatcher } from '../src/http/routes/matcher.ts';
import { pageRoute } from '../src/http/routes/page-route.ts';
import { appRoute, firmRoute, type Route } from '../src/http/routes/route.ts';

const routes: Route[] = Object.values(endpoints).map((endpoint: Endpoint) =>
  (endpoint.auth === 'key' ? firmRoute : appRoute)(endpoint, async () => ({ status: 204 })),
);
const match = createMatcher(routes);

/** What is found, as JSON. */
function found(method: string, path: string): unknown {
  const result = match(method, path);
  if (result instanceof HttpProblem) return [result.code, result.extra.headers?.Allow];
  return result === null ? null : [result.route.endpoint.id, result.params];
}

test('every operation is found with any values of its parameters', () => {
  const value = fc.string({ minLength: 1, unit: 'grapheme' });
  fc.assert(
    fc.property(
      fc.constantFrom(...routes),
      fc.array(value, { minLength: 2, maxLength: 2 }),
      (route, values) => {
        const { id, method, path } = route.endpoint;
        // A literal of another operation in its place, such as `current`, is covered below.
        const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
        const params = Object.fromEntries(names.map((name, at) => [name, `-${values[at]}`]));
        const requested = path.replace(/\{(\w+)\}/g, (_, name: string) =>
          encodeURIComponent(params[name] ?? ''),
        );
        expect(found(method, requested)).toEqual([id, params]);
        if (method === 'GET') expect(found('HEAD', requested)).toEqual([id, params]);
        expect([found(method, `${requested}/`), found(method, requested.replace('/v1', '/V1'))]).toEqual([
          null,
          null,
        ]);
      },
    ),
  );
});

test.each([
  ['GET', '/v1/claims/%7Bid%7d', ['getClaim', { id: '{id}' }]],
  ['GET', '/v1/claims/a%2Fb', ['getClaim', { id: 'a/b' }]],
  ['GET', '/v1/claims/%zz', ['malformed_request', undefined]],
  ['PUT', '/v1/claims/%zz', ['malformed_request', undefined]],
  ['PUT', '/v1/claims', ['method_not_allowed', 'GET, HEAD, POST']],
  ['OPTIONS', '/v1/claims/a', ['method_not_allowed', 'GET, HEAD']],
  ['HEAD', '/v1/claims/a/assignment', ['method_not_allowed', 'POST']],
  ['DELETE', '/app/v1/sessions/current', ['signOut', {}]],
  ['DELETE', '/app/v1/sessions/a', ['endSession', { session_id: 'a' }]],
  ['PATCH', '/app/v1/passkeys/options', ['method_not_allowed', 'POST']],
  ['GET', '/v1/claims/', null],
  ['GET', '/v1/claims//acceptance', null],
  ['GET', '/v1', null],
  ['GET', '/v1/test', null],
  ['GET', '', null],
  ['GET', '/', null],
  ['GET', '//v1/claims', null],
])('%s %s', (method, path, expected) => {
  expect(found(method, path)).toEqual(expected);
});

test('a method that a path does not have is answered with those that it has', () => {
  const detail = 'This path supports GET, HEAD only.';
  expect(match('PUT', '/v1/claims/a')).toMatchObject({ code: 'method_not_allowed', extra: { detail } });
});

test('a page is found with its files, and a stream without HEAD, beside operations', () => {
  const pages = [
    pageRoute('/app', async () => {}),
    pageRoute('/app/{+file}', async () => {}, { has: (path) => path === '/app/a/%zz' || path === '/app/' }),
    pageRoute('/app/events', async () => {}, { isStream: true }),
  ];
  const matchAll = createMatcher([...routes, ...pages]);
  const served = (method: string, path: string): unknown => {
    const result = matchAll(method, path);
    if (result instanceof HttpProblem) return result.extra.headers?.Allow;
    return result?.route.endpoint.path;
  };
  for (const [method, path, expected] of [
    ['HEAD', '/app', '/app'],
    ['GET', '/app/', '/app/{+file}'],
    ['GET', '/app/a/%zz', '/app/{+file}'],
    ['PUT', '/app/a/%zz', 'GET, HEAD'],
    ['PUT', '/app/other', undefined],
    ['GET', '/app/v1/nowhere', undefined],
    ['GET', '/app/v1/invitations', '/app/v1/invitations'],
    ['GET', '/app/events', '/app/events'],
    ['HEAD', '/app/events', 'GET'],
  ] as const)
    expect([method, path, served(method, path)]).toEqual([method, path, expected]);
});
