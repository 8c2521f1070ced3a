import { ClaimsApiError, ClaimsError, type Client, type NewClaim } from '@svc/client';
import { endpoints, parseRequest } from '@svc/contract';
import { mapRow, type Note, type RowResult } from './map-row.ts';
import { type File, type FileRow, UnreadableFile } from './read-rows.ts';

/** Counts of a run. Only the list of skipped rows grows with the file. */
export interface Tally {
  rows: number;
  /** Created by this run; in a dry run, those that would be sent. */
  sent: number;
  existing: number;
  failed: number;
  skipped: number;
  /** Rows whose claim lacks a value of the file. */
  withLosses: number;
  readonly losses: Map<string, number>;
  readonly normalized: Map<string, number>;
  readonly skippedRows: number[];
  /** Why the run ended before the file did; null when it did not. */
  stopped: string | null;
}

/** Why a claim was not sent. */
export interface Failure {
  readonly code: string | null;
  readonly detail: string;
  readonly errors: readonly { readonly where: string; readonly detail: string }[];
}

export interface Listener {
  noted(row: number, note: Note): void;
  /** Before a claim is sent, or instead of it in a dry run. */
  mapped(row: number, body: NewClaim): void;
  failed(row: number, id: string, failure: Failure): void;
  counted(tally: Tally): void;
}

interface ImportOptions {
  readonly adjuster: string;
  readonly concurrency: number;
  /** Null in a dry run. */
  readonly client: Client | null;
  /** Stops the run after open requests. */
  readonly signal?: AbortSignal;
}

/** Errors about the adjuster, which every further claim would get as well. */
const ADJUSTER_CODES: readonly (string | null)[] = [
  'unknown_osaid',
  'adjuster_not_in_firm',
  'adjuster_not_accepting',
  'environment_mismatch',
];

export const noClaims = (): Tally => ({
  rows: 0,
  sent: 0,
  existing: 0,
  failed: 0,
  skipped: 0,
  withLosses: 0,
  losses: new Map(),
  normalized: new Map(),
  skippedRows: [],
  stopped: null,
});

export async function importClaims(file: File, options: ImportOptions, listener: Listener): Promise<Tally> {
  const { adjuster, client, concurrency, signal } = options;
  const tally = noClaims();
  /** Rows of the claims in flight; their outcomes come in the same order. */
  const rowsInFlight: number[] = [];

  async function* claims(): AsyncGenerator<NewClaim> {
    try {
      for await (const fileRow of file.rows) {
        if (signal?.aborted) tally.stopped ??= 'interrupted';
        if (tally.stopped !== null) return;
        tally.rows += 1;
        const mapped = mapFileRow(fileRow, adjuster);
        note(fileRow.number, mapped);
        listener.counted(tally);
        if (!mapped.ok) continue;
        listener.mapped(fileRow.number, mapped.body);
        rowsInFlight.push(fileRow.number);
        yield mapped.body;
      }
    } catch (error) {
      // The claims before it are sent and counted.
      if (!(error instanceof UnreadableFile)) throw error;
      tally.stopped = error.message;
    }
  }

  function note(row: number, mapped: RowResult): void {
    for (const entry of mapped.notes) {
      listener.noted(row, entry);
      if (entry.action === 'left_out') count(tally.losses, entry.column);
      if (entry.action === 'normalized') count(tally.normalized, entry.column);
    }
    if (!mapped.ok) {
      tally.skipped += 1;
      tally.skippedRows.push(row);
    } else if (mapped.notes.some(({ action }) => action === 'left_out')) tally.withLosses += 1;
  }

  function settle({ external_id }: { readonly external_id: string }, failure: Failure | null): void {
    const row = rowsInFlight.shift() ?? 0;
    if (failure === null) tally.sent += 1;
    // An earlier run created it, perhaps from another release of this mapping.
    else if (failure.code === 'duplicate_claim') tally.existing += 1;
    else {
      tally.failed += 1;
      listener.failed(row, external_id, failure);
      if (ADJUSTER_CODES.includes(failure.code)) tally.stopped ??= `${failure.detail} (${failure.code})`;
    }
  }

  if (client === null) for await (const body of claims()) settle(body, invalidity(body));
  else {
    try {
      for await (const outcome of client.claims.sendMany(claims(), { concurrency })) {
        if (outcome.status === 'already_sent') {
          rowsInFlight.shift();
          tally.existing += 1;
        } else settle(outcome.request, outcome.status === 'failed' ? failureOf(outcome.error) : null);
      }
    } catch (error) {
      if (!(error instanceof ClaimsError)) throw error;
      tally.stopped ??= error.message;
    }
  }
  return tally;
}

/** Validates like the service, with the same contract. */
export function invalidity(body: NewClaim): Failure | null {
  const parsed = parseRequest(endpoints.sendClaim, { headers: { 'idempotency-key': 'dry-run' }, body });
  return parsed.ok
    ? null
    : { code: 'validation_failed', detail: 'The claim is not valid.', errors: located(parsed.errors) };
}

const failureOf = (error: ClaimsError): Failure =>
  error instanceof ClaimsApiError
    ? { code: error.code, detail: error.detail ?? error.message, errors: located(error.errors) }
    : { code: null, detail: error.message, errors: [] };

const located = (
  errors: readonly { detail: string; pointer?: string; header?: string; parameter?: string }[],
): Failure['errors'] =>
  errors.map(({ detail, pointer, header, parameter }) => ({
    where: pointer ?? header ?? parameter ?? '',
    detail,
  }));

function mapFileRow({ row, values }: FileRow, adjuster: string): RowResult {
  if (row) return mapRow(row, adjuster);
  const reason = 'the row has another number of values than the header has names';
  return {
    ok: false,
    id: null,
    notes: [{ column: '*', value: `${values} values`, action: 'skipped', what: reason }],
  };
}

const count = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1);
};

/** 0: all rows are claims. 1: some are not. 2: the run stopped early. */
export function exitCode(tally: Tally, allowSkips: boolean): 0 | 1 | 2 {
  if (tally.stopped !== null) return 2;
  return tally.failed + (allowSkips ? 0 : tally.skipped) === 0 ? 0 : 1;
}
