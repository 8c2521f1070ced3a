import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { INTERFACE_VERSION } from '@svc/contract';
import { build } from '../../../tools/services/build.ts';
import { TOKENS } from '../src/composition/tokens.ts';
import { callHttp, type ServiceUnderTest, startServiceUnderTest } from './service-under-test.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  await build();
  service = await startServiceUnderTest();
}, 600_000);
afterAll(() => service.stop());

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

test('/openapi.json documents exactly the operations that the service routes', async () => {
  const { status, json } = await callHttp(service.url, 'GET', '/openapi.json');
  expect(status).toBe(200);
  const documented = Object.entries<Record<string, unknown>>(json.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const routed = service.service.services
    .get(TOKENS.routes)
    // The sign-in of the adjuster page is internal.
    .filter(({ endpoint }) => /^(\/app)?\/v1\//.test(endpoint.path))
    .map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`);
  expect(documented.sort()).toEqual(routed.sort());
  expect(json).toMatchObject({
    openapi: '3.1.0',
    info: { version: INTERFACE_VERSION },
    servers: [{ url: service.url }],
  });
});

test('a method that the document does not list for a path gets 405 with the listed ones in Allow', async () => {
  const { live } = await service.firm();
  const { json } = await callHttp(service.url, 'GET', '/openapi.json');
  for (const [path, operations] of Object.entries<Record<string, unknown>>(json.paths)) {
    const listed = Object.keys(operations);
    const method = METHODS.find((one) => !listed.includes(one)) ?? '';
    const id = '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10';
    const send = (call = {}) =>
      callHttp(service.url, method.toUpperCase(), path.replace(/\{\w+\}/g, id), call);
    const response = await send({ as: live });
    expect({ path, status: response.status, code: response.json?.code }).toEqual({
      path,
      status: 405,
      code: 'method_not_allowed',
    });
    const allowed = response.headers.get('allow')?.toLowerCase().split(', ') ?? [];
    // Paths of one shape, such as a literal segment in place of a parameter, share their methods.
    expect(allowed).toEqual(expect.arrayContaining(listed));
    // Without a key, only paths that need none reveal their methods.
    const withoutKey = path.startsWith('/v1/') && path !== '/v1/health' ? 401 : 405;
    expect({ path, status: (await send()).status }).toEqual({ path, status: withoutKey });
  }
});

test('the document is cacheable for five minutes, revalidated with 304, and readable across origins', async () => {
  const first = await callHttp(service.url, 'GET', '/openapi.json');
  expect(first.headers.get('cache-control')).toBe('public, max-age=300');
  expect(first.headers.get('access-control-allow-origin')).toBe('*');
  const etag = first.headers.get('etag') ?? '';
  const again = await fetch(`${service.url}/openapi.json`, { headers: { 'If-None-Match': etag } });
  expect([again.status, await again.text()]).toEqual([304, '']);
});

test('the document and the pages use the configured public address', async () => {
  const behindProxy = await startServiceUnderTest({
    env: { BASE_URL: 'https://claims.svc.test/flood', DOCS_URL: 'https://docs.svc.test' },
    databaseUrl: service.databaseUrl,
  });
  try {
    const { json } = await callHttp(behindProxy.url, 'GET', '/openapi.json');
    expect(json.servers).toEqual([{ url: 'https://claims.svc.test/flood' }]);
    expect(json.externalDocs.url).toBe('https://docs.svc.test');
    const page = await callHttp(behindProxy.url, 'GET', '/docs');
    expect(page.text).toContain('href="/flood/docs/quick-start"');
  } finally {
    await behindProxy.stop();
  }
});
