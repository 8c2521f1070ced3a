import { computed, signal } from '@preact/signals';
import { ApiError, NetworkError } from './api-error.ts';
import { type SessionEvent, type SessionState, STARTING, sessionReducer } from './session-state.ts';

export type Session<Profile> = ReturnType<typeof createSession<Profile>>;

/** Throws it unless it says that the session is over. */
function unlessOver(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 401)) throw error;
}

/** @param expired called when the service has ended the session */
export function createSession<Profile>(expired: () => void) {
  const state = signal<SessionState<Profile>>(STARTING);
  /** What the last request met. `problem`: the service, or a proxy in front of it, could not process it. */
  const connection = signal<'online' | 'offline' | 'problem'>('online');
  /** The operator requires a passkey, and this session may only add one. */
  const needsPasskey = signal(false);
  const isSignedIn = (): boolean => state.value.kind === 'signedIn';
  const update = (event: SessionEvent<Profile>): void => {
    state.value = sessionReducer(state.value, event);
  };
  /** Ends the session in the page, when the service has said that it is over. */
  function expire(): void {
    if (state.value.kind === 'signedOut') return;
    needsPasskey.value = false;
    update({ kind: 'unauthorized' });
    expired();
  }

  /** Runs a request, and notes from its result whether there is a network and a session. */
  async function request<T>(send: () => Promise<T>): Promise<T> {
    try {
      const result = await send();
      connection.value = 'online';
      return result;
    } catch (error) {
      connection.value =
        error instanceof NetworkError ? (error.reason === 'service' ? 'problem' : 'offline') : 'online';
      if (error instanceof ApiError && error.status === 401) expire();
      if (isSignedIn() && error instanceof ApiError && error.code === 'passkey_required')
        needsPasskey.value = true;
      throw error;
    }
  }

  return {
    connection,
    needsPasskey,
    isSignedIn,
    update,
    expire,
    /** Whether the last request was processed. */
    reachable: computed(() => connection.value === 'online'),
    /** Undefined until it is known; null when nobody is signed in. */
    profile: computed<Profile | null | undefined>(() => {
      const { value } = state;
      return value.kind === 'signedIn' ? value.profile : value.kind === 'signedOut' ? null : undefined;
    }),
    /** Why the sign-in screen is shown. */
    endedBecause: computed(() => (state.value.kind === 'signedOut' ? state.value.because : null)),
    /** Changes with each session, so that a response to a request of an earlier one is ignored. */
    number: (): number => state.value.number,

    request,
    /**
     * Ends the session by a request; one that the service has ended is over, too. What responds in place of the service
     * may send what that request has, an empty 204: afterwards no profile can be read.
     */
    async signOut(send: () => Promise<unknown>, readProfile: () => Promise<unknown>): Promise<void> {
      const end = async (): Promise<never> => {
        await send();
        await readProfile();
        throw new NetworkError('service');
      };
      await request(() => end().catch(unlessOver));
      needsPasskey.value = false;
      update({ kind: 'signedOut' });
    },
  };
}
