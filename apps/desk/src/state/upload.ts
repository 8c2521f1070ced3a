import { signal } from '@preact/signals';
import type { CsvPart } from '@svc/csv-import/in-page';
import { ApiError } from '@svc/web-app/api-error';
import { outlast } from '@svc/web-app/outlast';
import type { Call, ImportBody, ImportResult } from '../endpoints.ts';

/** Rows with problems that are shown; the counts cover all. */
const MAX_SHOWN_ROWS = 500;

type ImportRow = ImportResult['rows'][number];

/** What the person has chosen for a file. */
export interface UploadFile {
  readonly name: string;
  readonly parts: readonly [CsvPart, ...CsvPart[]];
}

export interface Upload {
  readonly kind: 'checking' | 'checked' | 'sending' | 'sent' | 'stopped';
  readonly result: ImportResult;
  readonly counts: Readonly<Record<string, number>>;
  /** Rows with problems. */
  readonly rows: readonly ImportRow[];
}

/** Checks and sends a file of claims, some rows with each request. */
export function createUpload(deps: {
  readonly call: Call;
  readonly request: <T>(send: () => Promise<T>) => Promise<T>;
  readonly onError: (error: unknown) => void;
}) {
  const upload = signal<Upload | undefined>(undefined);
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
    } catch (error) {
      if (mine !== generation) return;
      // Without a response, the same rows are sent again: a claim that exists is not sent twice.
      if (error instanceof ApiError) waiting = undefined;
      upload.value = before === undefined ? undefined : { ...before, kind: 'stopped' };
      deps.onError(error);
    }
  }

  function start(file: UploadFile, options: Partial<ImportBody>, dry_run: boolean): Promise<void> {
    const [{ text, firstRow }, ...later] = file.parts;
    const part = later.length === 0 ? { text } : { text, first_row: firstRow };
    return run({ environment: 'live', ...options, ...part, name: file.name, dry_run }, later);
  }

  return {
    upload,
    canResume: (): boolean => waiting !== undefined,
    /** Checks every row, and sends none. */
    check: (file: UploadFile, options: Partial<ImportBody>) => start(file, options, true),
    /** Sends the rows that have no problems. */
    send: (file: UploadFile, options: Partial<ImportBody>) => start(file, options, false),
    async resume(): Promise<void> {
      if (waiting !== undefined) await run(waiting.body, waiting.later, waiting.before);
    },
    forget(): void {
      generation += 1;
      waiting = undefined;
      upload.value = undefined;
    },
  };
}
