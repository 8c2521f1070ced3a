// Runs the samples of the guides as a reader would, with a test key.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text as readAll } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { build } from '../../../tools/services/build.ts';
import { findCommand, installDebianPackage } from '../../../tools/services/debian-package.ts';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { PAGES } from '../../docs/src/pages.ts';
import {
  callHttp,
  claimBody,
  type ServiceUnderTest,
  sendClaim,
  startServiceUnderTest,
  type TestFirm,
} from './service-under-test.ts';

let service: ServiceUnderTest;
let firm: TestFirm;
let folder: string;

beforeAll(async () => {
  for (const command of ['curl', 'python3']) {
    if (findCommand(command) === undefined) await installDebianPackage(command, () => {});
  }
  await build();
  service = await startServiceUnderTest();
  firm = await service.firm();
  folder = temporaryFolder();
  writeFileSync(join(folder, 'retries.py'), await sampleOf('retries', 'python'));
  writeFileSync(join(folder, 'poll.py'), await sampleOf('polling', 'python'));
});

const pageOf = async (name: string): Promise<string> =>
  (await callHttp(service.url, 'GET', `/docs/${name}.md`)).text;

const blocksOf = (markdown: string): { language: string; code: string }[] =>
  [...markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({
    language,
    code,
  }));

async function sampleOf(page: string, language: string): Promise<string> {
  const [sample] = blocksOf(await pageOf(page)).filter((block) => block.language === language);
  if (sample === undefined) throw new Error(`The page ${page} has no sample in ${language}.`);
  return sample.code;
}

const run = (command: string, ...args: string[]): ChildProcess & { stdin: NodeJS.WritableStream } => {
  const child = spawn(command, args, {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      PYTHONDONTWRITEBYTECODE: '1',
      CLAIMS_API_KEY: firm.test,
      URL: service.url,
      KEY: firm.test,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  return child as ChildProcess & { stdin: NodeJS.WritableStream };
};

async function outputOf(child: ChildProcess): Promise<string> {
  const [stdout, stderr] = await Promise.all([
    child.stdout === null ? '' : readAll(child.stdout),
    child.stderr === null ? '' : readAll(child.stderr),
  ]);
  expect(stderr).toBe('');
  return stdout;
}

/** Waits for the position, which the sample saves after it has printed the page. */
async function savedPosition(child: ChildProcess): Promise<string> {
  const file = join(folder, 'position.txt');
  while (child.exitCode === null) {
    const position = existsSync(file) ? readFileSync(file, 'utf8') : '';
    if (position !== '') return position;
    await setTimeout(50);
  }
  return '';
}

/** A proxy that drops the first request, responds with errors of gateways to the next ones, and forwards later ones. */
function unreliableProxy() {
  let requests = 0;
  const errors: [number, string][] = [
    [503, '7, 7'],
    [408, ''],
    [520, new Date(Date.now() + 3_600_000).toUTCString()],
  ];
  return createServer(async (request, response) => {
    requests += 1;
    if (requests === 1) return request.socket.destroy();
    const error = errors.shift();
    if (error) return response.writeHead(error[0], { 'Retry-After': error[1] }).end('<h1>busy</h1>');
    const forwarded = await service.call(request.method ?? '', request.url ?? '', {
      raw: await readAll(request),
      headers: Object.fromEntries(
        ['Authorization', 'Content-Type', 'Idempotency-Key'].map((name) => [
          name,
          String(request.headers[name.toLowerCase()]),
        ]),
      ),
    });
    response.writeHead(forwarded.status, { 'Content-Type': 'application/json' }).end(forwarded.text);
  });
}

test('the retry sample retries after lost connections and errors of gateways, and creates one claim', async () => {
  const proxy = unreliableProxy().listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  proxy.close();
  await once(proxy, 'close');

  const body = claimBody(firm.account.manual);
  writeFileSync(
    join(folder, 'send.py'),
    `import json, sys, urllib.error
from urllib.request import Request
import retries

def tell(seconds):
    print(json.dumps(seconds), flush=True)
    sys.stdin.readline()

retries.time.sleep = tell
headers = {"Authorization": "Bearer ${firm.test}", "Content-Type": "application/json"}
def send(body, key):
    url = "http://127.0.0.1:${port}/v1/claims"
    return retries.call(Request(url, data=json.dumps(body).encode(), headers={**headers, "Idempotency-Key": key}))

claim = json.loads(r'''${JSON.stringify(body)}''')
print(json.dumps([send(claim, "once")["id"], send(claim, "once")["id"]]), flush=True)
try:
    send({}, "other")
except urllib.error.HTTPError as error:
    print(json.dumps(error.code), flush=True)
`,
  );
  const child = run('python3', 'send.py');
  const printed: unknown[] = [];
  const stderr = child.stderr === null ? Promise.resolve('') : readAll(child.stderr);
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    printed.push(JSON.parse(line));
    if (typeof printed.at(-1) !== 'number' || printed.length > 5) continue;
    // The first wait follows a refused connection, since nothing listens yet.
    if (printed.length === 1) await once(proxy.listen(port, '127.0.0.1'), 'listening');
    child.stdin.write('\n');
  }
  proxy.close();
  expect(await stderr).toBe('');

  const claims = (await service.call('GET', `/v1/claims?external_id=${body.external_id}`, { as: firm.test }))
    .json;
  const [{ id }] = claims.data;
  expect(printed).toEqual([...Array(5).fill(expect.any(Number)), [id, id], 422]);
  expect(printed[2]).toBeGreaterThanOrEqual(7);
  expect(printed[4]).toBeGreaterThan(60);
});

test('the polling sample reports claims and saves its position', async () => {
  const body = claimBody(firm.account.manual);
  const { updated_at } = (await sendClaim(service, firm.test, body)).json;
  const child = run('python3', 'poll.py');
  const errors = child.stderr === null ? Promise.resolve('') : readAll(child.stderr);
  const reported: string[] = [];
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    reported.push(line);
    if (line.startsWith(`${body.external_id} `)) break;
  }
  const position = await savedPosition(child);
  child.kill();
  expect(await errors).toBe('');
  expect(reported).toContain(`${body.external_id} pending_acceptance`);
  expect(Date.parse(position.replace('+0000', 'Z'))).toBe(Date.parse(updated_at));
});

test('the shell samples invite, and offer to, a test account that the key can use', async () => {
  const invited = run('bash', '-c', await sampleOf('inviting-adjusters', 'bash'));
  expect(JSON.parse(await outputOf(invited))).toMatchObject({ status: 'pending', test: true });
  const claim = (await sendClaim(service, firm.test, claimBody(firm.account.manual))).json;
  const offered = run('bash', '-c', `ID=${claim.id}\n${await sampleOf('offering-again', 'bash')}`);
  expect(JSON.parse(await outputOf(offered)).assignment).toMatchObject({
    status: 'pending_acceptance',
    adjuster_svc_id: firm.account.accepts,
  });
});

test('no sample uses an adjuster that is unknown to the test key, or needs Python 3.11', async () => {
  const found: string[] = [];
  for (const { name } of PAGES) {
    // The reference shows requests with a live key and their responses.
    if (name.startsWith('reference')) continue;
    for (const { code } of blocksOf(await pageOf(name))) {
      // The test account of a firm, or a real adjuster, is unknown to other test keys.
      const ids = code.match(/\bSVC-[\w-]+|\btest_[A-Za-z0-9]{4,}_[a-z]+/g) ?? [];
      // Before 3.11, fromisoformat does not parse the Z suffix.
      const calls = code.match(/\bfromisoformat\b/g) ?? [];
      found.push(...[...ids, ...calls].map((what) => `${name}: ${what}`));
    }
  }
  expect(found).toEqual([]);
});
