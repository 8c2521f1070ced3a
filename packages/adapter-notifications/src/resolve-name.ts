import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { isLoopbackHost } from './private-network.ts';

/** Of each family, so that a name cannot make the service connect to any number of machines. */
const MAX_ADDRESSES = 4;
/** The second try takes twice as long. */
const QUERY = { timeout: 1000, tries: 2 };
const MAX_WAIT_MS = 3000;
/** For the other family, once there are addresses of one: some name servers answer only for IPv4. */
const MAX_WAIT_FOR_OTHER_MS = 250;

/** Empty if the name has no address, or none is found in time. */
export type ResolveName = (hostname: string, signal: AbortSignal) => Promise<readonly LookupAddress[]>;

/**
 * Resolves names that firms and devices choose. Not with `lookup` of Node: each one occupies one of the few threads of the
 * process until the name server answers.
 *
 * @param servers empty: those of the system. Addresses, which may have a port.
 */
export function createResolveName(servers: readonly string[] = [], hostsFile = '/etc/hosts'): ResolveName {
  async function query(hostname: string, signal: AbortSignal): Promise<LookupAddress[]> {
    // While the hosts file was read; a listener would not be told.
    if (signal.aborted) return [];
    // One for each name: `cancel` ends all queries of a resolver, and each reads the system's configuration again.
    const resolver = new Resolver(QUERY);
    if (servers.length > 0) resolver.setServers(servers);
    const cancel = (): void => resolver.cancel();
    const timers = [setTimeout(cancel, MAX_WAIT_MS)];
    signal.addEventListener('abort', cancel);
    const collect = async (family: 4 | 6, records: Promise<string[]>): Promise<LookupAddress[]> => {
      const found = (await records.catch(() => [])).slice(0, MAX_ADDRESSES);
      if (found.length > 0) timers.push(setTimeout(cancel, MAX_WAIT_FOR_OTHER_MS));
      return found.map((address) => ({ address, family }));
    };
    try {
      const found = await Promise.all([
        collect(4, resolver.resolve4(hostname)),
        collect(6, resolver.resolve6(hostname)),
      ]);
      return found.flat();
    } finally {
      for (const timer of timers) clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    }
  }

  return async (hostname, signal) => {
    if (isLoopbackHost(hostname)) return LOCALHOST;
    const listed = addressesIn(await readFile(hostsFile, 'utf8').catch(() => ''), hostname);
    return listed.length > 0 ? listed : query(hostname, signal);
  };
}

const addressOf = (address: string): LookupAddress => ({ address, family: isIP(address) });

const LOCALHOST = ['127.0.0.1', '::1'].map(addressOf);

/** What a hosts file has for a name in lower case. */
function addressesIn(hosts: string, hostname: string): LookupAddress[] {
  // Some have a hundred thousand lines.
  if (!hosts.includes(hostname)) return [];
  return hosts
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim().split(/\s+/))
    .flatMap(([address = '', ...names]) =>
      isIP(address) !== 0 && names.includes(hostname) ? [addressOf(address)] : [],
    )
    .slice(0, MAX_ADDRESSES);
}
