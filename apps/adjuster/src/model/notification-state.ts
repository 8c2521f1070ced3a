/**
 * Whether this device gets notifications. `stopped`: they were turned on, and the browser or its push service has ended
 * the subscription. `homeScreen`: on an iPhone or iPad only an installed app can get them.
 */
export type NotificationState = 'on' | 'off' | 'stopped' | 'denied' | 'homeScreen' | 'unsupported';

export interface NotificationFacts {
  readonly supported: boolean;
  readonly permission: 'default' | 'denied' | 'granted';
  /** This adjuster has turned them on. */
  readonly wanted: boolean;
  /** The address of the browser's subscription; null without one. */
  readonly endpoint: string | null;
  /** The address that the service sends to; null without one, undefined when it could not be asked. */
  readonly registered: string | null | undefined;
  /** An iPhone or iPad, in the browser and not installed. */
  readonly inAppleBrowser: boolean;
}

export function notificationStateFrom(facts: NotificationFacts): NotificationState {
  if (!facts.supported) return facts.inAppleBrowser ? 'homeScreen' : 'unsupported';
  if (facts.permission === 'denied') return 'denied';
  if (facts.permission !== 'granted' || !facts.wanted) return 'off';
  return facts.endpoint === null || facts.registered === null ? 'stopped' : 'on';
}

/**
 * What brings notifications back or keeps them: `replace` ends a subscription that the push service no longer delivers
 * to, and creates another one.
 */
export function renewalFor(facts: NotificationFacts, isDue: boolean): 'replace' | 'register' | null {
  const state = notificationStateFrom(facts);
  if (state === 'stopped') return facts.registered === undefined ? null : 'replace';
  if (state !== 'on') return null;
  return isDue || (facts.registered !== undefined && facts.registered !== facts.endpoint) ? 'register' : null;
}

/** What the adjuster did with the suggestion to turn on notifications. */
export type SuggestionOutcome = 'later' | 'turned on' | 'denied' | 'failed';

/** A failed attempt is not a decision: the suggestion stays. */
export const endsSuggestion = (outcome: SuggestionOutcome): boolean => outcome !== 'failed';

/** What is suggested below the offers; null: nothing, or the adjuster has decided. */
export function suggestionFor(
  state: NotificationState,
  settled: boolean,
): 'off' | 'stopped' | 'homeScreen' | null {
  if (state === 'stopped') return state;
  return !settled && (state === 'off' || state === 'homeScreen') ? state : null;
}
