import type { Content } from './entry.ts';

/** Notes for the contact log that are typed and not logged, by claim. */
export type TypedNotes = Readonly<Record<string, string>>;

/** What stays in the field of a note that is logged: something else may have been typed since. */
export const afterLogging = (note: string, typed = ''): string => (typed.trim() === note ? '' : typed);

/** What was typed since then stays, after the note. Once more changes nothing. */
export const afterUndo = (note: string, typed = ''): string =>
  `${typed} `.startsWith(`${note} `) ? typed : [note, typed].filter((part) => part !== '').join(' ');

function changed(
  notes: TypedNotes,
  content: Content,
  change: (note: string, typed: string | undefined) => string,
): TypedNotes {
  if (content.kind !== 'work' || content.contact?.note === undefined) return notes;
  const { [content.key]: typed, ...others } = notes;
  const text = change(content.contact.note, typed);
  return text === '' ? others : { ...others, [content.key]: text };
}

export const withoutNote = (notes: TypedNotes, logged: Content): TypedNotes =>
  changed(notes, logged, afterLogging);
export const withNote = (notes: TypedNotes, undone: Content): TypedNotes => changed(notes, undone, afterUndo);
