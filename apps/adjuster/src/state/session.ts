import { signal } from '@preact/signals';
import type { Profile } from '@svc/contract';
import { ApiError, NetworkError } from '../data/api.ts';
import { storage } from '../data/storage.ts';

export const session = {
  /** Undefined until it is known; null when nobody is signed in. */
  profile: signal<Profile | null | undefined>(undefined),
  /** Why the sign-in screen is shown. */
  endedBecause: signal<'expired' | 'signed out' | null>(null),
  /** Whether the last request reached the service. */
  reachable: signal(true),
  /** Counts sessions, so that a response to a request of an earlier one is ignored. */
  number: 0,
  /** Called when the service has ended the session. */
  onExpired: [] as (() => void)[],
  /** Called to remove everything of one adjuster from the page, before another one uses it. */
  onForget: [] as (() => void)[],
};

/** Removes everything of one adjuster from the device and the page. */
export async function forget(): Promise<void> {
  await storage.clear().catch(() => {});
  for (const act of session.onForget) act();
}

export const isSignedIn = (): boolean => session.profile.value != null;

/** Ends the session in the page, when the service has said that it is over. */
export function expire(): void {
  const { profile, endedBecause } = session;
  if (profile.value === null) return;
  // On a first visit there was no session that could have ended.
  if (profile.value !== undefined) endedBecause.value = 'expired';
  session.number += 1;
  profile.value = null;
  for (const act of session.onExpired) act();
}

/** Runs a request, and notes from its result whether there is a network and a session. */
export async function request<T>(send: () => Promise<T>): Promise<T> {
  try {
    const result = await send();
    session.reachable.value = true;
    return result;
  } catch (error) {
    session.reachable.value = !(error instanceof NetworkError);
    if (error instanceof ApiError && error.status === 401) expire();
    throw error;
  }
}
