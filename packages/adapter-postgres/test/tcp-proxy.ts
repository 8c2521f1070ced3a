import { createServer, connect as dial, type Socket } from 'node:net';

/** A TCP proxy to PostgreSQL that simulates network failures and restarts. */
export interface TcpProxy {
  readonly url: string;
  /** Closes every connection and rejects new ones. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** Discards everything the server sends; connections stay open. */
  block(): void;
  unblock(): void;
  /** Closes every connection when a client sends this text, before or after the server has processed it. */
  cutOn(text: string, when: 'before' | 'after'): void;
  close(): Promise<void>;
}

export async function startTcpProxy(databaseUrl: string): Promise<TcpProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let blocked = false;
  let trigger: { text: string; when: 'before' | 'after' } | null = null;
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    const upstream = dial(Number(target.port || 5432), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (chunk) => {
      const triggered = trigger !== null && chunk.includes(trigger.text) ? trigger.when : null;
      if (triggered !== null) trigger = null;
      if (triggered === 'before') return cutAll();
      if (triggered === 'after') {
        upstream.removeAllListeners('data');
        upstream.once('data', cutAll);
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (!blocked) client.write(chunk);
    });
  });
  let port = 0;
  const listen = (): Promise<void> =>
    new Promise((resolve) => {
      server.listen(port, '127.0.0.1', () => {
        port = (server.address() as { port: number }).port;
        resolve();
      });
    });
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      cutAll();
    });
  await listen();
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.href,
    cut: stop,
    restore: listen,
    block: () => {
      blocked = true;
    },
    unblock: () => {
      blocked = false;
      cutAll();
    },
    cutOn: (text, when) => {
      trigger = { text, when };
    },
    close: stop,
  };
}
