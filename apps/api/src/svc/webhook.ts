import {
  type AttemptedWebhook,
  OperatorError,
  toDateTime,
  toDateTimeOrNull,
  WEBHOOK_DELIVERIES_KEPT,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookUseCases,
} from '@svc/application';
import { DAY, ENVIRONMENTS, type Environment, type FirmId } from '@svc/domain';
import { Argument, type Command, Option } from 'commander';
import type { Services } from '../composition/container.ts';
import {
  attemptedWebhookResponse,
  webhookDeliveryResponse,
  webhookResponse,
} from '../http/serialization/webhook.ts';
import { parseDuration, parseIntegerWithin, parseUuid } from './arguments.ts';
import { addCommand, addGroup, findFirm, firmOption, type OutputOptions } from './command.ts';
import { print, printFields, printJson, printTable } from './output.ts';
import type { Sessions } from './session.ts';

type OfFirm = OutputOptions & { firm: FirmId };

/** @param showsUrl whole: only to who has just typed it. */
function issuedDocument(webhook: WebhookEndpoint, secret: string | null, showsUrl: boolean) {
  const { id, url, environment, state } = webhookResponse(webhook, showsUrl);
  return { webhook: { id, url, environment, state }, secret };
}

const deliveryRow = (delivery: WebhookDelivery) => {
  const { id, type, status, created_at, attempt_count, next_attempt_at } = webhookDeliveryResponse(delivery);
  const latest = delivery.attempts.at(-1);
  return {
    id,
    type,
    status,
    created_at,
    attempts: attempt_count,
    latest_at: toDateTimeOrNull(latest?.at ?? null),
    response: latest?.status ?? latest?.error,
    ms: latest?.durationMs,
    next_attempt_at,
  };
};

/** With what its latest delivery shows. */
async function listedEndpoint(services: Services, endpoint: WebhookEndpoint) {
  const { firmId, id } = endpoint;
  const [delivery] = await services.webhookReads.deliveries(firmId, id, null, 1);
  const attempt = delivery?.attempts.at(-1);
  const fails = delivery !== undefined && delivery.status !== 'delivered' && delivery.attemptCount > 0;
  return {
    firm_id: firmId,
    ...webhookResponse(endpoint, false),
    failing_since: fails ? toDateTime(delivery.createdAt) : null,
    latest_response: attempt?.status ?? attempt?.error ?? null,
  };
}

const rankOf = ({ failing_since, state }: Awaited<ReturnType<typeof listedEndpoint>>): number =>
  failing_since !== null ? 0 : state === 'paused' ? 1 : 2;

/** The one that is named, or the only one of the firm. */
async function findWebhook(
  services: Services,
  firmId: FirmId,
  id: string | undefined,
): Promise<WebhookEndpoint> {
  await findFirm(services.operatorReads, firmId);
  const endpoints = await services.webhookReads.endpoints(firmId);
  const found = endpoints.filter((endpoint) => id === undefined || endpoint.id === id);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (only !== undefined)
    throw new OperatorError(`the firm ${firmId} has ${found.length} webhook endpoints; name one by its id`);
  throw new OperatorError(
    id === undefined
      ? `the firm ${firmId} has no webhook endpoint`
      : `the firm ${firmId} has no webhook endpoint with the id ${id}`,
  );
}

export function addWebhookCommands(program: Command, { withService }: Sessions): void {
  const group = addGroup(program, 'webhook', 'endpoints that a firm gets signals of its changes at');
  const addEndpointCommand = (name: string, description: string) =>
    addCommand(group, name, description)
      .addArgument(
        new Argument(
          '[webhook-id]',
          "the endpoint's id; not needed where the firm has one endpoint",
        ).argParser(parseUuid),
      )
      .addOption(firmOption());
  const onWebhook = <T>(
    { firm }: OfFirm,
    id: string | undefined,
    act: (services: Services, endpoint: WebhookEndpoint) => Promise<T>,
  ): Promise<T> => withService(async (services) => act(services, await findWebhook(services, firm, id)));

  const update = (
    options: OfFirm,
    id: string | undefined,
    changes: Parameters<WebhookUseCases['updateWebhook']>[3],
  ) =>
    onWebhook(options, id, (services, { firmId, id: endpointId }) =>
      services.updateWebhook(services.operator, firmId, endpointId, changes),
    );

  addCommand(group, 'create', 'add an endpoint; its secret is shown once')
    .addOption(firmOption())
    .addOption(new Option('--url <url>', 'where signals are sent').makeOptionMandatory())
    .addOption(
      new Option('--environment <environment>', 'of the changes that it is sent')
        .choices(ENVIRONMENTS)
        .default('live'),
    )
    .action(async (options: OfFirm & { url: string; environment: Environment }) => {
      const { firm: firmId, url, environment } = options;
      const { webhook, secret } = await withService((services) =>
        services.createWebhook(services.operator, { firmId, url, environment }),
      );
      const document = issuedDocument(webhook, secret, true);
      print(options, document, { ...document.webhook, secret: document.secret });
    });

  addCommand(group, 'list', "list a firm's endpoints, or of all firms those first that fail")
    .addOption(firmOption(false))
    .action(async ({ firm, json }: OutputOptions & { firm?: FirmId }) => {
      const documents = await withService(async (services) => {
        const reads = services.operatorReads;
        const firms = firm === undefined ? await reads.firms() : [await findFirm(reads, firm)];
        const listed = [];
        for (const { id, erasure } of firms) {
          if (erasure !== null && firm === undefined) continue;
          const endpoints = await services.webhookReads.endpoints(id);
          if (endpoints.length > 0 || firm !== undefined)
            await services.recordOperatorAction(id, 'webhooks.read');
          for (const endpoint of endpoints) listed.push(await listedEndpoint(services, endpoint));
        }
        return listed.toSorted((a, b) => rankOf(a) - rankOf(b));
      });
      if (json) return printJson({ webhooks: documents });
      printTable(
        documents,
        firm === undefined ? 'No webhook endpoints.' : 'The firm has no webhook endpoints.',
      );
    });

  addEndpointCommand('roll', 'replace the secret; until the overlap ends, deliveries have two signatures')
    .addOption(new Option('--overlap <duration>', 'such as 24h').argParser(parseDuration).default(DAY, '24h'))
    .action(async (id: string | undefined, options: OfFirm & { overlap: number }) => {
      const { webhook, secret } = await update(options, id, { overlapMs: options.overlap });
      const document = issuedDocument(webhook, secret, false);
      if (options.json) return printJson(document);
      printFields({
        ...document.webhook,
        secret: document.secret,
        'old secret ends': toDateTimeOrNull(webhook.previousSecretUntil),
      });
    });

  addEndpointCommand('remove', 'remove an endpoint with its deliveries').action(
    async (id: string | undefined, options: OfFirm) => {
      const removed = await onWebhook(options, id, (services, endpoint) =>
        services.removeWebhook(services.operator, endpoint.firmId, endpoint.id),
      );
      print(options, { removed: { id: removed.id } }, { removed: removed.id });
    },
  );

  addEndpointCommand('resume', 'send signals to a paused endpoint again').action(
    async (id: string | undefined, options: OfFirm) => {
      const { webhook: resumed } = await update(options, id, { state: 'active' });
      const webhook = webhookResponse(resumed, false);
      print(options, { webhook }, webhook);
    },
  );

  const printAttempted = (attempted: AttemptedWebhook, { json }: OutputOptions): void => {
    if (json) printJson({ delivery: attemptedWebhookResponse(attempted) });
    else printFields({ ...deliveryRow(attempted), body: attempted.responseBody });
  };

  addEndpointCommand('test', 'send webhook.test once, and show the response').action(
    async (id: string | undefined, options: OfFirm) =>
      printAttempted(
        await onWebhook(options, id, (services, endpoint) =>
          services.manualDeliveries.testWebhook(services.operator, endpoint.firmId, endpoint.id),
        ),
        options,
      ),
  );

  addCommand(group, 'replay', 'send a delivery again, and show the response')
    .addArgument(new Argument('<delivery-id>', "the delivery's id").argParser(parseUuid))
    .addOption(firmOption())
    .action(async (id: string, options: OfFirm) =>
      printAttempted(
        await withService((services) =>
          services.manualDeliveries.replayWebhook(services.operator, options.firm, id),
        ),
        options,
      ),
    );

  addEndpointCommand('deliveries', 'show the latest deliveries to an endpoint; kept for two weeks')
    .addOption(
      new Option('--limit <n>', 'how many at most, newest first')
        .argParser(parseIntegerWithin({ min: 1, max: WEBHOOK_DELIVERIES_KEPT }))
        .default(50),
    )
    .action(async (id: string | undefined, options: OfFirm & { limit: number }) => {
      const deliveries = await onWebhook(options, id, async (services, endpoint) => {
        await services.recordOperatorAction(endpoint.firmId, 'webhooks.read');
        return services.webhookReads.deliveries(endpoint.firmId, endpoint.id, null, options.limit);
      });
      if (options.json) return printJson({ deliveries: deliveries.map(webhookDeliveryResponse) });
      printTable(deliveries.map(deliveryRow), 'Nothing was sent to the endpoint in the last two weeks.');
    });
}
