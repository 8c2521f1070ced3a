/**
 *     starting → signedIn ⇄ signedOut
 *              ↘ signedOut
 *
 * `number` counts sessions: a response to a request of an earlier session is ignored.
 */
export type SessionState<Profile> =
  | { readonly kind: 'starting'; readonly number: number }
  | { readonly kind: 'signedIn'; readonly number: number; readonly profile: Profile }
  | {
      readonly kind: 'signedOut';
      readonly number: number;
      /** Shown on the sign-in screen; null on a first visit. */
      readonly because: 'expired' | 'signed out' | null;
    };

export type SessionEvent<Profile> =
  /** The profile stored by the last visit. */
  | { readonly kind: 'restored'; readonly profile: Profile | undefined }
  | { readonly kind: 'signedIn'; readonly profile: Profile }
  | { readonly kind: 'profile'; readonly profile: Profile; readonly number: number }
  /** The service responded with 401. */
  | { readonly kind: 'unauthorized' }
  | { readonly kind: 'signedOut' }
  /** The app has finished starting. */
  | { readonly kind: 'started' };

export const STARTING: SessionState<never> = { kind: 'starting', number: 0 };

export function sessionReducer<Profile>(
  state: SessionState<Profile>,
  event: SessionEvent<Profile>,
): SessionState<Profile> {
  const { number } = state;
  switch (event.kind) {
    case 'restored':
      return event.profile === undefined || state.kind !== 'starting'
        ? state
        : { kind: 'signedIn', number, profile: event.profile };
    case 'signedIn':
      return { kind: 'signedIn', number: number + 1, profile: event.profile };
    case 'profile':
      // A late response of an ended session does not open it again.
      return event.number === number && state.kind !== 'signedOut'
        ? { kind: 'signedIn', number, profile: event.profile }
        : state;
    case 'unauthorized':
      if (state.kind === 'signedOut') return state;
      return {
        kind: 'signedOut',
        number: number + 1,
        because: state.kind === 'signedIn' ? 'expired' : null,
      };
    case 'signedOut':
      return { kind: 'signedOut', number: number + 1, because: 'signed out' };
    case 'started':
      return state.kind === 'starting' ? { kind: 'signedOut', number, because: null } : state;
  }
}
