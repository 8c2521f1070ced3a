import type { AppClaim } from '@svc/contract';

export const WORK_FIELDS = [
  'contact_date',
  'inspection_date',
  'planned_visit_date',
  'planned_visit_time',
  'preliminary_report_date',
  'proof_of_loss_date',
  'notes',
] as const;
export type WorkField = (typeof WORK_FIELDS)[number];

/** Entries as typed; an empty text clears the field. */
export type WorkEntries = Partial<Readonly<Record<WorkField, string>>>;

/** The key, beside what is typed in a field, of what the field had when typing began. */
export const baseKey = (field: string): string => `base:${field}`;

/** What the fields had when typing began. */
export const basesOf = (typed: Readonly<Record<string, string>>): WorkEntries =>
  Object.fromEntries(
    WORK_FIELDS.flatMap((field) => {
      const base = typed[baseKey(field)];
      return base === undefined ? [] : [[field, base]];
    }),
  );

export type ContactEntry = NonNullable<AppClaim['work']['contacts']>[number];

/** The entries that differ from the saved ones. */
export function changedEntries(entries: WorkEntries, work: AppClaim['work']): WorkEntries {
  const changed = WORK_FIELDS.filter(
    (field) => entries[field] !== undefined && entries[field] !== (work[field] ?? ''),
  );
  return Object.fromEntries(changed.map((field) => [field, entries[field]]));
}

export const hasEntries = (entries: WorkEntries): boolean => Object.keys(entries).length > 0;

/**
 * How edits that the service rejected change what is typed: what is typed is newer, and a contact becomes a line of the notes.
 */
export function rejectedEntries(
  rejected: WorkEntries = {},
  contactLine: string | undefined,
  savedNotes: string | undefined,
): readonly (readonly [string, (typed: string | undefined) => string])[] {
  const withLine = (line: string, notes = ''): string =>
    notes.includes(line) ? notes : [notes, line].filter((part) => part !== '').join('\n');
  return [
    ...Object.entries(rejected).map(
      ([field, text]) => [field, (typed: string | undefined) => typed ?? text] as const,
    ),
    ...(contactLine === undefined
      ? []
      : [['notes', (typed: string | undefined) => withLine(contactLine, typed ?? savedNotes)] as const]),
  ];
}

/** The work with edits that are still on the device, oldest first. */
export function workWithEdits(
  work: AppClaim['work'],
  edits: readonly {
    readonly entries?: WorkEntries | undefined;
    readonly contact?: ContactEntry | undefined;
  }[],
): AppClaim['work'] {
  if (edits.length === 0) return work;
  const merged: Record<string, unknown> = { ...work };
  for (const [field, text] of edits.flatMap(({ entries = {} }) => Object.entries(entries))) {
    if (text === '') delete merged[field];
    else merged[field] = text;
  }
  const added = edits.flatMap(({ contact }) => contact ?? []);
  const ids = new Set(added.map(({ id }) => id));
  const contacts = [...(work.contacts ?? []).filter(({ id }) => !ids.has(id)), ...added];
  contacts.sort((a, b) => (a.at < b.at ? -1 : 1));
  return { ...(merged as AppClaim['work']), ...(contacts.length > 0 && { contacts }) };
}

/** The body of the PATCH request: a blank entry clears its field. */
export const requestBody = (entries: WorkEntries): Record<string, string | null> =>
  Object.fromEntries(
    Object.entries(entries).map(([field, text]) => [field, text.trim() === '' ? null : text]),
  );
