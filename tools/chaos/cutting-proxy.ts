import { connect, createServer, type Socket } from 'node:net';
import type { Random } from '../generate/random.ts';

/** A TCP proxy to one server that cuts connections within requests and responses. */
export interface CuttingProxy {
  readonly port: number;
  /** The share of requests whose connection is cut. */
  faultRate: number;
  readonly cut: { readonly requests: number; readonly responses: number };
  close(): Promise<void>;
}

export async function startCuttingProxy(
  to: { readonly port: number },
  random: Random,
  /** Responses are cut before this byte. */
  longestResponse = 1_500,
): Promise<CuttingProxy> {
  const open = new Set<Socket>();
  const cut = { requests: 0, responses: 0 };
  let faultRate = 0;

  const server = createServer((client) => {
    const upstream = connect(to.port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.setNoDelay(true);
      socket.once('close', () => open.delete(socket));
      socket.on('error', () => {});
    }
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    client.once('close', end);
    upstream.once('close', end);

    let plannedCut: { inResponse: boolean; after: number } | null = null;
    const pass = (from: Socket, into: Socket, isResponse: boolean): void => {
      from.on('data', (chunk: Buffer) => {
        if (!isResponse && plannedCut === null && random.chance(faultRate)) {
          const inResponse = random.chance(0.6);
          plannedCut = {
            inResponse,
            after: random.integer(0, inResponse ? longestResponse : chunk.length - 1),
          };
        }
        const cutHere = plannedCut !== null && plannedCut.inResponse === isResponse ? plannedCut : null;
        if (cutHere !== null && chunk.length > cutHere.after) {
          into.write(chunk.subarray(0, cutHere.after));
          cut[isResponse ? 'responses' : 'requests'] += 1;
          const withReset = random.chance(0.5);
          setImmediate(() => {
            if (withReset) client.resetAndDestroy();
            end();
          });
          return;
        }
        if (cutHere !== null) cutHere.after -= chunk.length;
        if (!into.destroyed && !into.write(chunk)) {
          from.pause();
          into.once('drain', () => from.resume());
        }
      });
    };
    pass(client, upstream, false);
    pass(upstream, client, true);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;

  return {
    port,
    get faultRate() {
      return faultRate;
    },
    set faultRate(share) {
      faultRate = share;
    },
    cut,
    close() {
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
