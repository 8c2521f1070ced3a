import type { AppClaim } from '@svc/contract';
import { WORK_FIELDS, type WorkEntries, type WorkField } from './work-edits.ts';

// Two devices of one adjuster may edit a claim. `base`: what the edited fields had when their editing began.

type Work = AppClaim['work'];

const joined = (parts: readonly string[], separator = '\n'): string =>
  parts.filter((part) => part !== '').join(separator);

/** Whether a text has all lines of another one, in one piece. */
const hasLines = (text: string, lines: string): boolean =>
  lines === '' || `\n${text}\n`.includes(`\n${lines}\n`);

/** What was written on either device. The same merge twice adds nothing. */
function mergedNotes(base: string, own: string, other: string): string {
  if (hasLines(own, other)) return own;
  if (hasLines(other, own)) return other;
  const added = (text: string): string | undefined =>
    base !== '' && text.startsWith(`${base}\n`) ? text.slice(base.length).trim() : undefined;
  const [ownPart, otherPart] = [added(own), added(other)];
  if (ownPart !== undefined) return hasLines(other, ownPart) ? other : joined([other, ownPart]);
  if (otherPart !== undefined) return hasLines(own, otherPart) ? own : joined([own, otherPart]);
  return joined([other, own], '\n\n');
}

/** What this device has saved itself was not changed elsewhere: the base with it. `earlier`: what may have been saved. */
export const withoutOwn = (work: Work, base: WorkEntries, earlier: readonly WorkEntries[]): WorkEntries =>
  Object.fromEntries(
    WORK_FIELDS.flatMap((field) => {
      const now = work[field] ?? '';
      const before = earlier.some((one) => one[field] === now) ? now : base[field];
      return before === undefined ? [] : [[field, before]];
    }),
  );

/** The fields that another device has changed to something else since their editing began. */
export const changedElsewhere = (entries: WorkEntries, base: WorkEntries, work: Work): WorkField[] =>
  WORK_FIELDS.filter((field) => {
    const [own, before, other] = [entries[field], base[field], work[field] ?? ''];
    // What was cleared elsewhere holds nothing that could be lost.
    return own !== undefined && before !== undefined && other !== '' && other !== before && other !== own;
  });

/**
 * The entries to save on work that may have changed: notes of both devices together, and a date of the other device as a line
 * of the notes.
 */
export function mergedEntries(
  entries: WorkEntries,
  base: WorkEntries,
  work: Work,
  labelOf: (field: WorkField) => string,
): WorkEntries {
  const changed = changedElsewhere(entries, base, work);
  if (changed.length === 0) return entries;
  const other = work.notes ?? '';
  const own = entries.notes ?? other;
  const notes = changed.includes('notes') ? mergedNotes(base.notes ?? '', own, other) : own;
  const lines = changed
    .filter((field) => field !== 'notes')
    .map((field) => `${labelOf(field)}: ${work[field]}`)
    .filter((line) => !hasLines(notes, line));
  return { ...entries, notes: joined([notes, ...lines]) };
}
