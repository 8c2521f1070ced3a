import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ERROR_CODES, ERRORS, firmEndpoints, INTERFACE_VERSION } from '@svc/contract';
import { PAGES } from '../src/http/docs/pages.ts';
import { callHttp, type ServiceUnderTest, startServiceUnderTest } from './service-under-test.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startServiceUnderTest();
});
afterAll(() => service.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  callHttp(service.url, 'GET', path, { headers });
const pathOf = (name: string): string => (name === 'index' ? '/docs' : `/docs/${name}`);

test('every page is there in HTML and in Markdown, with nothing left to fill in', async () => {
  for (const { name } of PAGES) {
    const [html, markdown] = [await get(pathOf(name)), await get(`/docs/${name}.md`)];
    expect([name, html.status, html.headers.get('content-type')]).toEqual([
      name,
      200,
      'text/html; charset=utf-8',
    ]);
    expect([name, markdown.status, markdown.headers.get('content-type')]).toEqual([
      name,
      200,
      'text/markdown; charset=utf-8',
    ]);
    expect(markdown.text).toMatch(/^# \S/);
    expect(`${html.text}${markdown.text}`).not.toMatch(/\{\{|undefined|NaN|\[object/);
  }
});

test('links between pages are absolute in Markdown, and lead to Markdown', async () => {
  for (const { name } of PAGES) {
    const { text } = await get(`/docs/${name}.md`);
    for (const [, link = ''] of text.matchAll(/\]\(([^)]+)\)/g)) {
      expect(link.startsWith(`${service.url}/`)).toBe(true);
      expect((await get(new URL(link).pathname)).status).toBe(200);
    }
  }
});

test('llms.txt lists every page with a line on each, and the interface document', async () => {
  const { status, text, headers } = await get('/llms.txt');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(text).toMatch(/^# .+\n\n> /);
  for (const { name, description } of PAGES)
    expect(text).toContain(`${service.url}/docs/${name}.md): ${description}`);
  expect(text).toContain(`${service.url}/openapi.json`);
});

test('the page of errors has one place for each code, with cause, fix and an example whose type leads there', async () => {
  const [{ text: html }, { text: markdown }] = [await get('/docs/errors'), await get('/docs/errors.md')];
  for (const code of ERROR_CODES) {
    expect(html.split(`id="${code}"`)).toHaveLength(2);
    const entry = markdown.split(`\n## ${code}\n`)[1]?.split('\n## ')[0] ?? '';
    expect(entry).toContain(ERRORS[code].title);
    expect(entry.replaceAll('`', '')).toContain(ERRORS[code].cause);
    expect(entry.replaceAll('`', '')).toContain(ERRORS[code].fix);
    const example = JSON.parse(entry.split('```json')[1]?.split('```')[0] ?? '');
    expect(example).toMatchObject({ code, type: `${service.url}/docs/errors#${code}` });
  }
});

test('the reference in Markdown has every operation of the firm with its answers', async () => {
  const { text } = await get('/docs/reference.md');
  for (const { id, method, path } of Object.values(firmEndpoints)) {
    expect(text).toContain(`## ${id}\n\n\`${method} ${path}\``);
  }
  expect(text).toContain('`building.flood_zone`');
  for (const field of ['agent', 'mortgagee', 'additional_contacts[]']) {
    for (const member of ['company_name', 'first_name', 'phone', 'address.street']) {
      expect(text).toContain(`| \`${field}.${member}\` | `);
    }
  }
  expect(text).toContain('| `mortgagee` | object | ');
  expect(text).toContain('| `agent.agency_number` | string, 1 to ');
  expect(text).not.toContain(' | value | ');
  expect(text.split('| `assignment.responded_at` | date-time or null |')).toHaveLength(2);
  expect(text.split('| `expires_at` | date-time or null |')).toHaveLength(2);
});

test('the changelog begins with the promise and tells of the version that the interface document names', async () => {
  const { text } = await get('/docs/changelog.md');
  expect([...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title).slice(0, 2)).toEqual([
    'The promise',
    INTERFACE_VERSION,
  ]);
});

test('pages allow no script, style, image or request but the host’s own, and cannot be framed', async () => {
  for (const { name } of PAGES) {
    const policy = (await get(pathOf(name))).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy.includes('unsafe-inline')).toBe(name === 'reference');
    expect(policy).not.toContain('unsafe-eval');
  }
});

test('what a page is made of is kept for ever under a name that changes with it, packed as the browser likes it', async () => {
  const { text } = await get('/docs/reference');
  const assets = [...text.matchAll(/"(\/docs\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
  expect(assets.length).toBeGreaterThan(4);
  for (const path of new Set(assets)) {
    for (const [accepted, coding] of [
      ['br, gzip', 'br'],
      ['gzip', 'gzip'],
      ['identity', null],
    ] as const) {
      const { status, headers } = await get(path, { 'Accept-Encoding': accepted });
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(headers.get('content-encoding')).toBe(coding);
      expect(headers.get('vary')).toBe('Accept-Encoding');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  }
});

test('what is not there is not found, and what cannot be written to says so', async () => {
  const missing = await get('/docs/nowhere');
  expect([missing.status, missing.json.code]).toEqual([404, 'not_found']);
  for (const path of ['/docs/../package.json', '/docs/%2e%2e/package.json', '/docs/assets/docs.css']) {
    expect((await get(path)).status).toBe(404);
  }
  const written = await callHttp(service.url, 'POST', '/docs', { body: {} });
  expect([written.status, written.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  const moved = await fetch(`${service.url}/docs/`, { redirect: 'manual' });
  expect([moved.status, moved.headers.get('location')]).toEqual([308, '/docs']);
});
