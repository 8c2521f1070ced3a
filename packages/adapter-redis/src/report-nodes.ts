import { tlsProblem } from '@svc/application';
import { Redis } from 'ioredis';
import { messageOf } from './breaker.ts';
import { SCRIPT, scriptArguments } from './scripts.ts';

export interface NodeReport {
  /** Host and port. */
  readonly node: string;
  /** Null: it can be used. */
  readonly problem: string | null;
}

const TIMEOUT_MS = 2000;

/** What a user of Redis needs, as in `ACL SETUSER`. */
export const RIGHTS = '~svc:* +eval +evalsha +time +info +hmget +hset +get +set +del +pexpire +pexpireat';

/** Connects to each of these URLs and runs what the service runs: a script on its keys. */
export const reportNodes = (url: string, keyPrefix = 'svc:'): Promise<NodeReport[]> =>
  Promise.all(
    url.split(',').map(async (text) => {
      const { hostname, port, protocol } = new URL(text.trim());
      return {
        node: `${hostname}:${port || '6379'}`,
        problem: await problemOf(text.trim(), keyPrefix, protocol),
      };
    }),
  );

async function problemOf(url: string, keyPrefix: string, protocol: string): Promise<string | null> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    enableReadyCheck: false,
    disableClientInfo: true,
  });
  // An error of AUTH or of TLS is only emitted; the command after it fails with a less useful one.
  let emitted: Error | null = null;
  redis.on('error', (error) => {
    emitted ??= error;
  });
  try {
    await redis.connect();
    const write = { name: 'consume', key: 'limit:{probe}', args: [1e6, 1e6, 1e6, 0] } as const;
    const reply = await redis.eval(SCRIPT.lua, ...scriptArguments([write], { keyPrefix, deadline: 0 }));
    const [failure] = reply as unknown[];
    if (failure instanceof Error) throw failure;
    return emitted === null ? null : explain(messageOf(emitted), protocol);
  } catch (error) {
    return explain(messageOf(emitted ?? error), protocol);
  } finally {
    redis.disconnect();
  }
}

/** What to do about it, where Redis' own message does not say so. */
function explain(message: string, protocol: string): string | null {
  // In a cluster, another node has the key.
  if (message.startsWith('MOVED')) return null;
  if (/^READONLY/.test(message)) return `it is a replica; name the master (${message})`;
  if (/^NOPERM/.test(message))
    return `its user may not run this; allow ${RIGHTS}, and +cluster in a cluster (${message})`;
  if (/^(WRONGPASS|NOAUTH|ERR AUTH|ERR invalid password|ERR Protocol error: unauthenticated)/i.test(message))
    return `the user or the password is wrong or missing (${message})`;
  if (/unknown command/i.test(message))
    return `it does not run scripts; Redis Sentinel is not supported, so name the master, through a proxy or a DNS name that follows it (${message})`;
  const insecure = tlsProblem({ message });
  if (insecure !== null) return `${insecure} (${message})`;
  if (/Connection is closed|ECONNRESET/.test(message) && protocol === 'redis:')
    return `it closed the connection; a server with TLS needs rediss:// (${message})`;
  return message;
}
