import { decodeFile, FIELD_PATHS, splitCsv } from '@svc/csv-import/in-page';
import { Field } from '@svc/web-app/components/field';
import { Select } from '@svc/web-app/components/select';
import { Button, Note, ScreenHeader } from '@svc/web-app/components/ui';
import { WindowedList } from '@svc/web-app/components/windowed-list';
import { useEffect, useId, useState } from 'preact/hooks';
import { desk, environment, showToast, texts } from '../app.ts';
import type { ImportBody } from '../endpoints.ts';
import type { UploadFile } from '../state/upload.ts';

/** What this page holds in memory. */
const MAX_CHARACTERS = 20_000_000;
/** Of one request: less than the service takes, since quotes and line breaks grow in JSON. */
const PART_ROWS = 2000;
const PART_CHARACTERS = 600_000;
const ORDERS = ['', 'mdy', 'dmy'] as const;
const { uploads } = desk;

/** Sends a file of claims, after every row of it was checked. */
export function UploadScreen() {
  const words = texts.value.upload;
  const id = useId();
  const [file, setFile] = useState<UploadFile>();
  const [columns, setColumns] = useState<Readonly<Record<string, string | null>>>();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [order, setOrder] = useState<(typeof ORDERS)[number]>('');
  const { value: upload } = uploads.upload;
  const busy = upload?.kind === 'checking' || upload?.kind === 'sending';
  const options: Partial<ImportBody> = {
    environment: environment.value,
    values,
    ...(columns !== undefined && { columns }),
    ...(order !== '' && { date_order: order }),
  };
  // Another choice has every row checked again.
  useEffect(() => {
    if (file !== undefined) void uploads.check(file, options);
  }, [file, columns, values, order]);
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
    setFile({ name, parts: splitCsv(text, PART_ROWS, PART_CHARACTERS) });
    setColumns(undefined);
  };
  const isChecked = upload?.kind === 'checked' && upload.result.problems.length === 0;
  const valid = upload?.counts.valid ?? 0;
  return (
    <>
      <ScreenHeader title={texts.value.nav.upload} />
      <p class="muted">{words.lead}</p>
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
          value={order}
          name={(one) => words.orders[one]}
          choose={setOrder}
        />
      </div>
      {upload !== undefined && file !== undefined && (
        <>
          <Progress file={file} />
          {upload.result.problems.map(({ column, detail }) => (
            <Note key={`${column} ${detail}`} kind="warning">
              <p lang="en">
                {column !== null && <code>{column}: </code>}
                {detail}
              </p>
            </Note>
          ))}
          {(isChecked || upload.kind === 'stopped') && (
            <div class="row">
              {isChecked && (
                <Button
                  kind="primary"
                  disabled={valid === 0}
                  onClick={() => void uploads.send(file, options)}
                >
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
                    {problems.map(({ column, field, detail }) => (
                      <li key={`${field} ${detail}`} lang="en">
                        <code>{column ?? field}</code> {detail}
                      </li>
                    ))}
                  </ul>
                </div>
              )}
            />
          )}
          {upload.result.dry_run && (
            <details open={upload.result.problems.length > 0}>
              <summary>{words.columns}</summary>
              <Values values={values} change={setValues} disabled={busy} />
              <div class="columns">
                {upload.result.header.map((column) => (
                  <Select
                    key={column}
                    label={column}
                    options={['', ...FIELD_PATHS]}
                    value={columns?.[column] ?? upload.result.columns[column] ?? ''}
                    name={(field) => field || words.leftOut}
                    choose={(field) =>
                      setColumns({ ...upload.result.columns, ...columns, [column]: field || null })
                    }
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

function Progress({ file }: { readonly file: UploadFile }) {
  const words = texts.value.upload;
  const { value: upload } = uploads.upload;
  if (upload === undefined) return null;
  const { counts, result, kind } = upload;
  const done = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const ofParts = file.parts.reduce((sum, { rows }) => sum + rows, 0);
  const total = file.parts.length === 1 ? result.total_rows : ofParts;
  return (
    <section class="card" aria-label={words.states[kind]}>
      <h2>{words.states[kind]}</h2>
      <progress max={Math.max(total, 1)} value={done} aria-label={words.states[kind]} />
      <p role="status">
        {words.rows(done, total)}{' '}
        {Object.entries(counts)
          .map(([outcome, count]) => `${words.outcomes[outcome] ?? outcome}: ${count}`)
          .join(' · ')}
      </p>
    </section>
  );
}

/** Fields that no column has, with one value for all rows. */
function Values(props: {
  readonly values: Readonly<Record<string, string>>;
  readonly change: (values: Readonly<Record<string, string>>) => void;
  readonly disabled: boolean;
}) {
  const words = texts.value.upload;
  const [field, setField] = useState('adjuster_svc_id');
  const [value, setValue] = useState('');
  return (
    <>
      <form
        class="filter-line"
        onSubmit={(event) => {
          event.preventDefault();
          props.change({ ...props.values, [field]: value.trim() });
          setValue('');
        }}
      >
        <Select
          label={words.sameField}
          options={FIELD_PATHS}
          value={field}
          name={(one) => one}
          choose={setField}
        />
        <Field
          label={words.sameValue}
          name="value"
          autocomplete="off"
          required
          value={value}
          onInput={({ currentTarget }) => setValue(currentTarget.value)}
        />
        <Button type="submit" busy={props.disabled}>
          {words.add}
        </Button>
      </form>
      <ul>
        {Object.entries(props.values).map(([name, text]) => (
          <li key={name} class="row">
            <code>{name}</code> {text}{' '}
            <Button
              kind="quiet"
              aria-label={words.remove(name)}
              onClick={() =>
                props.change(
                  Object.fromEntries(Object.entries(props.values).filter(([other]) => other !== name)),
                )
              }
            >
              {texts.value.remove}
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}
