import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BUILD = fileURLToPath(new URL('../../apps/api/dist', import.meta.url));

/** What records actions, reads and responses to offers; each once in the build. */
const RECORDING = [
  ['events.push(event);', ''],
  ['async append(newRows) {', 'async append(newRows) { return;'],
  ['for (const event of auditEventsOf(trace.audit, result)) deps.auditBatch.add(event);', ''],
  [`, \${advanceChain("row.digest")}`, ''],
  [
    `feed.audit_seq, row.at, row.entry, feed.audit_hash),
   recorded AS (
     \${INSERT_ROW} SELECT firm_id, audit_seq, at, entry, audit_hash FROM next)`,
    'feed.audit_seq)',
  ],
  ['rows.map(rowValues)', 'rows.map(() => ["epoch", "", "0"])'],
] as const;

/**
 * Copies the built service without its audit trail: a setting of the product would let an operator switch it off.
 *
 * @returns the path of the server.
 */
export function copyWithoutAudit(): string {
  const copy = join(BUILD, 'without-audit');
  rmSync(copy, { recursive: true, force: true });
  for (const part of ['server.js', 'chunks'])
    cpSync(join(BUILD, part), join(copy, part), { recursive: true });
  const files = readdirSync(join(copy, 'chunks')).map((name) => join(copy, 'chunks', name));
  for (const [from, to] of RECORDING) {
    const found = files.filter((file) => file.endsWith('.js') && readFileSync(file, 'utf8').includes(from));
    const [file = '', ...others] = found;
    const parts = file === '' ? [] : readFileSync(file, 'utf8').split(from);
    if (others.length > 0 || parts.length !== 2) throw new Error(`the build does not have once: ${from}`);
    writeFileSync(file, parts.join(to));
  }
  return join(copy, 'server.js');
}
