import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiProcess } from './api-process.ts';

export interface KeptAlive {
  /** Exit code or signal and last output of every unexpected end. */
  readonly deaths: readonly string[];
  /** Stops restarting it. */
  letGo(): void;
}

/** Restarts the process whenever it ends, as in production. */
export function keepAlive(api: ApiProcess): KeptAlive {
  const deaths: string[] = [];
  let active = true;
  void (async () => {
    for (let before = 0; ; ) {
      const { code, signal } = await api.gone();
      if (!active) return;
      const output = api.printed.slice(before).join('\n');
      before = api.printed.length;
      // A start without a database is expected to fail and is retried.
      if (signal !== 'SIGKILL' && !output.includes('The service did not start'))
        deaths.push(`${signal ?? code}: ${output.slice(-3000)}`);
      await sleep(100);
      if (!active) return;
      api.begin();
    }
  })();
  return {
    deaths,
    letGo() {
      active = false;
    },
  };
}
