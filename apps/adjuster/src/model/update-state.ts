/**
 * Whether a new release of the app is ready, derived from the events of its service worker:
 *
 *     uncontrolled → current → waiting → activating → (reload)
 *                          ↘     ↓
 *                            replaced → (reload)
 *
 * `uncontrolled`: no worker controls the page, so the next one is the first installation, not an update. `waiting`: a new
 * release is installed and waits for the adjuster. `replaced`: another page of this device has activated it.
 */
export type UpdateState = 'uncontrolled' | 'current' | 'waiting' | 'activating' | 'replaced';

/** `installed`: a new worker waits. `controlled`: a new worker controls the page. `accepted`: the adjuster agreed. */
export type UpdateEvent = 'installed' | 'controlled' | 'accepted';

const TRANSITIONS: Readonly<Record<UpdateState, Readonly<Partial<Record<UpdateEvent, UpdateState>>>>> = {
  uncontrolled: { controlled: 'current' },
  current: { installed: 'waiting', controlled: 'replaced' },
  waiting: { controlled: 'replaced', accepted: 'activating' },
  activating: {},
  replaced: {},
};

export const updateReducer = (state: UpdateState, event: UpdateEvent): UpdateState =>
  TRANSITIONS[state][event] ?? state;
