import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import type { Tx, UnitOfWork } from '@svc/application';
import { compose } from '../src/composition/compose.ts';
import { readConfig } from '../src/config.ts';
import { createHttpServer } from '../src/http/http-server.ts';
import { createLog } from '../src/logging.ts';

/** Called at each point between two awaits of a request. If it does not return, the request stops there. */
type AtPoint = (point: string) => Promise<void>;

/** A port with a crash point before and after each call. */
function instrumented<T extends object>(port: T, name: string, at: AtPoint): T {
  return new Proxy(port, {
    get(target, member) {
      const method: unknown = Reflect.get(target, member);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]) => {
        const call = `${name}.${String(member)}`;
        await at(`before ${call}`);
        const result: unknown = await method.apply(target, args);
        await at(`after ${call}`);
        return result;
      };
    },
  });
}

const instrumentedTx = (tx: Tx, at: AtPoint): Tx =>
  new Proxy(tx, { get: (target, store) => instrumented(Reflect.get(target, store), String(store), at) });

const instrumentedUnitOfWork = (uow: UnitOfWork, at: AtPoint): UnitOfWork => ({
  async run(work) {
    await at('before the unit of work');
    const result = await uow.run(async (tx) => {
      const done = await work(instrumentedTx(tx, at));
      await at('at the end of the work');
      return done;
    });
    await at('after the commit');
    return result;
  },
});

/** The service without its jobs, with a crash point around every port call of a request. */
export async function startCrashingHost(options: {
  readonly databaseUrl: string;
  readonly redisUrl?: string;
  readonly at: AtPoint;
}) {
  const { databaseUrl, redisUrl, at } = options;
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() });
  const log = createLog({ level: 'error', format: 'json', stream });
  // A request that stopped at a crash point never releases its connection, hence the large pool.
  const env = { EDGE_LIMIT_PER_MINUTE: '0', DB_POOL_MAX: '60', ...(redisUrl && { REDIS_URL: redisUrl }) };
  const config = readConfig(env, false);
  const addresses = {
    baseUrl: 'http://localhost',
    docsUrl: 'http://localhost/docs',
    supportEmail: 'support@localhost',
  };
  const composed = await compose({
    config,
    databaseUrl,
    log,
    addresses,
    replacePorts: (ports) => ({
      unitOfWork: instrumentedUnitOfWork(ports.unitOfWork, at),
      claimWrites: instrumented(ports.claimWrites, 'claimWrites', at),
      usedKeys: instrumented(ports.usedKeys, 'usedKeys', at),
      rateLimiter: instrumented(ports.rateLimiter, 'limits', at),
      firmReads: instrumented(ports.firmReads, 'reads', at),
      accountReads: instrumented(ports.accountReads, 'reads', at),
      appReads: instrumented(ports.appReads, 'reads', at),
    }),
  });

  const { headersTimeoutMs, requestTimeoutMs, responseTimeoutMs } = config;
  const timeouts = { headersTimeoutMs, requestTimeoutMs, responseTimeoutMs };
  const server = createHttpServer(composed.services.httpApplication, { ...timeouts, addresses, log });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await composed.close();
    },
  };
}
