import type { Availability, LogContactBody } from '@svc/contract';
import type { DevicePreferences } from '@svc/domain';
import type { PastOffer } from '../model/history.ts';
import type { WorkEntries } from '../model/work-edits.ts';

/** An answer to an offer. */
export interface AnswerContent {
  readonly kind: 'answer';
  /** The claim's id. */
  readonly key: string;
  readonly answer: 'accept' | 'reject';
  readonly title: string;
  /** The offer that was seen, as the history lists a rejected one. The same claim may be offered again. */
  readonly offer: PastOffer;
  /** When the adjuster answered; entries of older versions of the app have none. */
  readonly answeredAt?: number;
}

/** Edits of an accepted claim. */
export interface WorkContent {
  readonly kind: 'work';
  /** The claim's id. */
  readonly key: string;
  readonly entries?: WorkEntries | undefined;
  /** What the fields of `entries` had when their editing began. */
  readonly base?: WorkEntries | undefined;
  /** Earlier entries of this device that were sent without a response: the service may have saved them. */
  readonly earlier?: readonly WorkEntries[] | undefined;
  readonly contact?: (LogContactBody & { readonly id: string }) | undefined;
  readonly close?: boolean;
}

/** The adjuster's availability, or this device's notification preferences. */
export type SettingsChange =
  | { readonly key: 'availability'; readonly changes: Partial<Availability> }
  | { readonly key: 'device'; readonly changes: Omit<DevicePreferences, 'timeZone'> };
export type SettingsContent = SettingsChange & { readonly kind: 'settings' };

/** What one request or a few repeatable ones send. Contents with the same `key` are sent in order. */
export type Content = AnswerContent | WorkContent | SettingsContent;

export type Entry<C extends Content = Content> = C & {
  readonly id: string;
  /** Who made it: it is never sent with another adjuster's session. */
  readonly owner: string;
  /** When it was made, or failed last. */
  readonly at: number;
  /** Until then it is not sent: it can be undone, or the service could not process it. */
  readonly notBefore?: number | undefined;
  /** When it was first found that there is no network for it. */
  readonly offlineSince?: number;
  /** By how much its times, and `offlineSince`, were corrected before the service's time was known. */
  readonly assumedOffsetMs?: number | undefined;
  readonly offlineOffsetMs?: number | undefined;
  /** It was sent before and may have arrived. */
  readonly tried?: boolean;
  /** How often the service could not process it. */
  readonly failures?: number;
};

/** How entries of one kind are sent. */
export interface Handler<C extends Content> {
  /** Throws a refusal when the service does not accept it, now or later, and other errors when it can be sent again. */
  send(entry: Entry<C>): Promise<unknown>;
  /** Keeps what the service does not accept, or what the adjuster stops from being sent again. */
  dropped?(entry: Entry<C>): Promise<void>;
  /** Asks whether the service has what was sent without a response. */
  arrived?(entry: Entry<C>): Promise<boolean>;
  /** What replaces an entry when another one with its key follows; undefined to send both. */
  merge?(entry: Entry<C>, next: Entry<C>): Entry<C> | undefined;
}

const STUCK_AFTER = 3;

/** A clock that was set back does not make an entry wait longer. */
export const isWaiting = ({ at, notBefore = 0 }: Pick<Entry, 'at' | 'notBefore'>, now: number): boolean =>
  at <= now && now < notBefore;

/**
 * Where an entry is between the tap and its result:
 *
 *     held → due → tried ⇄ failing → stuck
 *
 * From `held` and `due` it can be undone; `held` ends with the undo time, or at once when the page is hidden. From `tried`
 * on it may have arrived. The service could not process what is `failing` and `stuck`, so that can be canceled.
 */
export type EntryState = 'held' | 'due' | 'tried' | 'failing' | 'stuck';

export function stateOf(entry: Entry, now: number): EntryState {
  const { failures = 0, tried = false } = entry;
  if (failures > 0) return failures < STUCK_AFTER ? 'failing' : 'stuck';
  return tried ? 'tried' : isWaiting(entry, now) ? 'held' : 'due';
}

export const canCancel = (entry: Entry, now: number): boolean => stateOf(entry, now) !== 'tried';

/** When the next entry that waits is due. */
export function nextDueAt(entries: readonly Entry[], now: number): number | undefined {
  const times = entries.filter((entry) => isWaiting(entry, now)).map(({ notBefore = 0 }) => notBefore);
  return times.length === 0 ? undefined : Math.min(...times);
}
