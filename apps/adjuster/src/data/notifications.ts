import { ApiError } from '@svc/web-app/api-error';
import {
  type NotificationFacts,
  type NotificationState,
  notificationStateFrom,
  renewalFor,
} from '../model/notification-state.ts';
import type { Call } from './endpoints.ts';
import { ROOT } from './root.ts';
import type { Storage, StoredValues } from './storage.ts';

/** Either side may drop a push subscription without notice, so it is registered again once a day. */
export const DAY_MS = 24 * 60 * 60 * 1000;
const RENEWAL_SHOWN_MS = 7 * DAY_MS;

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

const isInstalled = (): boolean => matchMedia('(display-mode: standalone)').matches;

export type Notifications = ReturnType<typeof createNotifications>;

export function createNotifications(call: Call, storage: Storage) {
  const device = async () => ({ params: { device_id: await storage.deviceId() } });

  const state = async (): Promise<NotificationState> => notificationStateFrom(await facts());

  async function facts(): Promise<NotificationFacts> {
    const isSupported = supported();
    const subscription = isSupported ? await (await registration())?.pushManager.getSubscription() : null;
    const owner = await storage.get('notificationsOf');
    const endpoint = subscription?.endpoint ?? null;
    const wanted = (endpoint !== null || owner !== undefined) && !(await belongsToOtherAdjuster());
    return {
      supported: isSupported,
      inAppleBrowser: isAppleMobile() && !isInstalled(),
      permission: isSupported ? Notification.permission : 'default',
      wanted,
      endpoint,
      registered: wanted ? await registeredEndpoint() : undefined,
    };
  }

  /** Where the service sends notifications of this device to: it forgets a device when the push service does. */
  async function registeredEndpoint(): Promise<string | null | undefined> {
    try {
      return (await call('getDevice', await device())).endpoint;
    } catch (error) {
      return error instanceof ApiError && error.status === 404 ? null : undefined;
    }
  }

  /** Whether the subscription belongs to another adjuster who was signed in on this device. */
  async function belongsToOtherAdjuster(): Promise<boolean> {
    const [owner, me] = [await storage.get('notificationsOf'), await storage.get('profile')];
    return owner !== undefined && me !== undefined && owner.svcId !== me.svc_id;
  }

  /** Asks for permission, which browsers allow only in response to a tap. */
  async function enable(): Promise<NotificationState> {
    if ((await Notification.requestPermission()) !== 'granted') return state();
    const worker = await navigator.serviceWorker.ready;
    // Turned on after they have stopped, a subscription that is still there is dead.
    await (await worker.pushManager.getSubscription())?.unsubscribe();
    await register(worker);
    return state();
  }

  async function register(worker: ServiceWorkerRegistration): Promise<void> {
    const { key } = await call('getPushKey');
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
    if (endpoint === undefined || keys === undefined)
      throw new Error('The browser returned no subscription.');
    const { p256dh = '', auth = '' } = keys;
    await call('registerDevice', {
      ...(await device()),
      body: { subscription: { endpoint, expirationTime: expirationTime ?? null, keys: { p256dh, auth } } },
    });
    await sendPreferences().catch(() => {});
    const svcId = (await storage.get('profile'))?.svc_id;
    if (svcId === undefined) return;
    const before = await storage.get('notificationsOf');
    await storage.put('notificationsOf', { ...(before?.svcId === svcId && before), svcId, at: Date.now() });
  }

  /** Sends this device's notification preferences, with its current time zone. */
  async function sendPreferences(changed?: StoredValues['devicePreferences']): Promise<void> {
    const stored = changed ?? (await storage.get('devicePreferences'));
    if (stored === undefined) return;
    await call('setDevicePreferences', {
      ...(await device()),
      body: {
        time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        quiet_hours: stored.quietHours,
        deadline_reminders: stored.deadlineReminders,
      },
    });
  }

  async function disable(): Promise<void> {
    if (!supported()) return;
    await call('unregisterDevice', await device());
    await (await (await registration())?.pushManager.getSubscription())?.unsubscribe();
    await storage.remove('notificationsOf');
  }

  /**
   * Registers the subscription again if it was last registered longer ago than this, and replaces one that the browser or
   * its push service has ended. Ends a subscription of another adjuster on this device, since the one who is signed in must
   * not see its notifications.
   */
  function renewSubscription(olderThanMs: number): Promise<void> {
    renewing = renewing.catch(() => {}).then(() => renew(olderThanMs));
    return renewing;
  }

  /** The app and its settings may ask at the same time. */
  let renewing: Promise<void> = Promise.resolve();

  async function renew(olderThanMs: number): Promise<void> {
    if (!supported()) return;
    const worker = await registration();
    if (await belongsToOtherAdjuster()) {
      await (await worker?.pushManager.getSubscription())?.unsubscribe();
      return void (await storage.remove('notificationsOf'));
    }
    const owner = await storage.get('notificationsOf');
    const renewal = renewalFor(await facts(), Date.now() - (owner?.at ?? 0) > olderThanMs);
    if (worker === undefined || renewal === null) return;
    // If it fails, the next start of the app tries again.
    if (owner !== undefined) await storage.put('notificationsOf', { ...owner, at: 0 });
    if (renewal === 'replace') await (await worker.pushManager.getSubscription())?.unsubscribe();
    await register(worker);
    // The service forgets the devices of a session that has ended, too: after a sign-in nothing has gone wrong.
    const registered = await storage.get('notificationsOf');
    if (renewal === 'replace' && olderThanMs > 0 && registered !== undefined)
      await storage.put('notificationsOf', { ...registered, renewedAt: Date.now() });
  }

  /** When notifications had stopped and were turned on again, for some days. */
  async function renewedAt(): Promise<number | undefined> {
    const at = (await storage.get('notificationsOf'))?.renewedAt;
    return at !== undefined && Date.now() - at < RENEWAL_SHOWN_MS ? at : undefined;
  }

  return {
    ...{ state, enable, disable, renew: renewSubscription, renewedAt, register, sendPreferences },
    sendTest: async () => call('testDevice', await device()),
  };
}

function base64url(bytes: ArrayBuffer | null): string {
  const text = String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer(0)));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
