import { expect, test } from '@jest/globals';
import {
  appEndpoints,
  type Endpoint,
  ERROR_CODES,
  ERRORS,
  firmEndpoints,
  INTERFACE_VERSION,
} from '@svc/contract';
import { build } from '../../../tools/services/build.ts';
import { PAGES } from '../../docs/src/pages.ts';
import { readDocsFiles } from '../src/http/docs/files.ts';
import { callHttp, startServiceUnderTest } from './service-under-test.ts';

await build();
const service = await startServiceUnderTest();

const get = (path: string, headers: Record<string, string> = {}) =>
  callHttp(service.url, 'GET', path, { headers });
const pathOf = (name: string): string => (name === 'index' ? '/docs' : `/docs/${name.replace(/index$/, '')}`);

test('every page is available in HTML, with its Content-Security-Policy, and Markdown, without unfilled placeholders', async () => {
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
    const text = `${html.text}${markdown.text}`;
    expect(text).not.toMatch(/\{\{|\[object|\/placeholder|^:::/m);
    // Samples may hold these words.
    const prose = text.replace(/<pre[\s\S]*?<\/pre>|^```[\s\S]*?^```/gm, '');
    // As words: VitePress gives the tabs of its code groups random ids.
    expect(prose).not.toMatch(/(?<![\w-])(undefined|NaN)(?![\w-])/);
    // Allows only the host and hashed inline code, and forbids framing.
    const policy = html.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'self'( 'sha256-[\w+/=]+')+; style-src 'self'; style-src-attr 'unsafe-hashes'( 'sha256-[\w+/=]+')+; /,
    );
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe-(inline|eval)/);
  }
});

test('links in Markdown pages are absolute and lead to Markdown pages', async () => {
  const pages = await Promise.all(PAGES.map(({ name }) => get(`/docs/${name}.md`)));
  const links = pages
    .flatMap(({ text }) => [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link))
    .filter((link) => !link.startsWith('mailto:'));
  expect(links.filter((link) => !link.startsWith(`${service.url}/`))).toEqual([]);
  const paths = [...new Set(links.map((link) => new URL(link).pathname))];
  expect(paths.length).toBeGreaterThan(PAGES.length / 2);
  for (const path of paths) expect([path, (await get(path)).status]).toEqual([path, 200]);
});

test('links in HTML pages lead to existing pages and anchors before the script of the page has run', async () => {
  const targets = new Map<string, string>();
  for (const { name } of PAGES) {
    const page = `${service.url}${pathOf(name)}`;
    for (const [, link = ''] of (await get(pathOf(name))).text.matchAll(/<a [^>]*href="([^"]+)"/g)) {
      const { origin, pathname, hash } = new URL(link, page);
      if (origin === new URL(service.url).origin) targets.set(pathname + hash, page);
      else expect([page, link]).toEqual([page, expect.stringMatching(/^mailto:/)]);
    }
  }
  expect(targets.size).toBeGreaterThan(100);
  const texts = new Map<string, string>();
  const broken: string[] = [];
  for (const [target, page] of targets) {
    const [path = '', hash = ''] = target.split('#');
    if (!texts.has(path)) {
      const { status, text } = await get(path);
      texts.set(path, status < 400 ? text : '');
    }
    const text = texts.get(path) ?? '';
    // The app's screens have no anchors in its page.
    const isAnchor = hash !== '' && !hash.startsWith('/');
    if (text === '' || (isAnchor && !text.includes(`id="${decodeURIComponent(hash)}"`)))
      broken.push(`${target} on ${page}`);
  }
  expect(broken).toEqual([]);
});

test('llms.txt lists every page with its description, and the interface document', async () => {
  const { status, text, headers } = await get('/llms.txt');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(text).toMatch(/^# .+\n\n> /);
  for (const { name, description } of PAGES)
    expect(text).toContain(`${service.url}/docs/${name}.md): ${description}`);
  expect(text).toContain(`${service.url}/openapi.json`);
});

test('the error page has one entry for each code, with cause, fix and an example whose type leads there', async () => {
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

test('the reference has every operation, with its fields, errors and samples, on the page of its resource', async () => {
  const names = PAGES.filter(({ name }) => name.startsWith('reference/')).map(({ name }) => name);
  const pages = await Promise.all(
    names.map(async (name) => ({
      html: (await get(pathOf(name))).text,
      markdown: (await get(`/docs/${name}.md`)).text,
    })),
  );
  const all: readonly Endpoint[] = Object.values({ ...firmEndpoints, ...appEndpoints });
  for (const endpoint of all) {
    const heading = `## ${endpoint.summary}\n\n\`${endpoint.method} ${endpoint.path}\`\n`;
    const found = pages.filter(({ markdown }) => markdown.includes(heading));
    expect([endpoint.id, found.length]).toEqual([endpoint.id, 1]);
    expect(found[0]?.html.split(`id="${endpoint.id}"`)).toHaveLength(2);
    const entry = found[0]?.markdown.split(heading)[1]?.split('\n## ')[0] ?? '';
    for (const code of endpoint.problems) expect(entry).toContain(`/docs/errors.md#${code}`);
    for (const language of ['curl', 'TypeScript', 'Python']) expect(entry).toContain(`[${language}]`);
    const shapes = [endpoint.params, endpoint.query, endpoint.headers].map((schema) => schema?.shape ?? {});
    for (const name of shapes.flatMap((shape) => Object.keys(shape)))
      expect(entry).toContain(`| \`${name}\` |`);
  }
  const claims = (await get('/docs/reference/claims.md')).text;
  expect(claims).toContain('`building.flood_zone`');
  for (const field of ['agent', 'mortgagee', 'additional_contacts[]']) {
    for (const member of ['company_name', 'first_name', 'phone', 'address.street']) {
      expect(claims).toContain(`| \`${field}.${member}\` | `);
    }
  }
  expect(claims).toContain('| `mortgagee` | object | ');
  expect(claims).toContain('| `agent.agency_number` | string, 1 to ');
  expect(claims).not.toContain(' | value | ');
  expect(claims.split('| `assignment.responded_at` | date-time or null |')).toHaveLength(2);
  const adjusters = (await get('/docs/reference/adjusters.md')).text;
  expect(adjusters.split('| `expires_at` | date-time or null |')).toHaveLength(2);
});

test('the overview of the reference has each operation of the firm under its name', async () => {
  const { text } = await get('/docs/reference');
  for (const { id } of Object.values(firmEndpoints)) expect(text.split(`id="${id}"`)).toHaveLength(2);
});

test('the changelog starts with the compatibility rules and the version that the OpenAPI document names', async () => {
  const { text } = await get('/docs/changelog.md');
  expect([...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title).slice(0, 2)).toEqual([
    'Compatibility',
    INTERFACE_VERSION,
  ]);
});

test('the changelog is also an Atom feed, with the interface version first and the addresses of the service', async () => {
  const { status, text, headers } = await get('/docs/changelog.xml');
  expect([status, headers.get('content-type')]).toEqual([200, 'application/atom+xml; charset=utf-8']);
  expect(text).toContain('<feed xmlns="http://www.w3.org/2005/Atom">');
  expect([...text.matchAll(/<title>([\d.]+)<\/title>/g)].map(([, version]) => version)[0]).toBe(
    INTERFACE_VERSION,
  );
  expect(
    [...text.matchAll(/<updated>(.*?)<\/updated>/g)].every(([, at]) => !Number.isNaN(Date.parse(at ?? ''))),
  ).toBe(true);
  expect(text).toContain(`${service.url}/docs/changelog#`);
  expect(text).not.toContain('placeholder');
});

test('scripts and styles are cached permanently and compressed as the browser accepts', async () => {
  const { text } = await get('/docs/reference');
  const assets = [...text.matchAll(/"(\/docs\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
  expect(assets.filter((path) => /\.(css|js)$/.test(path)).length).toBeGreaterThan(4);
  for (const path of new Set(assets)) {
    const { status, headers } = await get(path, { 'Accept-Encoding': 'br, gzip' });
    expect([status, headers.get('content-encoding'), headers.get('vary')]).toEqual([
      ...[200, 'br', 'Accept-Encoding'],
    ]);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  }
});

test('a base URL with a path applies to every page, script and search result', async () => {
  const [baseUrl, docsUrl] = ['https://claims.example.com/api', 'https://docs.example.com'];
  const files = readDocsFiles({ baseUrl, docsUrl, supportEmail: 'help@example.com' });
  expect(files?.byPath.get('/docs/assets/nowhere')).toBeUndefined();
  let searched = 0;
  for (const [path, { content }] of files?.byPath ?? []) {
    if (!/^(text|application)\//.test(content.type)) continue;
    const text = (await content.bytes(null)).toString();
    expect([path, /\/placeholder/.test(text)]).toEqual([path, false]);
    if (path.includes('localSearchIndex')) searched += text.includes('/api/docs/limits#') ? 1 : 0;
    for (const [, link = ''] of path.includes('.') ? [] : text.matchAll(/(?:href|src)="(\/[^"]*)"/g)) {
      expect(link).toMatch(/^\/api\/docs\//);
    }
  }
  expect(searched).toBe(1);
  expect((await files?.byPath.get('/docs/errors.md')?.content.bytes(null))?.toString()).toContain(
    `"type": "${docsUrl}/errors#not_found"`,
  );
  const other = readDocsFiles({
    baseUrl: 'https://other.example.com',
    docsUrl,
    supportEmail: 'help@example.com',
  });
  const assets = [...(files?.byPath.keys() ?? [])].filter((path) => path.startsWith('/docs/assets/'));
  expect(assets.length).toBeGreaterThan(20);
  expect(assets.filter((path) => other?.byPath.has(path))).toEqual([]);
});

test('/favicon.ico is an icon', async () => {
  const { status, headers } = await get('/favicon.ico');
  expect([status, headers.get('content-type')]).toEqual([200, 'image/x-icon']);
});
