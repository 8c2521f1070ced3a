import type { Texts } from '../texts/en.ts';

/** From this many days on, hours are left out: they matter less than the room they take in a list. */
const MIN_DAYS_WITHOUT_HOURS = 3;

/** In the two largest units; null for less than a minute. */
export function durationText(ms: number, words: Texts['duration']): string | null {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return null;
  if (minutes < 60) return words.minutes(minutes);
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return words.hours(hours, minutes % 60);
  const days = Math.floor(hours / 24);
  return words.days(days, days < MIN_DAYS_WITHOUT_HOURS ? hours % 24 : 0);
}
