import { once } from 'node:events';
import {
  type AuditChainId,
  type AuditChanges,
  type AuditLink,
  type AuditReads,
  type AuditRow,
  type AuditVerification,
  OperatorError,
  SERVICE_CHAIN,
  storedAuditEntries,
  verifyAuditChain,
} from '@svc/application';
import type { AuditAction, FirmId, Instant } from '@svc/domain';
import { type Command, Option } from 'commander';
import { sha256 } from '../composition/compose.ts';
import type { Services } from '../composition/container.ts';
import { parseAuditLink, parsePositiveInteger, parseTime } from './arguments.ts';
import { addCommand, addGroup, findFirm, firmOption, type OutputOptions } from './command.ts';
import { counted, jsonLine, printFields, printJson, printTable } from './output.ts';
import type { Sessions } from './session.ts';

interface Period {
  readonly since?: Instant;
  readonly until?: Instant;
}

/** One document per event; the events of a row share its number and hash. */
const auditDocuments = ({ seq, text, hash }: AuditRow) =>
  storedAuditEntries(text).map((event) => ({ seq, ...event, hash }));

/** Such as `plan: standard to read_only`. */
const changesText = (changes: AuditChanges = {}): string | null =>
  Object.entries(changes)
    .map(([name, { from, to }]) => `${name}: ${from ?? 'none'} to ${to ?? 'none'}`)
    .join(', ') || null;

const withPeriod = (command: Command): Command =>
  command
    .addOption(
      new Option('--since <time>', 'from this time on, such as 2026-08-29T00:00:00Z').argParser(parseTime),
    )
    .addOption(new Option('--until <time>', 'before this time').argParser(parseTime))
    .hook('preAction', (chosen) => {
      const { since, until } = chosen.opts<Period>();
      if (since !== undefined && until !== undefined && since >= until)
        chosen.error("error: option '--since' must be earlier than '--until'");
    });

interface ChosenChain {
  readonly firm?: FirmId;
}

const withChain = (command: Command): Command =>
  command
    .addOption(firmOption(false))
    .addOption(new Option('--service', 'the events that belong to no firm').conflicts('firm'))
    .hook('preAction', (chosen) => {
      const { firm, service } = chosen.opts<ChosenChain & { service?: boolean }>();
      if (firm === undefined && service === undefined)
        chosen.error("error: required option '--firm <id>' or '--service' not specified");
    });

const chainOf = ({ firm }: ChosenChain): AuditChainId => firm ?? SERVICE_CHAIN;

const EXPORT_PAGE_ROWS = 1000;

/** Writes one row per line as it is read, at the pace of the reader. */
async function exportRows(reads: AuditReads, chain: AuditChainId, period: Period): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await reads.rows(chain, { after, limit: EXPORT_PAGE_ROWS, ...period });
    const lines = rows.flatMap(auditDocuments).map(jsonLine).join('');
    if (lines !== '' && !process.stdout.write(lines)) await once(process.stdout, 'drain');
    const last = rows.at(-1);
    if (last === undefined || rows.length < EXPORT_PAGE_ROWS) return;
    after = last.seq;
  }
}

type Problem = Extract<AuditVerification, { intact: false }>['problem'];
const PROBLEMS: Readonly<Record<Problem, (seq: number) => string>> = {
  changed: (seq) => `row ${seq} is changed`,
  missing: (seq) => `row ${seq} is missing`,
  outside: (seq) => `row ${seq} is not part of the chain, so the service did not write it`,
  purged: (seq) => `the rows up to ${seq} were deleted, but not by a purge that the retention allows`,
};

export function addAuditCommands(program: Command, { withService }: Sessions): void {
  const group = addGroup(
    program,
    'audit',
    'who did what, in a chain of hashes for each firm and one for the service',
  );

  withChain(withPeriod(addCommand(group, 'list', 'show the latest events, latest first')))
    .addOption(new Option('--limit <n>', 'how many at most').argParser(parsePositiveInteger).default(100))
    .action(async (options: OutputOptions & Period & ChosenChain & { limit: number }) => {
      const chain = chainOf(options);
      const rows = await withService((services) =>
        readChain(services, chain, async (reads, record) => {
          const latest = await reads.latest(chain, options);
          await record('audit.read');
          return latest;
        }),
      );
      const events = rows.flatMap((row) => auditDocuments(row).reverse()).slice(0, options.limit);
      if (options.json) return printJson({ audit: events });
      printTable(
        events.map(({ claims, changes, device: _, request_id: __, hash: ___, ...event }) => ({
          ...event,
          object: claims === undefined ? event.object : counted(claims.length, 'claim'),
          changes: changesText(changes),
        })),
        'No events.',
      );
    });

  withChain(withPeriod(addCommand(group, 'export', 'print all events as JSON Lines, oldest first'))).action(
    async (options: OutputOptions & Period & ChosenChain) => {
      const chain = chainOf(options);
      await withService((services) =>
        readChain(services, chain, async (reads, record) => {
          await record('audit.export');
          await exportRows(reads, chain, options);
        }),
      );
    },
  );

  withChain(
    withPeriod(
      addCommand(group, 'verify', 'compute the hashes of a chain again; exit code 1 if one differs'),
    ),
  )
    .addOption(
      new Option(
        '--known <row:hash>',
        'a row that an earlier run has printed and that must still be there',
      ).argParser(parseAuditLink),
    )
    .action(async (options: OutputOptions & Period & ChosenChain & { known?: AuditLink }) => {
      const chain = chainOf(options);
      const result = await withService(async (services) => {
        const deps = { reads: services.auditReads, sha256 };
        const { known } = options;
        if (known !== undefined) {
          const purged = (await deps.reads.chain(chain))?.purged.seq ?? 0;
          if (known.seq < purged)
            throw new OperatorError(
              `row ${known.seq} was deleted by retention; name a row from ${purged} on`,
            );
        }
        const verified = await verifyAuditChain(deps, chain, options);
        if (verified === null && options.firm !== undefined)
          await findFirm(services.operatorReads, options.firm);
        // To record it without a chain would begin another one.
        if (verified !== null)
          await services.recordOperatorAction(
            chain,
            'audit.verify',
            verified.intact ? 'ok' : verified.problem,
          );
        return verified;
      });
      if (result === null)
        throw new OperatorError(
          `the ${options.firm === undefined ? 'service' : 'firm'} has no audit chain: it was removed, or nothing was recorded since an upgrade`,
        );
      if (options.json) printJson(result);
      else if (result.intact)
        printFields({
          intact: true,
          rows: result.rows,
          'last row': `${result.last.seq}:${result.last.hash}`,
        });
      if (!result.intact)
        throw new OperatorError(`the audit chain is broken: ${PROBLEMS[result.problem](result.seq)}`);
    });
}

async function readChain<T>(
  services: Services,
  chain: AuditChainId,
  read: (reads: AuditReads, record: (action: AuditAction) => Promise<void>) => Promise<T>,
): Promise<T> {
  const reads = services.auditReads;
  // Without a row for the service, nothing was recorded for it.
  if (chain !== SERVICE_CHAIN && (await reads.chain(chain)) === null)
    throw new OperatorError(`no firm has the id ${chain}`);
  const outside = await reads.outside(chain);
  if (outside !== null) process.stderr.write(`svc: left out: ${PROBLEMS.outside(outside)}\n`);
  return read(reads, (action) => services.recordOperatorAction(chain, action));
}
