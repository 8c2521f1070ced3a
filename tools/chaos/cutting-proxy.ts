import type { Socket } from 'node:net';
import type { Random } from '../generate/random.ts';
import { passTo, startTcpProxy } from '../services/tcp-proxy.ts';

/** A TCP proxy to one server that cuts connections within requests and responses. */
export type CuttingProxy = Awaited<ReturnType<typeof startCuttingProxy>>;

export async function startCuttingProxy(
  to: { readonly port: number },
  random: Random,
  /** Responses are cut before this byte. */
  longestResponse = 1_500,
) {
  const cut = { requests: 0, responses: 0 };
  /** The share of requests whose connection is cut. */
  const state = { faultRate: 0 };
  const { port, stop } = await startTcpProxy(`http://127.0.0.1:${to.port}`, ({ client, server }) => {
    let planned: { inResponse: boolean; after: number } | null = null;
    const pass = (from: Socket, into: Socket, isResponse: boolean) => {
      const forward = passTo(from, into);
      return (chunk: Buffer): void => {
        if (!isResponse && planned === null && random.chance(state.faultRate)) {
          const inResponse = random.chance(0.6);
          const most = inResponse ? longestResponse : chunk.length - 1;
          planned = { inResponse, after: random.integer(0, most) };
        }
        const isWhole = planned?.inResponse !== isResponse || chunk.length <= planned.after;
        if (planned?.inResponse === isResponse && isWhole) planned.after -= chunk.length;
        if (planned === null || isWhole) {
          forward(chunk);
          return;
        }
        into.write(chunk.subarray(0, planned.after));
        cut[isResponse ? 'responses' : 'requests'] += 1;
        const withReset = random.chance(0.5);
        setImmediate(() => (withReset ? client.resetAndDestroy() : client.destroy()));
      };
    };
    return { fromClient: pass(client, server, false), fromServer: pass(server, client, true) };
  });
  return Object.assign(state, { port, cut, close: stop });
}
