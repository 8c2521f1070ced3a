import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

const INNER = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  INNER.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
  // What a translator or a tunnel would take to an IPv4 address.
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
] as const) {
  INNER.addSubnet(network, prefix, 'ipv6');
}

/** Whether an IP address leads into this machine or its own network. */
export function isPrivateAddress(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return INNER.check(mapped, 'ipv4');
  const family = isIP(address);
  return family !== 0 && INNER.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** A name or an address that leads where a push service has no business to be. */
export class PrivateAddressError extends Error {
  override readonly name = 'InnerAddress';
}

/**
 * Finds addresses as node does, and refuses a name of which any leads inside. It is used for the connection itself:
 * between a look-up that was only a check and the one that counts, a name could come to mean something else.
 */
export const lookupPublicAddress: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error !== null || first === undefined) {
      callback(error ?? new Error(`${hostname} has no address`), '');
    } else if (addresses.some(({ address }) => isPrivateAddress(address))) {
      callback(new PrivateAddressError('a push service cannot be in the inner network'), '');
    } else if (options.all === true) {
      callback(null, addresses);
    } else {
      callback(null, first.address, first.family);
    }
  });
};
