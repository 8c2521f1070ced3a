/** Days as counts since 1970-01-01, which can be added to; written as the interface writes dates. */
const DAY_MS = 86_400_000;

export const dayOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY_MS;

const written = new Map<number, string>();

/** Each day is written once: a claim has up to nine dates, and all claims share a few thousand days. */
export function dateOf(day: number): string {
  let date = written.get(day);
  if (date === undefined) {
    date = new Date(day * DAY_MS).toISOString().slice(0, 10);
    written.set(day, date);
  }
  return date;
}
