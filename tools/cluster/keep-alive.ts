import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiProcess } from './api-process.ts';

export interface KeptAlive {
  /** How it ended when nobody had killed it: the code or signal, and its last words. */
  readonly deaths: readonly string[];
  /** From here on an end is its end. */
  letGo(): void;
}

/** Starts the process again whoever ends it, as in production. */
export function keepAlive(api: ApiProcess): KeptAlive {
  const deaths: string[] = [];
  let kept = true;
  void (async () => {
    for (let before = 0; ; ) {
      const { code, signal } = await api.gone();
      if (!kept) return;
      const said = api.printed.slice(before).join('\n');
      before = api.printed.length;
      // A start that found no database says so and ends, and is tried again: no death.
      if (signal !== 'SIGKILL' && !said.includes('The service did not start'))
        deaths.push(`${signal ?? code}: ${said.slice(-3000)}`);
      await sleep(100);
      if (!kept) return;
      api.begin();
    }
  })();
  return {
    deaths,
    letGo() {
      kept = false;
    },
  };
}
