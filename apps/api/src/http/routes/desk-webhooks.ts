import { byAccount, type WebhookReads, type WebhookUseCases } from '@svc/application';
import { deskEndpoints, LIMITS } from '@svc/contract';
import { DomainError, type FirmId, HOUR } from '@svc/domain';
import { asciiJson } from '../serialization/ascii-json.ts';
import type { Cursors } from '../serialization/cursor.ts';
import { webhookDeliveryResponse, webhookResponse } from '../serialization/webhook.ts';
import { page, pageRequest } from './paging.ts';
import { jsonResponse, type Route, staffRoute } from './route.ts';

/** The endpoints of a firm and their deliveries, for its developers. */
export function deskWebhookRoutes({
  webhookUseCases: use,
  webhookReads: reads,
  cursors,
}: {
  readonly webhookUseCases: WebhookUseCases;
  readonly webhookReads: WebhookReads;
  readonly cursors: Cursors;
}): Route[] {
  const find = async (firmId: FirmId, id: string) => {
    const found = (await reads.endpoints(firmId)).find((endpoint) => endpoint.id === id);
    if (found === undefined)
      throw new DomainError('not_found', 'The firm has no webhook endpoint with this id.');
    return found;
  };
  return [
    staffRoute(deskEndpoints.listWebhooks, async (_, { actor: { firmId } }) =>
      jsonResponse({ data: (await reads.endpoints(firmId)).map(webhookResponse), next_cursor: null }),
    ),

    staffRoute(deskEndpoints.createWebhook, async ({ body: { url, environment } }, { actor }) => {
      const { firmId } = actor;
      const { webhook, secret } = await use.createWebhook(byAccount(actor), { firmId, url, environment });
      return jsonResponse({ webhook: webhookResponse(webhook), secret }, 201);
    }),

    staffRoute(deskEndpoints.updateWebhook, async ({ params: { webhook_id: id }, body }, { actor }) => {
      const overlapMs = body.roll_secret ? LIMITS.webhookOverlapHours * HOUR : null;
      const changes = { state: body.state, overlapMs };
      const { webhook, secret } = await use.updateWebhook(byAccount(actor), actor.firmId, id, changes);
      return jsonResponse({ webhook: webhookResponse(webhook), secret });
    }),

    staffRoute(deskEndpoints.removeWebhook, async ({ params }, { actor }) => {
      await use.removeWebhook(byAccount(actor), actor.firmId, params.webhook_id);
      return { status: 204 };
    }),

    staffRoute(deskEndpoints.testWebhook, async ({ params }, { actor }) =>
      jsonResponse(
        webhookDeliveryResponse(await use.testWebhook(byAccount(actor), actor.firmId, params.webhook_id)),
      ),
    ),

    staffRoute(deskEndpoints.listWebhookDeliveries, async ({ params, query }, { actor: { firmId } }) => {
      const { webhook_id: webhook } = params;
      const scope = { list: 'webhook_deliveries', reader: firmId, filters: { webhook } };
      const { after, limit } = pageRequest(query, cursors, scope);
      const { id } = await find(firmId, webhook);
      const rows = await reads.deliveries(firmId, id, after, limit + 1);
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1) : undefined;
      const next = last === undefined ? null : { at: last.createdAt, id: last.id };
      return page({ rows: shown, next }, (row) => asciiJson(webhookDeliveryResponse(row)), cursors, scope);
    }),

    staffRoute(deskEndpoints.replayWebhookDelivery, async ({ params }, { actor }) =>
      jsonResponse(
        webhookDeliveryResponse(await use.replayWebhook(byAccount(actor), actor.firmId, params.delivery_id)),
      ),
    ),
  ];
}
