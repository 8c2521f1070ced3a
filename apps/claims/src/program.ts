import {
  type Claim,
  type Client,
  createClient,
  type FaultKind,
  type Hooks,
  type RetryEvent,
} from '@svc/client';
import { DATE_ORDERS, DELIMITER_NAMES, ENCODINGS } from '@svc/csv-import';
import { DEFAULT_REHEARSAL, FAULT_KINDS, SANDBOX_COMMANDS } from '@svc/sandbox';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { Environment } from './environment.ts';
import { importFile } from './import/command.ts';
import { serveMcp } from './mcp.ts';
import {
  adjusterFields,
  claimFields,
  colorsFor,
  fieldLines,
  jsonDocument,
  receiptFields,
  sanitized,
} from './output.ts';
import { rehearse, showReadiness } from './rehearse.ts';
import { send } from './send/command.ts';
import { roundedDuration } from './send/pace.ts';
import { type ConnectionOptions, keyFrom, urlFrom } from './settings.ts';
import { duration, since } from './times.ts';
import { verifyReceiptFile } from './verify-receipt.ts';
import { VERSION } from './version.ts';
import { watch } from './watch.ts';

const DAY_MS = 86_400_000;

interface CommonOptions extends ConnectionOptions {
  readonly json?: boolean;
}

/** Commands print one document, or one line per result if they run on; with --json as JSON. */
export function createProgram(
  environment: Environment,
  reportSuccess: (succeeded: boolean) => void,
): Command {
  const { stdout, signal } = environment;
  const colors = colorsFor(stdout, environment.env);
  const program = withExamples(new Command('claims'), [
    'claims send claims.jsonl',
    'claims watch --since 24h',
  ])
    .description(
      'Send claims to adjusters and watch their responses.\n\nThe key is read from --key-file, CLAIMS_API_KEY or ~/.config/claims/key (only you may have access to the file); the base URL from --url, CLAIMS_URL or ~/.config/claims/config.json: {"url": "https://claims.example.com"}.',
    )
    .version(VERSION)
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void environment.stderr.write(text),
      getOutHelpWidth: () => stdout.columns ?? 80,
      getOutHasColors: () => colors.isColorSupported,
      getErrHasColors: () => colorsFor(environment.stderr, environment.env).isColorSupported,
    })
    .configureHelp({ styleTitle: colors.bold })
    .exitOverride()
    .showHelpAfterError('(claims --help lists the commands)');

  // Options on every command instead of the program, so that they can follow the command's arguments.
  const command = (
    spec: string,
    description: string,
    examples: readonly string[],
    parent = program,
  ): Command =>
    withExamples(parent.command(spec), examples)
      .description(description)
      .option('--json', 'print JSON only')
      .option('--url <url>', 'base URL of the service (default: CLAIMS_URL, or the config file)')
      .option('--key-file <file>', 'file with the API key')
      .exitOverride()
      .showHelpAfterError(
        `(${parent === program ? '' : 'claims '}${parent.name()} ${spec} --help shows how to use it)`,
      );

  /** For commands that do not report waits themselves. */
  const reportWait =
    ({ json = false }: CommonOptions) =>
    ({ error, delayMs }: RetryEvent): void => {
      if (!json)
        environment.stderr.write(
          `claims: ${sanitized(error.message)}; waiting ${roundedDuration(delayMs)}\n`,
        );
    };
  const connect = async (
    options: CommonOptions,
    hooks: Hooks = { onRetry: reportWait(options) },
    name = 'claims',
  ): Promise<Client> =>
    createClient({
      baseUrl: await urlFrom(options, environment),
      apiKey: await keyFrom(options, environment),
      fetch: environment.fetch,
      userAgent: `${name}/${VERSION}`,
      ...hooks,
    });

  const show = (options: CommonOptions, document: unknown, text: () => string): void => {
    stdout.write(options.json ? jsonDocument(document) : text());
  };
  const concurrency = new Option('--concurrency <n>', 'number of concurrent requests')
    .argParser(wholeNumber(1, 20))
    .default(4);
  const showClaim = (options: CommonOptions, claim: Claim) =>
    show(options, claim, () => fieldLines(claimFields(claim), colors));
  command('whoami', 'show the key, its firm and its scopes', ['claims whoami']).action(
    async (options: CommonOptions) => {
      const me = await (await connect(options)).me({ signal });
      show(options, me, () =>
        fieldLines(
          {
            firm: me.firm.name,
            firm_id: me.firm.id,
            key: me.key.id,
            environment: me.key.environment,
            scopes: me.scopes.join(' '),
          },
          colors,
        ),
      );
    },
  );

  command('send', 'send claims; safe to run again', [
    'claims send claims.jsonl --journal',
    'claims send - < claims.jsonl',
  ])
    .addArgument(
      new Argument('<file>', 'one claim, or one claim per line (JSON Lines); - for standard input'),
    )
    .addOption(concurrency)
    .option(
      '--journal',
      'keep a list of sent claims next to the file; the next run skips them without a request',
      false,
    )
    .action(async (file: string, options: CommonOptions & { concurrency: number; journal: boolean }) => {
      const client = await connect(options, {});
      const { json = false } = options;
      reportSuccess(
        await send(client, { ...options, file, url: await urlFrom(options, environment), json }, environment),
      );
    });

  command('import', 'send the rows of a CSV file or an Excel workbook; safe to run again', [
    'claims import claims.csv --columns columns.json --dry-run',
    "claims import claims.csv --columns columns.json --set 'carrier.name=Palmetto Mutual'",
    'claims import claims.xlsx --sheet August --dry-run',
  ])
    .addArgument(new Argument('<file>', 'a CSV file or an Excel workbook (.xlsx); - for standard input'))
    .option('--columns <map>', 'JSON file with the field of each column; if it does not exist, it is written')
    .addOption(
      new Option('--set <field=value>', 'a field that is the same in all rows; repeat it for more')
        .argParser(fieldValue)
        .default({}, 'none'),
    )
    .option('--dry-run', 'only report the problems, by row and column', false)
    .option('--skip-invalid', 'send the rows without problems; otherwise none is sent', false)
    .addOption(new Option('--dates <order>', 'order of dates such as 8/9/2026').choices(DATE_ORDERS))
    .option('--sheet <name>', 'of a workbook; by default the first one that is not hidden')
    .addOption(new Option('--encoding <name>', 'by default recognized').choices(ENCODINGS))
    .addOption(new Option('--delimiter <name>', 'by default recognized').choices(DELIMITER_NAMES))
    .addOption(
      new Option('--header-row <n>', 'the row of the column names, if others are above it').argParser(
        wholeNumber(1, 1000),
      ),
    )
    .addOption(concurrency)
    .action(
      async (
        file: string,
        options: CommonOptions & Omit<Parameters<typeof importFile>[1], 'file' | 'url' | 'journal' | 'json'>,
      ) => {
        const url = options.dryRun ? '' : await urlFrom(options, environment);
        const { json = false } = options;
        reportSuccess(
          await importFile(
            () => connect(options, {}),
            { ...options, file, url, json, journal: false },
            environment,
          ),
        );
      },
    );

  command('get', 'show a claim', [`claims get ${EXAMPLE_ID}`])
    .addArgument(new Argument('<id>', "the service's id of the claim").argParser(claimId))
    .action(async (id: string, options: CommonOptions) => {
      showClaim(options, await (await connect(options)).claims.get(id, { signal }));
    });

  command('offer', 'offer a claim to another adjuster', [
    `claims offer ${EXAMPLE_ID} --adjuster SVC-7F3K-Delacroix`,
  ])
    .addArgument(new Argument('<id>', "the service's id of the claim").argParser(claimId))
    .requiredOption('--adjuster <svcid>', 'SVCID of the adjuster')
    .option(
      '--idempotency-key <key>',
      'to run the command again safely, pass the same key; without one, each run makes a new offer',
    )
    .action(async (id: string, options: CommonOptions & { adjuster: string; idempotencyKey?: string }) => {
      const { adjuster: adjuster_svc_id, idempotencyKey } = options;
      const client = await connect(options);
      showClaim(options, await client.claims.offer(id, { adjuster_svc_id }, { idempotencyKey, signal }));
    });

  command('verify-receipt', 'check that a receipt is genuine, without a key; offline with --jwks FILE', [
    'claims verify-receipt receipt.json --jwks jwks.json',
    'claims verify-receipt - --json < receipt.json',
  ])
    .addArgument(new Argument('<file>', 'what the API returned, or the receipt alone; - for standard input'))
    .option(
      '--jwks <file or url>',
      'saved keys of the service, or where to read them (default: /.well-known/jwks.json at the base URL)',
    )
    .action(async (file: string, options: CommonOptions & { jwks?: string }) => {
      const content = await verifyReceiptFile(file, options, environment);
      show(
        options,
        content,
        () => `The receipt is genuine.\n\n${fieldLines(receiptFields(content), colors)}`,
      );
    });

  command('watch', 'show changes until you stop it', [
    'claims watch --since 24h --state position.json',
    'claims watch --json | jq -r .external_id',
  ])
    .addOption(
      new Option('--since <time>', 'start with changes since: 24h, a time, or all (default: 24h)')
        .argParser((text) => (text === 'all' ? 'all' : since(environment.now)(text)))
        .default(undefined, '24h'),
    )
    .addOption(
      new Option('--interval <duration>', 'time between polls')
        .argParser(atLeastASecond)
        .default(60_000, '60s'),
    )
    .option('--state <file>', 'continue where the last run with this file stopped')
    .option('--include-test', 'with a live key: also show test claims')
    .action(
      async (
        options: CommonOptions & {
          since?: Date | 'all';
          interval: number;
          state?: string;
          includeTest?: boolean;
        },
      ) => {
        const start = options.since ?? new Date(environment.now() - DAY_MS);
        await watch(
          await connect(options, {}),
          {
            since: start === 'all' ? undefined : start,
            includeTest: options.includeTest ?? false,
            intervalMs: options.interval,
            state: options.state,
            json: options.json ?? false,
          },
          environment,
        );
      },
    );

  const adjusters = withExamples(program.command('adjusters'), ['claims adjusters invite SVC-7F3K-Delacroix'])
    .description('invite an adjuster, or withdraw an invitation')
    .exitOverride();
  command(
    'invite',
    'invite an adjuster to the firm',
    ["claims adjusters invite SVC-7F3K-Delacroix --invited-as 'Jean Delacroix'"],
    adjusters,
  )
    .addArgument(new Argument('<svcid>', "the adjuster's SVCID"))
    .option('--invited-as <name>', 'your name for the adjuster, shown on the invitation')
    .option('--invited-by <name>', 'who invites; visible to the firm only')
    .option('--purpose <text>', 'purpose of the invitation; visible to the firm only')
    .option('--note <text>', 'a note; visible to the firm only')
    .action(
      async (
        svcId: string,
        options: CommonOptions & { invitedAs?: string; invitedBy?: string; purpose?: string; note?: string },
      ) => {
        const { invitedAs: invited_as, invitedBy: invited_by, purpose, note } = options;
        const client = await connect(options);
        const adjuster = await client.adjusters.invite(
          { svc_id: svcId, invited_as, invited_by, purpose, note },
          { signal },
        );
        show(options, adjuster, () => fieldLines(adjusterFields(adjuster), colors));
      },
    );

  command(
    'withdraw',
    'withdraw a pending invitation',
    ['claims adjusters withdraw SVC-7F3K-Delacroix'],
    adjusters,
  )
    .addArgument(new Argument('<svcid>', "the adjuster's SVCID"))
    .action(async (svcId: string, options: CommonOptions) => {
      const adjuster = await (await connect(options)).invitations.withdraw(svcId, { signal });
      show(options, adjuster, () => fieldLines(adjusterFields(adjuster), colors));
    });

  const sandbox = withExamples(program.command('sandbox'), [`claims sandbox accept ${EXAMPLE_ID}`])
    .description('simulate adjusters, time and failures; with a test key only')
    .exitOverride();
  for (const { name, description, argument, run } of SANDBOX_COMMANDS) {
    const isClaim = argument === 'id';
    const example = `claims sandbox ${name} ${isClaim ? EXAMPLE_ID : 'SVC-7F3K-Delacroix'}`;
    const more = name === 'reject' ? " --reason 'Too far.'" : '';
    const subcommand = command(name, description, [`${example}${more}`], sandbox)
      .addArgument(
        isClaim
          ? new Argument('<id>', "the service's id of the claim").argParser(claimId)
          : new Argument('<svcid>', 'SVCID of a test account'),
      )
      .action(async (value: string, options: CommonOptions & { reason?: string }) => {
        const result = await run((await connect(options)).sandbox, value, { signal, reason: options.reason });
        show(options, result, () =>
          fieldLines(isClaim ? claimFields(result as Claim) : { ...result }, colors),
        );
      });
    if (name === 'reject') subcommand.option('--reason <text>', "the adjuster's reason");
  }
  command(
    'faults',
    'let the next requests with this key fail',
    ['claims sandbox faults dropped --count 2'],
    sandbox,
  )
    .addArgument(new Argument('<kind>', 'what they meet').choices(FAULT_KINDS))
    .addOption(new Option('--count <n>', 'number of requests').argParser(wholeNumber(1, 100)).default(1))
    .action(async (kind: FaultKind, options: CommonOptions & { count: number }) => {
      const { count } = options;
      const result = await (await connect(options)).sandbox.simulateFaults({ kind, count }, { signal });
      show(options, result, () => fieldLines({ ...result }, colors));
    });
  command('clear-faults', 'end the simulated failures', ['claims sandbox clear-faults'], sandbox).action(
    async (options: CommonOptions) => {
      const result = await (await connect(options)).sandbox.clearFaults({ signal });
      show(options, result, () => fieldLines({ ...result }, colors));
    },
  );

  command('rehearse', 'rehearse a storm with your own system on the same test key', [
    'claims rehearse --claims 60 --for 30m',
  ])
    .addArgument(new Argument('[file]', 'new file for the claims that your system sends'))
    .addOption(
      new Option('--claims <n>', 'number of claims')
        .argParser(wholeNumber(1, 1000))
        .default(DEFAULT_REHEARSAL.claims),
    )
    .addOption(
      new Option('--for <duration>', 'how long, from the first claim on')
        .argParser(atLeastASecond)
        .default(DEFAULT_REHEARSAL.minutes * 60_000, `${DEFAULT_REHEARSAL.minutes}m`),
    )
    .action(async (file: string | undefined, options: CommonOptions & { claims: number; for: number }) => {
      const url = await urlFrom(options, environment);
      const { claims, for: durationMs, json = false } = options;
      const client = await connect(options, {}, 'claims-rehearse');
      reportSuccess(await rehearse(client, { url, file, claims, durationMs, json }, environment));
    });
  command('readiness', 'check what your system did with this test key', ['claims readiness --since 1h'])
    .addOption(
      new Option('--since <time>', 'only requests since then: 1h, or 2026-08-29T14:30:00Z')
        .argParser(since(environment.now))
        .default(undefined, '24h'),
    )
    .action(async (options: CommonOptions & { since?: Date }) => {
      const { since: start = new Date(environment.now() - DAY_MS), json = false } = options;
      const url = await urlFrom(options, environment);
      const checked = { url, json, since: start.toISOString() };
      reportSuccess(await showReadiness(await connect(options), checked, environment));
    });

  command(
    'mcp',
    'serve the API as tools for AI agents, over standard input and output (Model Context Protocol)',
    ['claims mcp --allow-writes'],
  )
    .option('--allow-writes', 'also offer tools that change data')
    .action(async (options: CommonOptions & { allowWrites?: boolean }) => {
      await serveMcp(await connect(options, {}), { allowWrites: options.allowWrites ?? false }, environment);
    });

  return program;
}

const EXAMPLE_ID = '0198f3a2-7c41-7d36-9b0e-5a2f6c8d1e47';

const withExamples = (command: Command, examples: readonly string[]): Command =>
  command.addHelpText('after', ['', 'Examples:', ...examples.map((example) => `  ${example}`)].join('\n'));

function fieldValue(text: string, before: Readonly<Record<string, string>>): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Must be a field and its value, such as carrier.name=Palmetto.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    if (/^\d{1,7}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
    throw new InvalidArgumentError(`Must be an integer from ${min} to ${max}.`);
  };

function claimId(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError("Must be the service's id, a UUID, which claims send --json prints.");
}

function atLeastASecond(text: string): number {
  const interval = duration(text);
  if (interval >= 1000) return interval;
  throw new InvalidArgumentError(
    'Must be at least one second, such as 5s; use a minute or more with a live key.',
  );
}
