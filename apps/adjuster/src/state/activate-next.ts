import { START_RELEASE } from '../data/worker-messages.ts';

const UPDATE_TIMEOUT_MS = 10_000;

/** Starts the newest release of the worker, where one is found soon. */
export async function activateNext(registration: ServiceWorkerRegistration | undefined): Promise<void> {
  const updated = async () => {
    await registration?.update();
    const next = registration?.installing ?? registration?.waiting;
    if (next == null) return;
    await new Promise<void>((resolve) => {
      const activate = () => {
        if (next.state === 'installed') next.postMessage(START_RELEASE);
        if (next.state === 'activated' || next.state === 'redundant') resolve();
      };
      next.addEventListener('statechange', activate);
      activate();
    });
  };
  await Promise.race([updated(), new Promise((resolve) => setTimeout(resolve, UPDATE_TIMEOUT_MS))]);
}
