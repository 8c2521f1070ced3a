import { signal } from '@preact/signals';
import { storage } from '../data/storage.ts';
import { dateTime } from '../format.ts';
import { type ContactEntry, rejectedEntries } from '../model/work-edits.ts';
import type { WorkContent } from '../outbox/entry.ts';
import { texts } from './language.ts';

/** Changes when entries that the service rejected were added to the stored drafts. */
export const rejections = signal(0);

export function contactLine({ at, result, note }: ContactEntry): string {
  const { contactResults } = texts.value.work;
  return `${dateTime(at)}: ${contactResults[result] ?? result}${note === undefined ? '' : ` · ${note}`}`;
}

/** Adds edits that the service rejected to what is typed on the claim. */
export async function keepAsDraft({ key, entries, contact }: WorkContent): Promise<void> {
  const [typed, accepted] = [await storage.get(`draft:${key}`), await storage.get('accepted')];
  const saved = accepted?.find(({ id }) => id === key)?.work.notes;
  const line = contact && contactLine(contact);
  await storage.put(`draft:${key}`, rejectedEntries(entries, line, typed, saved));
  rejections.value += 1;
}
