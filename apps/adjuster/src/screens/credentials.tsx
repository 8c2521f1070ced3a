import type { SaveCredentialsBody, Credentials as Saved } from '@svc/contract';
import { CREDENTIAL_REMINDER_DAYS, daysUntil } from '@svc/domain';
import { FCN_CATEGORIES, LICENSE_KINDS, LOSS_LOCATION_STATES } from '@svc/domain/vocabulary';
import { ApiError } from '@svc/web-app/api-error';
import { Field } from '@svc/web-app/components/field';
import { Select } from '@svc/web-app/components/select';
import { Button, Note, ScreenHeader } from '@svc/web-app/components/ui';
import { useBusy } from '@svc/web-app/use-busy';
import { useEffect, useState } from 'preact/hooks';
import { allTexts } from '../all-texts.ts';
import { call, request, showToast, today } from '../app.ts';
import { Switch } from '../components/switch.tsx';
import { typedField } from '../typed-field.ts';

type Fcn = NonNullable<SaveCredentialsBody['fcn']>;
type License = NonNullable<SaveCredentialsBody['licenses']>[number];
/** What is typed, with the version that it was made from: kept until it is saved, also if the page is closed. */
interface Draft {
  readonly version: string;
  readonly fcn: Fcn;
  readonly licenses: License[];
}

const NO_FCN: Fcn = { number: '', categories: [], expires_on: '' };
const NEW_LICENSE: License = { state: 'AL', kind: 'resident', number: '', expires_on: '' };
const [SOON_DAYS] = CREDENTIAL_REMINDER_DAYS;

/** The service returns what it accepts. */
const known = <T extends string>(values: readonly T[], value: string): T[] =>
  values.filter((one) => one === value);

const draftOf = ({ version, fcn, licenses }: Saved): Draft => ({
  version,
  fcn: fcn ? { ...fcn, categories: fcn.categories.flatMap((each) => known(FCN_CATEGORIES, each)) } : NO_FCN,
  licenses: licenses.flatMap(({ number, expires_on, ...one }) => {
    const [[state], [kind]] = [known(LOSS_LOCATION_STATES, one.state), known(LICENSE_KINDS, one.kind)];
    return state === undefined || kind === undefined ? [] : [{ state, kind, number, expires_on }];
  }),
});
const isEmpty = ({ number, categories, expires_on }: Fcn): boolean =>
  number === '' && categories.length === 0 && expires_on === '';

/** The adjuster's own FCN and licenses. */
export function Credentials() {
  const words = allTexts.value.credentials;
  const [saved, setSaved] = useState<Saved>();
  const [busy, during] = useBusy(true);
  const [isChanged, setIsChanged] = useState(false);
  const [text, type] = typedField('credentials');
  const read = async (): Promise<Saved> => {
    const found = await request(() => call('getCredentials'));
    setSaved(found);
    return found;
  };
  useEffect(() => void during(read), []);
  const draft: Draft | undefined = text === '' ? saved && draftOf(saved) : (JSON.parse(text) as Draft);
  const forget = (): void => {
    type(undefined);
    setIsChanged(false);
  };
  if (draft === undefined)
    return (
      <>
        <ScreenHeader title={words.title} />
        <Button busy={busy} onClick={() => void during(read)}>
          {allTexts.value.network.tryAgain}
        </Button>
      </>
    );
  const change = (changes: Partial<Draft>): void => type(JSON.stringify({ ...draft, ...changes }));
  const changeLicense = (index: number, changes: Partial<License>): void =>
    change({ licenses: draft.licenses.map((one, n) => (n === index ? { ...one, ...changes } : one)) });
  const save = async (): Promise<void> => {
    const { version: based_on, fcn, licenses } = draft;
    const body = { based_on, licenses, ...(!isEmpty(fcn) && { fcn }) };
    try {
      setSaved(await request(() => call('saveCredentials', { body })));
      forget();
      showToast(allTexts.value.saved, 'success');
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'credentials_changed') throw error;
      // The next attempt replaces what the adjuster has now been told of.
      const { version } = await read();
      change({ version });
      setIsChanged(true);
    }
  };
  const { fcn } = draft;
  return (
    <>
      <ScreenHeader title={words.title} />
      <p>{words.lead}</p>
      <form
        class="form"
        data-stored
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) void during(save);
        }}
      >
        {isChanged && (
          <Note kind="warning">
            <p role="alert">{words.changed}</p>
            <Button kind="quiet" onClick={forget}>
              {words.takeSaved}
            </Button>
          </Note>
        )}
        <section class="card" aria-labelledby="fcn">
          <h2 id="fcn">{words.fcn}</h2>
          <NumberAndEnd
            of={fcn}
            required={!isEmpty(fcn)}
            change={(changes) => change({ fcn: { ...fcn, ...changes } })}
          />
          <fieldset>
            <legend>{words.categories}</legend>
            {FCN_CATEGORIES.map((category) => (
              <Switch
                key={category}
                label={words.category[category]}
                checked={fcn.categories.includes(category)}
                turn={() => {
                  const others = fcn.categories.filter((one) => one !== category);
                  const isOn = others.length < fcn.categories.length;
                  change({ fcn: { ...fcn, categories: isOn ? others : [...others, category] } });
                }}
              />
            ))}
          </fieldset>
        </section>
        {draft.licenses.map((license, index) => (
          <section key={index} class="card" aria-labelledby={`license-${index}`}>
            <h2 id={`license-${index}`}>{words.license(index + 1)}</h2>
            <div class="columns narrow">
              <Select
                label={words.state}
                options={LOSS_LOCATION_STATES}
                value={license.state}
                choose={(state) => changeLicense(index, { state })}
              />
              <Select
                label={words.kind}
                options={LICENSE_KINDS}
                value={license.kind}
                name={(kind) => words.kinds[kind]}
                choose={(kind) => changeLicense(index, { kind })}
              />
            </div>
            <NumberAndEnd of={license} required change={(changes) => changeLicense(index, changes)} />
            <Button
              kind="quiet"
              aria-label={words.remove(index + 1)}
              onClick={() => change({ licenses: draft.licenses.filter((_, n) => n !== index) })}
            >
              {words.removeShort}
            </Button>
          </section>
        ))}
        <Button onClick={() => change({ licenses: [...draft.licenses, NEW_LICENSE] })}>{words.add}</Button>
        {text !== '' && <p role="status">{words.unsaved}</p>}
        <div class="row">
          <Button kind="primary" type="submit" busy={busy}>
            {allTexts.value.save}
          </Button>
          {text !== '' && saved !== undefined && <Button onClick={forget}>{allTexts.value.cancel}</Button>}
        </div>
        <p class="muted">{words.more}</p>
      </form>
    </>
  );
}

function NumberAndEnd(props: {
  readonly of: Pick<License, 'number' | 'expires_on'>;
  readonly required: boolean;
  readonly change: (changes: Partial<Pick<License, 'number' | 'expires_on'>>) => void;
}) {
  const words = allTexts.value.credentials;
  const { of, required, change } = props;
  const days = of.expires_on === '' ? undefined : daysUntil(of.expires_on, today());
  return (
    <>
      <div class="columns narrow">
        <Field
          {...{ label: words.number, name: 'number', maxLength: 40, spellcheck: false, required }}
          pattern="\S(.*\S)?"
          value={of.number}
          onInput={({ currentTarget }) => change({ number: currentTarget.value })}
        />
        <Field
          {...{ label: words.expiresOn, name: 'expires_on', type: 'date', required }}
          value={of.expires_on}
          onInput={({ currentTarget }) => change({ expires_on: currentTarget.value })}
        />
      </div>
      {days !== undefined && days <= SOON_DAYS && (
        <p class="strong">{days < 0 ? words.ended : words.endsIn(days)}</p>
      )}
    </>
  );
}
