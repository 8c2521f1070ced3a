import { call, ROOT } from './api.ts';
import { deviceId, kept } from './kept.ts';

export type NoticeState = 'on' | 'off' | 'denied' | 'unsupported';

const supported = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;

const registration = (): Promise<ServiceWorkerRegistration | undefined> =>
  navigator.serviceWorker.getRegistration(ROOT.slice(0, -1));

export async function noticeState(): Promise<NoticeState> {
  if (!supported()) return 'unsupported';
  if (Notification.permission === 'denied') return 'denied';
  const held = await (await registration())?.pushManager.getSubscription();
  return held != null && Notification.permission === 'granted' && !(await isForeign()) ? 'on' : 'off';
}

/** Whether the subscription is there for somebody else who was signed in on this device. */
async function isForeign(): Promise<boolean> {
  const [of, me] = [await kept.get('noticesOf'), await kept.get('profile')];
  return of !== undefined && me !== undefined && of.svcId !== me.svc_id;
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
  const ofKey = held !== null && base64url(held.options.applicationServerKey) === key;
  // A subscription is bound to the key it was made with, and the service may have got another one since.
  const same = ofKey && !(await isForeign());
  if (held !== null && !same) await held.unsubscribe();
  const subscription =
    held !== null && same
      ? held
      : await to.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const { endpoint, expirationTime, keys } = subscription.toJSON();
  await call('PUT', `v1/devices/${await deviceId()}`, {
    subscription: { endpoint, expirationTime: expirationTime ?? null, keys },
  });
  const svcId = (await kept.get('profile'))?.svc_id;
  if (svcId !== undefined) await kept.put('noticesOf', { svcId, at: Date.now() });
}

export async function turnNoticesOff(): Promise<void> {
  if (!supported()) return;
  await call('DELETE', `v1/devices/${await deviceId()}`);
  await (await (await registration())?.pushManager.getSubscription())?.unsubscribe();
}

/**
 * Tells the service of the subscription again, when it was last told longer ago than that. One that somebody else has
 * made on this device is ended: what they are told is for nobody else to see.
 */
export async function renewNotices(olderThanMs: number): Promise<void> {
  if (!supported()) return;
  const worker = await registration();
  if (await isForeign()) {
    await (await worker?.pushManager.getSubscription())?.unsubscribe();
    return void (await kept.remove('noticesOf'));
  }
  if (worker === undefined || (await noticeState()) !== 'on') return;
  const told = (await kept.get('noticesOf'))?.at ?? 0;
  if (Date.now() - told > olderThanMs) await register(worker);
}

function base64url(bytes: ArrayBuffer | null): string {
  const text = String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer(0)));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
