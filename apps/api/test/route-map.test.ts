import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { type Endpoint, endpoints } from '@svc/contract';
import express, { type Request, type Response } from 'express';
import fc from 'fast-check';
import { routeWithExpress } from '../src/http/app.ts';
import { appRoute, firmRoute, type Route } from '../src/http/routes/route.ts';
import { createRouteMap, type MatchedRoute } from '../src/http/routes/route-map.ts';

const routes: Route[] = Object.values(endpoints).map((endpoint: Endpoint) =>
  (endpoint.auth === 'key' ? firmRoute : appRoute)(endpoint, async () => ({ status: 204 })),
);
const matchRoute = createRouteMap(routes);

const app = express();
app.enable('case sensitive routing');
app.enable('strict routing');
let respond: (matched: MatchedRoute) => void = () => {};
routeWithExpress(app, routes, async (matched) => respond(matched));

/** What Express' router finds; null for an unknown path or method. */
function matchWithExpress(method: string, url: string): Promise<MatchedRoute | null> {
  const request = Object.assign(new IncomingMessage(new Socket()), { method, url });
  return new Promise((resolve) => {
    respond = resolve;
    app(request as Request, new ServerResponse(request) as Response, () => resolve(null));
  });
}

const segment = fc.oneof(
  fc.uuid(),
  fc.stringMatching(/^[\w.~-]{1,12}$/),
  fc.string({ maxLength: 6 }).map(encodeURIComponent),
  fc.constantFrom('', '.', '..', '%', '%zz', '{id}', 'invitations', '*', ':id', 'a;b'),
);
const urls = fc
  .record({
    path: fc.constantFrom(...routes.map(({ endpoint }) => endpoint.path)),
    segments: fc.array(segment, { minLength: 3, maxLength: 3 }),
    change: fc.constantFrom<(path: string) => string>(
      (path) => path,
      (path) => `${path}/`,
      (path) => path.slice(0, path.lastIndexOf('/')),
      (path) => path.replace('claims', 'Claims'),
      (path) => path.replace('/v1', '//v1'),
    ),
    query: fc.constantFrom('', '?', '?limit=2', '?a=/v1/me', '?a=?b'),
  })
  .map(({ path, segments, change, query }) => {
    let at = 0;
    return change(path.replace(/\{\w+\}/g, () => segments[at++] ?? '')) + query;
  });
const methods = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS');

test('a request that is matched without Express has the operation and parameters that Express finds', async () => {
  await fc.assert(
    fc.asyncProperty(methods, urls, async (method, url) => {
      const matched = matchRoute(method, url);
      if (matched === null) return;
      const found = await matchWithExpress(method, url);
      expect(matched.route.endpoint.id).toBe(found?.route.endpoint.id);
      expect(matched.params).toEqual({ ...found?.params });
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ['GET', '/v1/claims/0197a3f0-5a5e-7cc1-8f3e-0d5b5b0c2a11', 'getClaim'],
  ['GET', '/v1/claims?limit=50&cursor=a.b', 'listClaims'],
  ['POST', '/v1/claims', 'sendClaim'],
])('Express is not needed for %s %s', (method, url, operation) => {
  expect(matchRoute(method, url)?.route.endpoint.id).toBe(operation);
});
