import { expect, test } from '@jest/globals';
import { type Endpoint, endpoints } from '@svc/contract';
import fc from 'fast-check';
import { HttpProblem } from '../src/http/problems/http-problem.ts';
import { createMatcher } from '../src/http/routes/matcher.ts';
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
