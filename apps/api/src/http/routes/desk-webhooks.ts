import { byAccount, type WebhookReads, type WebhookUseCases } from '@svc/application';
import { deskEndpoints, LIMITS } from '@svc/contract';
import { HOUR, permissionsOf } from '@svc/domain';
import { asciiJson } from '../serialization/ascii-json.ts';
import type { Cursors } from '../serialization/cursor.ts';
import {
  attemptedWebhookResponse,
  webhookDeliveryResponse,
  webhookResponse,
} from '../serialization/webhook.ts';
import { deskReader, page, pageRequest } from './paging.ts';
import { jsonResponse, type Route, staffRoute } from './route.ts';

/** The endpoints of a firm and their deliveries, for its developers. */
export function deskWebhookRoutes(
  use: WebhookUseCases & { readonly webhookReads: WebhookReads; readonly cursors: Cursors },
): Route[] {
  const { webhookReads: reads, cursors } = use;
  return [
    staffRoute(deskEndpoints.listWebhooks, async (_, { staff: { firmId, role, plan } }) => {
      const mayChange = permissionsOf(role, plan).includes('webhooks:write');
      const data = (await reads.endpoints(firmId)).map((endpoint) => webhookResponse(endpoint, mayChange));
      return {
        ...jsonResponse({ data, next_cursor: null }),
        reads: [{ firmId, action: 'webhooks.read', object: null }],
      };
    }),

    staffRoute(deskEndpoints.createWebhook, async ({ body: { url, environment = 'live' } }, { actor }) => {
      const { firmId } = actor;
      const { webhook, secret } = await use.createWebhook(byAccount(actor), { firmId, url, environment });
      return jsonResponse({ webhook: webhookResponse(webhook, true), secret }, 201);
    }),

    staffRoute(deskEndpoints.updateWebhook, async ({ params: { webhook_id: id }, body }, { actor }) => {
      const overlapMs = body.roll_secret ? LIMITS.webhookOverlapHours * HOUR : undefined;
      const changes = { state: body.state, overlapMs };
      const { webhook, secret } = await use.updateWebhook(byAccount(actor), actor.firmId, id, changes);
      return jsonResponse({ webhook: webhookResponse(webhook, true), secret });
    }),

    staffRoute(deskEndpoints.removeWebhook, async ({ params }, { actor }) => {
      await use.removeWebhook(byAccount(actor), actor.firmId, params.webhook_id);
      return { status: 204 };
    }),

    staffRoute(deskEndpoints.testWebhook, async ({ params: { webhook_id: id } }, { actor, whileWaiting }) =>
      jsonResponse(
        attemptedWebhookResponse(
          await use.manualDeliveries.testWebhook(byAccount(actor), actor.firmId, id, whileWaiting),
        ),
      ),
    ),

    staffRoute(deskEndpoints.listWebhookDeliveries, async ({ params, query }, { actor: { firmId } }) => {
      const { webhook_id: webhook } = params;
      const scope = { list: 'webhook_deliveries', reader: deskReader(firmId), filters: { webhook } };
      const asked = pageRequest(query, cursors, scope);
      const deliveries = await use.listWebhookDeliveries(firmId, webhook, asked);
      // Not recorded as a read: the desk repeats it while they are open. That of the endpoints before it is.
      return page(deliveries, (row) => asciiJson(webhookDeliveryResponse(row)), cursors, scope);
    }),

    staffRoute(
      deskEndpoints.replayWebhookDelivery,
      async ({ params: { delivery_id: id } }, { actor, whileWaiting }) =>
        jsonResponse(
          attemptedWebhookResponse(
            await use.manualDeliveries.replayWebhook(byAccount(actor), actor.firmId, id, whileWaiting),
          ),
        ),
    ),
  ];
}
