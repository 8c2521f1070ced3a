import { call, ROOT } from './api.ts';
import { deviceId } from './kept.ts';

export type NoticeState = 'on' | 'off' | 'denied' | 'unsupported';

const supported = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;

const registration = (): Promise<ServiceWorkerRegistration | undefined> =>
  navigator.serviceWorker.getRegistration(ROOT.slice(0, -1));

export async function noticeState(): Promise<NoticeState> {
  if (!supported()) return 'unsupported';
  if (Notification.permission === 'denied') return 'denied';
  const held = await (await registration())?.pushManager.getSubscription();
  return held != null && Notification.permission === 'granted' ? 'on' : 'off';
}

/** Has this device told of things. Asks the adjuster first, so it must follow from a tap. */
export async function turnNoticesOn(): Promise<NoticeState> {
  if ((await Notification.requestPermission()) !== 'granted') return noticeState();
  await register(await navigator.serviceWorker.ready);
  return noticeState();
}

export async function register(to: ServiceWorkerRegistration): Promise<void> {
  const { key } = await call<{ key: string }>('GET', 'push-key');
  const held = await to.pushManager.getSubscription();
  const same = held !== null && base64url(held.options.applicationServerKey) === key;
  // A subscription is bound to the key it was made with; the service may have got another one since.
  if (held !== null && !same) await held.unsubscribe();
  const subscription =
    held !== null && same
      ? held
      : await to.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const { endpoint, expirationTime, keys } = subscription.toJSON();
  await call('PUT', `v1/devices/${await deviceId()}`, {
    subscription: { endpoint, expirationTime: expirationTime ?? null, keys },
  });
}

export async function turnNoticesOff(): Promise<void> {
  if (!supported()) return;
  await call('DELETE', `v1/devices/${await deviceId()}`);
  await (await (await registration())?.pushManager.getSubscription())?.unsubscribe();
}

/** After signing in: a subscription that is there belongs to whoever has signed in now. */
export async function renewNotices(): Promise<void> {
  if ((await noticeState()) !== 'on') return;
  const worker = await registration();
  if (worker !== undefined) await register(worker);
}

function base64url(bytes: ArrayBuffer | null): string {
  const text = String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer(0)));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
