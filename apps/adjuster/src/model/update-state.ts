/**
 * A release of the app in this page, by what happens to its service worker:
 *
 *     first → current → waiting → taking → (reload)
 *                   ↘     ↓
 *                     replaced → (reload)
 *
 * `first`: no worker controls the page, so the next one is the first installation and no update. `waiting`: a new release
 * is installed and waits for the adjuster. `replaced`: another page of this device has taken it.
 */
export type UpdateState = 'first' | 'current' | 'waiting' | 'taking' | 'replaced';

/** `installed`: a new worker waits. `controlled`: a new worker controls the page. `taken`: the adjuster agreed. */
export type UpdateEvent = 'installed' | 'controlled' | 'taken';

const TRANSITIONS: Readonly<Record<UpdateState, Readonly<Partial<Record<UpdateEvent, UpdateState>>>>> = {
  first: { controlled: 'current' },
  current: { installed: 'waiting', controlled: 'replaced' },
  waiting: { controlled: 'replaced', taken: 'taking' },
  taking: {},
  replaced: {},
};

export const updateAfter = (state: UpdateState, event: UpdateEvent): UpdateState =>
  TRANSITIONS[state][event] ?? state;
