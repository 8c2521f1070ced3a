import { signal } from '@preact/signals';
import { ApiError } from '@svc/web-app/api-error';
import { outlast } from '@svc/web-app/outlast';
import type { Call, Environment, ImportBody, ImportResult } from '../endpoints.ts';

/** Rows with problems that are shown; the counts cover all. */
const MAX_SHOWN_ROWS = 500;

type ImportRow = ImportResult['rows'][number];

/** What the person has chosen for a file. */
export interface UploadFile {
  readonly name: string;
  readonly text: string;
}

export interface Upload {
  readonly kind: 'checking' | 'checked' | 'sending' | 'sent' | 'stopped';
  readonly result: ImportResult;
  readonly counts: Readonly<Record<string, number>>;
  /** Rows with problems. */
  readonly rows: readonly ImportRow[];
}

/**
 * A file in the encoding that it shows: a byte order mark, valid UTF-8, or else Windows-1252, which spreadsheets write.
 */
export function decodeFile(bytes: Uint8Array): string {
  const [first = 0, second = 0] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** Checks and sends a file of claims, some rows with each request. */
export function createUpload(deps: {
  readonly call: Call;
  readonly request: <T>(send: () => Promise<T>) => Promise<T>;
  readonly onError: (error: unknown) => void;
}) {
  const upload = signal<Upload | undefined>(undefined);
  /** What the last request of a run that stopped would have been. */
  let waiting: { readonly body: ImportBody; readonly before: Upload | undefined } | undefined;
  /** Counts up, so that a run that was left behind ends. */
  let generation = 0;

  function added(before: Upload | undefined, result: ImportResult): Upload {
    const counts: Record<string, number> = { ...before?.counts };
    for (const { outcome } of result.rows) counts[outcome] = (counts[outcome] ?? 0) + 1;
    const found = result.rows.filter(({ problems }) => problems.length > 0);
    const running = result.dry_run ? 'checking' : 'sending';
    const ended = result.dry_run ? 'checked' : 'sent';
    return {
      kind: result.next_row === null ? ended : running,
      ...{ result, counts, rows: [...(before?.rows ?? []), ...found].slice(0, MAX_SHOWN_ROWS) },
    };
  }

  async function run(first: ImportBody, start?: Upload): Promise<void> {
    generation += 1;
    const mine = generation;
    let body = first;
    let before = start;
    try {
      for (;;) {
        waiting = { body, before };
        const send = () => deps.call('importClaims', { body });
        const result = await deps.request(() => outlast(send, () => mine === generation));
        if (mine !== generation) return;
        before = added(before, result);
        upload.value = before;
        if (result.next_row === null) break;
        body = { ...body, import_id: result.id, from_row: result.next_row };
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

  return {
    upload,
    canResume: (): boolean => waiting !== undefined,
    /** Checks every row, and sends none. */
    check(file: UploadFile, environment: Environment, options: Partial<ImportBody>): Promise<void> {
      return run({ ...options, name: file.name, text: file.text, environment, dry_run: true });
    },
    /** Sends the rows that have no problems. */
    send(file: UploadFile, environment: Environment, options: Partial<ImportBody>): Promise<void> {
      return run({ ...options, name: file.name, text: file.text, environment, dry_run: false });
    },
    async resume(): Promise<void> {
      if (waiting !== undefined) await run(waiting.body, waiting.before);
    },
    forget(): void {
      generation += 1;
      waiting = undefined;
      upload.value = undefined;
    },
  };
}
