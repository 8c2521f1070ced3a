/**
 * Whether the lists have to be read, from the revisions that the service sends:
 *
 *     closed → opening → current ⇄ behind
 *
 * `current` and `behind` compare the revision the service has sent with the one the lists were read at.
 */
export interface LiveState {
  readonly kind: 'closed' | 'opening' | 'current' | 'behind';
  /** The last revision that the service sent. */
  readonly sent: string | null;
  /** The revision that was current when the lists were last read. */
  readonly read: string | null;
}

export type LiveEvent =
  | { readonly kind: 'open' }
  | { readonly kind: 'close' }
  | { readonly kind: 'revision'; readonly revision: string }
  /** The lists were read; `at` is the revision that was known when the request was sent. */
  | { readonly kind: 'read'; readonly at: string | null }
  | { readonly kind: 'forget' };

export const CLOSED: LiveState = { kind: 'closed', sent: null, read: null };

const compared = (sent: string | null, read: string | null): LiveState['kind'] =>
  sent === null ? 'opening' : sent === read ? 'current' : 'behind';

export function liveReducer(state: LiveState, event: LiveEvent): LiveState {
  switch (event.kind) {
    case 'open':
      return { kind: 'opening', sent: null, read: state.read };
    case 'close':
      return { ...state, kind: 'closed', sent: null };
    case 'revision':
      return { kind: compared(event.revision, state.read), sent: event.revision, read: state.read };
    case 'read':
      return {
        kind: state.kind === 'closed' ? 'closed' : compared(state.sent, event.at),
        sent: state.sent,
        read: event.at ?? state.read,
      };
    case 'forget':
      return CLOSED;
  }
}
