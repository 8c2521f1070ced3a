import { computed, signal } from '@preact/signals';
import type { Profile } from '@svc/contract';
import { ApiError, NetworkError } from '../data/api.ts';
import { storage } from '../data/storage.ts';
import { type SessionEvent, STARTING, sessionReducer } from '../model/session-state.ts';

const state = signal(STARTING);

/** What the last request met. `problem`: the service, or a proxy in front of it, could not process it. */
const connection = signal<'online' | 'offline' | 'problem'>('online');

export const session = {
  /** Undefined until it is known; null when nobody is signed in. */
  profile: computed<Profile | null | undefined>(() =>
    state.value.kind === 'signedIn'
      ? state.value.profile
      : state.value.kind === 'signedOut'
        ? null
        : undefined,
  ),
  /** Why the sign-in screen is shown. */
  endedBecause: computed(() => (state.value.kind === 'signedOut' ? state.value.because : null)),
  connection,
  /** Whether the last request was processed. */
  reachable: computed(() => connection.value === 'online'),
  /** The operator requires a passkey, and this session may only add one. */
  needsPasskey: signal(false),
  /** Called when the service has ended the session. */
  onExpired: [] as (() => void)[],
  /** Called to remove everything of one adjuster from the page, before another one uses it. */
  onForget: [] as (() => void)[],
};

/** Changes with each session, so that a response to a request of an earlier one is ignored. */
export const sessionNumber = (): number => state.value.number;

export function updateSession(event: SessionEvent): void {
  state.value = sessionReducer(state.value, event);
}

/** Removes everything of one adjuster from the device and the page. */
export async function forget(): Promise<void> {
  await storage.clear().catch(() => {});
  for (const listener of session.onForget) listener();
}

export const isSignedIn = (): boolean => state.value.kind === 'signedIn';

/** Ends the session in the page, when the service has said that it is over. */
export function expire(): void {
  if (state.value.kind === 'signedOut') return;
  session.needsPasskey.value = false;
  updateSession({ kind: 'unauthorized' });
  for (const listener of session.onExpired) listener();
}

/** Runs a request, and notes from its result whether there is a network and a session. */
export async function request<T>(send: () => Promise<T>): Promise<T> {
  try {
    const result = await send();
    connection.value = 'online';
    return result;
  } catch (error) {
    connection.value =
      error instanceof NetworkError ? (error.reason === 'service' ? 'problem' : 'offline') : 'online';
    if (error instanceof ApiError && error.status === 401) expire();
    if (isSignedIn() && error instanceof ApiError && error.code === 'passkey_required')
      session.needsPasskey.value = true;
    throw error;
  }
}

/** Browsers have no passkeys for sites at an IP address. */
export const supportsPasskeys = (): boolean =>
  'PublicKeyCredential' in window && !/^[\d.]+$|:/.test(location.hostname);
