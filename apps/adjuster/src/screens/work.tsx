import type { AppClaim, LIMITS } from '@svc/contract';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { call, Refusal, Unreachable } from '../data/api.ts';
import { type Draft, kept } from '../data/kept.ts';
import { day, today } from '../format.ts';
import { Facts, fact, Section } from '../parts/facts.tsx';
import { Button, Dialog, Note } from '../parts/ui.tsx';
import { go } from '../route.ts';
import { ask, complain, place, refresh, say, texts } from '../state.ts';

const LONGEST_NOTES: (typeof LIMITS)['workNotes']['max'] = 4000;

const FIELDS = ['contact_date', 'inspection_date', 'notes'] as const;

/** The entries of a draft that differ from what the service has. */
function unsaved(draft: Draft, { work }: AppClaim): Draft {
  const changed = FIELDS.filter(
    (field) => draft[field] !== undefined && draft[field] !== (work[field] ?? ''),
  );
  return Object.fromEntries(changed.map((field) => [field, draft[field]]));
}

/** What was typed and not saved yet, which is stored on the device until the service has it. */
function useDraft(claimId: string): [Draft, (change: (before: Draft) => Draft) => void] {
  const name = `draft:${claimId}` as const;
  const [draft, setDraft] = useState<Draft>({});
  const latest = useRef<Draft>({});
  const update = (change: (before: Draft) => Draft): void => {
    latest.current = change(latest.current);
    setDraft(latest.current);
    const stored =
      Object.keys(latest.current).length === 0 ? kept.remove(name) : kept.put(name, latest.current);
    void stored.catch(() => {});
  };
  useEffect(() => {
    void kept
      .get(name)
      // What was typed while this was read is newer.
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
      complain(error);
      // Closed or taken away in the meantime: the claim as it is now explains the error.
      if (error instanceof Refusal && error.status !== 401) void refresh();
    } finally {
      setBusy(false);
      setClosing(false);
    }
  };
  /** False without a network; the entries then stay on the device. */
  const saveChanges = async (): Promise<boolean> => {
    const edits = Object.entries(changed).map(([field, text]) => [field, text.trim() === '' ? null : text]);
    try {
      const saved = await ask(() =>
        call<AppClaim>('PATCH', `v1/claims/${claim.id}/work`, Object.fromEntries(edits)),
      );
      // What was typed since the request was sent stays in the draft.
      updateDraft((typed) =>
        Object.fromEntries(
          Object.entries(unsaved(typed, saved)).filter(
            ([field, text]) => changed[field as keyof Draft] !== text,
          ),
        ),
      );
      place(saved);
      return true;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      setOffline(true);
      return false;
    }
  };
  const save = (event: Event) => {
    event.preventDefault();
    void during(async () => {
      if (await saveChanges()) say(texts.value.saved, 'good');
    });
  };
  const close = () =>
    during(async () => {
      if (hasChanged && !(await saveChanges())) return;
      place(await ask(() => call<AppClaim>('POST', `v1/claims/${claim.id}/closure`)));
      say(words.doneToast, 'good');
      go('#/claims');
    });

  return (
    <Section title={words.title}>
      <p class="muted">{words.lead}</p>
      <form class="form" ref={form} onSubmit={save}>
        <div class="two">
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
            maxLength={LONGEST_NOTES}
            value={entered.notes ?? ''}
            onInput={(event) => enter('notes', event.currentTarget.value)}
          />
        </div>
        {offline && (
          <Note kind="warn" icon="cloud">
            <p role="status">{words.keptHere}</p>
          </Note>
        )}
        <div class="between">
          <div class="beside">
            <Button kind="primary" type="submit" busy={busy} disabled={!hasChanged}>
              {texts.value.save}
            </Button>
            {hasChanged && !offline && <span class="muted">{words.draft}</span>}
          </div>
          <Button
            kind="quiet"
            // A half-typed date has no value and would be saved as cleared.
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
          <div class="beside">
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

/** What was entered on a claim that is closed by now, which can be read and not changed. */
export function ClosedWork({ claim }: { claim: AppClaim }) {
  const words = texts.value.work;
  const [draft] = useDraft(claim.id);
  const left = unsaved(draft, claim);
  const entries = ({ contact_date, inspection_date, notes }: AppClaim['work']) => (
    <Facts
      facts={[
        fact(words.contact, contact_date || null, day),
        fact(words.inspection, inspection_date || null, day),
        fact(words.notes, notes || null, (text) => <span class="as-written">{text}</span>),
      ]}
    />
  );
  const lost = Object.values(left).some((text) => text !== '');
  if (Object.keys(claim.work).length === 0 && !lost) return null;
  return (
    <Section title={words.title}>
      {entries(claim.work)}
      {lost && (
        <Note kind="warn">
          <p>{words.notSaved}</p>
          {entries(left)}
        </Note>
      )}
    </Section>
  );
}
