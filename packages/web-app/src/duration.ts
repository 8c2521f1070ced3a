/** The words of a language for durations. */
interface DurationWords {
  minutes(minutes: number): string;
  hours(hours: number, minutes: number): string;
  days(days: number, hours: number): string;
}

/** From this many days on, hours are left out: they matter less than the room they take in a list. */
const MIN_DAYS_WITHOUT_HOURS = 3;
const MAX_ROUGH_HOURS = 48;

/** In the two largest units; null for less than a minute. `rough`: in one unit. */
export function durationText(ms: number, words: DurationWords, rough = false): string | null {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return null;
  if (minutes < 60) return words.minutes(minutes);
  const hours = Math.floor(minutes / 60);
  if (hours < (rough ? MAX_ROUGH_HOURS : 24)) return words.hours(hours, rough ? 0 : minutes % 60);
  const days = Math.floor(hours / 24);
  return words.days(days, !rough && days < MIN_DAYS_WITHOUT_HOURS ? hours % 24 : 0);
}
