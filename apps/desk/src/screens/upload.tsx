import { csvOfClaims, decodeFile, FIELD_PATHS, REQUIRED_PATHS, splitCsv } from '@svc/csv-import/in-page';
import { eventClaim } from '@svc/sandbox';
import { Field } from '@svc/web-app/components/field';
import { Select } from '@svc/web-app/components/select';
import { Button, Note, ScreenHeader, TestBadge } from '@svc/web-app/components/ui';
import { WindowedList } from '@svc/web-app/components/windowed-list';
import { saveFile } from '@svc/web-app/save-file';
import { useId, useState } from 'preact/hooks';
import { desk, showToast, texts } from '../app.ts';
import { ofService } from '../components/service-text.tsx';
import { countsText, type Upload } from '../state/upload.ts';

/** What this page holds in memory. */
const MAX_CHARACTERS = 20_000_000;
/** Of one request: less than the service takes, since quotes and line breaks grow in JSON. */
const PART_ROWS = 2000;
const PART_CHARACTERS = 600_000;
const ORDERS = ['', 'mdy', 'dmy'] as const;
const SAMPLE_ROWS = 3;
const { uploads } = desk;

/** Sends a file of claims, after every row of it was checked. */
export function UploadScreen() {
  const words = texts.value.upload;
  const id = useId();
  const { columns, values = {}, date_order = '' } = uploads.choices.value;
  const { value: upload } = uploads.upload;
  const isSending = uploads.isSending.value;
  const choose = async (input: HTMLInputElement): Promise<void> => {
    const [chosen] = input.files ?? [];
    if (chosen === undefined) return;
    const text = decodeFile(new Uint8Array(await chosen.arrayBuffer()));
    if (text.length > MAX_CHARACTERS) return showToast(() => words.tooLarge, 'error');
    // The same export of another day has another date in its name: the columns are remembered without digits.
    const name =
      chosen.name
        .replace(/\.\w+$/, '')
        .replace(/[\d_.-]+/g, ' ')
        .trim() || 'CSV';
    await uploads.choose({ name, parts: splitCsv(text, PART_ROWS, PART_CHARACTERS) });
  };
  const isChecked = upload?.kind === 'checked' && upload.result.problems.length === 0;
  const valid = upload?.counts.valid ?? 0;
  return (
    <>
      <ScreenHeader title={texts.value.nav.upload} />
      <p class="muted">{words.lead}</p>
      {!isSending && (
        <div class="filter-line">
          <div class="field">
            <label for={id}>{words.file}</label>
            <input
              id={id}
              type="file"
              accept=".csv,.txt,text/csv"
              onChange={({ currentTarget }) => void choose(currentTarget)}
            />
          </div>
          <Select
            label={words.dateOrder}
            options={ORDERS}
            value={date_order}
            name={(one) => words.orders[one]}
            choose={(one) => void uploads.change({ date_order: one || undefined })}
          />
        </div>
      )}
      {upload === undefined ? (
        <Needed />
      ) : (
        <>
          <Progress upload={upload} />
          {upload.result.problems.map(({ column, detail }) => (
            <Note key={`${column} ${detail}`} kind="warning">
              <p>
                {column !== null && <code>{column}: </code>}
                {ofService(detail)}
              </p>
            </Note>
          ))}
          {(isChecked || upload.kind === 'stopped') && (
            <div class="row">
              {isChecked && (
                <Button kind="primary" disabled={valid === 0} onClick={() => void uploads.send()}>
                  {words.send(valid)}
                </Button>
              )}
              {upload.kind === 'stopped' && uploads.canResume() && (
                <Button kind="primary" onClick={() => void uploads.resume()}>
                  {words.resume}
                </Button>
              )}
            </div>
          )}
          {upload.rows.length > 0 && (
            <WindowedList
              items={upload.rows.map((one) => ({ ...one, id: String(one.row) }))}
              label={words.problems}
              row={({ row, external_id, problems }) => (
                <div class="wide-row">
                  <span class="strong">
                    {words.row(row)} <span class="muted">{external_id}</span>
                  </span>
                  <ul>
                    {problems.map(({ column, field, code, detail }) => (
                      <li key={`${field} ${detail}`}>
                        <code>{column ?? field}</code> {texts.value.refusals[code ?? ''] ?? ofService(detail)}
                      </li>
                    ))}
                  </ul>
                </div>
              )}
            />
          )}
          {upload.result.dry_run && !isSending && (
            <details open={upload.result.problems.length > 0}>
              <summary>{words.columns}</summary>
              <Values values={values} />
              <div class="columns">
                {upload.result.header.map((column) => (
                  <Select
                    key={column}
                    label={column}
                    options={['', ...FIELD_PATHS]}
                    value={columns?.[column] ?? upload.result.columns[column] ?? ''}
                    name={(field) => field || words.leftOut}
                    choose={(field) => {
                      const changed = { ...upload.result.columns, ...columns, [column]: field || null };
                      void uploads.change({ columns: changed });
                    }}
                  />
                ))}
              </div>
            </details>
          )}
        </>
      )}
    </>
  );
}

/** What a file must have, and one that has it. */
function Needed() {
  const words = texts.value.upload;
  const save = (): void => {
    const claims = Array.from({ length: SAMPLE_ROWS }, (_, n) =>
      eventClaim(n, 'SVCID-of-the-adjuster', 'SAMPLE', desk.now.value),
    );
    saveFile(new Blob([csvOfClaims(claims)], { type: 'text/csv' }), 'claims.csv');
  };
  return (
    <section class="card">
      <h2>{words.columns}</h2>
      <p>{words.needed}</p>
      <p>
        {REQUIRED_PATHS.map((path) => (
          <code key={path}>{path} </code>
        ))}
      </p>
      <p class="muted">{words.known}</p>
      <div class="row">
        <Button onClick={save}>{words.sample}</Button>
      </div>
    </section>
  );
}

function Progress({ upload: { counts, kind, result } }: { readonly upload: Upload }) {
  const words = texts.value.upload;
  const { done, total } = uploads.progress.value;
  return (
    <section class="card" aria-label={words.states[kind]}>
      <h2>
        {words.states[kind]}: {uploads.file.value?.name} <TestBadge test={result.environment === 'test'} />
      </h2>
      <progress max={Math.max(total, 1)} value={done} aria-label={words.states[kind]} />
      <p role="status">
        {words.rows(done, total)} {countsText(words.outcomes, counts)}
      </p>
    </section>
  );
}

/** Fields that no column has, with one value for all rows. */
function Values({ values }: { readonly values: Readonly<Record<string, string>> }) {
  const words = texts.value.upload;
  const [field, setField] = useState('adjuster_svc_id');
  const remove = (name: string): void => {
    const { [name]: _, ...others } = values;
    void uploads.change({ values: others });
  };
  return (
    <>
      <form
        class="filter-line"
        onSubmit={(event) => {
          event.preventDefault();
          const value = String(new FormData(event.currentTarget).get('value')).trim();
          event.currentTarget.reset();
          void uploads.change({ values: { ...values, [field]: value } });
        }}
      >
        <Select
          label={words.sameField}
          options={FIELD_PATHS}
          value={field}
          name={(one) => one}
          choose={setField}
        />
        <Field label={words.sameValue} name="value" required />
        <Button type="submit">{words.add}</Button>
      </form>
      <ul>
        {Object.entries(values).map(([name, text]) => (
          <li key={name} class="row">
            <code>{name}</code> {text}{' '}
            <Button kind="quiet" aria-label={texts.value.passkeys.remove(name)} onClick={() => remove(name)}>
              {texts.value.remove}
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}
