import type { LookupAddress } from 'node:dns';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isRefusedHost, lookupPublicAddress } from '../src/private-network.ts';

const requests: string[] = [];
const server = createServer((incoming, response) => {
  requests.push(incoming.headers.host ?? '');
  response.end();
});
let port: number;
beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => void server.close());

/** Connects to a name whose resolver returns these addresses. @returns what came of it. */
const connectTo = (addresses: readonly string[], allowLoopback = false): Promise<string> =>
  new Promise((ended) => {
    const found = addresses.map(
      (address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }),
    );
    const lookup = lookupPublicAddress(allowLoopback, (_name, _options, done) => done(null, found));
    request({ host: 'hooks.example', port, lookup, agent: false, timeout: 1000 })
      .once('response', () => ended('connected'))
      .once('error', ({ name }) => ended(name))
      .end();
  });

test('a name that leads to a private address when the connection is made is not connected to', async () => {
  const resolved = [
    ['127.0.0.1'],
    // One private address among public ones, first or last.
    ['8.8.8.8', '127.0.0.1'],
    ['127.0.0.1', '8.8.8.8'],
    ['2606:4700::1111', '::1'],
    ['::1'],
    ['::'],
    ['0.0.0.0'],
    ['::ffff:127.0.0.1'],
    ['::ffff:7f00:1'],
    ['::ffff:a9fe:a9fe'],
    ['::7f00:1'],
    ['64:ff9b::7f00:1'],
    ['2002:7f00:1::'],
    ['fe80::1%lo'],
    ['fd00::1'],
    ['10.0.0.1'],
    ['169.254.169.254'],
    ['100.64.0.1'],
  ];
  const ends = await Promise.all(resolved.map((addresses) => connectTo(addresses)));
  expect(ends).toEqual(resolved.map(() => 'PrivateAddressError'));
  expect(requests).toEqual([]);
});

test('during development this machine is connected to, and its neighbors are not', async () => {
  expect(await connectTo(['127.0.0.1'], true)).toBe('connected');
  expect(requests).toEqual([`hooks.example:${port}`]);
  for (const addresses of [['10.0.0.1'], ['127.0.0.1', '10.0.0.1'], ['::ffff:10.0.0.1']])
    expect(await connectTo(addresses, true)).toBe('PrivateAddressError');
});

test('a public address is allowed, and no special one', () => {
  const refused = (hosts: readonly string[]) => hosts.filter((host) => isRefusedHost(host, false));
  expect(refused(['8.8.8.8', '[2606:4700::1111]', '172.32.0.1', '11.0.0.1'])).toEqual([]);
  const special = ['172.31.255.255', '[fec0::1]', '[ff02::1]', '[2001:db8::1]', '[2001::1]', '240.0.0.1'];
  expect(refused(special)).toEqual(special);
});
