import { connect, createServer, type Socket } from 'node:net';
import type { Random } from '../generate/random.ts';

/** A way to one process that may end in the middle of a request or of an answer. */
export interface CuttingProxy {
  readonly url: string;
  /** The share of requests that end with their connection. */
  faultRate: number;
  readonly cut: { readonly requests: number; readonly answers: number };
  close(): Promise<void>;
}

export async function startCuttingProxy(
  to: { readonly port: number },
  random: Random,
): Promise<CuttingProxy> {
  const open = new Set<Socket>();
  const cut = { requests: 0, answers: 0 };
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

    let doom: { inAnswer: boolean; after: number } | null = null;
    const pass = (from: Socket, into: Socket, isAnswer: boolean): void => {
      from.on('data', (chunk: Buffer) => {
        if (!isAnswer && doom === null && random.chance(faultRate)) {
          const inAnswer = random.chance(0.6);
          doom = { inAnswer, after: random.integer(0, inAnswer ? 1500 : chunk.length - 1) };
        }
        const mine = doom !== null && doom.inAnswer === isAnswer ? doom : null;
        if (mine !== null && chunk.length > mine.after) {
          // What comes before the cut still arrives.
          into.write(chunk.subarray(0, mine.after));
          cut[isAnswer ? 'answers' : 'requests'] += 1;
          const withReset = random.chance(0.5);
          setImmediate(() => {
            if (withReset) client.resetAndDestroy();
            end();
          });
          return;
        }
        if (mine !== null) mine.after -= chunk.length;
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
    url: `http://127.0.0.1:${port}`,
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
