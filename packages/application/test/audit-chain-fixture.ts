import { SHORTEST_AUDIT_RETENTION_MS } from '@svc/domain';
import { sha256 } from '@svc/testkit';
import {
  type AuditChainId,
  type AuditEntry,
  type AuditLink,
  type AuditReads,
  type AuditRow,
  auditText,
  firstLink,
  nextLink,
} from '../src/index.ts';

export const CHAIN = '00000000-0000-7000-8000-0000000000f1' as AuditChainId;

export const entry = (at: number): AuditEntry => ({
  ...{ at, actor: 'key:key_1', address: null, action: 'claim.read', object: `claim:${at}`, outcome: 'ok' },
  requestId: null,
});

/** The text of a row. */
export const textOf = (...entries: [AuditEntry, ...AuditEntry[]]): string => auditText(entries);

/** What the database records at `at` when it has deleted the rows up to this one. */
export const purgeOf = ({ seq, hash }: AuditLink, at: number, ageMs = SHORTEST_AUDIT_RETENTION_MS): string =>
  textOf({
    ...entry(at),
    action: 'audit.purge',
    changes: {
      purged_seq: { from: 0, to: seq },
      purged_hash: { from: null, to: hash },
      purged_until: { from: null, to: new Date(at - ageMs).toISOString() },
    },
  });

/** A chain of rows at 1, 2, 3 …, of which retention has deleted the first `purged`, as the last row says. */
export function chainOf(
  count: number,
  purged = 0,
  rowText = (seq: number, deleted: AuditLink): string =>
    seq === count && deleted.seq > 0 ? purgeOf(deleted, seq) : textOf(entry(seq)),
) {
  const genesis = firstLink(CHAIN, sha256);
  const links = [genesis];
  const rows = Array.from({ length: count }, (_, n): AuditRow => {
    const text = rowText(n + 1, links[purged] ?? genesis);
    const link = nextLink(links[n] ?? genesis, text, sha256);
    links.push(link);
    return { ...link, at: n + 1, text };
  });
  return { rows: rows.slice(purged), purged: links[purged] ?? genesis, last: links[count] };
}

export function readsOf({ rows, purged, last }: ReturnType<typeof chainOf>): AuditReads {
  const within = ({ since = -Infinity, until = Infinity }) =>
    rows.filter(({ at }) => since <= at && at < until);
  return {
    chain: async () => ({ purged, last: last ?? purged }),
    rows: async (_, query) =>
      within(query)
        .filter(({ seq }) => seq > query.after)
        .slice(0, query.limit),
    latest: async (_, query) => within(query).reverse().slice(0, query.limit),
    outside: async () => rows.find(({ seq }) => seq <= purged.seq || seq > (last ?? purged).seq)?.seq ?? null,
  };
}
