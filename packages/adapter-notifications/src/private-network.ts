import { BlockList, isIP } from 'node:net';

/** Of this machine, of private networks and for special uses (IANA special-purpose address registry). */
const NOT_PUBLIC = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  NOT_PUBLIC.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  // Teredo and other protocols, documentation, and 6to4, which leads to IPv4 addresses.
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  NOT_PUBLIC.addSubnet(network, prefix, 'ipv6');
}

/** IPv6 addresses elsewhere are local, multicast, or lead to IPv4 addresses. */
const GLOBAL_UNICAST = new BlockList();
GLOBAL_UNICAST.addSubnet('2000::', 3, 'ipv6');

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Of the host in a URL; of names only those that always lead to this machine (RFC 6761). */
export function isLoopbackHost(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  const family = isIP(address);
  return family === 0
    ? /(^|\.)localhost\.?$/.test(address)
    : LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Whether an IP address is of this machine or a private network, or has another special use. */
function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return NOT_PUBLIC.check(address, 'ipv4');
  return family === 6 && !(GLOBAL_UNICAST.check(address, 'ipv6') && !NOT_PUBLIC.check(address, 'ipv6'));
}

/** Of the host in a URL, or an address. Other names than `localhost` are checked when they are resolved. */
export const isRefusedHost = (hostname: string, allowLoopback: boolean): boolean =>
  isLoopbackHost(hostname) ? !allowLoopback : isPrivateAddress(hostname.replace(/^\[|\]$/g, ''));
