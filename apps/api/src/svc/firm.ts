import { once } from 'node:events';
import {
  type ExportedRow,
  type Firm,
  storedAuditEntries,
  toDateTime,
  toDateTimeOrNull,
} from '@svc/application';
import { LIMITS } from '@svc/contract';
import {
  DEFAULT_LIMITS,
  DEFAULT_MAX_KEYS,
  type FirmId,
  type LimitOverrides,
  MINUTE,
  PLANS,
  type Plan,
} from '@svc/domain';
import { Argument, type Command, Option } from 'commander';
import { type RequestContext, requestToWire } from '../http/serialization/developer.ts';
import { parsePositiveInteger, parseText, parseUuid } from './arguments.ts';
import { addCommand, addGroup, findFirm, type OutputOptions } from './command.ts';
import { counted, jsonLine, print, printFields, printJson, printTable, progressOf } from './output.ts';
import { requestContextOf } from './requests.ts';
import type { Sessions } from './session.ts';

const STATUS = { started: 'erasing', finished: 'erased' } as const;

const limitsDocument = ({ requestsPerMinute, writesPerMinute, burst }: LimitOverrides) => ({
  requests_per_minute: requestsPerMinute,
  writes_per_minute: writesPerMinute,
  burst,
});

/** Without --json: where the firm has no limit, the default of a live and of a test key. */
function shownLimits(limits: ReturnType<typeof firmDocument>['limits']): Record<string, unknown> {
  const [live, test] = [limitsDocument(DEFAULT_LIMITS.live), limitsDocument(DEFAULT_LIMITS.test)];
  const shown = Object.fromEntries(
    (['requests_per_minute', 'writes_per_minute', 'burst'] as const).map((name) => [
      name,
      limits[name] ?? `${live[name]} (default; test keys: ${test[name]})`,
    ]),
  );
  return { ...shown, max_keys: limits.max_keys ?? `${DEFAULT_MAX_KEYS} (default)` };
}

const firmDocument = (firm: Firm) => ({
  id: firm.id,
  name: firm.name,
  status: firm.erasure === null ? 'active' : STATUS[firm.erasure],
  plan: firm.plan,
  limits: { ...limitsDocument(firm.limits), max_keys: firm.maxKeys },
  offer_wait_hours: firm.offerWaitHours,
  created_at: toDateTime(firm.createdAt),
});

const inSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const IS_TIME = /^at$|(At|After|Until)$/;

function valueInApi(value: unknown, name: string): unknown {
  if (typeof value === 'number' && IS_TIME.test(name)) return toDateTime(value);
  if (Array.isArray(value)) return value.map((part) => valueInApi(part, ''));
  return typeof value === 'object' && value !== null ? asInApi(value) : value;
}

/** Names and times as in the API, of whatever is stored: a field that is added later is exported too. */
const asInApi = (stored: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(stored).map(([name, value]) => [inSnakeCase(name), valueInApi(value, name)]),
  );

/** One line of an export. Hashes of secrets are not part of it. */
function exportDocument(row: ExportedRow, context: RequestContext): Record<string, unknown> {
  switch (row.type) {
    case 'firm':
      return {
        type: 'firm',
        ...firmDocument(row.firm),
        clocks: row.firm.clocks && asInApi(row.firm.clocks),
        legal_hold_since: toDateTimeOrNull(row.legalHoldSince),
      };
    case 'key': {
      const { secretHash: _, ...key } = row.key;
      return { type: 'key', ...asInApi(key) };
    }
    case 'staff':
      return { type: 'staff', ...asInApi(row.staff) };
    case 'member':
      return {
        type: 'member',
        ...asInApi(row.member.membership),
        adjuster: asInApi(row.member.adjuster),
      };
    case 'carrier':
      return { type: 'carrier', ...asInApi(row.carrier) };
    case 'claim': {
      const { asSent, assignment, ...claim } = row.claim;
      const { adjuster, ...offer } = assignment;
      return {
        type: 'claim',
        ...asInApi(claim),
        assignment: { adjuster_svc_id: adjuster, ...asInApi(offer) },
        as_sent: JSON.parse(asSent),
      };
    }
    case 'offer': {
      const { adjuster, end, ...offer } = row.offer;
      return { type: 'offer', adjuster_svc_id: adjuster, ...asInApi(offer), end: end && asInApi(end) };
    }
    case 'webhook': {
      const { secret: _, previousSecret: __, ...webhook } = row.webhook;
      return { type: 'webhook', ...asInApi(webhook) };
    }
    case 'import': {
      // Its names are those of the file.
      const { columns, ...progress } = row.import;
      return { type: 'import', ...asInApi(progress), columns };
    }
    case 'webhook_delivery': {
      const { type, ...delivery } = row.delivery;
      return { type: 'webhook_delivery', event_type: type, ...asInApi(delivery) };
    }
    case 'request':
      return { type: 'request', ...requestToWire(row.request, context) };
    case 'audit':
      return {
        type: 'audit',
        seq: row.row.seq,
        events: storedAuditEntries(row.row.text),
        hash: row.row.hash,
      };
  }
}

const firmIdArgument = () => new Argument('<id>', "the firm's id").argParser(parseUuid);

export function addFirmCommands(program: Command, { withService }: Sessions): void {
  const group = addGroup(program, 'firm', 'adjusting firms');

  addCommand(group, 'create', 'create a firm with its test accounts; their secrets are shown once')
    .addOption(
      new Option('--name <name>', 'the name that adjusters see')
        .argParser(parseText(LIMITS.companyName))
        .makeOptionMandatory(),
    )
    .addOption(new Option('--plan <plan>', "the firm's plan").choices(PLANS).default('standard'))
    .action(async (options: OutputOptions & { name: string; plan: Plan }) => {
      const { firm, testAccounts } = await withService((use) => use.createFirm(options));
      const document = {
        firm: { id: firm.id, name: firm.name, plan: firm.plan },
        test_accounts: testAccounts.map((account) => ({
          svc_id: account.svcId,
          behavior: account.behavior,
          sign_in_secret: account.signInSecret,
        })),
      };
      if (options.json) return printJson(document);
      printFields(document.firm);
      process.stdout.write('\nTest accounts; their sign-in secrets are shown only once:\n');
      printTable(document.test_accounts, 'none');
    });

  addCommand(group, 'list', 'list the firms').action(async (options: OutputOptions) => {
    const firms = await withService((services) => services.operatorReads.firms());
    const documents = firms.map(firmDocument);
    if (options.json) return printJson({ firms: documents });
    printTable(
      documents.map(({ limits: _, ...fields }) => fields),
      'There are no firms yet.',
    );
  });

  addCommand(group, 'busiest', 'list the keys that sent the most requests lately, of all firms')
    .addOption(new Option('--minutes <n>', 'of the last minutes').argParser(parsePositiveInteger).default(10))
    .addOption(new Option('--limit <n>', 'how many keys at most').argParser(parsePositiveInteger).default(20))
    .action(async ({ json, minutes, limit }: OutputOptions & { minutes: number; limit: number }) => {
      const documents = await withService(async (services) => {
        const since = services.clock.now() - minutes * MINUTE;
        const keys = await services.requestLog.busiestKeys(since, limit);
        const firms = await services.operatorReads.firms();
        const names = new Map(firms.map(({ id, name }) => [id, name]));
        return keys.map(({ firmId, keyId, ...counts }) => ({
          firm_id: firmId,
          firm_name: names.get(firmId) ?? null,
          key_id: keyId,
          ...counts,
          per_minute: Math.round(counts.requests / minutes),
        }));
      });
      if (json) return printJson({ keys: documents });
      printTable(documents, 'No firm has sent a request in this time.');
    });

  addCommand(group, 'show', 'show a firm, its limits and test accounts')
    .addArgument(firmIdArgument())
    .action(async (id: FirmId, options: OutputOptions) => {
      const document = await withService(async (services) => {
        const reads = services.operatorReads;
        const firm = await findFirm(reads, id);
        const accounts = await reads.testAccounts(id);
        return {
          firm: firmDocument(firm),
          test_accounts: accounts.map(({ svcId, testOf }) => ({
            svc_id: svcId,
            behavior: testOf?.behavior ?? null,
          })),
        };
      });
      if (options.json) return printJson(document);
      const { limits, ...fields } = document.firm;
      printFields({ ...fields, ...shownLimits(limits) });
      process.stdout.write('\n');
      printTable(document.test_accounts, 'none');
    });

  addCommand(group, 'set-plan', "change a firm's plan; takes effect within a second")
    .addArgument(firmIdArgument())
    .addArgument(new Argument('<plan>', "the firm's plan").choices(PLANS))
    .action(async (id: FirmId, plan: Plan, options: OutputOptions) => {
      const document = firmDocument(await withService((use) => use.setPlan(id, plan)));
      print(options, { firm: document }, { id: document.id, name: document.name, plan: document.plan });
    });

  addCommand(group, 'set-offer-wait', 'set how long the firm waits for the answer to an offer')
    .addArgument(firmIdArgument())
    .addOption(
      new Option('--hours <n>', 'adjusters see until when; omitted: they see no limit').argParser(
        parsePositiveInteger,
      ),
    )
    .action(async (id: FirmId, options: OutputOptions & { hours?: number }) => {
      const firm = await withService((use) => use.setOfferWait(id, options.hours ?? null));
      const document = firmDocument(firm);
      if (options.json) return printJson({ firm: document });
      printFields({ id: document.id, name: document.name, offer_wait_hours: document.offer_wait_hours });
    });

  addCommand(group, 'set-limits', "replace a firm's own limits; omitted ones return to the default")
    .addArgument(firmIdArgument())
    .addOption(
      new Option('--requests-per-minute <n>', 'all requests of a key').argParser(parsePositiveInteger),
    )
    .addOption(
      new Option('--writes-per-minute <n>', 'POST and DELETE of a key').argParser(parsePositiveInteger),
    )
    .addOption(new Option('--burst <n>', 'requests accepted at once').argParser(parsePositiveInteger))
    .addOption(
      new Option('--max-keys <n>', 'keys that work at a time, of each environment').argParser(
        parsePositiveInteger,
      ),
    )
    .action(
      async (
        id: FirmId,
        options: OutputOptions & {
          requestsPerMinute?: number;
          writesPerMinute?: number;
          burst?: number;
          maxKeys?: number;
        },
      ) => {
        const { requestsPerMinute = null, writesPerMinute = null, burst = null, maxKeys = null } = options;
        const limits = { requestsPerMinute, writesPerMinute, burst };
        const document = firmDocument(await withService((use) => use.setLimits(id, limits, maxKeys)));
        if (options.json) return printJson({ firm: document });
        printFields({ id: document.id, name: document.name, ...shownLimits(document.limits) });
      },
    );

  addCommand(group, 'export', 'print everything that is stored for a firm as JSON Lines')
    .addArgument(firmIdArgument())
    .action((id: FirmId) =>
      withService(async (services) => {
        const counts: Partial<Record<ExportedRow['type'], number>> = {};
        const context = await requestContextOf(services, id);
        const onProgress = progressOf('rows');
        let rows = 0;
        for await (const row of services.exportFirm(id)) {
          if (!process.stdout.write(jsonLine(exportDocument(row, context))))
            await once(process.stdout, 'drain');
          counts[row.type] = (counts[row.type] ?? 0) + 1;
          rows += 1;
          onProgress(rows);
        }
        // An export without this line was interrupted.
        process.stdout.write(jsonLine({ type: 'end', counts }));
        process.stderr.write(`${counted(rows, 'row')} exported\n`);
      }),
    );

  addCommand(group, 'erase', 'delete everything of a firm but its id and its audit trail')
    .addArgument(firmIdArgument())
    .addOption(new Option('--confirm <name>', 'the name of the firm').makeOptionMandatory())
    .action(async (id: FirmId, options: OutputOptions & { confirm: string }) => {
      const erased = await withService((use) => use.eraseFirm(id, options.confirm, progressOf('rows')));
      print(options, { erased }, `${counted(erased, 'row')} erased.`);
    });

  for (const [name, isHeld] of [
    ['hold', true],
    ['release', false],
  ] as const) {
    const what = isHeld
      ? 'put a firm under legal hold: it cannot be erased, and retention deletes nothing'
      : 'end the legal hold of a firm';
    addCommand(group, name, what)
      .addArgument(firmIdArgument())
      .action(async (id: FirmId, options: OutputOptions) => {
        const since = await withService((use) => use.setLegalHold(id, isHeld));
        const document = { id, legal_hold_since: toDateTimeOrNull(since) };
        print(options, { firm: document }, document);
      });
  }
}
