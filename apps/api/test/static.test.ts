import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { createPageHost } from '../src/http/page-host.ts';
import type { RequestTrace } from '../src/http/request-log.ts';
import { contentOf } from '../src/http/static/compression.ts';
import { pageFiles } from '../src/http/static/page-files.ts';
import { exchange } from './exchange.ts';

const folder = temporaryFolder();
mkdirSync(join(folder, 'dist/assets'), { recursive: true });
const HTML = '<script src="./assets/app-1.js"></script>';
const FILES = {
  'index.html': HTML,
  'sw.js': 'self',
  'assets/app-1.js': 'x'.repeat(99),
  ...{ 'assets/a.png': 'png', 'assets/a.tgz': 'tgz' },
};
writeFileSync(join(folder, 'package.json'), '{}');
for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, 'dist', name), text);

const addresses = { baseUrl: 'https://firm.example/claims/', docsUrl: '' };
const page = { package: folder, path: '/app', permissionsPolicy: 'camera=()' };
const [index, file] = pageFiles(page, addresses);
const serve = createPageHost();

/** What a page at a path is answered with. */
async function get(path: string, headers: Readonly<Record<string, string>> = {}) {
  const { request, response, body } = exchange(headers);
  Object.assign(request, { method: 'GET', url: path });
  const trace: RequestTrace = { requestId: 'r', clientAddress: '' };
  const route = path === '/app' ? index : file;
  if (route === undefined) throw new Error('The page has two routes.');
  await serve(route, request, response, trace);
  const header = (name: string) => response.getHeader(name);
  return { status: response.statusCode, route: trace.route, bytes: body() ?? Buffer.alloc(0), header };
}

test('a page has its files under the path of its address; those named by their content are kept, others asked for again', async () => {
  const served = await Promise.all(
    ['/app', '/app/sw.js', '/app/assets/app-1.js', '/app/index.html'].map((path) => get(path)),
  );
  const shown = ['Content-Type', 'Cache-Control', 'Service-Worker-Allowed', 'Permissions-Policy'];
  const js = 'text/javascript; charset=utf-8';
  const html = ['GET /app', 'text/html; charset=utf-8', 'no-cache', undefined, 'camera=()'];
  expect(served.map(({ route, header }) => [route, ...shown.map(header)])).toEqual([
    html,
    ['GET /app', js, 'no-cache', '/claims/app', 'camera=()'],
    ['GET /app/assets/{name}', js, 'public, max-age=31536000, immutable', undefined, 'camera=()'],
    html,
  ]);
  const others = ['Content-Security-Policy', 'Cross-Origin-Opener-Policy', 'Cross-Origin-Resource-Policy'];
  for (const { header } of served)
    expect([...others, 'Referrer-Policy', 'X-Powered-By'].map(header)).toEqual([
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      ...['same-origin', 'same-origin', 'no-referrer', undefined],
    ]);
  expect(String(served[0]?.bytes)).toBe('<script src="/claims/app/assets/app-1.js"></script>');
  addresses.baseUrl = 'https://firm.example';
  expect(String((await get('/app')).bytes)).toBe('<script src="/app/assets/app-1.js"></script>');
  // Files are read once.
  rmSync(join(folder, 'dist/sw.js'));
  expect(
    ['sw.js', 'assets/a.png', 'package.json', '../package.json'].map((name) => file?.has(`/app/${name}`)),
  ).toEqual([...[true, true, false, false]]);
  await expect(get('/app/none.js')).rejects.toMatchObject({ code: 'not_found' });
  const unbuilt = temporaryFolder();
  writeFileSync(join(unbuilt, 'package.json'), '{}');
  const [, missing] = pageFiles({ ...page, package: unbuilt }, addresses);
  expect(() => missing?.has('/app/sw.js')).toThrow('This page has not been built.');
  writeFileSync(join(unbuilt, 'dist'), '');
  expect(() => missing?.has('/app/sw.js')).toThrow('ENOTDIR');
});

test('a file is sent in the best coding that is accepted, and not again to who has it in that coding', async () => {
  const path = '/app/assets/app-1.js';
  const decoded = { br: brotliDecompressSync, gzip: gunzipSync };
  const tags = new Map<string | null, string>();
  for (const [accepted, coding] of [
    ['gzip, br', 'br'],
    ['br;q=0, gzip;q=0.1', 'gzip'],
    ['deflate', null],
  ] as const)
    for (let times = 0; times < 2; times += 1) {
      const { bytes, header } = await get(path, { 'accept-encoding': accepted });
      expect([header('Content-Encoding'), header('Vary')]).toEqual([coding ?? undefined, 'Accept-Encoding']);
      expect(String(coding === null ? bytes : decoded[coding](bytes))).toBe(FILES['assets/app-1.js']);
      tags.set(coding, String(header('ETag')));
    }
  expect(new Set(tags.values()).size).toBe(3);
  for (const name of ['png', 'tgz']) {
    const { header, bytes } = await get(`/app/assets/a.${name}`, { 'accept-encoding': 'br' });
    expect([header('Content-Encoding'), String(bytes)]).toEqual([undefined, name]);
  }
  const [br = '', gzip = ''] = [tags.get('br'), tags.get('gzip')];
  for (const [known, status] of [
    [br, 304],
    [`W/${br}`, 304],
    [`"other", ${br}`, 304],
    [' * ', 304],
    [gzip, 200],
    [br.slice(0, -2), 200],
    ['', 200],
  ] as const) {
    const answer = await get(path, {
      'accept-encoding': 'br',
      'if-none-match': known,
      'cache-control': 'no-cache',
    });
    expect([known, answer.status, answer.bytes.length > 0]).toEqual([known, status, status === 200]);
    expect([answer.header('ETag'), answer.header('Vary')]).toEqual([br, 'Accept-Encoding']);
  }
});

test('the type of a file is that of its last extension', () => {
  const names = 'css html ico js json md png svg xml tgz txt webmanifest bin'.split(' ');
  expect(names.map((name) => contentOf(`a.css.${name}`, '').type.replace('; charset=utf-8', '+'))).toEqual([
    ...['text/css+', 'text/html+', 'image/x-icon', 'text/javascript+', 'application/json', 'text/markdown+'],
    ...['image/png', 'image/svg+xml', 'application/atom+xml+', 'application/gzip', 'text/plain+'],
    ...['application/manifest+json', 'application/octet-stream'],
  ]);
  expect(contentOf('a.txt', 'a').tag).not.toBe(contentOf('a.txt', 'b').tag);
});

test('a file is compressed once for each coding', async () => {
  const content = contentOf('a.txt', 'a');
  for (const coding of ['br', 'gzip'] as const)
    expect(await content.bytes(coding)).toBe(await content.bytes(coding));
});
