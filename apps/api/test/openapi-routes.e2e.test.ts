import { expect, test } from '@jest/globals';
import { INTERFACE_VERSION } from '@svc/contract';
import { build } from '../../../tools/services/build.ts';
import { callHttp, startServiceUnderTest } from './service-under-test.ts';

await build();
const service = await startServiceUnderTest();

const DOCUMENTS = ['/openapi.json', '/app/openapi.json'];

test('the documents list exactly the operations that the service routes', async () => {
  const documented: string[] = [];
  for (const path of DOCUMENTS) {
    const { status, json } = await callHttp(service.url, 'GET', path);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      openapi: '3.1.0',
      info: { version: INTERFACE_VERSION },
      servers: [{ url: service.url }],
    });
    for (const [path, operations] of Object.entries<Record<string, unknown>>(json.paths))
      documented.push(...Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`));
  }
  expect((await callHttp(service.url, 'GET', '/openapi-3.0.json')).json.openapi).toBe('3.0.3');
  const routed = service.service.services.routes
    // The sign-in of the adjuster page is internal.
    .filter(({ endpoint }) => /^(\/app)?\/v1\//.test(endpoint.path))
    .map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`);
  expect(documented.sort()).toEqual(routed.sort());
});

test.each(['/openapi.json', '/openapi-3.0.json', '/app/openapi.json'])(
  '%s is cacheable for five minutes, revalidated with 304, and readable across origins',
  async (path) => {
    const first = await callHttp(service.url, 'GET', path);
    expect(first.headers.get('cache-control')).toBe('public, max-age=300');
    expect(first.headers.get('access-control-allow-origin')).toBe('*');
    const etag = first.headers.get('etag') ?? '';
    const again = await callHttp(service.url, 'GET', path, { headers: { 'If-None-Match': etag } });
    expect([again.status, again.text]).toEqual([304, '']);
  },
);

test('the document and the pages use the configured public address', async () => {
  const behindProxy = await startServiceUnderTest({
    env: {
      BASE_URL: 'https://claims.svc.test/flood',
      DOCS_URL: 'https://docs.svc.test',
      SUPPORT_EMAIL: 'help@svc.test',
    },
    databaseUrl: service.databaseUrl,
  });
  const { json } = await callHttp(behindProxy.url, 'GET', '/openapi.json');
  expect(json.servers).toEqual([{ url: 'https://claims.svc.test/flood' }]);
  expect(json.externalDocs.url).toBe('https://docs.svc.test');
  expect(json.info.contact).toMatchObject({ url: 'https://docs.svc.test/support', email: 'help@svc.test' });
  const page = await callHttp(behindProxy.url, 'GET', '/docs');
  expect(page.text).toContain('href="/flood/docs/quick-start"');
});
