import { expect, test } from '@jest/globals';
import { createPost } from '../src/index.ts';
import { isRefusedHost } from '../src/private-network.ts';

// The special-purpose registries of IANA, each with the public addresses before and after it.
test.each([
  [null, '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
  ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
  ['126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
  ['169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
  ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
  ['191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
  ['192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
  ['192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
  ['192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
  ['198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
  ['198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
  ['203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
  ['223.255.255.255', '224.0.0.0', '255.255.255.255', null],
  [null, '[::]', '[1fff:ffff::1]', '[2000::]'],
  ['[2000:ffff::1]', '[2001::]', '[2001:1ff:ffff::1]', '[2001:200::]'],
  ['[2001:db7:ffff::1]', '[2001:db8::]', '[2001:db8:ffff::1]', '[2001:db9::]'],
  ['[2001:ffff::1]', '[2002::]', '[2002:ffff::1]', '[2003::]'],
  ['[3ffe:ffff::1]', '[3fff::]', '[3fff:fff:ffff::1]', '[3fff:1000::]'],
  ['[3fff:ffff::1]', '[4000::]', '[ffff:ffff::1]', null],
])(
  'an address is allowed if it is public, and none of a special network: after %s, %s to %s, before %s',
  (before, first, last, after) => {
    const refused = [before, first, last, after].map((host) => host && isRefusedHost(host, false));
    expect(refused).toEqual([before && false, true, true, after && false]);
  },
);

test.each([
  ['hooks.example', ['127.0.0.1']],
  ['hooks.example', ['8.8.8.8', '127.0.0.1']],
  ['hooks.example', ['127.0.0.1', '8.8.8.8']],
  ['hooks.example', ['2606:4700::1111', '::1']],
  ['hooks.example', ['::ffff:127.0.0.1']],
  ['hooks.example', ['::ffff:7f00:1']],
  ['hooks.example', ['::7f00:1']],
  ['hooks.example', ['64:ff9b::7f00:1']],
  ['hooks.example', ['fe80::1%lo']],
  ['hooks.example', []],
  ...['127.0.0.1', 'localhost', '[::1]', '10.0.0.1'].map((host): [string, null] => [host, null]),
])(
  'nothing is connected to at %s if that is private, or its name has any private address: %p',
  async (host, found) => {
    const post = createPost(false, async (name, signal) => {
      expect([name, signal.aborted]).toEqual([host, false]);
      return (found ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    });
    const expected =
      found === null
        ? { name: 'PrivateAddressError', message: `${host.replace(/[[\]]/g, '')} is in a private network` }
        : { name: 'NameNotResolvedError', message: `${host} has no public address` };
    const posted = post(`http://${host}:9/`, { headers: {}, body: '{}', timeoutMs: 5000 });
    await expect(posted).rejects.toMatchObject(expected);
  },
);
