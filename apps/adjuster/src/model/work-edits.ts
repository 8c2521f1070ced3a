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

export type ContactEntry = NonNullable<AppClaim['work']['contacts']>[number];

/** Saved on the device and not yet confirmed by the service. */
export interface PendingWork {
  readonly svcId: string;
  readonly entries: WorkEntries;
  readonly contacts: readonly ContactEntry[];
  /** The claim is to be closed after everything else is sent. */
  readonly close: boolean;
  /** Nothing of the claim is sent earlier, so that the last edit can be undone. */
  readonly notBefore?: number | undefined;
}

export type Edits = Partial<Omit<PendingWork, 'svcId'>>;

export const nothingPending = (svcId: string): PendingWork => ({
  svcId,
  entries: {},
  contacts: [],
  close: false,
});

/** The entries that differ from the saved ones. */
export function changedEntries(entries: WorkEntries, work: AppClaim['work']): WorkEntries {
  const changed = WORK_FIELDS.filter(
    (field) => entries[field] !== undefined && entries[field] !== (work[field] ?? ''),
  );
  return Object.fromEntries(changed.map((field) => [field, entries[field]]));
}

export const hasEntries = (entries: WorkEntries): boolean => Object.keys(entries).length > 0;

/** Adds later edits to those that are waiting; the later value of a field counts. */
export const mergedPending = (before: PendingWork, edits: Edits): PendingWork => ({
  svcId: before.svcId,
  entries: { ...before.entries, ...edits.entries },
  contacts: [
    ...before.contacts.filter(({ id }) => edits.contacts?.every((added) => added.id !== id) ?? true),
    ...(edits.contacts ?? []),
  ],
  close: before.close || edits.close === true,
  notBefore: edits.notBefore,
});

export const isHeld = ({ notBefore = 0 }: PendingWork, now: number): boolean => now < notBefore;

/** Only during the time the edits are held for: later they may have arrived, even without a response. */
export const canUndo = (pending: PendingWork, edits: Edits, now: number): boolean =>
  pending.notBefore === edits.notBefore && isHeld(pending, now);

/**
 * Edits that the service rejected, as entries that can still be read and saved. The contacts become lines of the notes.
 *
 * @param typed entries on the device, which are newer.
 * @param savedNotes of the claim.
 */
export function rejectedEntries(
  { entries, contacts }: PendingWork,
  typed: WorkEntries | undefined,
  savedNotes: string | undefined,
  lineOf: (contact: ContactEntry) => string,
): WorkEntries {
  const merged = { ...entries, ...typed };
  if (contacts.length === 0) return merged;
  const notes = [merged.notes ?? savedNotes, ...contacts.map(lineOf)].filter((part) => part);
  return { ...merged, notes: notes.join('\n') };
}

/** What still waits after these edits were confirmed or undone: edits made in the meantime stay. */
export function remainingPending(now: PendingWork, sent: Edits): PendingWork | undefined {
  const entries = Object.fromEntries(
    Object.entries(now.entries).filter(([field, text]) => sent.entries?.[field as WorkField] !== text),
  );
  const confirmed = new Set(sent.contacts?.map(({ id }) => id));
  const contacts = now.contacts.filter(({ id }) => !confirmed.has(id));
  const close = now.close && sent.close !== true;
  return hasEntries(entries) || contacts.length > 0 || close
    ? { ...now, entries, contacts, close }
    : undefined;
}

/** The work as it will be once everything that waits has arrived. */
export function workWithPending(work: AppClaim['work'], pending: PendingWork | undefined): AppClaim['work'] {
  if (pending === undefined) return work;
  const merged: Record<string, unknown> = { ...work };
  for (const [field, text] of Object.entries(pending.entries)) {
    if (text === '') delete merged[field];
    else merged[field] = text;
  }
  const ids = new Set(pending.contacts.map(({ id }) => id));
  const contacts = [...(work.contacts ?? []).filter(({ id }) => !ids.has(id)), ...pending.contacts];
  contacts.sort((a, b) => (a.at < b.at ? -1 : 1));
  return { ...(merged as AppClaim['work']), ...(contacts.length > 0 && { contacts }) };
}

/** The body of the request: an empty entry clears its field. */
export const requestBody = (entries: WorkEntries): Record<string, string | null> =>
  Object.fromEntries(
    Object.entries(entries).map(([field, text]) => [field, text.trim() === '' ? null : text]),
  );
