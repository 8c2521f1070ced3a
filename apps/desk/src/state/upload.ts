import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { CsvPart, Encoding } from '@svc/csv-import/in-page';
import { ApiError } from '@svc/web-app/api-error';
import { outlast } from '@svc/web-app/outlast';
import type { Call, Environment, ImportBody, ImportResult } from '../endpoints.ts';

/** Problems that are kept in memory; their count covers all. */
const MAX_PROBLEMS = 200_000;

type ImportRow = ImportResult['rows'][number];

export interface UploadFile {
  readonly name: string;
  readonly parts: readonly [CsvPart, ...CsvPart[]];
  readonly encoding: Encoding;
  /** To read it again in another encoding. */
  readonly content: Blob;
}

/** How the file is read. */
type Choices = Pick<ImportBody, 'columns' | 'values' | 'date_order' | 'delimiter'>;

export interface Upload {
  readonly kind: 'checking' | 'checked' | 'sending' | 'sent' | 'stopped';
  readonly result: ImportResult;
  readonly counts: Readonly<Record<string, number>>;
  readonly problems: readonly (ImportRow['problems'][number] & Pick<ImportRow, 'row' | 'external_id'>)[];
  readonly problemCount: number;
}

/** So that sending has the columns of the check, whatever others import under the name; the rest is left out. */
const mapped = (columns: ImportResult['columns']) =>
  Object.fromEntries(Object.entries(columns).filter(([, field]) => field !== null));

export const countsText = (outcomes: Readonly<Record<string, string>>, counts: Upload['counts']): string =>
  Object.entries(counts)
    .map(([outcome, count]) => `${outcomes[outcome] ?? outcome}: ${count}`)
    .join(' · ');

/** Checks and sends a file of claims, some rows with each request, whatever screen is shown. */
export function createUpload(deps: {
  readonly call: Call;
  readonly request: <T>(send: () => Promise<T>) => Promise<T>;
  readonly environment: ReadonlySignal<Environment>;
  readonly onSent: (counts: Upload['counts']) => void;
  readonly onError: (error: unknown) => void;
}) {
  const file = signal<UploadFile | undefined>(undefined);
  const choices = signal<Choices>({});
  const upload = signal<Upload | undefined>(undefined);
  const isSending = computed(() => upload.value?.kind === 'sending');
  /** What the last request of a run that stopped would have been. */
  let waiting: Parameters<typeof run> | undefined;
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
      if (before.kind === 'sent') deps.onSent(before.counts);
    } catch (error) {
      if (mine !== generation) return;
      // Without a response, the same rows are sent again: a claim that exists is not sent twice.
      if (error instanceof ApiError) waiting = undefined;
      upload.value = upload.value && { ...upload.value, kind: 'stopped' };
      deps.onError(error);
    }
  }

  async function start(dry_run: boolean): Promise<void> {
    if (file.value === undefined) return;
    const { name, parts } = file.value;
    const [{ content }, ...later] = parts;
    const { columns } = (dry_run ? undefined : upload.value?.result) ?? choices.value;
    const how = { ...choices.value, columns: columns && mapped(columns), name, dry_run };
    await run({ ...how, ...content, environment: deps.environment.value }, later);
  }

  return {
    ...{ file, choices, upload, isSending },
    /** Rows that were read by this run, and all rows. */
    progress: computed(() => {
      const { counts = {}, result } = upload.value ?? {};
      const done = Object.values(counts).reduce((sum, count) => sum + count, 0);
      const parts: readonly CsvPart[] = file.value?.parts ?? [];
      const ofParts = parts.reduce((sum, { rows }) => sum + rows, 0);
      return { done, total: parts.length === 1 ? (result?.total_rows ?? ofParts) : ofParts };
    }),
    canResume: (): boolean => waiting !== undefined,
    /** Checks every row, and sends none. */
    async choose(chosen: UploadFile): Promise<void> {
      if (isSending.value) return;
      file.value = chosen;
      choices.value = { ...choices.value, columns: undefined, delimiter: undefined };
      upload.value = undefined;
      await start(true);
    },
    /** Another choice has every row checked again. */
    async change(changes: Choices): Promise<void> {
      if (isSending.value) return;
      choices.value = { ...choices.value, ...changes };
      await start(true);
    },
    /** Sends the rows that have no problems. */
    send: () => start(false),
    async resume(): Promise<void> {
      if (waiting !== undefined) await run(...waiting);
    },
    forget(): void {
      generation += 1;
      waiting = undefined;
      file.value = undefined;
      choices.value = {};
      upload.value = undefined;
    },
  };
}
