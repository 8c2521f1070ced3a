import type { AppClaim } from '@svc/contract';
import { Facts, fact, Section } from '@svc/web-app/components/facts';
import { Note } from '@svc/web-app/components/ui';
import { allTexts } from '../all-texts.ts';
import { day, timeOfDay } from '../app.ts';
import { changedEntries, type WorkEntries } from '../model/work-edits.ts';
import { ContactList } from './contact-log.tsx';
import { useDraft } from './draft.ts';

/** The adjuster's entries on a closed claim, read-only. */
export function ClosedWork({ claim }: { claim: AppClaim }) {
  const words = allTexts.value.work;
  const [draft] = useDraft(claim);
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
