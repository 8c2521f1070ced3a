import type { AppClaim, LIMITS } from '@svc/contract';
import { useEffect, useId, useState } from 'preact/hooks';
import { call, Unreachable } from '../data/api.ts';
import { type Draft, kept } from '../data/kept.ts';
import { today } from '../format.ts';
import { Section } from '../parts/facts.tsx';
import { Button, Dialog, Note } from '../parts/ui.tsx';
import { go } from '../route.ts';
import { ask, complain, place, say, texts } from '../state.ts';

const LONGEST_NOTES: (typeof LIMITS)['workNotes']['max'] = 4000;

/** The adjuster's own dates and notes. What is typed is kept on the device until the service has it. */
export function Work({ claim }: { claim: AppClaim }) {
  const words = texts.value.work;
  const [draft, setDraft] = useState<Draft>({});
  const [busy, setBusy] = useState(false);
  const [offline, setOffline] = useState(false);
  const [closing, setClosing] = useState(false);
  const name = `draft:${claim.id}` as const;
  useEffect(() => {
    void kept
      .get(name)
      .then((held) => held !== undefined && setDraft(held))
      .catch(() => {});
  }, [name]);

  const entered = { ...claim.work, ...draft };
  const changed = (['contact_date', 'inspection_date', 'notes'] as const).filter(
    (field) => draft[field] !== undefined && draft[field] !== (claim.work[field] ?? ''),
  );
  const enter = (field: keyof Draft, value: string): void => {
    const next = { ...draft, [field]: value };
    setDraft(next);
    void kept.put(name, next).catch(() => {});
  };
  /** @param keeps whether what was entered is on the device when it cannot be sent */
  const during = async (keeps: boolean, work: () => Promise<void>): Promise<boolean> => {
    setBusy(true);
    setOffline(false);
    try {
      await ask(work);
      return true;
    } catch (error) {
      if (keeps && error instanceof Unreachable) setOffline(true);
      else complain(error);
      return false;
    } finally {
      setBusy(false);
    }
  };
  const save = (event: Event) => {
    event.preventDefault();
    void during(true, async () => {
      const edits = Object.fromEntries(changed.map((field) => [field, draft[field]]));
      place(await call<AppClaim>('PATCH', `v1/claims/${claim.id}/work`, edits));
      setDraft({});
      await kept.remove(name).catch(() => {});
      say(texts.value.saved, 'good');
    });
  };
  const close = async (): Promise<void> => {
    const closed = await during(false, async () => {
      place(await call<AppClaim>('POST', `v1/claims/${claim.id}/closure`));
    });
    setClosing(false);
    if (!closed) return;
    say(words.doneToast, 'good');
    go('#/claims');
  };

  return (
    <Section title={words.title}>
      <p class="muted">{words.lead}</p>
      <form class="form" onSubmit={save}>
        <div class="two">
          <DateField
            label={words.contact}
            value={entered.contact_date}
            required={claim.work.contact_date !== undefined}
            change={(value) => enter('contact_date', value)}
          />
          <DateField
            label={words.inspection}
            value={entered.inspection_date}
            required={claim.work.inspection_date !== undefined}
            change={(value) => enter('inspection_date', value)}
          />
        </div>
        <div class="field">
          <label for="notes">{words.notes}</label>
          <textarea
            id="notes"
            rows={4}
            maxLength={LONGEST_NOTES}
            required={claim.work.notes !== undefined}
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
            <Button kind="primary" type="submit" busy={busy} disabled={changed.length === 0}>
              {texts.value.save}
            </Button>
            {changed.length > 0 && !offline && <span class="muted">{words.draft}</span>}
          </div>
          <Button kind="quiet" onClick={() => setClosing(true)}>
            {words.done}
          </Button>
        </div>
      </form>
      {closing && (
        <Dialog title={words.doneTitle} close={() => setClosing(false)}>
          <p>{words.doneLead}</p>
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
  /** What was saved can be changed, and not be taken back. */
  readonly required: boolean;
  readonly change: (value: string) => void;
}) {
  const { today: todayWord } = texts.value.work;
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <div class="date">
        <input
          id={id}
          type="date"
          required={props.required}
          value={props.value ?? ''}
          onInput={(event) => props.change(event.currentTarget.value)}
        />
        {(props.value ?? '') === '' && (
          <Button
            kind="quiet"
            aria-label={`${todayWord}: ${props.label}`}
            onClick={() => props.change(today())}
          >
            {todayWord}
          </Button>
        )}
      </div>
    </div>
  );
}
