import { hash } from 'node:crypto';
import { once } from 'node:events';
import {
  type AuditLink,
  type AuditReads,
  type AuditRow,
  OperatorError,
  verifyAuditChain,
} from '@svc/application';
import type { FirmId, Instant } from '@svc/domain';
import { type Command, Option } from 'commander';
import { TOKENS } from '../composition/tokens.ts';
import { parseAuditLink, parsePositiveInteger, parseTime } from './arguments.ts';
import { addCommand, addGroup, findFirm, firmOption, type OutputOptions } from './command.ts';
import { jsonLine, printFields, printJson, printTable } from './output.ts';
import { withService } from './session.ts';

interface Period {
  readonly since?: Instant;
  readonly until?: Instant;
}

/** One document per event; the events of a row share its number and hash. */
const auditDocuments = ({ seq, text, hash }: AuditRow): Record<string, unknown>[] =>
  [JSON.parse(text)].flat().map((event) => ({ seq, ...event, hash }));

const withPeriod = (command: Command): Command =>
  command
    .addOption(
      new Option('--since <time>', 'from this time on, such as 2026-08-29T00:00:00Z').argParser(parseTime),
    )
    .addOption(new Option('--until <time>', 'before this time').argParser(parseTime));

const EXPORT_PAGE_ROWS = 1000;

/** Writes one row per line as it is read, at the pace of the reader. */
async function exportRows(reads: AuditReads, firmId: FirmId, period: Period): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await reads.rows(firmId, { after, limit: EXPORT_PAGE_ROWS, ...period });
    const lines = rows.flatMap(auditDocuments).map(jsonLine).join('');
    if (lines !== '' && !process.stdout.write(lines)) await once(process.stdout, 'drain');
    const last = rows.at(-1);
    if (last === undefined || rows.length < EXPORT_PAGE_ROWS) return;
    after = last.seq;
  }
}

export function addAuditCommands(program: Command): void {
  const group = addGroup(program, 'audit', 'who did what, in a chain of hashes per firm');

  withPeriod(addCommand(group, 'list', 'show the latest events of a firm, latest first'))
    .addOption(firmOption())
    .addOption(new Option('--limit <n>', 'how many at most').argParser(parsePositiveInteger).default(100))
    .action(async (options: OutputOptions & Period & { firm: FirmId; limit: number }) => {
      const rows = await withService((services) =>
        readChain(services.get(TOKENS.auditReads), options.firm, (reads) =>
          reads.latest(options.firm, options),
        ),
      );
      const events = rows.flatMap((row) => auditDocuments(row).reverse()).slice(0, options.limit);
      if (options.json) return printJson({ audit: events });
      printTable(
        events.map(({ claims, request_id: _, hash: __, ...event }) => ({
          ...event,
          object: Array.isArray(claims) ? `${claims.length} claims` : event.object,
        })),
        'No events.',
      );
    });

  withPeriod(addCommand(group, 'export', 'print all events of a firm as JSON Lines, oldest first'))
    .addOption(firmOption())
    .action(async (options: OutputOptions & Period & { firm: FirmId }) =>
      withService((services) =>
        readChain(services.get(TOKENS.auditReads), options.firm, (reads) =>
          exportRows(reads, options.firm, options),
        ),
      ),
    );

  withPeriod(
    addCommand(group, 'verify', "compute the hashes of a firm's events again; exit code 1 if one differs"),
  )
    .addOption(firmOption())
    .addOption(
      new Option(
        '--known <row:hash>',
        'a row that an earlier run has printed and that must still be there',
      ).argParser(parseAuditLink),
    )
    .action(async (options: OutputOptions & Period & { firm: FirmId; known?: AuditLink }) => {
      const result = await withService(async (services) => {
        const deps = {
          reads: services.get(TOKENS.auditReads),
          sha256: (text: string) => hash('sha256', text),
        };
        const { known } = options;
        if (known !== undefined) {
          const purged = (await deps.reads.chain(options.firm))?.purged.seq ?? 0;
          if (known.seq < purged)
            throw new OperatorError(
              `row ${known.seq} was deleted by retention; name a row from ${purged} on`,
            );
        }
        const verified = await verifyAuditChain(deps, options.firm, options);
        if (verified === null) await findFirm(services.get(TOKENS.operatorReads), options.firm);
        return verified;
      });
      if (result === null)
        throw new OperatorError(
          'the firm has no audit chain: it was removed, or nothing was recorded since an upgrade',
        );
      if (options.json) printJson(result);
      else if (result.intact)
        printFields({
          intact: true,
          rows: result.rows,
          'last row': `${result.last.seq}:${result.last.hash}`,
        });
      if (!result.intact)
        throw new OperatorError(`the audit chain is broken: row ${result.seq} is ${result.problem}`);
    });
}

async function readChain<T>(
  reads: AuditReads,
  firmId: FirmId,
  read: (reads: AuditReads) => Promise<T>,
): Promise<T> {
  if ((await reads.chain(firmId)) === null) throw new OperatorError(`no firm has the id ${firmId}`);
  return read(reads);
}
