import type { AppClaim } from '@svc/contract';
import { Section } from '@svc/web-app/components/facts';
import { allTexts } from '../all-texts.ts';
import { dateTime, deadlines, now } from '../app.ts';
import { deadlinesOf } from '../model/deadlines.ts';

/** What is due, with the rule it comes from. */
export function Deadlines({ claim }: { claim: AppClaim }) {
  const { deadlines: common, dueDates: words } = allTexts.value;
  const due = deadlinesOf(claim, deadlines.overrides.value);
  if (due.length === 0) return null;
  return (
    <Section title={words.title}>
      <ul class="deadlines">
        {due.map(({ kind, at }) => (
          <li key={kind}>
            <span class="strong">{common.kinds[kind]}</span>
            <span class={`pill ${at < now.value ? 'warning' : 'neutral'}`}>
              {at < now.value ? words.overdue(dateTime(at)) : words.due(dateTime(at))}
            </span>
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
    </Section>
  );
}
