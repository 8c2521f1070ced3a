import { signal } from '@preact/signals';
import { ROOT } from '../data/api.ts';
import { texts } from './language.ts';
import { showToast } from './toast.ts';

/** Whether a new release of the app is installed and waits for the adjuster to take it. */
export const updateReady = signal(false);

let waiting: ServiceWorker | null = null;
let isTaking = false;

function noticeWaiting(registration: ServiceWorkerRegistration): void {
  // Without a controller this is the first installation, which is no update.
  if (registration.waiting === null || navigator.serviceWorker.controller === null) return;
  waiting = registration.waiting;
  updateReady.value = true;
}

export function registerWorker(): void {
  if (!('serviceWorker' in navigator)) return;
  const isFirst = navigator.serviceWorker.controller === null;
  navigator.serviceWorker.addEventListener('controllerchange', () => {
    if (isTaking) return location.reload();
    waiting = null;
    updateReady.value = !isFirst;
  });
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

/**
 * Starts the new release. Notes and dates are stored as they are typed; other fields, which a reload would empty, have to
 * be finished first.
 */
export function takeUpdate(): void {
  const typed = [...document.querySelectorAll<HTMLInputElement>('input, textarea')].find(
    (field) => field.value !== field.defaultValue && field.closest('[data-stored]') === null,
  );
  if (typed !== undefined) {
    typed.focus();
    showToast(texts.value.update.first);
    return;
  }
  // Another page of this device has taken it already.
  if (waiting === null) location.reload();
  isTaking = true;
  waiting?.postMessage('update');
}
