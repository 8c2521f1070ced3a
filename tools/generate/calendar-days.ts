/** Days since 1970-01-01 as ISO dates. */
const DAY_MS = 86_400_000;

export const dayOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY_MS;

const written = new Map<number, string>();

/** Cached, because a claim has up to nine of a few thousand dates. */
export function dateOf(day: number): string {
  let date = written.get(day);
  if (date === undefined) {
    date = new Date(day * DAY_MS).toISOString().slice(0, 10);
    written.set(day, date);
  }
  return date;
}
