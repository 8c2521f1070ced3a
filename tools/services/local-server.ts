import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { atEnd } from './at-end.ts';

/** Listens on a free port of this machine, in a test until the end of the test or file. */
export async function listening(server: Server) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  /** Ends its connections too. */
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  atEnd(stop);
  return { port, url: `http://127.0.0.1:${port}`, stop };
}
