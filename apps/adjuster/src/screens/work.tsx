import type { AppClaim, LIMITS } from '@svc/contract';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Facts, fact, Section } from '../components/facts.tsx';
import { Button, Dialog, Note } from '../components/ui.tsx';
import { ApiError, call, NetworkError } from '../data/api.ts';
import { type Draft, storage } from '../data/storage.ts';
import { day, today } from '../format.ts';
import { go } from '../navigation.ts';
import { texts } from '../state/language.ts';
import { refresh, updateClaim } from '../state/lists.ts';
import { request } from '../state/session.ts';
import { showError, showToast } from '../state/toast.ts';

const MAX_NOTES_LENGTH: (typeof LIMITS)['workNotes']['max'] = 4000;

const FIELDS = ['contact_date', 'inspection_date', 'notes'] as const;

/** The entries of a draft that differ from the saved ones. */
function unsaved(draft: Draft, { work }: AppClaim): Draft {
  const changed = FIELDS.filter(
    (field) => draft[field] !== undefined && draft[field] !== (work[field] ?? ''),
  );
  return Object.fromEntries(changed.map((field) => [field, draft[field]]));
}

/** Unsaved entries, stored on the device until they are saved. */
function useDraft(claimId: string): [Draft, (change: (before: Draft) => Draft) => void] {
  const name = `draft:${claimId}` as const;
  const [draft, setDraft] = useState<Draft>({});
  const latest = useRef<Draft>({});
  const update = (change: (before: Draft) => Draft): void => {
    latest.current = change(latest.current);
    setDraft(latest.current);
    const stored =
      Object.keys(latest.current).length === 0 ? storage.remove(name) : storage.put(name, latest.current);
    void stored.catch(() => {});
  };
  useEffect(() => {
    void storage
      .get(name)
      // Entries typed while this was loading are newer.
      .then((stored) => stored !== undefined && update((typed) => ({ ...stored, ...typed })))
      .catch(() => {});
  }, [name]);
  return [draft, update];
}

/** The adjuster's own dates and notes on an open claim. */
export function Work({ claim }: { claim: AppClaim }) {
  const words = texts.value.work;
  const [draft, updateDraft] = useDraft(claim.id);
  const [busy, setBusy] = useState(false);
  const [offline, setOffline] = useState(false);
  const [closing, setClosing] = useState(false);
  const form = useRef<HTMLFormElement>(null);

  const entered = { ...claim.work, ...draft };
  const changed = unsaved(draft, claim);
  const hasChanged = Object.keys(changed).length > 0;
  const enter = (field: keyof Draft, value: string): void =>
    updateDraft((before) => ({ ...before, [field]: value }));

  const during = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setOffline(false);
    try {
      await work();
    } catch (error) {
      showError(error);
      // The claim was probably closed or reassigned; show its current state.
      if (error instanceof ApiError && error.status !== 401) void refresh();
    } finally {
      setBusy(false);
      setClosing(false);
    }
  };
  /** Returns false when offline; the entries stay on the device. */
  const saveChanges = async (): Promise<boolean> => {
    const edits = Object.entries(changed).map(([field, text]) => [field, text.trim() === '' ? null : text]);
    try {
      const saved = await request(() =>
        call<AppClaim>('PATCH', `v1/claims/${claim.id}/work`, Object.fromEntries(edits)),
      );
      // Entries typed since the request was sent stay in the draft.
      updateDraft((typed) =>
        Object.fromEntries(
          Object.entries(unsaved(typed, saved)).filter(
            ([field, text]) => changed[field as keyof Draft] !== text,
          ),
        ),
      );
      updateClaim(saved);
      return true;
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error;
      setOffline(true);
      return false;
    }
  };
  const save = (event: Event) => {
    event.preventDefault();
    void during(async () => {
      if (await saveChanges()) showToast(texts.value.saved, 'success');
    });
  };
  const close = () =>
    during(async () => {
      if (hasChanged && !(await saveChanges())) return;
      updateClaim(await request(() => call<AppClaim>('POST', `v1/claims/${claim.id}/closure`)));
      showToast(words.doneToast, 'success');
      go('#/claims');
    });

  return (
    <Section title={words.title}>
      <p class="muted">{words.lead}</p>
      <form class="form" ref={form} onSubmit={save}>
        <div class="columns">
          <DateField
            label={words.contact}
            value={entered.contact_date}
            change={(value) => enter('contact_date', value)}
          />
          <DateField
            label={words.inspection}
            value={entered.inspection_date}
            change={(value) => enter('inspection_date', value)}
          />
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
        {offline && (
          <Note kind="warning" icon="cloud">
            <p role="status">{words.storedOffline}</p>
          </Note>
        )}
        <div class="row spread">
          <div class="row">
            <Button kind="primary" type="submit" busy={busy} disabled={!hasChanged}>
              {texts.value.save}
            </Button>
            {hasChanged && !offline && <span class="muted">{words.draft}</span>}
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

/** The adjuster's entries on a closed claim, read-only. */
export function ClosedWork({ claim }: { claim: AppClaim }) {
  const words = texts.value.work;
  const [draft] = useDraft(claim.id);
  const remaining = unsaved(draft, claim);
  const entries = ({ contact_date, inspection_date, notes }: AppClaim['work']) => (
    <Facts
      facts={[
        fact(words.contact, contact_date || null, day),
        fact(words.inspection, inspection_date || null, day),
        fact(words.notes, notes || null, (text) => <span class="preformatted">{text}</span>),
      ]}
    />
  );
  const hasUnsaved = Object.values(remaining).some((text) => text !== '');
  if (Object.keys(claim.work).length === 0 && !hasUnsaved) return null;
  return (
    <Section title={words.title}>
      {entries(claim.work)}
      {hasUnsaved && (
        <Note kind="warning">
          <p>{words.notSaved}</p>
          {entries(remaining)}
        </Note>
      )}
    </Section>
  );
}
