import { spawn } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { createServer, connect as dial, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from '../../../tools/services/build.ts';
import { type Operator, openOperator, type TestFirm } from '../../../tools/services/operator.ts';
import { createDatabase } from '../../../tools/services/postgres.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export interface RealService {
  readonly url: string;
  readonly operator: Operator;
  stop(): Promise<void>;
}

/** The service as a process with its own database; tests call it over HTTP only. */
export async function startRealService(): Promise<RealService> {
  await build();
  const database = await createDatabase();
  const { PATH = '' } = process.env;
  const env = { PATH, DATABASE_URL: database.url, PORT: '0', LOG_LEVEL: 'error', EDGE_LIMIT_PER_MINUTE: '0' };
  const server = spawn(process.execPath, ['apps/api/dist/server.js'], { cwd: ROOT, env });
  const gone = new Promise<void>((resolve) => server.once('close', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    let output = '';
    const look = (chunk: string) => {
      output += chunk;
      const found = /Listening on (\S+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    };
    server.stdout.setEncoding('utf8').on('data', look);
    server.stderr.setEncoding('utf8').on('data', look);
    void gone.then(() => reject(new Error(`The service did not start: ${output}`)));
  });
  const operator = await openOperator(database.url);
  return {
    url,
    operator,
    async stop() {
      await operator.close();
      server.kill('SIGTERM');
      await gone;
      await database.drop();
    },
  };
}

export interface Firm {
  readonly id: TestFirm['id'];
  readonly testKey: string;
  /** The firm's test account with this behavior. */
  account(behavior: string): string;
}

/** With raised rate limits, unless the test is about them. */
export async function createFirm(service: RealService, { limited = false } = {}): Promise<Firm> {
  const { id, test, account } = await service.operator.firm({ limited });
  return {
    id,
    testKey: test,
    account(behavior) {
      const found = Object.entries(account).find(([name]) => name === behavior)?.[1];
      if (found === undefined) throw new Error(`The firm has no test account that ${behavior}.`);
      return found;
    },
  };
}

export interface LossyProxy {
  readonly url: string;
  /** Drops the responses of the next `count` connections. */
  dropResponses(count: number): void;
  /** Drops every nth response; 0 disables it. */
  dropEvery(nth: number): void;
  readonly dropped: () => number;
  stop(): Promise<void>;
}

/** A TCP proxy. To drop a response, it forwards the request and then closes the connection. */
export async function startLossyProxy(target: string): Promise<LossyProxy> {
  const { hostname, port } = new URL(target);
  let toDrop = 0;
  let nth = 0;
  let turn = 0;
  const isDropped = (): boolean => {
    if (toDrop > 0) {
      toDrop -= 1;
      return true;
    }
    return nth > 0 && ++turn % nth === 0;
  };
  let dropped = 0;
  const sockets = new Set<Socket>();
  const server = createServer((downstream) => {
    const upstream = dial(Number(port), hostname);
    for (const socket of [downstream, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        sockets.delete(socket);
        downstream.destroy();
        upstream.destroy();
      });
    }
    downstream.pipe(upstream);
    upstream.on('data', (chunk) => {
      if (isDropped()) {
        dropped += 1;
        downstream.resetAndDestroy();
      } else {
        downstream.write(chunk);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    dropResponses(count) {
      toDrop = count;
    },
    dropEvery(every) {
      nth = every;
    },
    dropped: () => dropped,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
