import { startTcpProxy as startProxy } from '../../../tools/services/tcp-proxy.ts';

/** A TCP proxy to PostgreSQL that simulates network failures and restarts. */
export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>;

export async function startTcpProxy(databaseUrl: string) {
  let blocked = false;
  let trigger: { text: string; when: 'before' | 'after' } | null = null;
  const proxy = await startProxy(databaseUrl, ({ client, server }) => {
    let cutsNext = false;
    return {
      fromClient(chunk) {
        const triggered = trigger !== null && chunk.includes(trigger.text) ? trigger.when : null;
        if (triggered !== null) trigger = null;
        if (triggered === 'before') return proxy.cutAll();
        if (triggered === 'after') cutsNext = true;
        server.write(chunk);
      },
      fromServer(chunk) {
        if (cutsNext) proxy.cutAll();
        else if (!blocked) client.write(chunk);
      },
    };
  });
  return {
    url: proxy.through(databaseUrl),
    /** Closes every connection and rejects new ones. */
    cut: proxy.stop,
    restore: proxy.listen,
    /** Discards everything the server sends; connections stay open. */
    block() {
      blocked = true;
    },
    unblock() {
      blocked = false;
      proxy.cutAll();
    },
    /** Closes every connection when a client sends this text, before or after the server has processed it. */
    cutOn(text: string, when: 'before' | 'after') {
      trigger = { text, when };
    },
  };
}
