import { ApiError } from '@svc/web-app/api-error';
import { Facts, fact, Section } from '@svc/web-app/components/facts';
import { Field } from '@svc/web-app/components/field';
import { Button, Note } from '@svc/web-app/components/ui';
import { useBusy } from '@svc/web-app/use-busy';
import { useReading } from '@svc/web-app/use-reading';
import { useState } from 'preact/hooks';
import { call, can, dateTime, day, desk, texts as pageTexts, request, showError, showToast } from '../app.ts';
import type { BoardClaimDetails, Clocks } from '../endpoints.ts';
import { NUMBERS, ruleOf, TEXTS, type TypedRule, typedRule } from '../state/clock-rules.ts';
import { CLOCK_TEXTS } from '../texts/clocks.ts';

const texts = () => CLOCK_TEXTS[desk.language.language.value];

type StepClock = NonNullable<BoardClaimDetails['clocks']>['first_contact'];

/** When the policyholder was reached and the property inspected, where the adjuster lets the firm see it. */
export function ClaimClocks({ clocks }: { readonly clocks: BoardClaimDetails['clocks'] }) {
  const words = texts();
  return (
    <Section title={words.title}>
      {clocks === null ? (
        <p class="muted">{words.notShared}</p>
      ) : (
        <Facts
          facts={[
            [words.steps.first_contact, <Step key="contact" step={clocks.first_contact} />],
            [words.steps.inspection, <Step key="inspection" step={clocks.inspection} />],
            fact(words.reportDue, clocks.report_due_at, dateTime),
          ]}
        />
      )}
    </Section>
  );
}

/** Both times, so that an earlier time that was entered afterwards shows. */
function Step({ step }: { readonly step: StepClock }) {
  const words = texts();
  const { at, device_at, date, due_at, late } = step;
  return (
    <>
      {late && <span class="pill error">{words.late}</span>}{' '}
      {device_at !== null && <span class="line">{words.onDevice(dateTime(device_at))}</span>}
      {at !== null && <span class="line">{words.received(dateTime(at))}</span>}
      {date !== null && <span class="line">{words.dateOnly(day(date))}</span>}
      {device_at === null && date === null && <span class="line">{words.notYet}</span>}
      <span class="line muted">{due_at === null ? words.afterContact : words.due(dateTime(due_at))}</span>
    </>
  );
}

/** The rules of the firm, for everybody to read and for administrators to change. */
export function ClocksEditor() {
  const words = texts();
  const [seen, setSeen] = useState<Clocks>();
  const [problem, setProblem] = useState<string>();
  const [busy, during] = useBusy();
  const [reading, readAgain] = useState(0);
  const show = (clocks: Clocks): void => {
    setSeen(clocks);
    setProblem(undefined);
  };
  useReading(() => request(() => call('getClocks')), show, showError, [reading]);
  if (seen === undefined) return null;
  const { rules: typed, basedOn } = desk.typedClocks.value ?? {
    ...{ rules: seen.rules.map(typedRule), basedOn: seen.version },
  };
  const setTyped = (rules: readonly TypedRule[]): void => {
    desk.typedClocks.value = { basedOn, rules };
  };
  const mayEdit = can('clocks:write');
  const zone = seen.rules.length > 0 ? seen.time_zone : new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const refused = (error: unknown): void => {
    if (!(error instanceof ApiError)) showError(error);
    else if (error.code === 'clocks_changed') setProblem(words.changed);
    else setProblem(`${words.refused} ${pageTexts.value.ofService(error.reason)}`);
  };
  const save = (): Promise<void> =>
    during(async () => {
      const body = { rules: typed.map(ruleOf), time_zone: zone, based_on: basedOn };
      const saved = await request(() => call('updateClocks', { body }));
      desk.typedClocks.value = undefined;
      show(saved);
      showToast(() => words.saved, 'success');
    }, refused);
  const change = (at: number, changes: TypedRule): void =>
    setTyped(typed.map((rule, n) => (n === at ? { ...rule, ...changes } : rule)));
  const discard = (): void => {
    desk.typedClocks.value = undefined;
    readAgain(reading + 1);
  };
  const labels = {
    carrier: words.carrier,
    cat_code: words.event,
    contact_hours: words.contact,
    inspection_hours: words.inspection,
    report_days: words.report,
  };
  return (
    <Section title={words.title}>
      <p class="muted">{words.lead}</p>
      <p class="muted">
        {words.program} {words.zone(zone)}
      </p>
      {typed.map((rule, at) => {
        const name = [rule.carrier, rule.cat_code].filter(Boolean).join(', ') || words.all;
        return (
          // Rules have no ids; typed texts are controlled, so that none moves to another row.
          <fieldset key={at} class="card stack" disabled={!mayEdit || busy}>
            <legend>{name}</legend>
            <div class="columns">
              {[...TEXTS, ...NUMBERS].map((field) => (
                <Field
                  key={field}
                  label={labels[field]}
                  name={`${field}-${at}`}
                  value={rule[field] ?? ''}
                  {...((NUMBERS as readonly string[]).includes(field) && { inputMode: 'numeric' as const })}
                  maxLength={field === 'carrier' ? 255 : 20}
                  onInput={({ currentTarget: { value } }) => change(at, { [field]: value })}
                />
              ))}
            </div>
            {mayEdit && (
              <Button
                aria-label={words.remove(name)}
                onClick={() => setTyped(typed.filter((_, n) => n !== at))}
              >
                {words.remove(name)}
              </Button>
            )}
          </fieldset>
        );
      })}
      {problem !== undefined && <Note kind="warning">{problem}</Note>}
      {mayEdit && (
        <div class="row">
          <Button onClick={() => setTyped([...typed, {}])}>{words.add}</Button>
          <Button kind="primary" busy={busy} onClick={() => void save()}>
            {words.save}
          </Button>
          {desk.typedClocks.value !== undefined && <Button onClick={discard}>{words.reload}</Button>}
        </div>
      )}
    </Section>
  );
}
