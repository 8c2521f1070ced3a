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
  /** The claim's edits are not sent before this time, so that the last one can be undone. */
  readonly notBefore?: number | undefined;
}

export type Edits = Partial<Omit<PendingWork, 'svcId'>>;

export const emptyPendingWork = (svcId: string): PendingWork => ({
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

/** Adds later edits to those that are waiting; a later value replaces an earlier one. */
export const mergePending = (pending: PendingWork, edits: Edits): PendingWork => ({
  svcId: pending.svcId,
  entries: { ...pending.entries, ...edits.entries },
  contacts: [
    ...pending.contacts.filter(({ id }) => edits.contacts?.every((added) => added.id !== id) ?? true),
    ...(edits.contacts ?? []),
  ],
  close: pending.close || edits.close === true,
  notBefore: edits.notBefore,
});

export const isDelayed = ({ notBefore = 0 }: PendingWork, now: number): boolean => now < notBefore;

/** Only before they may be sent: afterwards the service may have received them even without a response. */
export const canUndo = (pending: PendingWork, edits: Edits, now: number): boolean =>
  pending.notBefore === edits.notBefore && isDelayed(pending, now);

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
export function remainingPending(pending: PendingWork, sent: Edits): PendingWork | undefined {
  const entries = Object.fromEntries(
    Object.entries(pending.entries).filter(([field, text]) => sent.entries?.[field as WorkField] !== text),
  );
  const confirmed = new Set(sent.contacts?.map(({ id }) => id));
  const contacts = pending.contacts.filter(({ id }) => !confirmed.has(id));
  const close = pending.close && sent.close !== true;
  return hasEntries(entries) || contacts.length > 0 || close
    ? { ...pending, entries, contacts, close }
    : undefined;
}

/** The work with all pending edits applied. */
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

/** The body of the PATCH request: a blank entry clears its field. */
export const requestBody = (entries: WorkEntries): Record<string, string | null> =>
  Object.fromEntries(
    Object.entries(entries).map(([field, text]) => [field, text.trim() === '' ? null : text]),
  );
