import type { ApiKey } from '@svc/application';
import { LIMITS } from '@svc/contract';
import {
  DAY,
  ENVIRONMENTS,
  type Environment,
  type FirmId,
  KEY_PURPOSES,
  type KeyId,
  type Purpose,
} from '@svc/domain';
import { type Command, Option } from 'commander';
import type { Services } from '../composition/container.ts';
import { keyToWire } from '../http/serialization/developer.ts';
import { parseDuration, parseLifetime, parseText } from './arguments.ts';
import { addCommand, addGroup, findFirm, firmOption, type OutputOptions } from './command.ts';
import { print, printFields, printJson, printTable } from './output.ts';
import type { Sessions } from './session.ts';

/** As at the desk, without the rate limits, which `svc firm show` prints. */
async function keyDocuments(services: Services, firmId: FirmId) {
  const firm = await findFirm(services.operatorReads, firmId);
  const context = {
    firm,
    staff: await services.staffReads.ofFirm(firmId),
    now: services.clock.now(),
  };
  return (key: ApiKey) => {
    const { limits: _, ...document } = keyToWire(key, context);
    return document;
  };
}
type KeyDocument = ReturnType<Awaited<ReturnType<typeof keyDocuments>>>;

/** Without --json, on one line. */
const shown = ({ created_by, ...fields }: KeyDocument) => ({
  ...fields,
  created_by: created_by.name ?? created_by.kind,
});

export function addKeyCommands(program: Command, { withService }: Sessions): void {
  const group = addGroup(program, 'key', 'API keys');

  addCommand(group, 'create', 'create a key; its secret is shown once')
    .addOption(firmOption())
    .addOption(
      new Option('--environment <environment>', 'which data it can access')
        .choices(ENVIRONMENTS)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--purpose <purpose>', 'what it may do').choices(KEY_PURPOSES).default('full_access'),
    )
    .addOption(
      new Option('--name <name>', 'by which people tell keys apart').argParser(parseText(LIMITS.keyName)),
    )
    .addOption(
      new Option('--expires-in <duration>', 'such as 90d; no expiry when omitted').argParser(parseLifetime),
    )
    .action(
      async (
        options: OutputOptions & {
          firm: FirmId;
          environment: Environment;
          purpose: Purpose;
          name?: string;
          expiresIn?: number;
        },
      ) => {
        const document = await withService(async (services) => {
          const { key, secret } = await services.createKey(services.operator, {
            firmId: options.firm,
            environment: options.environment,
            purpose: options.purpose,
            lifetimeMs: options.expiresIn ?? null,
            name: options.name,
          });
          return { key: (await keyDocuments(services, key.firmId))(key), secret };
        });
        print(options, document, { ...shown(document.key), secret: document.secret });
      },
    );

  addCommand(group, 'list', "list a firm's keys")
    .addOption(firmOption())
    .action(async (options: OutputOptions & { firm: FirmId }) => {
      const documents = await withService(async (services) => {
        const reads = services.operatorReads;
        const document = await keyDocuments(services, options.firm);
        await services.recordOperatorAction(options.firm, 'keys.read');
        return (await reads.keys(options.firm)).map(document);
      });
      if (options.json) return printJson({ keys: documents });
      printTable(
        documents.map(shown).map(({ scopes: _, ...fields }) => fields),
        'The firm has no keys.',
      );
    });

  addCommand(group, 'revoke', 'revoke a key immediately')
    .argument('<key-id>', "the key's id")
    .action(async (id: KeyId, options: OutputOptions) => {
      const document = await withService(async (services) => {
        const key = await services.revokeKey(services.operator, id);
        return (await keyDocuments(services, key.firmId))(key);
      });
      print(options, { key: document }, { id: document.id, revoked_at: document.revoked_at });
    });

  addCommand(
    group,
    'roll',
    'replace a key with one of the same purpose and lifetime; the old key works until the overlap ends',
  )
    .argument('<key-id>', "the key's id")
    .addOption(new Option('--overlap <duration>', 'such as 24h').argParser(parseDuration).default(DAY, '24h'))
    .action(async (id: KeyId, options: OutputOptions & { overlap: number }) => {
      const document = await withService(async (services) => {
        const { key, secret, replaced } = await services.rollKey(services.operator, id, options.overlap);
        const document = await keyDocuments(services, key.firmId);
        return { key: document(key), secret, replaced: document(replaced) };
      });
      if (options.json) return printJson(document);
      printFields({
        ...shown(document.key),
        secret: document.secret,
        'old key expires': document.replaced.expires_at,
      });
    });
}
