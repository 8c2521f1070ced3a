import type { Entry } from './entry.ts';

/** A day on the device's calendar. */
function dayOf(at: number): string {
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}

/** With times by the service's clock, where they were made before it was known. */
export function withKnownTimes(entry: Entry, now: number, offsetMs: number): Entry {
  const { assumedOffsetMs, offlineOffsetMs = offsetMs, offlineSince } = entry;
  const moved = (at: number, assumed: number): number => Math.min(at + offsetMs - assumed, now);
  const known: Entry = {
    ...entry,
    ...{ assumedOffsetMs: undefined, offlineOffsetMs: undefined },
    ...(offlineSince !== undefined && { offlineSince: moved(offlineSince, offlineOffsetMs) }),
  };
  if (assumedOffsetMs === undefined) return known;
  if (known.kind === 'answer' && known.answeredAt !== undefined) {
    const offeredAt = Date.parse(known.offer.offeredAt);
    const answeredAt = moved(known.answeredAt, assumedOffsetMs);
    // A clock that was set right since then may have been behind.
    return { ...known, answeredAt: Math.max(offeredAt || 0, answeredAt) };
  }
  if (known.kind !== 'work' || known.contact === undefined) return known;
  const { contact, entries } = known;
  const before = Date.parse(contact.at);
  const at = moved(before, assumedOffsetMs);
  return {
    ...known,
    contact: { ...contact, at: new Date(at).toISOString() },
    ...(entries?.contact_date === dayOf(before) && { entries: { ...entries, contact_date: dayOf(at) } }),
  };
}
