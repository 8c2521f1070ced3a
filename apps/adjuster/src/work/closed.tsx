import type { AppClaim } from '@svc/contract';
import { Facts, fact, Section } from '@svc/web-app/components/facts';
import { Note } from '@svc/web-app/components/ui';
import { allTexts } from '../all-texts.ts';
import { day, texts, timeOfDay } from '../app.ts';
import { changedEntries, WORK_FIELDS, type WorkEntries, type WorkField } from '../model/work-edits.ts';
import { ContactList } from './contact-log.tsx';
import { useDraft } from './draft.ts';

/** The adjuster's entries on a closed claim, read-only. */
export function ClosedWork({ claim }: { claim: AppClaim }) {
  const words = allTexts.value.work;
  const [draft] = useDraft(claim);
  const remaining = changedEntries(draft, claim.work);
  const shown = (field: WorkField, text: string) =>
    field === 'notes' ? (
      <span class="preformatted">{text}</span>
    ) : field === 'planned_visit_time' ? (
      timeOfDay(text)
    ) : (
      day(text)
    );
  const entries = (work: WorkEntries | AppClaim['work']) => (
    <Facts
      facts={WORK_FIELDS.map((field) =>
        fact(texts.value.workFields[field], work[field] || null, (text) => shown(field, text)),
      )}
    />
  );
  const hasUnsaved = Object.values(remaining).some((text) => text !== '');
  const isEntered = WORK_FIELDS.some((field) => claim.work[field]) || claim.work.contacts?.[0] !== undefined;
  if (!isEntered && !hasUnsaved) return null;
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
