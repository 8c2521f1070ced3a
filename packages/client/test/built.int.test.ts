import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { EXAMPLES, smallestClaim } from '@svc/contract';
import { build } from '../../../tools/services/build.ts';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { respondsWith, startFaultyServer } from './faulty-server.ts';

const run = promisify(execFile);
const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

const onPath = (name: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(existsSync);

/** This Node, and other runtimes that are installed. */
const RUNTIMES = [
  { name: 'Node', file: process.execPath, args: [] },
  { name: 'Bun', file: onPath('bun'), args: ['run'] },
  { name: 'Deno', file: onPath('deno'), args: ['run', '--allow-net'] },
].flatMap(({ name, file, args }) => (file === undefined ? [] : [{ name, file, args }]));

// The build, as firms get it; the other tests use the sources.
describe('the built package', () => {
  let alone: string;
  let files: readonly string[];

  beforeAll(async () => {
    await build();
    alone = temporaryFolder();
    // A folder without node_modules above it, so that imports from outside the package fail.
    await cp(join(PACKAGE, 'dist'), alone, { recursive: true });
    files = (await readdir(alone)).filter((name) => name.endsWith('.js'));
  });

  it('imports nothing from outside the package', async () => {
    expect(files).toContain('index.js');
    for (const file of files) {
      const source = await readFile(join(alone, file), 'utf8');
      const imported = [...source.matchAll(/\b(?:from|import|require)\s*\(?\s*(['"])(.*?)\1/g)].map(
        ([, , name]) => name,
      );
      expect(imported.filter((name) => !files.includes(name?.replace(/^\.\//, '') ?? ''))).toEqual([]);
      // Environment variables are read only where the platform has them.
      const unguarded = source.replace("typeof process === 'undefined' ? undefined : process.", '');
      expect(unguarded).not.toMatch(/\bzod\b|\bprocess\.|\bBuffer\b|\brequire\(/);
    }
  });

  it.each(RUNTIMES)('succeeds on a faulty network, without dependencies: $name', async ({ file, args }) => {
    const claim = EXAMPLES.sendClaim.response;
    const server = await startFaultyServer([
      (_, socket) => socket.destroy(),
      (response) => void response.writeHead(201).write('{"id":'),
      (response, socket) => {
        response.writeHead(201, { 'Content-Length': 1000 }).write('{"id":', () => socket.destroy());
      },
      respondsWith(502, '<h1>Bad Gateway</h1>'),
      respondsWith(429, { code: 'rate_limited' }, { 'Retry-After': '1' }),
      respondsWith(201, claim),
      respondsWith(200, { data: [claim, claim], next_cursor: null }),
      respondsWith(422, {
        code: 'validation_failed',
        errors: [{ detail: 'No.', pointer: '/a' }],
        request_id: 'r',
      }),
      () => {},
    ]);
    const script = join(alone, 'script.mjs');
    await writeFile(
      script,
      `import { createClient } from './index.js';
      const client = createClient({ baseUrl: '${server.url}', apiKey: 'svc_test_x', timeoutMs: 300, backoff: { baseMs: 1 } });
      const { id } = await client.claims.send(${JSON.stringify(smallestClaim)});
      let listed = 0;
      for await (const claim of client.claims.list()) listed += 1;
      const { code, errors, requestId } = await client.me().catch((error) => error);
      const { name } = await client.me({ maxRetries: 1 }).catch((error) => error);
      const aborted = await client.me({ signal: AbortSignal.timeout(50), timeoutMs: 0 }).catch((error) => error.name);
      console.log(JSON.stringify({ id, listed, code, errors, requestId, name, aborted }));`,
    );
    const { stdout, stderr } = await run(file, [...args, script], { cwd: alone });
    expect(JSON.parse(stdout)).toEqual({
      id: (claim as { id: string }).id,
      listed: 2,
      code: 'validation_failed',
      errors: [{ detail: 'No.', pointer: '/a' }],
      requestId: 'r',
      name: 'ClaimsTimeoutError',
      aborted: 'TimeoutError',
    });
    expect(stderr).toBe('');
    const keys = server.received.slice(0, 6).map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(1);
  });

  it('can be tree-shaken: no module has side effects', async () => {
    const manifest = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ type: 'module', sideEffects: false });
    expect(manifest.dependencies).toBeUndefined();
  });
});
