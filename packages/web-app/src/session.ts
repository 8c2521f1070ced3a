import { computed, signal } from '@preact/signals';
import { ApiError, NetworkError } from './api-error.ts';

/**
 *     starting → signedIn ⇄ signedOut
 *              ↘ signedOut
 */
type State<Profile> =
  | { readonly kind: 'starting' }
  | { readonly kind: 'signedIn'; readonly profile: Profile }
  /** Why, for the sign-in screen; null on a first visit. */
  | { readonly kind: 'signedOut'; readonly because: 'expired' | 'signed out' | null };

export type Session<Profile> = ReturnType<typeof createSession<Profile>>;

/** Throws it unless it says that the session is over. */
function unlessOver(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 401)) throw error;
}

/** @param expired called when the service has ended the session */
export function createSession<Profile>(expired: () => void) {
  const state = signal<State<Profile>>({ kind: 'starting' });
  /** Counts sessions: a response to a request of an earlier one is ignored. */
  let number = 0;
  /** What the last request met. `problem`: the service, or a proxy in front of it, could not process it. */
  const connection = signal<'online' | 'offline' | 'problem'>('online');
  /** The operator requires a passkey, and this session may only add one. */
  const needsPasskey = signal(false);
  const isSignedIn = (): boolean => state.value.kind === 'signedIn';
  const isStarting = (): boolean => state.value.kind === 'starting';
  const signedIn = (profile: Profile): void => {
    state.value = { kind: 'signedIn', profile };
  };
  function end(because: 'expired' | 'signed out' | null): void {
    number += 1;
    needsPasskey.value = false;
    state.value = { kind: 'signedOut', because };
  }
  /** Ends the session in the page, when the service has said that it is over. */
  function expire(): void {
    if (state.value.kind === 'signedOut') return;
    end(isStarting() ? null : 'expired');
    expired();
  }

  /** Runs a request, and notes from its result whether there is a network and a session. */
  async function request<T>(send: () => Promise<T>): Promise<T> {
    const requestedIn = number;
    try {
      const result = await send();
      connection.value = 'online';
      return result;
    } catch (error) {
      connection.value =
        error instanceof NetworkError ? (error.reason === 'service' ? 'problem' : 'offline') : 'online';
      if (requestedIn === number && error instanceof ApiError) {
        if (error.status === 401) expire();
        if (isSignedIn() && error.code === 'passkey_required') needsPasskey.value = true;
      }
      throw error;
    }
  }

  return {
    connection,
    needsPasskey,
    isSignedIn,
    expire,
    /** Opens the session with the profile that the last visit stored. */
    restore(stored: Profile | undefined): void {
      if (stored !== undefined && isStarting()) signedIn(stored);
    },
    /** After a sign-in. */
    open(profile: Profile): void {
      number += 1;
      signedIn(profile);
    },
    /** Takes a profile that was requested in the session of this number. A late one does not open an ended session. */
    renew(profile: Profile, requestedIn: number): void {
      if (requestedIn === number && state.value.kind !== 'signedOut') signedIn(profile);
    },
    /** The app has finished starting. */
    endStart(): void {
      if (isStarting()) state.value = { kind: 'signedOut', because: null };
    },
    /** Whether the last request was processed. */
    reachable: computed(() => connection.value === 'online'),
    /** Undefined until it is known; null when nobody is signed in. */
    profile: computed<Profile | null | undefined>(() => {
      const { value } = state;
      return value.kind === 'signedIn' ? value.profile : value.kind === 'signedOut' ? null : undefined;
    }),
    /** Why the sign-in screen is shown. */
    endedBecause: computed(() => (state.value.kind === 'signedOut' ? state.value.because : null)),
    number: (): number => number,

    request,
    /**
     * Ends the session by a request; one that the service has ended is over, too. What responds in place of the service
     * may send what that request has, an empty 204: afterwards no profile can be read.
     */
    async signOut(send: () => Promise<unknown>, readProfile: () => Promise<unknown>): Promise<void> {
      const ask = async (): Promise<never> => {
        await send();
        await readProfile();
        throw new NetworkError('service');
      };
      await request(() => ask().catch(unlessOver));
      end('signed out');
    },
  };
}
