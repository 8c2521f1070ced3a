import './work.css';
import type { AppClaim, LIMITS } from '@svc/contract';
import { Dialog } from '@svc/web-app/components/dialog';
import { Section } from '@svc/web-app/components/facts';
import { Button, Note } from '@svc/web-app/components/ui';
import { useBusy } from '@svc/web-app/use-busy';
import { useRef, useState } from 'preact/hooks';
import { allTexts } from '../all-texts.ts';
import { drafts, go, lists, outbox, showError, showToast, texts, work } from '../app.ts';
import { NotSentYet } from '../components/not-sent-yet.tsx';
import { changedElsewhere, withoutOwn } from '../model/merge-edits.ts';
import { basesOf, changedEntries, hasEntries, type WorkField } from '../model/work-edits.ts';
import { useDraft } from './draft.ts';
import { DateField, TimeField } from './fields.tsx';
import { shareVisit } from './share-visit.ts';

const MAX_NOTES_LENGTH: (typeof LIMITS)['workNotes']['max'] = 4000;

/** The adjuster's own notes and dates on an open claim. `claim`: with the edits that are still on the device. */
export function WorkForm({ claim }: { claim: AppClaim }) {
  const words = allTexts.value.work;
  const [draft, enter] = useDraft(claim);
  const [busy, during] = useBusy();
  const [closing, setClosing] = useState(false);
  const form = useRef<HTMLFormElement>(null);

  const entered: AppClaim['work'] = { ...claim.work, ...draft };
  const base = basesOf(draft);
  const saved = lists.findClaim(claim.id)?.work ?? claim.work;
  const own = work.unsent(claim.id);
  const earlier = own.flatMap(({ entries, earlier = [] }) => [...earlier, ...(entries ? [entries] : [])]);
  const elsewhere = changedElsewhere(draft, withoutOwn(saved, base, earlier), saved);
  const changed = changedEntries(draft, claim.work);
  const hasChanged = hasEntries(changed);
  const unsent = own.filter((edit) => outbox.entryState(edit) !== 'held');

  const save = (event: Event) => {
    event.preventDefault();
    void during(async () => {
      // What was said of an earlier saving, which a later attempt has sent.
      drafts.takeMerged(claim.id);
      if ((await work.save(claim.id, changed, false, base)) === 'saved' && !drafts.takeMerged(claim.id))
        showToast(allTexts.value.saved, 'success');
    });
  };
  const close = () =>
    during(async () => {
      if ((await work.save(claim.id, changed, true, base)) !== 'saved') return;
      showToast(words.closedToast, 'success', '#/claims');
      go('#/claims');
    }).finally(() => setClosing(false));
  const labels = texts.value.workFields;
  const date = (field: WorkField) => (
    <DateField label={labels[field]} value={entered[field]} change={(value) => enter(field, value)} />
  );
  // As typed, so that the calendar never gets an earlier visit.
  const { planned_visit_date: visitDate, planned_visit_time: visitTime } = entered;

  return (
    <Section title={words.title}>
      <p class="muted">{words.lead}</p>
      <form class="form" data-stored ref={form} onSubmit={save}>
        <div class="field">
          <label for="notes">{labels.notes}</label>
          <textarea
            id="notes"
            rows={4}
            maxLength={MAX_NOTES_LENGTH}
            value={entered.notes ?? ''}
            onInput={(event) => enter('notes', event.currentTarget.value)}
          />
          {changed.notes !== undefined && (
            <div class="row">
              <Button kind="primary" type="submit" busy={busy}>
                {words.saveNotes}
              </Button>
            </div>
          )}
        </div>
        <div class="columns">
          {date('planned_visit_date')}
          <TimeField
            label={labels.planned_visit_time}
            value={visitTime}
            change={(value) => enter('planned_visit_time', value)}
          />
        </div>
        {visitDate && visitTime && (
          <Button kind="quiet" onClick={() => void shareVisit(claim, visitDate, visitTime).catch(showError)}>
            {words.calendar}
          </Button>
        )}
        <div class="columns">
          {date('contact_date')}
          {date('inspection_date')}
          {date('preliminary_report_date')}
          {date('proof_of_loss_date')}
        </div>
        {elsewhere.length > 0 && (
          <Note kind="warning">
            <p>{words.changedElsewhere}</p>
            <ul>
              {elsewhere.map((field) => (
                <li key={field} class="preformatted">
                  {labels[field]}: {saved[field]}
                </li>
              ))}
            </ul>
          </Note>
        )}
        {unsent.length > 0 && !busy && (
          <NotSentYet
            entries={unsent}
            waits={unsent.some((edit) => edit.close) ? words.closesLater : words.savedOffline}
          />
        )}
        <div class="row spread">
          <div class="row">
            <Button kind="primary" type="submit" busy={busy} disabled={!hasChanged}>
              {allTexts.value.save}
            </Button>
            {hasChanged && <span class="muted">{words.draft}</span>}
          </div>
          <Button
            kind="quiet"
            // An incomplete date has an empty value and would clear the saved one.
            onClick={() => form.current?.reportValidity() === true && setClosing(true)}
          >
            {words.close}
          </Button>
        </div>
      </form>
      {closing && (
        <Dialog title={words.closeTitle} close={() => setClosing(false)}>
          <p>{words.closeLead}</p>
          {hasChanged && <p class="strong">{words.closeUnsaved}</p>}
          <div class="row">
            <Button kind="primary" busy={busy} onClick={() => void close()}>
              {words.close}
            </Button>
            <Button onClick={() => setClosing(false)}>{allTexts.value.cancel}</Button>
          </div>
        </Dialog>
      )}
    </Section>
  );
}
