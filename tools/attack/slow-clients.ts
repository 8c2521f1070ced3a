import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { isHealthy } from '../cluster/api-process.ts';
import { residentBytes, watchMemory } from '../services/process-usage.ts';
import type { Finding } from './finding.ts';
import { MAX_GROWTH_BYTES } from './finding.ts';

interface Attack {
  readonly name: string;
  readonly connections: number;
  /** Sent once. */
  readonly first: string;
  /** Sent again every 100 ms. */
  readonly repeated?: string;
}

const head = (line: string, ...headers: readonly string[]): string =>
  [`${line} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n');

/** @param key of a firm without rate limits. */
export const unreadPages = (key: string): Attack => ({
  name: 'never read: 200 connections, each with 30 pages of megabytes',
  connections: 200,
  first: head('GET /v1/claims?limit=200', `Authorization: Bearer ${key}`).repeat(30),
});

export function slowAttacks(key: string): Attack[] {
  const body = head(
    'POST /v1/claims',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    'Content-Length: 1048576',
  );
  const openBody = head('POST /app/v1/sessions', 'Content-Type: application/json', 'Content-Length: 4096');
  return [
    {
      name: 'never read: 200 connections without a key, each with 200 documents',
      connections: 200,
      first: head('GET /openapi.json').repeat(200),
    },
    {
      name: 'slow bodies: 200 connections that announce 1 MB',
      connections: 200,
      first: body,
      repeated: ' '.repeat(4096),
    },
    { name: 'slow bodies without a key: 500 connections', connections: 500, first: openBody, repeated: ' ' },
    {
      name: 'slow headers: 500 connections',
      connections: 500,
      first: 'GET /v1/me HTTP/1.1\r\nHost: localhost\r\n',
      repeated: 'X-A: b\r\n',
    },
  ];
}

export async function slowClients(
  service: { readonly url: string; readonly port: number; readonly pid: number },
  attacks: readonly Attack[],
  seconds = 10,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, connections, first, repeated } of attacks) {
    const before = residentBytes(service.pid);
    const stopWatching = watchMemory(service.pid);
    const sockets: Socket[] = [];
    for (let n = 0; n < connections; n += 1) {
      const socket = connect(service.port, '127.0.0.1');
      socket.on('error', () => {});
      // A paused socket leaves what arrives in the kernel's buffers.
      socket.pause();
      socket.write(first);
      sockets.push(socket);
    }
    let asked = 0;
    let healthy = 0;
    for (let step = 0; step < seconds * 10; step += 1) {
      await pause(100);
      if (repeated !== undefined) for (const socket of sockets) if (socket.writable) socket.write(repeated);
      if (step % 10 === 9) {
        asked += 1;
        if (await isHealthy(service.url)) healthy += 1;
      }
    }
    const growth = stopWatching() - before;
    for (const socket of sockets) socket.destroy();
    const megabytes = Math.round(growth / 2 ** 20);
    findings.push({
      attack: name,
      bound: `memory grows by at most ${MAX_GROWTH_BYTES / 2 ** 20} MB; healthy`,
      observed: `${megabytes} MB; healthy ${healthy} of ${asked}`,
      holds: growth <= MAX_GROWTH_BYTES && healthy === asked,
    });
    await pause(500);
  }
  return findings;
}
