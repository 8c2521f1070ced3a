import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiProcess } from './api-process.ts';

/** Restarts the process whenever it ends, as in production. */
export function keepAlive(api: ApiProcess) {
  const unexpectedExits: string[] = [];
  let active = true;
  void (async () => {
    for (let before = 0; ; ) {
      const { code, signal } = await api.exited();
      if (!active) return;
      const output = api.output.slice(before).join('\n');
      before = api.output.length;
      // A start without a database is expected to fail and is retried.
      if (signal !== 'SIGKILL' && !output.includes('The service did not start'))
        unexpectedExits.push(`${signal ?? code}: ${output.slice(-3000)}`);
      await sleep(100);
      if (!active) return;
      api.start();
    }
  })();
  return {
    /** Exit code or signal and last output of every unexpected end. */
    unexpectedExits,
    /** Stops restarting it. */
    stop() {
      active = false;
    },
  };
}
