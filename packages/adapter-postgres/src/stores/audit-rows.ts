import { hash } from 'node:crypto';
import { type AuditChainId, type AuditEntry, type AuditEvent, auditText } from '@svc/application';
import { arrayOf, timestamp } from '../driver/column-types.ts';

/** Events that share a row, before it has a number in the chain. */
export interface NewAuditRow {
  readonly chain: AuditChainId;
  readonly entries: readonly [AuditEntry, ...AuditEntry[]];
}

/** About 8 kB of text, which PostgreSQL stores without compressing it. */
const MAX_ROW_IDS = 200;
/** The length of an event's text in ids: without those of a list, it is as long as seven. */
const idsOf = ({ claims }: AuditEntry): number => 7 + (claims?.length ?? 0);

/** Transactions lock chains in this order, so that they cannot deadlock. */
export const byChain = (left: AuditEvent, right: AuditEvent): number =>
  left.chain < right.chain ? -1 : left.chain > right.chain ? 1 : 0;

export const auditRow = ({ chain, entry }: AuditEvent): NewAuditRow => ({ chain, entries: [entry] });

/**
 * Events of a chain share rows, in the order of the chains: a row for each read costs 15 % of a read's processor time, a
 * row for many almost nothing.
 */
export function auditRowsOf(events: readonly AuditEvent[], maxIds = MAX_ROW_IDS): NewAuditRow[] {
  const rows: (NewAuditRow & { readonly entries: AuditEntry[] })[] = [];
  let ids = 0;
  for (const { chain, entry } of [...events].sort(byChain)) {
    const row = rows.at(-1);
    ids += idsOf(entry);
    if (row?.chain === chain && ids <= maxIds) {
      row.entries.push(entry);
    } else {
      rows.push({ chain, entries: [entry] });
      ids = idsOf(entry);
    }
  }
  return rows;
}

/** For a statement that advances each chain once. */
export const auditRowPerChain = (events: readonly AuditEvent[]): NewAuditRow[] =>
  auditRowsOf(events, Number.POSITIVE_INFINITY);

export type AuditRowValues = readonly [at: string, text: string, digest: string];

export const rowValues = ({ entries }: NewAuditRow): AuditRowValues => {
  const text = auditText(entries);
  return [timestamp(entries[0].at), text, hash('sha256', text)];
};

/** Rows as columns for `unnest`, the texts as lines. */
export function rowColumns(rows: readonly NewAuditRow[]) {
  const values = rows.map(rowValues);
  return {
    chains: arrayOf(rows.map(({ chain }) => chain)),
    times: arrayOf(values.map(([at]) => at)),
    texts: values.map(([, text]) => text).join('\n'),
    digests: arrayOf(values.map(([, , digest]) => digest)),
  };
}
