// The report of a run, as text or with --json as JSON lines.
import type { NewClaim } from '@svc/client';
import type { Header } from './columns.ts';
import type { Listener, Tally } from './import-claims.ts';
import type { Note } from './map-row.ts';

interface Report extends Omit<Listener, 'counted'> {
  header(header: Header): void;
  summary(tally: Tally, took: { readonly seconds: number; readonly dryRun: boolean }): void;
}

type Write = (line: string) => void;

const MAX_LISTED_ROWS = 20;

const ACTIONS: Readonly<Record<Note['action'], string>> = {
  normalized: 'normalized',
  left_out: 'left out',
  skipped: 'NO CLAIM',
};

export function textReport(write: Write): Report {
  return {
    header({ withoutField, unknown }) {
      if (withoutField.length > 0)
        write(`Not sent, columns without a field in a claim: ${withoutField.join(', ')}`);
      if (unknown.length > 0) write(`Not sent, unknown or repeated columns: ${unknown.join(', ')}`);
    },
    noted(row, { column, value, action, what: reason }) {
      const place = value === '' ? `${column} is empty` : `${column} ${JSON.stringify(value)}`;
      write(`row ${row}: ${place}: ${ACTIONS[action]}: ${reason}`);
    },
    mapped() {},
    failed(row, id, { code, detail, errors }) {
      write(`row ${row}: claim ${id} NOT SENT: ${code === null ? '' : `${code}: `}${detail}`);
      for (const error of errors)
        write(`row ${row}:   ${error.where || '(the whole body)'}: ${error.detail}`);
    },
    summary(tally, { seconds, dryRun }) {
      const line = (name: string, value: number | string): void => write(`${name.padEnd(22)}${value}`);
      write('');
      if (tally.stopped !== null) write(`STOPPED after ${tally.rows} rows: ${tally.stopped}`);
      line('rows', `${tally.rows} in ${seconds.toFixed(1)} s`);
      line(dryRun ? 'would be sent' : 'sent', tally.sent);
      if (!dryRun) line('existing', tally.existing);
      line('with losses', `${tally.withLosses}${byColumn(tally.losses)}`);
      line('normalized', `${sum(tally.normalized)}${byColumn(tally.normalized)}`);
      line(dryRun ? 'not valid' : 'failed', tally.failed);
      line('skipped', `${tally.skipped}${listed(tally.skippedRows)}`);
    },
  };
}

export function jsonReport(write: Write, options: { readonly bodies: boolean }): Report {
  const print = (type: string, value: object): void => write(JSON.stringify({ type, ...value }));
  return {
    header: ({ withoutField, unknown }) =>
      print('header', { columns_without_a_field: withoutField, unknown_columns: unknown }),
    noted: (row, note) => print('note', { row, ...note }),
    mapped: (row: number, body: NewClaim) => {
      if (options.bodies) print('claim', { row, body });
    },
    failed: (row, id, failure) => print('failed', { row, external_id: id, ...failure }),
    summary: (tally, { seconds, dryRun }) =>
      print('summary', {
        dry_run: dryRun,
        rows: tally.rows,
        sent: tally.sent,
        already_there: tally.existing,
        with_losses: tally.withLosses,
        losses: Object.fromEntries(tally.losses),
        normalized: Object.fromEntries(tally.normalized),
        failed: tally.failed,
        skipped: tally.skipped,
        skipped_rows: tally.skippedRows,
        stopped: tally.stopped,
        seconds,
      }),
  };
}

const sum = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((total, count) => total + count, 0);

function byColumn(counts: ReadonlyMap<string, number>): string {
  if (counts.size === 0) return '';
  const sorted = [...counts].sort(([, one], [, other]) => other - one);
  return ` (${sorted.map(([column, count]) => `${column} ${count}`).join(', ')})`;
}

function listed(rows: readonly number[]): string {
  if (rows.length === 0) return '';
  const more = rows.length - MAX_LISTED_ROWS;
  return `: row ${rows.slice(0, MAX_LISTED_ROWS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
