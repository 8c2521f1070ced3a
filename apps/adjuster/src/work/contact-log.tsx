import type { AppClaim } from '@svc/contract';
import { CONTACT_RESULTS, type ContactResult, MAX_CONTACTS } from '@svc/domain';
import { Button } from '@svc/web-app/components/ui';
import { useRef, useState } from 'preact/hooks';
import { allTexts } from '../all-texts.ts';
import { drafts, preferences, serviceNow, showError, showToast, today, typed, work } from '../app.ts';
import { contactEdits, MAX_CONTACT_NOTE_LENGTH } from '../model/contact-edits.ts';

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
    const made = { id: crypto.randomUUID(), at: new Date(serviceNow()).toISOString(), result };
    const edits = contactEdits(claim.work, made, note.trim(), today());
    if (edits === 'full') return showToast(words.logFull(MAX_CONTACTS), 'error');
    if (edits === 'long') return showToast(words.noteTooLong(MAX_CONTACT_NOTE_LENGTH), 'error');
    const undoMs = preferences.value.undoSeconds * 1000;
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
