import { type ApiKey, toDateTime, toDateTimeOrNull } from '@svc/application';
import {
  DAY,
  ENVIRONMENTS,
  type Environment,
  type FirmId,
  type KeyId,
  type Plan,
  PURPOSES,
  type Purpose,
  scopesOf,
} from '@svc/domain';
import { type Command, Option } from 'commander';
import type { ServiceContainer } from '../composition/services.ts';
import { parseDuration, parseLifetime } from './arguments.ts';
import { addCommand, addGroup, findFirm, firmOption, type OutputOptions } from './command.ts';
import { printFields, printJson, printTable } from './output.ts';
import { withService } from './session.ts';

/** @param plan the firm's current plan; together with the purpose it determines the scopes. */
const keyDocument = (key: ApiKey, plan: Plan) => ({
  id: key.id,
  environment: key.environment,
  purpose: key.purpose,
  scopes: scopesOf(key.purpose, plan),
  created_at: toDateTime(key.createdAt),
  expires_at: toDateTimeOrNull(key.expiresAt),
  revoked_at: toDateTimeOrNull(key.revokedAt),
  last_used_at: toDateTimeOrNull(key.lastUsedAt),
});

const planOf = async (services: ServiceContainer, { firmId }: ApiKey): Promise<Plan> =>
  (await findFirm(services.get('operatorReads'), firmId)).plan;

export function addKeyCommands(program: Command): void {
  const group = addGroup(program, 'key', 'API keys');

  addCommand(group, 'create', 'create a key; its secret is shown once')
    .addOption(firmOption())
    .addOption(
      new Option('--environment <environment>', 'which data it can access')
        .choices(ENVIRONMENTS)
        .makeOptionMandatory(),
    )
    .addOption(new Option('--purpose <purpose>', 'what it may do').choices(PURPOSES).default('full_access'))
    .addOption(
      new Option('--expires-in <duration>', 'such as 90d; no expiry when omitted').argParser(parseLifetime),
    )
    .action(
      async (
        options: OutputOptions & {
          firm: FirmId;
          environment: Environment;
          purpose: Purpose;
          expiresIn?: number;
        },
      ) => {
        const document = await withService(async (services) => {
          const { key, secret } = await services.get('operatorUseCases').createKey({
            firmId: options.firm,
            environment: options.environment,
            purpose: options.purpose,
            lifetimeMs: options.expiresIn ?? null,
          });
          return { key: keyDocument(key, await planOf(services, key)), secret };
        });
        if (options.json) return printJson(document);
        printFields({ ...document.key, secret: document.secret });
      },
    );

  addCommand(group, 'list', "list a firm's keys")
    .addOption(firmOption())
    .action(async (options: OutputOptions & { firm: FirmId }) => {
      const documents = await withService(async (services) => {
        const reads = services.get('operatorReads');
        const { plan } = await findFirm(reads, options.firm);
        await services.get('operatorUseCases').recordAction(options.firm, 'keys.read');
        const keys = await reads.keys(options.firm);
        return keys.map((key) => keyDocument(key, plan));
      });
      if (options.json) return printJson({ keys: documents });
      printTable(
        documents.map(({ scopes: _, ...fields }) => fields),
        'The firm has no keys.',
      );
    });

  addCommand(group, 'revoke', 'revoke a key immediately')
    .argument('<key-id>', "the key's id")
    .action(async (id: KeyId, options: OutputOptions) => {
      const document = await withService(async (services) => {
        const key = await services.get('operatorUseCases').revokeKey(id);
        return keyDocument(key, await planOf(services, key));
      });
      if (options.json) return printJson({ key: document });
      printFields({ id: document.id, revoked_at: document.revoked_at });
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
        const { key, secret, replaced } = await services.get('operatorUseCases').rollKey(id, options.overlap);
        const plan = await planOf(services, key);
        return { key: keyDocument(key, plan), secret, replaced: keyDocument(replaced, plan) };
      });
      if (options.json) return printJson(document);
      printFields({
        ...document.key,
        secret: document.secret,
        'old key expires': document.replaced.expires_at,
      });
    });
}
