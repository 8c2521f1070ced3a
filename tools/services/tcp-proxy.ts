import { createServer, connect as dial, type Socket } from 'node:net';
import { atEnd } from './at-end.ts';

/** Both sides of a connection. A side without a listener for its bytes passes them on. */
interface Connection {
  readonly client: Socket;
  readonly server: Socket;
}

interface Handlers {
  readonly fromClient?: (chunk: Buffer) => void;
  readonly fromServer?: (chunk: Buffer) => void;
}

/** A TCP proxy that loses, holds or adds bytes as its handlers say; in a test until its end. */
export async function startTcpProxy(target: string, handle: (connection: Connection) => Handlers) {
  const { hostname, port: targetPort, protocol } = new URL(target);
  const to = Number(targetPort || (protocol === 'http:' ? 80 : 5432));
  const sockets = new Set<Socket>();
  const listener = createServer((client) => {
    const server = dial(to, hostname);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.once('close', () => {
        sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    const { fromClient = passTo(client, server), fromServer = passTo(server, client) } = handle({
      client,
      server,
    });
    client.on('data', fromClient);
    server.on('data', fromServer);
  });
  /** Ends every connection. */
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  let port = 0;
  const listen = (): Promise<void> =>
    new Promise((resolve) => {
      listener.listen(port, '127.0.0.1', () => {
        port = (listener.address() as { port: number }).port;
        resolve();
      });
    });
  /** Ends every connection and refuses new ones until `listen`. */
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      listener.close(() => resolve());
      cutAll();
    });
  await listen();
  atEnd(stop);
  return {
    port,
    /** The URL with the address of the proxy in place of the server's. */
    through: (url: string) =>
      Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href.replace(/\/$/, ''),
    cutAll,
    listen,
    stop,
  };
}

/** Reads no faster than the other side does. */
export const passTo =
  (from: Socket, to: Socket) =>
  (chunk: Buffer): void => {
    if (to.destroyed || to.write(chunk)) return;
    from.pause();
    to.once('drain', () => from.resume());
  };
