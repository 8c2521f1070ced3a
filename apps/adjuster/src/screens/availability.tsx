import type { Availability } from '@svc/contract';
import { Field } from '@svc/web-app/components/field';
import { Select } from '@svc/web-app/components/select';
import { Button } from '@svc/web-app/components/ui';
import { useState } from 'preact/hooks';
import { allTexts } from '../all-texts.ts';
import { account, day, showError, today } from '../app.ts';
import { NotSentYet } from '../components/not-sent-yet.tsx';
import { Switch } from '../components/switch.tsx';
import { awayWith } from '../model/away.ts';
import { typedField } from '../typed-field.ts';

const MAX_OFFERS = [1, 2, 3, 5, 8, 10, 15, 20, 30, 50, 100];

/** When the adjuster takes offers of any firm. */
export function AvailabilityCard() {
  const words = allTexts.value.availability;
  if (account.availability.value === undefined) return null;
  const {
    accepting_assignments: accepting,
    away,
    max_open_offers: max,
    work_zip: zip,
  } = account.availability.value;
  const save = (changes: Partial<Availability>) => account.changeSettings({ key: 'availability', changes });
  const change = (changes: Partial<Availability>) => save(changes).catch(showError);
  const unsent = account.unsentSettings('availability');
  const counts =
    max === null || MAX_OFFERS.includes(max) ? MAX_OFFERS : [...MAX_OFFERS, max].sort((a, b) => a - b);
  return (
    <section class="card" aria-labelledby="availability">
      <h2 id="availability">{words.title}</h2>
      <Switch
        label={words.pauseAll}
        checked={!accepting}
        turn={() => change({ accepting_assignments: !accepting })}
      />
      <p class="muted">{words.pauseAllMore}</p>
      <Select
        label={words.maxOffers}
        options={[0, ...counts]}
        value={max ?? 0}
        name={(count) => (count === 0 ? words.noLimit : String(count))}
        choose={(count) => change({ max_open_offers: count === 0 ? null : count })}
      />
      <p class="muted">{words.maxOffersMore}</p>
      <WorkZip key={zip} zip={zip} save={(work_zip) => save({ work_zip })} />
      <Away away={away} save={(periods) => save({ away: periods })} />
      {unsent.length > 0 && <NotSentYet entries={unsent} waits={allTexts.value.work.savedOffline} />}
      <p class="muted">{words.private}</p>
    </section>
  );
}

/** How far claims are from here is shown to the firms that the adjuster allows it. */
function WorkZip(props: {
  readonly zip: string | null;
  readonly save: (zip: string | null) => Promise<boolean>;
}) {
  const words = allTexts.value.availability;
  const [zip, setZip] = typedField('availability.zip', props.zip ?? '');
  const submit = (event: Event): void => {
    event.preventDefault();
    void props
      .save(zip === '' ? null : zip)
      .then((isKept) => isKept && setZip(undefined))
      .catch(showError);
  };
  return (
    <form class="form" data-stored onSubmit={submit}>
      <Field
        label={words.workZip}
        name="work-zip"
        autocomplete="postal-code"
        inputMode="numeric"
        pattern="[0-9]{5}"
        maxLength={5}
        value={zip}
        onInput={({ currentTarget }) => setZip(currentTarget.value.trim())}
      />
      <p class="muted">{words.workZipMore}</p>
      <Button type="submit" disabled={zip === (props.zip ?? '')}>
        {allTexts.value.save}
      </Button>
    </form>
  );
}

function Away(props: {
  readonly away: Availability['away'];
  readonly save: (away: Availability['away']) => Promise<boolean>;
}) {
  const words = allTexts.value.availability;
  const { away, save } = props;
  const [error, setError] = useState<string>();
  const [firstDay, setFirstDay] = typedField('away.first');
  const [lastDay, setLastDay] = typedField('away.last');
  const add = (event: Event): void => {
    event.preventDefault();
    const periods = awayWith(away, firstDay, lastDay, today());
    setError(typeof periods === 'string' ? words[periods] : undefined);
    if (typeof periods === 'string') return;
    void save(periods)
      .then((isKept) => {
        if (!isKept) return;
        setFirstDay(undefined);
        setLastDay(undefined);
      })
      .catch(showError);
  };
  const dayInput = (label: string, value: string, set: (day: string) => void, required: boolean) => (
    <label class="field">
      <span>{label}</span>
      <input
        type="date"
        data-empty={value === ''}
        value={value}
        min={today()}
        required={required}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
    </label>
  );
  return (
    <>
      <h3>{words.away}</h3>
      {away.length === 0 && <p class="muted">{words.awayNone}</p>}
      <ul class="stack">
        {away.map((period) => {
          const days = words.awayDays(day(period.first_day), day(period.last_day));
          return (
            <li key={`${period.first_day} ${period.last_day}`} class="row spread">
              <span>{days}</span>
              <Button
                kind="quiet"
                aria-label={words.remove(days)}
                onClick={() => void save(away.filter((other) => other !== period)).catch(showError)}
              >
                {words.removeShort}
              </Button>
            </li>
          );
        })}
      </ul>
      <form class="form" data-stored onSubmit={add}>
        <div class="columns narrow">
          {dayInput(words.firstDay, firstDay, setFirstDay, true)}
          {dayInput(words.lastDay, lastDay, setLastDay, false)}
        </div>
        {error !== undefined && (
          <p class="field-error" role="alert">
            {error}
          </p>
        )}
        <Button type="submit">{words.add}</Button>
      </form>
    </>
  );
}
