import { DATE_ORDERS, DELIMITER_NAMES } from '@svc/contract';
import { csvOfClaims, ENCODINGS, FIELD_PATHS, REQUIRED_PATHS, spreadsheetCsv } from '@svc/csv-import/in-page';
import { eventClaim } from '@svc/sandbox';
import { Section } from '@svc/web-app/components/facts';
import { Field } from '@svc/web-app/components/field';
import { Select } from '@svc/web-app/components/select';
import { Button, Note, ScreenHeader, TestBadge } from '@svc/web-app/components/ui';
import { WindowedList } from '@svc/web-app/components/windowed-list';
import { useReading } from '@svc/web-app/use-reading';
import { useState } from 'preact/hooks';
import { call, dateTime, desk, environment, request, showError, texts } from '../app.ts';
import { FileField } from '../components/file-field.tsx';
import { ofService } from '../components/service-text.tsx';
import type { Import, ProposedOffer } from '../endpoints.ts';
import { saveCsv } from '../save-csv.ts';
import { countsText, createUpload, type Upload, type UploadNotice } from '../state/upload.ts';
import { FIELD_NAMES, fieldLabel } from '../texts/field-names.ts';
import { withLabels } from '../texts/fields.ts';
import { SpreadDialog } from './spread.tsx';

/** Problems that are shown; the file of them has the others, too. */
const MAX_SHOWN = 500;
const uploads = desk.openUploads(createUpload);

/** Rows of the beginning among which the header may be. */
const HEADER_ROWS = 20;
const MAX_PREVIEW = 40;
const EARLIER_UPLOADS = 20;

const fieldNames = () => FIELD_NAMES[desk.language.language.value];
const label = (path: string): string => fieldLabel(path.split('.'), fieldNames());
/** A text of the service with the names of fields in words. */
const said = (detail: string) => ofService(withLabels(detail, fieldNames()));

/** Sends a file of claims, after every row of it was checked. */
export function UploadScreen() {
  const words = texts.value.upload;
  const { columns, values = {}, date_order = '', delimiter = '', header_row = 0 } = uploads.choices.value;
  const { value: upload } = uploads.upload;
  const { value: file } = uploads.file;
  const isSending = uploads.isSending.value;
  const valid = upload?.counts.valid ?? 0;
  const questions = upload?.result.problems.filter(({ fields }) => fields.length > 0) ?? [];
  const likelyHeader = upload?.result.likely_header_row ?? null;
  const chooseHeader = (row: number): void =>
    void uploads.change({ header_row: row || undefined, columns: undefined });
  return (
    <>
      <ScreenHeader title={texts.value.nav.upload} />
      <p class="muted">{words.lead}</p>
      {!isSending && (
        <div class="filter-line">
          <FileField choose={(file) => void uploads.choose(file)} />
          <Select
            {...{ label: words.dateOrder, options: ['', ...DATE_ORDERS], value: date_order }}
            name={(one) => words.orders[one]}
            choose={(one) => void uploads.change({ date_order: one || undefined })}
          />
          {file?.workbook !== undefined && file.workbook.sheets.length > 1 && (
            <Select
              {...{ label: words.sheet, options: file.workbook.sheets, value: file.workbook.sheet }}
              name={(one) => one}
              choose={(sheet) => uploads.choose(file.chosen, { sheet })}
            />
          )}
          {file?.encoding !== undefined && (
            <>
              <Select
                {...{ label: words.encoding, options: ENCODINGS, value: file.encoding }}
                name={(one) => words.encodings[one]}
                choose={(encoding) => uploads.choose(file.chosen, { encoding })}
              />
              <Select
                {...{ label: words.delimiter, options: ['', ...DELIMITER_NAMES], value: delimiter }}
                name={(one) => words.delimiters[one]}
                choose={(one) =>
                  void uploads.change({
                    delimiter: one || undefined,
                    header_row: undefined,
                    columns: undefined,
                  })
                }
              />
            </>
          )}
          {file !== undefined && (
            <Select
              {...{ label: words.headerRow, value: header_row }}
              options={[0, ...Array.from({ length: HEADER_ROWS }, (_, n) => n + 1)]}
              name={(row) => (row === 0 ? words.firstRow : `${row}: ${previewOf(file.text, row)}`)}
              choose={chooseHeader}
            />
          )}
        </div>
      )}
      {uploads.isReading.value && <p role="status">{words.reading}</p>}
      {uploads.notice.value !== undefined && <Notice notice={uploads.notice.value} />}
      {upload === undefined ? (
        <>
          <Needed />
          <Earlier />
        </>
      ) : (
        <>
          <Progress upload={upload} />
          {questions.length > 0 && upload.kind === 'checked' && (
            <Questions key={upload.result.id} of={questions} columns={upload.result.columns} />
          )}
          {upload.result.problems
            .filter(({ fields }) => fields.length === 0)
            .map(({ column, detail }) => (
              <Note key={`${column} ${detail}`} kind="warning">
                <p>
                  {column !== null && <code>{column}: </code>}
                  {said(detail)}
                </p>
                {likelyHeader !== null && (
                  <Button onClick={() => chooseHeader(likelyHeader)}>{words.useHeader(likelyHeader)}</Button>
                )}
              </Note>
            ))}
          {upload.kind === 'checked' && upload.unassigned.length > 0 && <Spread of={upload.unassigned} />}
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
          {upload.result.dry_run && !isSending && questions.length === 0 && likelyHeader === null && (
            <details open={upload.result.problems.length > 0}>
              <summary>{words.columns}</summary>
              <Values values={values} />
              <div class="columns">
                {upload.result.header.filter(Boolean).map((column) => (
                  <Select
                    key={column}
                    label={column}
                    options={['', ...FIELD_PATHS]}
                    value={(columns ?? upload.result.columns)[column] ?? ''}
                    name={(field) => (field === '' ? words.leftOut : label(field))}
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

/** Gives rows an adjuster who have none, and shows who gets which before. */
function Spread({ of }: { readonly of: Upload['unassigned'] }) {
  const words = texts.value.spread;
  const [isOpen, setIsOpen] = useState(false);
  const [ticked, setTicked] = useState<readonly string[]>([]);
  const [plan, setPlan] = useState<readonly ProposedOffer[]>();
  const close = (): void => setIsOpen(false);
  const items = of.map(({ row, external_id, needs_adjuster }) => ({
    id: String(row),
    label: [texts.value.upload.row(row), external_id].filter(Boolean).join(' · '),
    zip: needs_adjuster?.zip ?? '',
    state: needs_adjuster?.state ?? '',
    form_type: needs_adjuster?.form_type ?? undefined,
  }));
  return (
    <Note kind="warning">
      <p>{words.rows(of.length)}</p>
      <Button onClick={() => setIsOpen(true)}>{words.act(of.length)}</Button>
      {isOpen && (
        <SpreadDialog
          {...{ items, ticked, plan, close, show: setPlan }}
          tick={(svcIds) => {
            setTicked(svcIds);
            setPlan(undefined);
          }}
          act={words.give(plan?.length ?? 0)}
          submit={() => {
            close();
            void uploads.assign(plan ?? []);
          }}
        />
      )}
    </Note>
  );
}

/** The beginning of a row, so far as cells have no line breaks. */
function previewOf(text: string, row: number): string {
  const line = text.split(/\r\n|\r|\n/, HEADER_ROWS)[row - 1] ?? '';
  return line.length > MAX_PREVIEW ? `${line.slice(0, MAX_PREVIEW)}…` : line;
}

/** Why no file is checked or sent, or why it was checked again. */
function Notice({ notice }: { readonly notice: UploadNotice }) {
  const words = texts.value.upload;
  return (
    <Note kind="warning">
      {notice.kind === 'unreadable' && <p role="alert">{said(notice.detail)}</p>}
      {notice.kind === 'gone' && <p role="alert">{words.gone}</p>}
      {notice.kind === 'changed' && <p role="alert">{words.changed}</p>}
      {notice.kind === 'encoding' && (
        <>
          <p role="alert">{words.uncertainEncoding}</p>
          <div class="row">
            {notice.samples.map(({ encoding, sample }) => (
              <Button key={encoding} onClick={() => void uploads.choose(notice.chosen, { encoding })}>
                {`${sample} (${words.encodings[encoding]})`}
              </Button>
            ))}
          </div>
        </>
      )}
    </Note>
  );
}

type Question = Upload['result']['problems'][number];
const NONE = '-';

/** Which column has a field, or which field a column has. The file is checked again when all are answered. */
function Questions(props: {
  readonly of: readonly Question[];
  readonly columns: Upload['result']['columns'];
}) {
  const words = texts.value.upload;
  const [answers, setAnswers] = useState<Readonly<Record<number, string>>>({});
  const answer = (n: number, chosen: string): void => {
    const given = { ...answers, [n]: chosen };
    setAnswers(given);
    if (props.of.some((_, one) => (given[one] ?? '') === '')) return;
    const answered = props.of.flatMap(({ columns, fields }, one) => {
      const [column = ''] = columns;
      const [field = ''] = fields;
      if (given[one] === NONE) return [];
      return [fields.length > 1 ? [column, given[one]] : [given[one], field]];
    });
    void uploads.change({ columns: { ...props.columns, ...Object.fromEntries(answered) } });
  };
  return (
    <Section title={words.questions}>
      {props.of.map(({ columns, fields, detail }, n) => (
        <Select
          key={detail}
          label={
            fields.length > 1
              ? words.whichField(columns.join())
              : columns.length > 1
                ? words.whichColumn(label(fields.join()))
                : words.isField(columns.join(), label(fields.join()))
          }
          options={['', ...(fields.length > 1 ? fields : columns), NONE]}
          value={answers[n] ?? ''}
          name={(one) =>
            one === '' ? words.choose : one === NONE ? words.neither : fields.length > 1 ? label(one) : one
          }
          choose={(chosen) => answer(n, chosen)}
        />
      ))}
    </Section>
  );
}

/** The latest uploads that have sent rows. */
function Earlier() {
  const words = texts.value.upload;
  const [imports, setImports] = useState<readonly Import[]>([]);
  const query = { environment: environment.value, limit: EARLIER_UPLOADS };
  const read = () => request(() => call('listImports', { query }));
  useReading(read, ({ data }) => setImports(data), showError, [environment.value]);
  if (imports.length === 0) return null;
  return (
    <Section title={words.earlier}>
      <ul>
        {imports.map(({ id, name, file_name, created_at, sent, already_sent, failed }) => (
          <li key={id}>
            {file_name ?? name} · {dateTime(created_at)} ·{' '}
            {countsText(words.outcomes, { sent, already_sent, failed })}
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** What is wrong with the rows. */
function Problems({ of: { problems, problemCount } }: { readonly of: Upload }) {
  const words = texts.value.upload;
  const save = (): void => {
    const { refusals, ofService: translated } = texts.value;
    const rows = problems.map(({ row, column, field, code, detail }) => [
      ...[
        row,
        column ?? label(field),
        code,
        refusals[code ?? ''] ?? translated(withLabels(detail, fieldNames())),
      ],
    ]);
    const csv = spreadsheetCsv([['row', 'column', 'code', 'text'], ...rows]);
    saveCsv(csv, 'problems.csv');
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
              <code>{column ?? label(field)}</code> {texts.value.refusals[code ?? ''] ?? said(detail)}
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
    saveCsv(csvOfClaims(claims), 'claims.csv');
  };
  return (
    <Section title={words.columns}>
      <p>{words.needed}</p>
      <p>{REQUIRED_PATHS.map(label).join(' · ')}</p>
      <p class="muted">{words.known}</p>
      <div class="row">
        <Button onClick={save}>{words.sample}</Button>
      </div>
    </Section>
  );
}

function Progress({ upload: { counts, kind, result } }: { readonly upload: Upload }) {
  const words = texts.value.upload;
  const { done, lines, total } = uploads.progress.value;
  const { workbook } = uploads.file.value ?? {};
  return (
    <section class="card" aria-label={words.states[kind]}>
      <h2>
        {words.states[kind]}: {uploads.file.value?.fileName}{' '}
        <TestBadge test={result.environment === 'test'} />
      </h2>
      <progress max={Math.max(total, 1)} value={done} aria-label={words.states[kind]} />
      <p role="status">
        {words.rows(done, total)} {countsText(words.outcomes, counts)}
      </p>
      {result.dry_run && workbook === undefined && lines !== total && (
        <p class="warning">{words.lines(lines, total)}</p>
      )}
      {workbook !== undefined && workbook.hiddenRows > 0 && (
        <p class="warning">{words.hiddenRows(workbook.hiddenRows)}</p>
      )}
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
          {...{ label: words.sameField, options: FIELD_PATHS, value: field, name: label, choose: setField }}
        />
        <Field label={words.sameValue} name="value" required />
        <Button type="submit">{words.add}</Button>
      </form>
      <ul>
        {Object.entries(values).map(([name, text]) => (
          <li key={name} class="row">
            {label(name)}: {text}{' '}
            <Button
              kind="quiet"
              aria-label={texts.value.passkeys.remove(label(name))}
              onClick={() => remove(name)}
            >
              {texts.value.remove}
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}
