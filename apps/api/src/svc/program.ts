import { type ApiKey, OperatorError } from '@svc/application';
import { codePointLength, hasUnusableCharacter, LIMITS, updateProfileBody } from '@svc/contract';
import {
  type ClaimId,
  DAY,
  ENVIRONMENTS,
  type Environment,
  type FirmId,
  HOUR,
  type KeyId,
  MINUTE,
  PLANS,
  type Plan,
  PURPOSES,
  type Purpose,
  SECOND,
  type Svcid,
  scopesOf,
} from '@svc/domain';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { readSchemaState } from '../composition/compose.ts';
import { type Services, TOKENS as T } from '../composition/tokens.ts';
import { diagnose } from './doctor.ts';
import {
  adjusterDocument,
  claimDocument,
  firmDocument,
  keyDocument,
  memberDocument,
  requestDocument,
  schemaDocument,
} from './documents.ts';
import { printFields, printJson, printTable } from './output.ts';
import { withService } from './session.ts';

const UNITS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };

/** `90d`, `24h`, `30m`, `45s`, in milliseconds. */
function duration(text: string): number {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (amount === undefined || unit === undefined) {
    throw new InvalidArgumentError('Allowed: a whole number and a unit, such as 90d, 24h, 30m or 45s.');
  }
  return Number(amount) * (UNITS[unit] ?? 0);
}

/** A key that is over before it begins helps nobody. */
function lifetime(text: string): number {
  const length = duration(text);
  if (length === 0) throw new InvalidArgumentError('Allowed: a time longer than nothing, such as 90d.');
  return length;
}

function positive(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text))
    throw new InvalidArgumentError('Allowed: a whole number from 1 to 9999999.');
  return Number(text);
}

function uuid(text: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text))
    throw new InvalidArgumentError('Allowed: a UUID.');
  return text.toLowerCase();
}

const textOf =
  (bounds: { readonly min: number; readonly max: number }) =>
  (text: string): string => {
    const length = codePointLength(text);
    if (length < bounds.min || length > bounds.max || hasUnusableCharacter(text)) {
      throw new InvalidArgumentError(`Allowed: ${bounds.min} to ${bounds.max} characters.`);
    }
    return text;
  };

/** It travels in paths and cursors, so it must not grow out of all proportion when it is written there. */
const newSvcId = (text: string): string => {
  const fits = !/\p{Cc}/u.test(text) && Buffer.byteLength(text) <= 256;
  if (!fits || text.trim() !== text)
    throw new InvalidArgumentError('Allowed: 1 to 128 printable characters, at most 256 bytes.');
  return textOf(LIMITS.svcId)(text);
};

const email = (text: string): string => {
  if (!updateProfileBody.shape.email.safeParse(text).success)
    throw new InvalidArgumentError('Allowed: an e-mail address.');
  return text;
};

const flag = (text: string): boolean => {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('Allowed: true, false.');
  return text === 'true';
};

/** What the key's purpose and its firm's plan have in common. */
async function scopesNow(c: Services, key: ApiKey): Promise<readonly string[]> {
  const firm = await c.get(T.operatorReads).firm(key.firmId);
  return firm === null ? [] : scopesOf(key.purpose, firm.plan);
}

const firmOption = () => new Option('--firm <id>', "the firm's id").argParser(uuid).makeOptionMandatory();
const svcIdOption = () =>
  new Option('--svc-id <svcid>', "the adjuster's SVCID")
    .argParser(textOf(LIMITS.svcId))
    .makeOptionMandatory();

/** The operator's command line. Each command answers one document, as fields or a table, or as JSON with --json. */
export function createProgram(): Command {
  const program = new Command('svc')
    .description('Operates the claim assignment service, beside a running server or without one.')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(svc --help lists the commands)');

  // Declared on every command rather than once above them, so that it may stand where people write it: at the end.
  const command = (parent: Command, spec: string, description: string): Command =>
    parent.command(spec).description(description).option('--json', 'print one JSON document').exitOverride();
  const group = (name: string, description: string): Command =>
    program.command(name).description(description).exitOverride();

  const firm = group('firm', 'adjusting firms');
  command(firm, 'create', 'create a firm with its test accounts; their secrets are shown once')
    .addOption(
      new Option('--name <name>', 'what adjusters see')
        .argParser(textOf(LIMITS.companyName))
        .makeOptionMandatory(),
    )
    .addOption(new Option('--plan <plan>', 'what the firm has bought').choices(PLANS).default('standard'))
    .action(async (options: { name: string; plan: Plan; json?: boolean }) => {
      const created = await withService((c) => c.get(T.createFirm)(options));
      const document = {
        firm: { id: created.firm.id, name: created.firm.name, plan: created.firm.plan },
        test_accounts: created.testAccounts.map((account) => ({
          svc_id: account.svcId,
          behavior: account.behavior,
          sign_in_secret: account.signInSecret,
        })),
      };
      if (options.json) return printJson(document);
      printFields(document.firm);
      process.stdout.write('\nTest accounts; their sign-in secrets are shown this once:\n');
      printTable(document.test_accounts, 'none');
    });
  command(firm, 'list', 'list the firms').action(async (options: { json?: boolean }) => {
    const firms = (await withService((c) => c.get(T.operatorReads).firms())).map(firmDocument);
    if (options.json) return printJson({ firms });
    printTable(
      firms.map(({ id, name, plan, created_at }) => ({ id, name, plan, created_at })),
      'There are no firms yet.',
    );
  });
  command(firm, 'show', 'show a firm, its limits and test accounts')
    .addArgument(new Argument('<id>', "the firm's id").argParser(uuid))
    .action(async (id: FirmId, options: { json?: boolean }) => {
      const document = await withService(async (c) => {
        const found = await c.get(T.operatorReads).firm(id);
        if (found === null) throw new OperatorError(`no firm has the id ${id}`);
        const accounts = await c.get(T.operatorReads).testAccounts(id);
        return {
          firm: firmDocument(found),
          test_accounts: accounts.map((account) => ({
            svc_id: account.svcId,
            behavior: account.testOf?.behavior ?? null,
          })),
        };
      });
      if (options.json) return printJson(document);
      const { limits, ...fields } = document.firm;
      printFields({ ...fields, ...limits });
      process.stdout.write('\n');
      printTable(document.test_accounts, 'none');
    });
  command(firm, 'set-plan', "change a firm's plan; in force within a second")
    .addArgument(new Argument('<id>', "the firm's id").argParser(uuid))
    .addArgument(new Argument('<plan>', 'what the firm has bought').choices(PLANS))
    .action(async (id: FirmId, plan: Plan, options: { json?: boolean }) => {
      const changed = firmDocument(await withService((c) => c.get(T.setPlan)(id, plan)));
      if (options.json) return printJson({ firm: changed });
      printFields({ id: changed.id, name: changed.name, plan: changed.plan });
    });
  command(firm, 'set-limits', "replace a firm's own limits; what is left out goes back to the default")
    .addArgument(new Argument('<id>', "the firm's id").argParser(uuid))
    .addOption(new Option('--requests-per-minute <n>', 'all requests of a key').argParser(positive))
    .addOption(new Option('--writes-per-minute <n>', 'POST and DELETE of a key').argParser(positive))
    .addOption(new Option('--burst <n>', 'accepted in one instant').argParser(positive))
    .action(
      async (
        id: FirmId,
        options: { requestsPerMinute?: number; writesPerMinute?: number; burst?: number; json?: boolean },
      ) => {
        const limits = {
          requestsPerMinute: options.requestsPerMinute ?? null,
          writesPerMinute: options.writesPerMinute ?? null,
          burst: options.burst ?? null,
        };
        const changed = firmDocument(await withService((c) => c.get(T.setLimits)(id, limits)));
        if (options.json) return printJson({ firm: changed });
        printFields({ id: changed.id, name: changed.name, ...changed.limits });
      },
    );

  const key = group('key', 'API keys');
  command(key, 'create', 'create a key; its secret is shown once')
    .addOption(firmOption())
    .addOption(
      new Option('--environment <environment>', 'which data it reaches')
        .choices(ENVIRONMENTS)
        .makeOptionMandatory(),
    )
    .addOption(new Option('--purpose <purpose>', 'what it may do').choices(PURPOSES).default('full_access'))
    .addOption(new Option('--expires-in <duration>', 'such as 90d; never when left out').argParser(lifetime))
    .action(
      async (options: {
        firm: FirmId;
        environment: Environment;
        purpose: Purpose;
        expiresIn?: number;
        json?: boolean;
      }) => {
        const document = await withService(async (c) => {
          const issued = await c.get(T.createKey)({
            firmId: options.firm,
            environment: options.environment,
            purpose: options.purpose,
            lifetime: options.expiresIn ?? null,
          });
          return { key: keyDocument(issued.key, await scopesNow(c, issued.key)), secret: issued.secret };
        });
        if (options.json) return printJson(document);
        printFields({ ...document.key, secret: document.secret });
      },
    );
  command(key, 'list', "list a firm's keys")
    .addOption(firmOption())
    .action(async (options: { firm: FirmId; json?: boolean }) => {
      const keys = await withService(async (c) => {
        const found = await c.get(T.operatorReads).firm(options.firm);
        if (found === null) throw new OperatorError(`no firm has the id ${options.firm}`);
        const held = await c.get(T.operatorReads).keys(options.firm);
        return held.map((one) => keyDocument(one, scopesOf(one.purpose, found.plan)));
      });
      if (options.json) return printJson({ keys });
      printTable(
        keys.map(({ scopes: _, ...fields }) => fields),
        'The firm has no keys.',
      );
    });
  command(key, 'revoke', 'end a key at once')
    .argument('<key-id>', "the key's id")
    .action(async (id: KeyId, options: { json?: boolean }) => {
      const revoked = await withService(async (c) => {
        const key = await c.get(T.revokeKey)(id);
        return keyDocument(key, await scopesNow(c, key));
      });
      if (options.json) return printJson({ key: revoked });
      printFields({ id: revoked.id, revoked_at: revoked.revoked_at });
    });
  command(key, 'roll', 'replace a key with one that never expires; the old one lives on for the overlap')
    .argument('<key-id>', "the key's id")
    .addOption(new Option('--overlap <duration>', 'such as 24h').argParser(duration).default(DAY, '24h'))
    .action(async (id: KeyId, options: { overlap: number; json?: boolean }) => {
      const document = await withService(async (c) => {
        const rolled = await c.get(T.rollKey)(id, options.overlap);
        const scopes = await scopesNow(c, rolled.key);
        return {
          key: keyDocument(rolled.key, scopes),
          secret: rolled.secret,
          replaced: keyDocument(rolled.replaced, scopes),
        };
      });
      if (options.json) return printJson(document);
      printFields({ ...document.key, secret: document.secret, 'old key ends': document.replaced.expires_at });
    });

  const adjuster = group('adjuster', 'accounts of the adjuster app');
  command(adjuster, 'create', 'create an account; profile fields may be filled in later')
    .addOption(svcIdOption().argParser(newSvcId))
    .addOption(new Option('--first-name <name>').argParser(textOf(LIMITS.personName)))
    .addOption(new Option('--last-name <name>').argParser(textOf(LIMITS.personName)))
    .addOption(new Option('--email <address>').argParser(email))
    .action(
      async (options: {
        svcId: Svcid;
        firstName?: string;
        lastName?: string;
        email?: string;
        json?: boolean;
      }) => {
        const profile = {
          svcId: options.svcId,
          firstName: options.firstName ?? null,
          lastName: options.lastName ?? null,
          email: options.email ?? null,
        };
        const created = adjusterDocument(await withService((c) => c.get(T.createAdjuster)(profile)));
        if (options.json) return printJson({ adjuster: created });
        printFields(created);
      },
    );
  command(adjuster, 'session', 'open a session; its token is shown once')
    .argument('<svc-id>', "the adjuster's SVCID")
    .action(async (svcId: Svcid, options: { json?: boolean }) => {
      const { token } = await withService((c) => c.get(T.openSession)(svcId));
      if (options.json) return printJson({ token });
      process.stdout.write(`${token}\n`);
    });

  const member = group('member', 'adjusters in firms');
  command(member, 'add', 'make an adjuster a member without an invitation')
    .addOption(firmOption())
    .addOption(svcIdOption())
    .action(async (options: { firm: FirmId; svcId: Svcid; json?: boolean }) => {
      const added = await withService((c) => c.get(T.addMember)(options.firm, options.svcId));
      const document = memberDocument(added, Date.now());
      if (options.json) return printJson({ member: document });
      printFields(document);
    });
  command(member, 'set', 'grant or take the permission to accept claims')
    .addOption(firmOption())
    .addOption(svcIdOption())
    .addOption(new Option('--can-accept-claims <boolean>').argParser(flag).makeOptionMandatory())
    .action(async (options: { firm: FirmId; svcId: Svcid; canAcceptClaims: boolean; json?: boolean }) => {
      const set = await withService((c) =>
        c.get(T.setMember)(options.firm, options.svcId, options.canAcceptClaims),
      );
      const document = memberDocument(set, Date.now());
      if (options.json) return printJson({ member: document });
      printFields(document);
    });

  const claim = group('claim', 'claims');
  command(claim, 'close', 'close a claim, whatever its assignment; frees its claim number')
    .addArgument(new Argument('<claim-id>').argParser(uuid))
    .action(async (id: ClaimId, options: { json?: boolean }) => {
      const document = await withService(async (c) => {
        await c.get(T.closeClaimAsOperator)(id);
        const closed = await c.get(T.operatorReads).claim(id);
        if (closed === null) throw new OperatorError(`no claim has the id ${id}`);
        return claimDocument(closed);
      });
      if (options.json) return printJson({ claim: document });
      printFields({ id: document.id, closed_at: document.closed_at });
    });
  command(claim, 'show', 'show where a claim stands, without what was sent')
    .addArgument(new Argument('<claim-id>').argParser(uuid))
    .action(async (id: ClaimId, options: { json?: boolean }) => {
      const found = await withService((c) => c.get(T.operatorReads).claim(id));
      if (found === null) throw new OperatorError(`no claim has the id ${id}`);
      const document = claimDocument(found);
      if (options.json) return printJson({ claim: document });
      const { firm: of, assignment, ...fields } = document;
      printFields({ ...fields, firm: `${of.name} (${of.id})`, ...assignment });
    });

  command(program, 'requests', 'show what requests of a firm met; kept for two weeks')
    .addOption(firmOption())
    .addOption(new Option('--request-id <id>', 'the one that an X-Request-Id names').argParser(uuid))
    .addOption(new Option('--limit <n>', 'at most so many, latest first').argParser(positive).default(50))
    .action(async (options: { firm: FirmId; requestId?: string; limit: number; json?: boolean }) => {
      const requests = await withService(async (c) => {
        if ((await c.get(T.operatorReads).firm(options.firm)) === null)
          throw new OperatorError(`no firm has the id ${options.firm}`);
        return c.get(T.requestLog).requestsOf(options.firm, options);
      });
      const documents = requests.map(requestDocument);
      if (options.json) return printJson({ requests: documents });
      printTable(
        documents,
        'No such request of this firm in the last two weeks. One that was refused for its key is in the log only.',
      );
    });

  command(program, 'migrate', 'bring the schema up to date').action(async (options: { json?: boolean }) => {
    const state = await withService(async (_, url) => readSchemaState(url));
    if (options.json) return printJson(schemaDocument(state));
    process.stdout.write('The schema is up to date.\n');
  });
  command(program, 'doctor', 'tell what is reachable, which versions, and what is misconfigured').action(
    async (options: { json?: boolean }) => {
      const report = await diagnose();
      if (options.json) printJson(report);
      else printTable(report.checks, 'nothing was checked');
      if (!report.ok) throw new OperatorError('something is wrong; see above');
    },
  );
  return program;
}
