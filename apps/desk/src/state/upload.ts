import { computed, type ReadonlySignal, signal } from '@preact/signals';
import {
  type CsvPart,
  type Encoding,
  isWorkbook,
  nameOfFile,
  partsOf,
  readText,
  readWorkbook,
  shownFileName,
  UncertainEncoding,
  UnreadableCsv,
  type WorkbookText,
} from '@svc/csv-import/in-page';
import { ApiError, needsSignIn } from '@svc/web-app/api-error';
import { outlast } from '@svc/web-app/outlast';
import type { Call, Environment, ImportBody, ImportResult, ProposedOffer } from '../endpoints.ts';

/** Problems that are kept in memory; their count covers all. */
const MAX_PROBLEMS = 200_000;

type ImportRow = ImportResult['rows'][number];

/** A file that a person has chosen. It may change on disk, or vanish, until it is read again. */
export interface ChosenFile {
  readonly name: string;
  arrayBuffer(): Promise<ArrayBuffer>;
}

export interface UploadFile {
  /** Of the import; with the dates of the file's name, files of one kind would have different names. */
  readonly name: string;
  readonly fileName: string;
  readonly text: string;
  /** Of a CSV file. */
  readonly encoding?: Encoding;
  readonly workbook?: Omit<WorkbookText, 'text'>;
  readonly chosen: ChosenFile;
}

/** What a person has chosen of a file; by default what it shows. */
interface ReadAs {
  readonly encoding?: Encoding | undefined;
  readonly sheet?: string | undefined;
}

/** Why no file is checked or sent, or why it was checked again. */
export type UploadNotice =
  | { readonly kind: 'gone' | 'changed' }
  | { readonly kind: 'unreadable'; readonly detail: string }
  | {
      readonly kind: 'encoding';
      readonly chosen: ChosenFile;
      readonly samples: UncertainEncoding['samples'];
    };

/** How the file is read. */
type Choices = Pick<
  ImportBody,
  'columns' | 'values' | 'date_order' | 'delimiter' | 'header_row' | 'adjusters'
>;

export interface Upload {
  readonly kind: 'checking' | 'checked' | 'sending' | 'sent' | 'stopped';
  readonly result: ImportResult;
  readonly counts: Readonly<Record<string, number>>;
  readonly problems: readonly (ImportRow['problems'][number] & Pick<ImportRow, 'row' | 'external_id'>)[];
  readonly problemCount: number;
  /** Rows that lack an adjuster and nothing else. */
  readonly unassigned: readonly Pick<ImportRow, 'row' | 'external_id' | 'needs_adjuster'>[];
}

/** So that sending has the columns of the check, whatever others import under the name; the rest is left out. */
const mapped = (columns: ImportResult['columns']) =>
  Object.fromEntries(Object.entries(columns).filter(([, field]) => field !== null));

export const countsText = (outcomes: Readonly<Record<string, string>>, counts: Upload['counts']): string =>
  Object.entries(counts)
    .map(([outcome, count]) => `${outcomes[outcome] ?? outcome}: ${count}`)
    .join(' · ');

export type Uploads = ReturnType<typeof createUpload>;

/** Checks and sends a file of claims, some rows with each request, whatever screen is shown. */
export function createUpload(deps: {
  readonly call: Call;
  readonly request: <T>(send: () => Promise<T>) => Promise<T>;
  readonly environment: ReadonlySignal<Environment>;
  readonly onSent: (text: (outcomes: Readonly<Record<string, string>>) => string, isWhole: boolean) => void;
  readonly onError: (error: unknown) => void;
}) {
  const file = signal<UploadFile | undefined>(undefined);
  const notice = signal<UploadNotice | undefined>(undefined);
  const choices = signal<Choices>({});
  const upload = signal<Upload | undefined>(undefined);
  const parts = computed((): readonly CsvPart[] => {
    const { delimiter, header_row: headerRow } = choices.value;
    if (file.value === undefined) return [];
    const { text, workbook } = file.value;
    return partsOf(text, { delimiter: workbook === undefined ? delimiter : 'tab', headerRow });
  });
  const isSending = computed(() => upload.value?.kind === 'sending');
  /** What the last request of a run that stopped would have been. */
  let waiting: Parameters<typeof run> | undefined;
  /** Counts up: of files that are read at the same time, the last one counts. */
  let readings = 0;
  const isReading = signal(false);
  /** Counts up, so that a run that was left behind ends. */
  let generation = 0;

  function added(before: Upload | undefined, result: ImportResult, kind: Upload['kind']): Upload {
    const counts: Record<string, number> = { ...before?.counts };
    for (const { outcome } of result.rows) counts[outcome] = (counts[outcome] ?? 0) + 1;
    const found = result.rows.flatMap(({ row, external_id, problems }) =>
      problems.map((problem) => ({ row, external_id, ...problem })),
    );
    const columns = { ...before?.result.columns, ...result.columns };
    return {
      ...{ kind, counts, result: { ...result, columns } },
      problemCount: (before?.problemCount ?? 0) + found.length,
      problems: [...(before?.problems ?? []), ...found].slice(0, MAX_PROBLEMS),
      unassigned: [
        ...(before?.unassigned ?? []),
        ...result.rows.filter(({ needs_adjuster }) => needs_adjuster != null),
      ],
    };
  }

  async function run(first: ImportBody, later: readonly CsvPart[], start?: Upload): Promise<void> {
    generation += 1;
    const mine = generation;
    let body = first;
    let left = later;
    let before = start;
    const { value: shown } = upload;
    const kind = first.dry_run ? 'checking' : 'sending';
    upload.value = shown && { ...shown, counts: {}, ...start, kind };
    try {
      for (;;) {
        waiting = [body, left, before];
        const send = () => deps.call('importClaims', { body });
        const result = await deps.request(() => outlast(send, () => mine === generation));
        if (mine !== generation) return;
        const [part, ...others] = left;
        const { id: import_id, next_row, problems } = result;
        const next = next_row === null && problems.length === 0 ? part : undefined;
        const isLast = next_row === null && next === undefined;
        before = added(before, result, isLast ? (first.dry_run ? 'checked' : 'sent') : kind);
        upload.value = before;
        if (isLast) break;
        if (next !== undefined) left = others;
        const from_row = next_row ?? next?.content.first_row;
        body = { ...body, ...next?.content, import_id, from_row, columns: mapped(before.result.columns) };
      }
      waiting = undefined;
      const { kind: end, counts } = before;
      if (end === 'sent')
        deps.onSent((outcomes) => countsText(outcomes, counts), counts.failed === undefined);
    } catch (error) {
      if (mine !== generation) return;
      // Without a response, the same rows are sent again: a claim that exists is not sent twice.
      if (error instanceof ApiError && !needsSignIn(error)) waiting = undefined;
      upload.value = upload.value && { ...upload.value, kind: 'stopped' };
      deps.onError(error);
    }
  }

  async function start(dry_run: boolean): Promise<void> {
    const [first, ...later] = parts.value;
    if (file.value === undefined || first === undefined) return;
    const { name, fileName: file_name } = file.value;
    const { columns } = (dry_run ? undefined : upload.value?.result) ?? choices.value;
    const how = {
      adjusters: {},
      ...choices.value,
      columns: columns && mapped(columns),
      name,
      file_name,
      dry_run,
    };
    await run({ ...how, ...first.content, environment: deps.environment.value }, later);
  }

  interface Reading {
    readonly file?: UploadFile;
    /** Why it cannot be read. */
    readonly notice?: UploadNotice;
  }

  /** Undefined: another one was started since. */
  async function read(chosen: ChosenFile, as: ReadAs): Promise<Reading | undefined> {
    readings += 1;
    const mine = readings;
    isReading.value = true;
    const found = await readingOf(chosen, as);
    if (mine !== readings) return undefined;
    isReading.value = false;
    return found;
  }

  async function readingOf(chosen: ChosenFile, { encoding, sheet }: ReadAs): Promise<Reading> {
    const { name } = chosen;
    const shared = { name: nameOfFile(name), fileName: shownFileName(name), chosen };
    try {
      const bytes = new Uint8Array(await chosen.arrayBuffer());
      if (!isWorkbook(bytes)) return { file: { ...readText(bytes, encoding), ...shared } };
      const { text, ...workbook } = await readWorkbook(bytes, sheet);
      return { file: { text, workbook, ...shared } };
    } catch (error) {
      if (error instanceof UncertainEncoding)
        return { notice: { kind: 'encoding', chosen, samples: error.samples } };
      if (error instanceof UnreadableCsv) return { notice: { kind: 'unreadable', detail: error.message } };
      // Browsers refuse to read a file that has changed.
      return { notice: { kind: 'gone' } };
    }
  }

  function forget(): void {
    generation += 1;
    waiting = undefined;
    file.value = undefined;
    choices.value = {};
    upload.value = undefined;
    notice.value = undefined;
  }

  /** Checks a file that was read. Its columns are those that the service remembers, or knows. */
  async function check(next: UploadFile): Promise<void> {
    const { columns: _, delimiter: __, header_row: ___, adjusters: ____, ...shared } = choices.value;
    choices.value = shared;
    file.value = next;
    upload.value = undefined;
    await start(true);
  }

  return {
    ...{ file, notice, choices, upload, isReading, isSending },
    /** Rows that were read by this run, and all rows. */
    progress: computed(() => {
      const { counts = {}, result } = upload.value ?? {};
      const done = Object.values(counts).reduce((sum, count) => sum + count, 0);
      const ofParts = parts.value.reduce((sum, { rows }) => sum + rows, 0);
      const lines = parts.value.reduce((sum, part) => sum + part.lines, 0);
      return { done, lines, total: parts.value.length === 1 ? (result?.total_rows ?? ofParts) : ofParts };
    }),
    canResume: (): boolean => waiting !== undefined,
    /** Checks every row, and sends none. */
    async choose(chosen: ChosenFile, as: ReadAs = {}): Promise<void> {
      if (isSending.value) return;
      const next = await read(chosen, as);
      if (next === undefined || isSending.value) return;
      notice.value = undefined;
      if (next.file !== undefined) return check(next.file);
      // Another encoding or sheet may have been wrong; what was checked is still there.
      if (as.encoding === undefined && as.sheet === undefined) forget();
      notice.value = next.notice;
    },
    /** Another choice has every row checked again. */
    async change(changes: Choices): Promise<void> {
      if (isSending.value) return;
      const { adjusters, ...others } = choices.value;
      // Otherwise rows may have other numbers.
      const isSameRows = !('delimiter' in changes) && !('header_row' in changes);
      choices.value = { ...others, ...(isSameRows && adjusters && { adjusters }), ...changes };
      await start(true);
    },
    /** Gives rows their adjusters, and has every row checked again. */
    async assign(offers: readonly Pick<ProposedOffer, 'id' | 'adjuster_svc_id'>[]): Promise<void> {
      const rows = new Map(Object.entries(choices.value.adjusters ?? {}));
      for (const { id, adjuster_svc_id: svcId } of offers)
        rows.set(svcId, [...(rows.get(svcId) ?? []), Number(id)]);
      await this.change({ adjusters: Object.fromEntries(rows) });
    },
    /** Sends the rows that have no problems, of the file as it was checked: one that has changed is checked again. */
    async send(): Promise<void> {
      const { value: checked } = file;
      if (checked === undefined || isSending.value) return;
      const { encoding, workbook } = checked;
      const next = await read(checked.chosen, { encoding, sheet: workbook?.sheet });
      if (next === undefined || isSending.value || file.value !== checked) return;
      notice.value = undefined;
      if (next.file?.text === checked.text) return start(false);
      if (next.file === undefined) forget();
      notice.value = next.notice ?? { kind: 'changed' };
      if (next.file !== undefined) await check(next.file);
    },
    async resume(): Promise<void> {
      if (waiting !== undefined) await run(...waiting);
    },
    forget,
  };
}
