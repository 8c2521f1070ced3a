import type { AppClaim, LIMITS } from '@svc/contract';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Facts, fact, Section } from '../components/facts.tsx';
import { NotSentYet } from '../components/not-sent-yet.tsx';
import { Button, Dialog, Note } from '../components/ui.tsx';
import { storage } from '../data/storage.ts';
import { addressText, dateTime, day, timeOfDay, titleOf, today } from '../format.ts';
import { calendarFile } from '../model/calendar-file.ts';
import { deadlinesOf } from '../model/deadlines.ts';
import {
  type ContactEntry,
  changedEntries,
  hasEntries,
  type WorkEntries,
  type WorkField,
} from '../model/work-edits.ts';
import { go } from '../navigation.ts';
import { now } from '../state/clock.ts';
import { deadlineOverrides } from '../state/deadlines.ts';
import { contactLine, rejections } from '../state/drafts.ts';
import { moreTexts, texts } from '../state/more-texts.ts';
import { entryState } from '../state/outbox.ts';
import { preferences } from '../state/preferences.ts';
import { showError, showToast } from '../state/toast.ts';
import { typedNotes } from '../state/typed.ts';
import {
  type Edits,
  isWorkUndoable,
  logContact,
  saveWork,
  undoWork,
  unsentWork,
  withOwnEdits,
} from '../state/work.ts';

const MAX_NOTES_LENGTH: (typeof LIMITS)['workNotes']['max'] = 4000;
const MAX_CONTACT_NOTE_LENGTH: (typeof LIMITS)['contactNote']['max'] = 500;
const MAX_CONTACTS: (typeof LIMITS)['contactsPerClaim'] = 200;
const VISIT_MINUTES = 60;

/** Unsaved entries, stored on the device until they are saved. */
function useDraft(claimId: string): [WorkEntries, (change: (before: WorkEntries) => WorkEntries) => void] {
  const name = `draft:${claimId}` as const;
  const [draft, setDraft] = useState<WorkEntries>({});
  const latest = useRef<WorkEntries>({});
  const update = (change: (before: WorkEntries) => WorkEntries): void => {
    latest.current = change(latest.current);
    setDraft(latest.current);
    const stored = hasEntries(latest.current) ? storage.put(name, latest.current) : storage.remove(name);
    void stored.catch(() => {});
  };
  const rejected = rejections.value;
  const seen = useRef(rejected);
  useEffect(() => {
    // Entries typed while this was loading are newer, but what the service rejected was added to all that was typed.
    const isNewer = rejected !== seen.current;
    seen.current = rejected;
    void storage
      .get(name)
      .then(
        (stored) =>
          stored !== undefined &&
          update((typed) => (isNewer ? { ...typed, ...stored } : { ...stored, ...typed })),
      )
      .catch(() => {});
  }, [name, rejected]);
  return [draft, update];
}

/** The adjuster's own dates, contacts and notes on an open claim. */
export function Work({ claim }: { claim: AppClaim }) {
  const words = texts.value.work;
  const [draft, updateDraft] = useDraft(claim.id);
  const [busy, setBusy] = useState(false);
  const [closing, setClosing] = useState(false);
  const form = useRef<HTMLFormElement>(null);

  const own = withOwnEdits(claim);
  const entered = { ...own.work, ...draft };
  const changed = changedEntries(draft, own.work);
  const hasChanged = hasEntries(changed);
  const unsent = unsentWork(claim.id).filter((edit) => entryState(edit) !== 'held');
  const enter = (field: WorkField, value: string): void =>
    updateDraft((before) => ({ ...before, [field]: value }));

  const during = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      showError(error);
    } finally {
      setBusy(false);
      setClosing(false);
    }
  };
  const saveChanges = async (close: boolean): Promise<'saved' | 'waiting' | 'rejected'> => {
    const result = await saveWork(claim.id, changed, close);
    // Entries typed since the request was sent stay in the draft.
    if (result !== 'rejected')
      updateDraft((typed) =>
        Object.fromEntries(
          Object.entries(typed).filter(([field, text]) => changed[field as WorkField] !== text),
        ),
      );
    return result;
  };
  const save = (event: Event) => {
    event.preventDefault();
    void during(async () => {
      if ((await saveChanges(false)) === 'saved') showToast(texts.value.saved, 'success');
    });
  };
  const close = () =>
    during(async () => {
      const result = await saveChanges(true);
      if (result !== 'saved') return;
      showToast(words.doneToast, 'success', '#/claims');
      go('#/claims');
    });
  const date = (field: WorkField, label: string) => (
    <DateField label={label} value={entered[field]?.toString()} change={(value) => enter(field, value)} />
  );
  // As typed, so that the calendar never gets an earlier visit.
  const { planned_visit_date: visitDate, planned_visit_time: visitTime } = entered;

  return (
    <Section title={words.title}>
      <p class="muted">{words.lead}</p>
      <Deadlines claim={own} />
      <Contacts claim={own} />
      <form class="form" data-stored ref={form} onSubmit={save}>
        <div class="columns">
          {date('planned_visit_date', words.visit)}
          <TimeField
            value={entered.planned_visit_time}
            change={(value) => enter('planned_visit_time', value)}
          />
        </div>
        {visitDate && visitTime && (
          <Button kind="quiet" onClick={() => void shareVisit(own, visitDate, visitTime).catch(showError)}>
            {words.calendar}
          </Button>
        )}
        <div class="columns">
          {date('contact_date', words.contact)}
          {date('inspection_date', words.inspection)}
          {date('preliminary_report_date', words.preliminaryReport)}
          {date('proof_of_loss_date', words.proofOfLoss)}
        </div>
        <div class="field">
          <label for="notes">{words.notes}</label>
          <textarea
            id="notes"
            rows={4}
            maxLength={MAX_NOTES_LENGTH}
            value={entered.notes ?? ''}
            onInput={(event) => enter('notes', event.currentTarget.value)}
          />
        </div>
        {unsent.length > 0 && !busy && (
          <NotSentYet
            entries={unsent}
            waits={unsent.some(({ close }) => close) ? words.closesLater : words.savedOffline}
          />
        )}
        <div class="row spread">
          <div class="row">
            <Button kind="primary" type="submit" busy={busy} disabled={!hasChanged}>
              {texts.value.save}
            </Button>
            {hasChanged && <span class="muted">{words.draft}</span>}
          </div>
          <Button
            kind="quiet"
            // An incomplete date has an empty value and would clear the saved one.
            onClick={() => form.current?.reportValidity() === true && setClosing(true)}
          >
            {words.done}
          </Button>
        </div>
      </form>
      {closing && (
        <Dialog title={words.doneTitle} close={() => setClosing(false)}>
          <p>{words.doneLead}</p>
          {hasChanged && <p class="strong">{words.doneUnsaved}</p>}
          <div class="row">
            <Button kind="primary" busy={busy} onClick={() => void close()}>
              {words.doneConfirm}
            </Button>
            <Button onClick={() => setClosing(false)}>{texts.value.cancel}</Button>
          </div>
        </Dialog>
      )}
    </Section>
  );
}

/** What is due, with the rule it comes from. */
function Deadlines({ claim }: { claim: AppClaim }) {
  const words = texts.value.deadlines;
  const due = deadlinesOf(claim, deadlineOverrides.value);
  if (due.length === 0) return null;
  return (
    <div>
      <ul class="deadlines" aria-label={words.title}>
        {due.map(({ kind, at }) => (
          <li key={kind}>
            <span class="strong">{words.kinds[kind]}</span>
            <span class={`pill ${at < now.value ? 'warning' : 'neutral'}`}>{words.due(dateTime(at))}</span>
          </li>
        ))}
      </ul>
      <details>
        <summary>{words.sources}</summary>
        {due.map(({ kind, source }) => (
          <p key={kind} class="muted">
            {source}
          </p>
        ))}
      </details>
    </div>
  );
}

/** Attempts to reach the policyholder, logged with one tap. */
function Contacts({ claim }: { claim: AppClaim }) {
  const words = texts.value.work;
  const note = typedNotes.texts.value[claim.id] ?? '';
  const setNote = (text: string) => typedNotes.keep([claim.id], text === '' ? undefined : text);
  const [last, setLast] = useState<{ readonly id: string | undefined; readonly note: string }>();
  const isUndoable = isWorkUndoable(claim.id, last?.id);
  const log = (result: 'reached' | 'left_message' | 'no_answer') => {
    if ((claim.work.contacts ?? []).length >= MAX_CONTACTS)
      return showToast(moreTexts.value.work.logFull(MAX_CONTACTS), 'error');
    const text = note.trim();
    // The field itself does not limit a note to which an undone one was added.
    if (text.length > MAX_CONTACT_NOTE_LENGTH)
      return showToast(moreTexts.value.work.noteTooLong(MAX_CONTACT_NOTE_LENGTH), 'error');
    const contact: ContactEntry = {
      id: crypto.randomUUID(),
      at: new Date().toISOString(),
      result,
      ...(text !== '' && { note: text }),
    };
    const isFirst = result === 'reached' && claim.work.contact_date === undefined;
    const undoMs = preferences.value.undoSeconds * 1000;
    const edits: Edits = {
      contact,
      ...(isFirst && { entries: { contact_date: today() } }),
    };
    setNote('');
    logContact(claim.id, edits, undoMs).then((id) => setLast({ id, note: text }), showError);
  };
  const undo = async () => {
    setLast(undefined);
    if (last?.id === undefined) return;
    if (!(await undoWork(last.id))) return showToast(moreTexts.value.work.undoneTooLate);
    // What was typed since then stays, after the entry's note.
    const typed = typedNotes.texts.value[claim.id];
    setNote([last.note, typed].filter((part) => part).join(' '));
  };
  return (
    <fieldset class="stack contacts">
      <legend class="strong">{words.contacts}</legend>
      <ContactList claim={claim} />
      <div class="field">
        <label for="contact-note">{words.contactNote}</label>
        <input
          id="contact-note"
          data-stored
          maxLength={MAX_CONTACT_NOTE_LENGTH}
          value={note}
          onInput={(event) => setNote(event.currentTarget.value)}
        />
      </div>
      <div class="chips">
        {(['reached', 'left_message', 'no_answer'] as const).map((result) => (
          <button key={result} type="button" class="chip" onClick={() => log(result)}>
            {words.contactResults[result]}
          </button>
        ))}
        {/* It keeps its space, since what follows must not move under the finger. */}
        <Button
          kind="quiet"
          style={{ visibility: isUndoable ? 'visible' : 'hidden' }}
          onClick={() => void undo().catch(showError)}
        >
          {moreTexts.value.work.undoContact}
        </Button>
      </div>
    </fieldset>
  );
}

function ContactList({ claim }: { claim: AppClaim }) {
  const { contacts = [] } = claim.work;
  if (contacts.length === 0) return null;
  return (
    <ul>
      {contacts.map((contact) => (
        <li key={contact.id}>{contactLine(contact)}</li>
      ))}
    </ul>
  );
}

/** Hands the planned visit to the phone's calendar: by its share sheet, or as a file. */
async function shareVisit(claim: AppClaim, date: string, time: string): Promise<void> {
  const { work, claim: words } = texts.value;
  const content = calendarFile(
    {
      id: claim.id,
      start: `${date}T${time}`,
      minutes: VISIT_MINUTES,
      title: work.visitTitle(titleOf(claim)),
      place: addressText(claim.loss_location),
      description: `${words.number}: ${claim.claim_number}\n${claim.policyholder.phone ?? ''}`.trim(),
    },
    Date.now(),
  );
  const file = new File([content], 'visit.ics', { type: 'text/calendar' });
  if (navigator.canShare?.({ files: [file] }) === true) {
    await navigator.share({ files: [file] }).catch((error: unknown) => {
      if (!(error instanceof DOMException && error.name === 'AbortError')) throw error;
    });
    return;
  }
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = file.name;
  link.click();
  URL.revokeObjectURL(url);
}

function DateField(props: {
  readonly label: string;
  readonly value: string | undefined;
  readonly change: (value: string) => void;
}) {
  const words = texts.value.work;
  const id = useId();
  const empty = (props.value ?? '') === '';
  const shortcut = empty ? words.today : words.clear;
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <div class="date">
        <input
          id={id}
          type="date"
          value={props.value ?? ''}
          onInput={(event) => props.change(event.currentTarget.value)}
        />
        <Button
          kind="quiet"
          aria-label={`${shortcut}: ${props.label}`}
          onClick={() => props.change(empty ? today() : '')}
        >
          {shortcut}
        </Button>
      </div>
    </div>
  );
}

function TimeField(props: { readonly value: string | undefined; readonly change: (value: string) => void }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{texts.value.work.visitTime}</label>
      <input
        id={id}
        type="time"
        value={props.value ?? ''}
        onInput={(event) => props.change(event.currentTarget.value)}
      />
    </div>
  );
}

/** The adjuster's entries on a closed claim, read-only. */
export function ClosedWork({ claim }: { claim: AppClaim }) {
  const words = texts.value.work;
  const [draft] = useDraft(claim.id);
  const remaining = changedEntries(draft, claim.work);
  const entries = (work: WorkEntries | AppClaim['work']) => (
    <Facts
      facts={[
        fact(words.visit, work.planned_visit_date || null, day),
        fact(words.visitTime, work.planned_visit_time || null, timeOfDay),
        fact(words.contact, work.contact_date || null, day),
        fact(words.inspection, work.inspection_date || null, day),
        fact(words.preliminaryReport, work.preliminary_report_date || null, day),
        fact(words.proofOfLoss, work.proof_of_loss_date || null, day),
        fact(words.notes, work.notes || null, (text) => <span class="preformatted">{text}</span>),
      ]}
    />
  );
  const hasUnsaved = Object.values(remaining).some((text) => text !== '');
  if (Object.keys(claim.work).length === 0 && !hasUnsaved) return null;
  return (
    <Section title={words.title}>
      {entries(claim.work)}
      {claim.work.contacts?.[0] !== undefined && <h3>{words.contacts}</h3>}
      <ContactList claim={claim} />
      {hasUnsaved && (
        <Note kind="warning">
          <p>{words.notSaved}</p>
          {entries(remaining)}
        </Note>
      )}
    </Section>
  );
}
