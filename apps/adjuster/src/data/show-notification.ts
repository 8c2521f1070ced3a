import { deviceLanguage } from '@svc/web-app/texts/languages';
import { notificationOf } from '../model/push-message.ts';
import { isLost } from '../outbox/answers.ts';
import { NOTIFICATION_WORDS } from '../texts/worker.ts';
import { ROOT } from './root.ts';
import type { Storage } from './storage.ts';

/** A phone ends the subscription of an app that shows nothing, and a disk may be slow. */
const MAX_WAIT_MS = 500;

/** A stored value; undefined where it cannot be read soon. */
const soon = <T>(stored: Promise<T>): Promise<T | undefined> =>
  Promise.race([
    stored.catch(() => undefined),
    new Promise<undefined>((resolve) => setTimeout(resolve, MAX_WAIT_MS, undefined)),
  ]);

/** Shows a push message, or one of the app itself. */
export async function showNotification(
  worker: Pick<ServiceWorkerRegistration, 'showNotification'>,
  storage: Storage,
  message: unknown,
): Promise<void> {
  const language = (await soon(storage.get('language'))) ?? deviceLanguage();
  const { title, body, tag, hash, alert } = notificationOf(message, NOTIFICATION_WORDS[language]);
  await worker.showNotification(title, {
    body,
    // A later notification about a claim replaces the earlier one.
    tag,
    renotify: alert,
    icon: `${ROOT}icon-192.png`,
    badge: `${ROOT}badge-96.png`,
    lang: language,
    data: { hash },
  } as NotificationOptions & { renotify: boolean });
}

/** Tells the adjuster how many acceptances did not count. */
export async function notifyLost(storage: Storage): Promise<void> {
  const worker = await navigator.serviceWorker?.getRegistration(ROOT.slice(0, -1));
  if (worker === undefined || Notification.permission !== 'granted') return;
  const outcomes = (await storage.get('outcomes')) ?? [];
  const count = outcomes.filter((one) => one.answer === 'accept' && isLost(one)).length;
  await showNotification(worker, storage, { kind: 'acceptance_lost', count });
}
