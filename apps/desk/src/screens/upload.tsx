import { DATE_ORDERS, DELIMITER_NAMES } from '@svc/contract';
import {
  csvOfClaims,
  ENCODINGS,
  type Encoding,
  FIELD_PATHS,
  nameOfFile,
  REQUIRED_PATHS,
  readInParts,
  spreadsheetCsv,
  UnreadableCsv,
} from '@svc/csv-import/in-page';
import { eventClaim } from '@svc/sandbox';
import { Section } from '@svc/web-app/components/facts';
import { Field } from '@svc/web-app/components/field';
import { Select } from '@svc/web-app/components/select';
import { Button, Note, ScreenHeader, TestBadge } from '@svc/web-app/components/ui';
import { WindowedList } from '@svc/web-app/components/windowed-list';
import { saveFile } from '@svc/web-app/save-file';
import { useId, useState } from 'preact/hooks';
import { desk, showToast, texts } from '../app.ts';
import { ofService } from '../components/service-text.tsx';
import { countsText, type Upload } from '../state/upload.ts';

/** Problems that are shown; the file of them has the others, too. */
const MAX_SHOWN = 500;
const { uploads } = desk;

/** Sends a file of claims, after every row of it was checked. */
export function UploadScreen() {
  const words = texts.value.upload;
  const id = useId();
  const { columns, values = {}, date_order = '', delimiter = '' } = uploads.choices.value;
  const { value: upload } = uploads.upload;
  const { value: file } = uploads.file;
  const isSending = uploads.isSending.value;
  const read = async (name: string, content: Blob, encoding?: Encoding): Promise<void> => {
    try {
      const found = readInParts(new Uint8Array(await content.arrayBuffer()), encoding);
      await uploads.choose({ ...found, name, content });
    } catch (error) {
      if (!(error instanceof UnreadableCsv)) throw error;
      if (encoding === undefined) uploads.forget();
      showToast(() => texts.value.ofService(error.message), 'error');
    }
  };
  const choose = ({ files }: HTMLInputElement): void => {
    const [chosen] = files ?? [];
    if (chosen !== undefined) void read(nameOfFile(chosen.name), chosen);
  };
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
              onChange={({ currentTarget }) => choose(currentTarget)}
            />
          </div>
          <Select
            {...{ label: words.dateOrder, options: ['', ...DATE_ORDERS], value: date_order }}
            name={(one) => words.orders[one]}
            choose={(one) => void uploads.change({ date_order: one || undefined })}
          />
          {file !== undefined && (
            <>
              <Select
                {...{ label: words.encoding, options: ENCODINGS, value: file.encoding }}
                name={(one) => one.toUpperCase()}
                choose={(one) => void read(file.name, file.content, one)}
              />
              <Select
                {...{ label: words.delimiter, options: ['', ...DELIMITER_NAMES], value: delimiter }}
                name={(one) => words.delimiters[one]}
                choose={(one) => void uploads.change({ delimiter: one || undefined })}
              />
            </>
          )}
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
          <div class="row">
            {upload.kind === 'checked' && upload.result.problems.length === 0 && valid > 0 && (
              <Button kind="primary" onClick={() => void uploads.send()}>
                {words.send(valid)}
              </Button>
            )}
            {upload.kind === 'stopped' && uploads.canResume() && (
              <Button kind="primary" onClick={() => void uploads.resume()}>
                {texts.value.sandbox.commands.resume}
              </Button>
            )}
          </div>
          {upload.problemCount > 0 && <Problems of={upload} />}
          {upload.result.dry_run && !isSending && (
            <details open={upload.result.problems.length > 0}>
              <summary>{words.columns}</summary>
              <Values values={values} />
              <div class="columns">
                {upload.result.header.filter(Boolean).map((column) => (
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

/** What is wrong with the rows. */
function Problems({ of: { problems, problemCount } }: { readonly of: Upload }) {
  const words = texts.value.upload;
  const save = (): void => {
    const { refusals, ofService: translated } = texts.value;
    const rows = problems.map(({ row, column, field, code, detail }) => [
      ...[row, column ?? field, code, refusals[code ?? ''] ?? translated(detail)],
    ]);
    const csv = spreadsheetCsv([['row', 'column', 'code', 'text'], ...rows]);
    // With a byte order mark, without which Excel takes another encoding.
    saveFile(new Blob(['\ufeff', csv], { type: 'text/csv' }), 'problems.csv');
  };
  return (
    <>
      <div class="row">
        <span>{words.shown(Math.min(problems.length, MAX_SHOWN), problemCount)}</span>
        <Button onClick={save}>{words.saveProblems(problems.length)}</Button>
      </div>
      <WindowedList
        items={problems.slice(0, MAX_SHOWN).map((one, n) => ({ ...one, id: String(n) }))}
        label={words.problems}
        row={({ row, external_id, column, field, code, detail }) => (
          <div class="wide-row">
            <span class="strong">
              {words.row(row)} <span class="muted">{external_id}</span>
            </span>
            <span>
              <code>{column ?? field}</code> {texts.value.refusals[code ?? ''] ?? ofService(detail)}
            </span>
          </div>
        )}
      />
    </>
  );
}

/** What a file must have, and one that has it. */
function Needed() {
  const words = texts.value.upload;
  const save = (): void => {
    const { value: now } = desk.now;
    const claims = [0, 1, 2].map((n) => eventClaim(n, 'SVCID-of-the-adjuster', 'SAMPLE', now));
    saveFile(new Blob([csvOfClaims(claims)], { type: 'text/csv' }), 'claims.csv');
  };
  return (
    <Section title={words.columns}>
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
    </Section>
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
        <Select {...{ label: words.sameField, options: FIELD_PATHS, value: field, choose: setField }} />
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
