import type { AppClaim, LIMITS } from '@svc/contract';
import { CONTACT_RESULTS, type ContactResult, MAX_CONTACTS } from '@svc/domain';
import { Button } from '@svc/web-app/components/ui';
import { useRef, useState } from 'preact/hooks';
import { allTexts } from '../all-texts.ts';
import { drafts, preferences, serviceNow, showError, showToast, today, typed, work } from '../app.ts';
import type { Edits } from '../state/work.ts';

const MAX_CONTACT_NOTE_LENGTH: (typeof LIMITS)['contactNote']['max'] = 500;

const DATE_FIELDS: Partial<Record<ContactResult, 'contact_date' | 'inspection_date'>> = {
  reached: 'contact_date',
  inspected: 'inspection_date',
};

/** The log of attempts to reach the policyholder. */
export function useContactLog(claim: AppClaim) {
  const notes = typed.contactNotes;
  const note = notes.texts.value[claim.id] ?? '';
  const setNote = (text: string) => notes.keep([claim.id], text === '' ? undefined : text);
  const storing = useRef(false);
  const [last, setLast] = useState<string>();
  const log = (result: ContactResult) => {
    // A second tap before the first entry is stored would log its note twice.
    if (storing.current) return;
    const words = allTexts.value.work;
    if ((claim.work.contacts ?? []).length >= MAX_CONTACTS)
      return showToast(words.logFull(MAX_CONTACTS), 'error');
    const text = note.trim();
    // The field itself does not limit a note to which an undone one was added.
    if (text.length > MAX_CONTACT_NOTE_LENGTH)
      return showToast(words.noteTooLong(MAX_CONTACT_NOTE_LENGTH), 'error');
    const contact: Edits['contact'] = {
      id: crypto.randomUUID(),
      at: new Date(serviceNow()).toISOString(),
      result,
      ...(text !== '' && { note: text }),
    };
    // The first one also sets the date, which the forms print.
    const field = DATE_FIELDS[result];
    const isFirst = field !== undefined && claim.work[field] === undefined;
    const undoMs = preferences.value.undoSeconds * 1000;
    const edits: Edits = {
      contact,
      ...(isFirst && { entries: { [field]: today() }, base: { [field]: '' } }),
    };
    storing.current = true;
    work
      .logContact(claim.id, edits, undoMs)
      .then(setLast)
      .catch(showError)
      .finally(() => {
        storing.current = false;
      });
  };
  const undo = async () => {
    setLast(undefined);
    if (last !== undefined && !(await work.undoContact(claim.id, last)))
      showToast(allTexts.value.work.undoneTooLate);
  };
  return { note, setNote, log, undo, isUndoable: work.isUndoable(claim.id, last) };
}

/** Logs an attempt with one tap. */
export const ResultChips = ({ log }: { log: (result: ContactResult) => void }) => (
  <>
    {CONTACT_RESULTS.map((result) => (
      <button key={result} type="button" class="chip" onClick={() => log(result)}>
        {allTexts.value.contactResults[result]}
      </button>
    ))}
  </>
);

export function ContactLog({ claim, log }: { claim: AppClaim; log: ReturnType<typeof useContactLog> }) {
  const words = allTexts.value.work;
  return (
    <fieldset class="card stack contacts">
      <legend class="strong">{words.contacts}</legend>
      <ContactList claim={claim} />
      <div class="chips">
        <ResultChips log={log.log} />
        {/* It keeps its space, since what follows must not move under the finger. */}
        <Button
          kind="quiet"
          style={{ visibility: log.isUndoable ? 'visible' : 'hidden' }}
          onClick={() => void log.undo().catch(showError)}
        >
          {words.undoContact}
        </Button>
      </div>
      <div class="field">
        <label for="contact-note">{words.contactNote}</label>
        <input
          id="contact-note"
          data-stored
          maxLength={MAX_CONTACT_NOTE_LENGTH}
          value={log.note}
          onInput={(event) => log.setNote(event.currentTarget.value)}
        />
      </div>
    </fieldset>
  );
}

export function ContactList({ claim }: { claim: AppClaim }) {
  const { contacts = [] } = claim.work;
  if (contacts.length === 0) return null;
  return (
    <ul>
      {contacts.map((contact) => (
        <li key={contact.id}>{drafts.contactLine(contact)}</li>
      ))}
    </ul>
  );
}
