import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from '@jest/globals';
import { createTemporaryFolder, freePort, guard, SELF } from '@svc/embedded-postgres';
import { findCommand, installDebianPackage } from '../services/debian-package.ts';

// The proxy of docker/compose.yaml, with a server behind it that records what it receives. Loopback has a whole network
// of addresses, so clients and fronts connect from addresses of their own.

const DOCKER = fileURLToPath(new URL('../../docker/', import.meta.url));
const FRONT = '127.0.0.20';
const OUTER_FRONT = '127.0.0.21';
/** More than the limit of one address, which is 600. */
const TOO_MANY = 640;

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

interface Response {
  readonly status: number;
  /** What the server behind the proxy received; empty when the proxy answered. */
  readonly received: IncomingHttpHeaders;
}

type Send = (from: string, headers?: Record<string, string>) => Promise<Response>;

async function haproxy(trustedFront: string): Promise<Send> {
  const server = createServer((incoming, outgoing) => {
    outgoing.setHeader('X-Received', JSON.stringify(incoming.headers));
    outgoing.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const command = await program();
  const folder = await createTemporaryFolder(SELF);
  const port = await freePort();
  const config = join(folder, 'haproxy.cfg');
  writeFileSync(config, onThisMachine(port, (server.address() as AddressInfo).port));
  const child = spawn(command, ['-db', '-f', config], {
    env: { TRUSTED_FRONT: trustedFront },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const guardian = child.pid === undefined ? undefined : guard({ pid: child.pid, signal: 'KILL', folder });
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  stops.push(async () => {
    child.kill('SIGKILL');
    await gone;
    guardian?.dismiss();
    rmSync(folder, { recursive: true, force: true });
  });
  const send: Send = (from, headers = {}) =>
    new Promise((resolve, reject) => {
      const call = request({ host: '127.0.0.1', port, localAddress: from, headers }, (response) => {
        response.resume();
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            received: JSON.parse(String(response.headers['x-received'] ?? '{}')),
          }),
        );
      });
      call.once('error', reject);
      call.end();
    });
  await listening(child, () => send('127.0.0.99'));
  return send;
}

async function program(): Promise<string> {
  const installed = findCommand('haproxy');
  if (installed) return installed;
  const error = await installDebianPackage('haproxy', () => {});
  const command = findCommand('haproxy');
  if (command) return command;
  throw new Error(`These tests need HAProxy, and it could not be installed: ${error}.`);
}

/** The shipped configuration; only where it listens, its page and its servers are those of this machine. */
function onThisMachine(port: number, target: number): string {
  const shipped = readFileSync(join(DOCKER, 'haproxy.cfg'), 'utf8');
  const changed = shipped
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replace('/usr/local/etc/haproxy/', DOCKER)
    .replace(/server-template (api|any) 12 .*/g, `server $1 127.0.0.1:${target}`)
    .replace(/^resolvers docker\n( .*\n)+/m, '');
  expect(changed).not.toMatch(/docker resolve|server-template|bind :8080/);
  return changed;
}

async function listening(child: ChildProcess, ask: () => Promise<unknown>): Promise<void> {
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
    });
  }
  for (;;) {
    if (child.exitCode !== null) throw new Error(`HAProxy ended:\n${printed}`);
    try {
      await ask();
      return;
    } catch {
      await sleep(20);
    }
  }
}

/** How many of so many requests were served. */
async function served(send: () => Promise<Response>, count = TOO_MANY): Promise<number> {
  let ok = 0;
  for (let n = 0; n < count; n += 20) {
    const responses = await Promise.all(Array.from({ length: 20 }, send));
    for (const { status } of responses) {
      expect([200, 429]).toContain(status);
      if (status === 200) ok += 1;
    }
  }
  return ok;
}

const forwardedFor = (addresses: string) => ({ 'X-Forwarded-For': addresses });

test('behind a trusted proxy, a client at the edge limit does not limit another one', async () => {
  const send = await haproxy(`${FRONT} ${OUTER_FRONT}`);
  expect(await served(() => send(FRONT, forwardedFor('203.0.113.7')))).toBe(600);
  expect(await send(FRONT, forwardedFor('203.0.113.7'))).toMatchObject({ status: 429 });
  // What the client itself claimed to be stands before the address that the front appended.
  expect(await send(FRONT, forwardedFor('198.51.100.1, 203.0.113.7'))).toMatchObject({ status: 429 });
  expect(await send(FRONT, forwardedFor(`203.0.113.7, ${OUTER_FRONT}`))).toMatchObject({ status: 429 });
  expect(await send(FRONT, forwardedFor('203.0.113.8'))).toMatchObject({ status: 200 });
  expect(await send(FRONT, forwardedFor('2001:db8::8'))).toMatchObject({ status: 200 });
  expect(await send(FRONT, forwardedFor(`203.0.113.8, ${OUTER_FRONT}`))).toMatchObject({ status: 200 });
});

test.each([
  ['behind a trusted front', FRONT, '203.0.113.7', '203.0.113.7'],
  ['who names somebody else, behind a trusted front', FRONT, '198.51.100.1, 203.0.113.7', '203.0.113.7'],
  ['behind two trusted fronts', FRONT, `198.51.100.1, 203.0.113.7, ${OUTER_FRONT}`, '203.0.113.7'],
  ['with an IPv6 address', FRONT, '2001:db8::8', '2001:db8::8'],
  ['who connects directly and names somebody else', '127.0.0.30', '203.0.113.7', '127.0.0.30'],
  ['who connects directly and names a front', '127.0.0.30', `203.0.113.7, ${FRONT}`, '127.0.0.30'],
])('the service receives the one true address of a client %s', async (_, from, header, expected) => {
  const send = await haproxy(`${FRONT} ${OUTER_FRONT}`);
  const { received } = await send(from, { ...forwardedFor(header), 'X-Forwarded-Proto': 'https' });
  expect(received['x-forwarded-for']).toBe(expected);
  expect(received['x-forwarded-proto']).toBe(from === FRONT ? 'https' : 'http');
});

test.each([
  ['no front is configured', ''],
  ['another front is configured', FRONT],
])('a client cannot leave its edge limit by its X-Forwarded-For where %s', async (_, trustedFront) => {
  const send = await haproxy(trustedFront);
  let n = 0;
  const spoofing = () => send('127.0.0.30', forwardedFor(`203.0.113.${n++ % 250}`));
  expect(await served(spoofing)).toBe(600);
  expect(await spoofing()).toMatchObject({ status: 429 });
  // Nor does it use up the limit of those it named.
  expect(await send('127.0.0.31', forwardedFor('127.0.0.30'))).toMatchObject({
    status: 200,
    received: { 'x-forwarded-for': '127.0.0.31' },
  });
});
