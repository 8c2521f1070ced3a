import { endpoints, parseRequest, type SendClaimBody } from '@svc/contract';
import { mapRow, type Note, type RowResult } from './map-row.ts';
import { type File, type FileRow, UnreadableFile } from './read-rows.ts';
import { type Delivery, FatalError, idempotencyKey, type Rejection } from './send-claim.ts';

/** Counts of a run. Only the list of skipped rows grows with the file. */
export interface Tally {
  rows: number;
  /** Created by this run; in a dry run, those that would be sent. */
  sent: number;
  existing: number;
  refused: number;
  undelivered: number;
  skipped: number;
  /** Read, but not sent because the run was stopped. */
  notSent: number;
  /** Rows whose claim lacks a value of the file. */
  withLosses: number;
  readonly losses: Map<string, number>;
  readonly normalized: Map<string, number>;
  readonly skippedRows: number[];
  /** Why the run ended before the file did; null when it did not. */
  stopped: string | null;
}

export interface Listener {
  noted(row: number, note: Note): void;
  /** Before a claim goes out, or instead of it in a dry run. */
  mapped(row: number, body: SendClaimBody): void;
  refused(row: number, id: string, problem: Rejection): void;
  undelivered(row: number, id: string, reason: string): void;
  counted(tally: Tally): void;
}

export interface ImportOptions {
  readonly adjuster: string;
  readonly concurrency: number;
  /** Null in a dry run. */
  readonly send: ((body: SendClaimBody) => Promise<Delivery>) | null;
  /** Stops the run after open requests. */
  readonly signal?: AbortSignal;
}

/** After this many undelivered claims in a row the service is considered down. */
const MAX_UNDELIVERED_IN_A_ROW = 5;

export const noClaims = (): Tally => ({
  rows: 0,
  sent: 0,
  existing: 0,
  refused: 0,
  undelivered: 0,
  skipped: 0,
  notSent: 0,
  withLosses: 0,
  losses: new Map(),
  normalized: new Map(),
  skippedRows: [],
  stopped: null,
});

export async function importClaims(file: File, options: ImportOptions, listener: Listener): Promise<Tally> {
  const tally = noClaims();
  let undeliveredInARow = 0;
  let failed: unknown;
  const stop = (reason: string): void => {
    tally.stopped ??= reason;
  };
  const waiting: (() => void)[] = [];
  let inFlight = 0;

  try {
    for await (const fileRow of file.rows) {
      if (options.signal?.aborted) stop('interrupted');
      if (tally.stopped !== null || failed !== undefined) break;
      await begin(fileRow);
    }
  } catch (error) {
    // The summary counts what was sent before the error.
    if (!(error instanceof UnreadableFile)) throw error;
    stop(error.message);
  }
  while (inFlight > 0) await new Promise<void>((wake) => waiting.push(wake));
  if (failed !== undefined) throw failed;
  return tally;

  async function begin(fileRow: FileRow): Promise<void> {
    tally.rows += 1;
    const mapped = mapFileRow(fileRow, options.adjuster);
    note(fileRow.number, mapped);
    if (mapped.ok) {
      listener.mapped(fileRow.number, mapped.body);
      if (inFlight >= options.concurrency) await new Promise<void>((wake) => waiting.push(wake));
      inFlight += 1;
      void deliver(fileRow.number, mapped.body)
        .catch((error: unknown) => {
          failed ??= error;
        })
        .finally(() => {
          inFlight -= 1;
          waiting.shift()?.();
        });
    }
    listener.counted(tally);
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

  async function deliver(row: number, body: SendClaimBody): Promise<void> {
    // The run may have stopped while this claim waited for its turn.
    if (tally.stopped !== null || options.signal?.aborted) {
      stop('interrupted');
      tally.notSent += 1;
      return;
    }
    try {
      settle(row, body, options.send === null ? validateLocally(body) : await options.send(body));
    } catch (error) {
      if (!(error instanceof FatalError)) throw error;
      tally.notSent += 1;
      stop(error.message);
    }
    listener.counted(tally);
  }

  function settle(row: number, body: SendClaimBody, delivery: Delivery): void {
    undeliveredInARow = delivery.outcome === 'undelivered' ? undeliveredInARow + 1 : 0;
    switch (delivery.outcome) {
      case 'sent':
        tally.sent += 1;
        break;
      case 'already_there':
        tally.existing += 1;
        break;
      case 'refused':
        tally.refused += 1;
        listener.refused(row, body.external_id, delivery.problem);
        break;
      case 'undelivered':
        tally.undelivered += 1;
        listener.undelivered(row, body.external_id, delivery.reason);
        if (undeliveredInARow >= MAX_UNDELIVERED_IN_A_ROW)
          stop(`the service cannot be reached: ${delivery.reason}`);
        break;
    }
  }
}

/** Validates like the service, with the same contract. */
export function validateLocally(body: SendClaimBody): Delivery {
  const request = { headers: { 'idempotency-key': idempotencyKey(body) }, body };
  const parsed = parseRequest(endpoints.sendClaim, request);
  if (parsed.ok) return { outcome: 'sent' };
  return {
    outcome: 'refused',
    problem: {
      status: 422,
      code: 'validation_failed',
      detail: 'The request is not valid.',
      errors: parsed.errors.map((error) => ({
        where: 'pointer' in error ? error.pointer : 'header' in error ? error.header : error.parameter,
        detail: error.detail,
      })),
    },
  };
}

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
  const missing = tally.refused + tally.undelivered + (allowSkips ? 0 : tally.skipped);
  return missing === 0 ? 0 : 1;
}
