/** Whether this device gets notifications. `homeScreen`: on an iPhone or iPad only an installed app can get them. */
export type NotificationState = 'on' | 'off' | 'denied' | 'homeScreen' | 'unsupported';

export interface NotificationFacts {
  readonly supported: boolean;
  readonly permission: 'default' | 'denied' | 'granted';
  /** There is a push subscription, and it is of this adjuster. */
  readonly subscribed: boolean;
  /** An iPhone or iPad, in the browser and not installed. */
  readonly inAppleBrowser: boolean;
}

export function notificationStateFrom(facts: NotificationFacts): NotificationState {
  if (!facts.supported) return facts.inAppleBrowser ? 'homeScreen' : 'unsupported';
  if (facts.permission === 'denied') return 'denied';
  return facts.subscribed && facts.permission === 'granted' ? 'on' : 'off';
}

/** What the adjuster did with the suggestion to turn on notifications. */
export type SuggestionOutcome = 'later' | 'turned on' | 'denied' | 'failed';

/** A failed attempt is not a decision: the suggestion stays. */
export const endsSuggestion = (outcome: SuggestionOutcome): boolean => outcome !== 'failed';

/** What is suggested below the offers; null: nothing, or the adjuster has decided. */
export const suggestionFor = (state: NotificationState, settled: boolean): 'off' | 'homeScreen' | null =>
  !settled && (state === 'off' || state === 'homeScreen') ? state : null;
