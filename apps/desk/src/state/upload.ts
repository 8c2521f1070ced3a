import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { CsvPart } from '@svc/csv-import/in-page';
import { ApiError } from '@svc/web-app/api-error';
import { outlast } from '@svc/web-app/outlast';
import type { Call, Environment, ImportBody, ImportResult } from '../endpoints.ts';

/** Rows with problems that are shown; the counts cover all. */
const MAX_SHOWN_ROWS = 500;

type ImportRow = ImportResult['rows'][number];

export interface UploadFile {
  readonly name: string;
  readonly parts: readonly [CsvPart, ...CsvPart[]];
}

/** How the file is read. */
type Choices = Pick<ImportBody, 'columns' | 'values' | 'date_order'>;

export interface Upload {
  readonly kind: 'checking' | 'checked' | 'sending' | 'sent' | 'stopped';
  readonly result: ImportResult;
  readonly counts: Readonly<Record<string, number>>;
  /** Rows with problems. */
  readonly rows: readonly ImportRow[];
}

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
  let waiting:
    | { readonly body: ImportBody; readonly later: readonly CsvPart[]; readonly before: Upload | undefined }
    | undefined;
  /** Counts up, so that a run that was left behind ends. */
  let generation = 0;

  function added(before: Upload | undefined, result: ImportResult, isLast: boolean): Upload {
    const counts: Record<string, number> = { ...before?.counts };
    for (const { outcome } of result.rows) counts[outcome] = (counts[outcome] ?? 0) + 1;
    const found = result.rows.filter(({ problems }) => problems.length > 0);
    const running = result.dry_run ? 'checking' : 'sending';
    const ended = result.dry_run ? 'checked' : 'sent';
    return {
      kind: isLast ? ended : running,
      ...{ result, counts, rows: [...(before?.rows ?? []), ...found].slice(0, MAX_SHOWN_ROWS) },
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
        waiting = { body, later: left, before };
        const send = () => deps.call('importClaims', { body });
        const result = await deps.request(() => outlast(send, () => mine === generation));
        if (mine !== generation) return;
        const [part, ...others] = left;
        const isOver = result.next_row === null || result.problems.length > 0;
        before = added(before, result, isOver && (part === undefined || result.problems.length > 0));
        upload.value = before;
        const { id: import_id, next_row } = result;
        if (next_row !== null) body = { ...body, import_id, from_row: next_row };
        else if (part === undefined || result.problems.length > 0) break;
        else {
          const { text, firstRow } = part;
          body = { ...body, import_id, text, first_row: firstRow, from_row: firstRow };
          left = others;
        }
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
    const [{ text, firstRow }, ...later] = parts;
    const part = later.length === 0 ? { text } : { text, first_row: firstRow };
    await run({ ...choices.value, ...part, environment: deps.environment.value, name, dry_run }, later);
  }

  return {
    ...{ file, choices, upload, isSending },
    /** Rows that were read by this run, and all rows. */
    progress: computed(() => {
      const { counts = {}, result } = upload.value ?? {};
      const done = Object.values(counts).reduce((sum, count) => sum + count, 0);
      const { parts = [] } = file.value ?? {};
      const ofParts = parts.reduce((sum, { rows }) => sum + rows, 0);
      return { done, total: parts.length === 1 ? (result?.total_rows ?? ofParts) : ofParts };
    }),
    canResume: (): boolean => waiting !== undefined,
    /** Checks every row, and sends none. */
    async choose(chosen: UploadFile): Promise<void> {
      if (isSending.value) return;
      file.value = chosen;
      choices.value = { ...choices.value, columns: undefined };
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
      if (waiting !== undefined) await run(waiting.body, waiting.later, waiting.before);
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
