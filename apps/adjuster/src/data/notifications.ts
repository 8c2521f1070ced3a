import { type NotificationState, notificationStateFrom } from '../model/notification-state.ts';
import { call, ROOT } from './api.ts';
import { deviceId, storage } from './storage.ts';

const supported = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;

const registration = (): Promise<ServiceWorkerRegistration | undefined> =>
  navigator.serviceWorker.getRegistration(ROOT.slice(0, -1));

/** iPadOS has the user agent of a Mac; the touch screen distinguishes them. */
const isAppleMobile = (): boolean =>
  /iPhone|iPad/.test(navigator.userAgent) ||
  (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);

export const devicePlatform = (): 'apple' | 'android' | 'other' =>
  isAppleMobile() ? 'apple' : /Android/.test(navigator.userAgent) ? 'android' : 'other';

export const isInstalled = (): boolean => matchMedia('(display-mode: standalone)').matches;

export async function notificationState(): Promise<NotificationState> {
  const facts = { supported: supported(), inAppleBrowser: isAppleMobile() && !isInstalled() };
  if (!facts.supported) return notificationStateFrom({ ...facts, permission: 'default', subscribed: false });
  const existing = await (await registration())?.pushManager.getSubscription();
  return notificationStateFrom({
    ...facts,
    permission: Notification.permission,
    subscribed: existing != null && !(await belongsToOtherAdjuster()),
  });
}

/** Whether the subscription belongs to another adjuster who was signed in on this device. */
async function belongsToOtherAdjuster(): Promise<boolean> {
  const [owner, me] = [await storage.get('notificationsOf'), await storage.get('profile')];
  return owner !== undefined && me !== undefined && owner.svcId !== me.svc_id;
}

/** Asks for permission, which browsers allow only in response to a tap. */
export async function enableNotifications(): Promise<NotificationState> {
  if ((await Notification.requestPermission()) !== 'granted') return notificationState();
  await registerSubscription(await navigator.serviceWorker.ready);
  return notificationState();
}

export async function registerSubscription(worker: ServiceWorkerRegistration): Promise<void> {
  const { key } = await call<{ key: string }>('GET', 'push-key');
  const existing = await worker.pushManager.getSubscription();
  const hasCurrentKey = existing !== null && base64url(existing.options.applicationServerKey) === key;
  // A subscription works only with the key it was created with, and the service's key may have changed.
  const reusable = hasCurrentKey && !(await belongsToOtherAdjuster());
  if (existing !== null && !reusable) await existing.unsubscribe();
  const subscription =
    existing !== null && reusable
      ? existing
      : await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const { endpoint, expirationTime, keys } = subscription.toJSON();
  await call('PUT', `v1/devices/${await deviceId()}`, {
    subscription: { endpoint, expirationTime: expirationTime ?? null, keys },
  });
  await sendDevicePreferences().catch(() => {});
  const svcId = (await storage.get('profile'))?.svc_id;
  if (svcId !== undefined) await storage.put('notificationsOf', { svcId, at: Date.now() });
}

/** Sends this device's notification preferences, with its current time zone. */
export async function sendDevicePreferences(): Promise<void> {
  const stored = await storage.get('devicePreferences');
  if (stored === undefined) return;
  await call('PUT', `v1/devices/${await deviceId()}/preferences`, {
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    quiet_hours: stored.quietHours,
    deadline_reminders: stored.deadlineReminders,
  });
}

export async function disableNotifications(): Promise<void> {
  if (!supported()) return;
  await call('DELETE', `v1/devices/${await deviceId()}`);
  await (await (await registration())?.pushManager.getSubscription())?.unsubscribe();
}

/**
 * Registers the subscription again if it was last registered longer ago than this. Ends a subscription of another
 * adjuster on this device, since the one who is signed in must not see its notifications.
 */
export async function renewSubscription(olderThanMs: number): Promise<void> {
  if (!supported()) return;
  const worker = await registration();
  if (await belongsToOtherAdjuster()) {
    await (await worker?.pushManager.getSubscription())?.unsubscribe();
    return void (await storage.remove('notificationsOf'));
  }
  if (worker === undefined || (await notificationState()) !== 'on') return;
  const registered = await storage.get('notificationsOf');
  if (Date.now() - (registered?.at ?? 0) <= olderThanMs) return;
  // If it fails, the next start of the app tries again.
  if (registered !== undefined) await storage.put('notificationsOf', { ...registered, at: 0 });
  await registerSubscription(worker);
}

function base64url(bytes: ArrayBuffer | null): string {
  const text = String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer(0)));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
