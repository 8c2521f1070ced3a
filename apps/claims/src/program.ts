import { type Adjuster, type Claim, type Client, createClient } from '@svc/client';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { Environment } from './environment.ts';
import {
  adjusterFields,
  adjusterRow,
  claimFields,
  claimRow,
  colorsFor,
  fieldLines,
  jsonDocument,
  table,
} from './output.ts';
import { send } from './send/command.ts';
import { keyFrom, type Place, urlFrom } from './settings.ts';
import { duration, since } from './times.ts';
import { watch } from './watch.ts';

const DAY_MS = 86_400_000;

interface Common extends Place {
  readonly json?: boolean;
}

/** Each command answers one document, as fields or a table, or as JSON with --json; those that go on answer lines. */
export function createProgram(around: Environment, end: (succeeded: boolean) => void): Command {
  const { stdout, signal } = around;
  const colors = colorsFor(stdout, around.env);
  const program = new Command('claims')
    .description(
      'Sends claims to adjusters and tells what they answer.\n\nThe key comes from CLAIMS_API_KEY or a file (--key-file, else ~/.config/claims/key) that only you can read; the address from CLAIMS_URL or --url.',
    )
    .version('0.1.0')
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void around.stderr.write(text),
    })
    .exitOverride()
    .showHelpAfterError('(claims --help lists the commands)');

  // Declared on every command rather than once above them, so that they may stand where people write them: at the end.
  const command = (spec: string, description: string): Command =>
    program
      .command(spec)
      .description(description)
      .option('--json', 'print JSON and nothing else')
      .option('--url <url>', "the service's address (default: CLAIMS_URL)")
      .option('--key-file <file>', 'a file that holds the key')
      .exitOverride();

  const connect = async (options: Common): Promise<Client> =>
    createClient({
      baseUrl: urlFrom(options, around),
      apiKey: await keyFrom(options, around),
      fetch: around.fetch,
    });

  const show = (options: Common, document: unknown, text: () => string): void => {
    stdout.write(options.json ? jsonDocument(document) : text());
  };
  const showClaim = (options: Common, claim: Claim) =>
    show(options, claim, () => fieldLines(claimFields(claim), colors));
  const rows = (of: readonly Readonly<Record<string, unknown>>[], empty: string): string =>
    of.length === 0 ? `${empty}\n` : `${table(of, colors).join('\n')}\n`;

  command('whoami', 'show the key, its firm and what it may do').action(async (options: Common) => {
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
  });

  command('send', 'send claims; safe to run again')
    .addArgument(new Argument('<file>', 'one claim, or one claim a line (JSON Lines); - for standard input'))
    .addOption(
      new Option('--concurrency <n>', 'claims under way at a time').argParser(wholeNumber(1, 20)).default(4),
    )
    .option(
      '--journal',
      'keep a list of what was sent beside the file, so that the next run does not ask again',
      false,
    )
    .action(async (file: string, options: Common & { concurrency: number; journal: boolean }) => {
      const client = await connect(options);
      const { concurrency, journal, json = false } = options;
      end(await send(client, { file, url: urlFrom(options, around), concurrency, journal, json }, around));
    });

  command('list', 'list claims, oldest change first')
    .option('--status <status>', 'only claims with this assignment status')
    .addOption(
      new Option('--since <time>', 'only claims that changed since: 24h, or 2026-08-29T14:30:00Z').argParser(
        since(around.now),
      ),
    )
    .option('--external-id <id>', 'only the claim with your own id')
    .addOption(new Option('--limit <n>', 'at most so many claims').argParser(wholeNumber(1, 1_000_000)))
    .action(
      async (options: Common & { status?: string; since?: Date; externalId?: string; limit?: number }) => {
        const { limit = Number.POSITIVE_INFINITY } = options;
        const list = (await connect(options)).claims.list(
          {
            assignment_status: options.status,
            updated_since: options.since,
            external_id: options.externalId,
            limit: Math.min(limit, 200),
          },
          { signal },
        );
        const claims: Claim[] = [];
        for await (const claim of list) {
          claims.push(claim);
          if (claims.length >= limit) break;
        }
        show(options, { claims }, () => rows(claims.map(claimRow), 'No claims.'));
      },
    );

  command('get', 'show a claim')
    .addArgument(new Argument('<id>', "the service's id of the claim").argParser(claimId))
    .action(async (id: string, options: Common) => {
      showClaim(options, await (await connect(options)).claims.get(id, { signal }));
    });

  command('offer', 'offer a claim to another adjuster')
    .addArgument(new Argument('<id>', "the service's id of the claim").argParser(claimId))
    .requiredOption('--adjuster <svcid>', 'whom to offer it to')
    .option('--idempotency-key <key>', 'give the same one to repeat an offer safely')
    .action(async (id: string, options: Common & { adjuster: string; idempotencyKey?: string }) => {
      const { adjuster: adjusterSvcId, idempotencyKey } = options;
      const client = await connect(options);
      showClaim(options, await client.claims.offer(id, { adjusterSvcId, idempotencyKey, signal }));
    });

  command('watch', 'show what adjusters answer, as it comes in, until you stop it')
    .addOption(
      new Option('--since <time>', 'begin with changes since: 24h, a time, or all (default: 24h)')
        .argParser((text) => (text === 'all' ? 'all' : since(around.now)(text)))
        .default(undefined, '24h'),
    )
    .addOption(
      new Option('--interval <duration>', 'how often to ask')
        .argParser(atLeastASecond)
        .default(60_000, '60s'),
    )
    .option('--state <file>', 'go on where the last run with this file stopped')
    .action(async (options: Common & { since?: Date | 'all'; interval: number; state?: string }) => {
      const from = options.since ?? new Date(around.now() - DAY_MS);
      await watch(
        await connect(options),
        {
          since: from === 'all' ? undefined : from,
          intervalMs: options.interval,
          state: options.state,
          json: options.json ?? false,
        },
        around,
      );
    });

  command('invite', 'invite an adjuster to the firm')
    .addArgument(new Argument('<svcid>', "the adjuster's SVCID"))
    .option('--invited-as <name>', 'your name for the adjuster, shown on the invitation')
    .option('--invited-by <name>', 'who invites; seen by the firm only')
    .option('--purpose <text>', 'what for; seen by the firm only')
    .option('--note <text>', "the firm's own note; seen by the firm only")
    .action(
      async (
        svcId: string,
        options: Common & { invitedAs?: string; invitedBy?: string; purpose?: string; note?: string },
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

  command('withdraw', 'withdraw a pending invitation')
    .addArgument(new Argument('<svcid>', "the adjuster's SVCID"))
    .action(async (svcId: string, options: Common) => {
      const adjuster = await (await connect(options)).adjusters.withdraw(svcId, { signal });
      show(options, adjuster, () => fieldLines(adjusterFields(adjuster), colors));
    });

  command('adjusters', 'list adjusters and invitations').action(async (options: Common) => {
    const adjusters: Adjuster[] = [];
    for await (const adjuster of (await connect(options)).adjusters.list({ limit: 200 }, { signal })) {
      adjusters.push(adjuster);
    }
    show(options, { adjusters }, () => rows(adjusters.map(adjusterRow), 'No adjusters.'));
  });

  return program;
}

const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    if (/^\d{1,7}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
    throw new InvalidArgumentError(`Allowed: a whole number from ${min} to ${max}.`);
  };

function claimId(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError(
    "Allowed: the service's id, a UUID. Your own id goes with claims list --external-id.",
  );
}

function atLeastASecond(text: string): number {
  const interval = duration(text);
  if (interval >= 1000) return interval;
  throw new InvalidArgumentError('Allowed: a second or more, such as 5s; a minute or more for a live key.');
}
