import { hash } from 'node:crypto';
import {
  type AuditChainId,
  type AuditEvent,
  type AuditReads,
  type AuditRow,
  auditText,
  firstLink,
  nextLink,
  type Sha256,
} from '@svc/application';
import { keyOf, type Tables, type WritableTables } from './tables.ts';

const sha256: Sha256 = (text, encoding = 'utf8') => hash('sha256', Buffer.from(text, encoding));

/** @returns the number of the row. */
export function appendEvent(tables: WritableTables, { chain, entry }: AuditEvent): number {
  const ends = tables.auditChains.get(keyOf(chain));
  const genesis = firstLink(chain, sha256);
  const { last, purged } = ends ?? { last: genesis, purged: genesis };
  const text = auditText([entry]);
  const link = nextLink(last, text, sha256);
  tables.auditLog.insert({ chain, at: entry.at, text, ...link });
  tables.auditChains.put({ chain, last: link, purged });
  return link.seq;
}

export function auditRow(tables: Tables, chain: AuditChainId, seq: number): AuditRow | null {
  const found = tables.auditLog.get(keyOf(chain, seq));
  if (found === undefined) return null;
  const { chain: _, ...row } = found;
  return row;
}

export const memoryAuditReads = (tables: Tables): AuditReads => {
  const found: AuditReads['rows'] = async (
    chain,
    { after, limit, since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY },
  ) =>
    tables.auditLog
      .all()
      .filter((row) => row.chain === chain && row.seq > after && row.at >= since && row.at < until)
      .sort((one, other) => one.seq - other.seq)
      .slice(0, limit)
      .map(({ seq, at, text, hash }) => ({ seq, at, text, hash }));
  return {
    async chain(chain) {
      const ends = tables.auditChains.get(keyOf(chain));
      return ends === undefined ? null : { last: ends.last, purged: ends.purged };
    },
    outside: async () => null,
    rows: found,
    async latest(chain, { limit, since, until }) {
      const all = await found(chain, { after: 0, limit: Number.POSITIVE_INFINITY, since, until });
      return all.reverse().slice(0, limit);
    },
  };
};
