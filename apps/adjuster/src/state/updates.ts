import { signal } from '@preact/signals';
import { ROOT } from '../data/api.ts';

/** Whether a new release of the app is installed and waits for the adjuster to take it. */
export const updateReady = signal(false);

let waiting: ServiceWorker | null = null;

function noticeWaiting(registration: ServiceWorkerRegistration): void {
  // Without a controller this is the first installation, which is no update.
  if (registration.waiting === null || navigator.serviceWorker.controller === null) return;
  waiting = registration.waiting;
  updateReady.value = true;
}

export function registerWorker(): void {
  if (!('serviceWorker' in navigator)) return;
  void navigator.serviceWorker
    .register(`${ROOT}sw.js`, { scope: ROOT.slice(0, -1) })
    .then((registration) => {
      noticeWaiting(registration);
      registration.addEventListener('updatefound', () => {
        registration.installing?.addEventListener('statechange', () => noticeWaiting(registration));
      });
      // A page that stays open for days looks for an update when it is shown again.
      document.addEventListener('visibilitychange', () => {
        if (document.visibilityState === 'visible') void registration.update().catch(() => {});
      });
    })
    .catch(() => {});
}

/** Starts the new release. What was typed is stored as drafts, so the reload loses nothing. */
export function takeUpdate(): void {
  navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true });
  waiting?.postMessage('update');
}
