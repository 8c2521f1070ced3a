import {
  ENVIRONMENTS,
  WEBHOOK_ERRORS,
  WEBHOOK_PAUSE_REASONS,
  WEBHOOK_STATES,
  WEBHOOK_STATUSES,
} from '@svc/domain/vocabulary';
import { z } from 'zod';
import { endpoint, named } from '../endpoint.ts';
import { fields, flag, oneOf, responseField, url, uuidParameter } from '../fields.ts';
import { LIMITS } from '../limits.ts';
import { pageOf, pageParameters } from '../page.ts';
import { STAFF_REQUEST, staffRead, staffWrite, WITH_BODY } from '../requests.ts';
import { openEnum, responseObject } from '../response-schema.ts';
import { webhooks } from '../webhooks.ts';

const WEBHOOK_ID = '0199a3ee-51c7-7b0e-8a44-5d1c9e2f7a30';
const DELIVERY_ID = '0199a3f0-6f52-7c1a-9d38-2b1f0a7c44e1';
const URL = 'https://hooks.gulfadjusting.example.com/claims';
const SECRET = 'whsec_EXAMPLE';

const webhookSchema = responseObject({
  id: responseField.uuid('Id of the endpoint.', WEBHOOK_ID),
  url: responseField.text(
    'Where webhooks are sent; without its query, which may hold a secret, for those who may not change it.',
    URL,
  ),
  environment: openEnum(ENVIRONMENTS, { description: 'Of which changes.', example: 'live' }),
  state: openEnum(WEBHOOK_STATES, { description: 'Whether webhooks are sent.', example: 'active' }),
  paused_reason: openEnum(WEBHOOK_PAUSE_REASONS, {
    description:
      'Why it is paused: by a person, after a 410, or after three days of failures. Null: it is active.',
    example: 'failing',
  }).nullable(),
  previous_secret_until: responseField
    .dateTime(
      'Until when webhooks are signed with the secret before as well; null: not.',
      '2026-09-02T12:00:00.000Z',
    )
    .nullable(),
  created_at: responseField.dateTime('When it was added.', '2026-09-01T11:30:00.000Z'),
}).meta({ id: 'Webhook', description: 'An endpoint of the firm.' });
export type WebhookResponse = z.output<typeof webhookSchema>;

const issuedWebhookSchema = responseObject({
  webhook: webhookSchema,
  secret: responseField
    .text('The secret that webhooks are signed with; shown once. Null: it is as before.', SECRET)
    .nullable(),
}).meta({ id: 'IssuedWebhook', description: 'An endpoint, with its secret if that is new.' });

const attemptSchema = responseObject({
  at: responseField.dateTime('When it was sent.', '2026-09-01T12:00:01.251Z'),
  status: responseField.integer('Status of the response; null without one.', 204).nullable(),
  error: openEnum(WEBHOOK_ERRORS, {
    description:
      'Why there was no response; null with one. `name_not_resolved`: the name has no address, or a private one.',
    example: 'timeout',
  }).nullable(),
  duration_ms: responseField.integer('Milliseconds until the response, or until it was given up.', 84),
}).meta({ id: 'WebhookAttempt', description: 'An attempt at a delivery.' });

const EXAMPLE_ATTEMPTS = [{ at: '2026-09-01T12:00:01.251Z', status: 204, error: null, duration_ms: 84 }];

const deliveryFields = {
  id: responseField.uuid('As in `webhook-id`.', DELIVERY_ID),
  type: openEnum(Object.keys(webhooks) as (keyof typeof webhooks)[], {
    description: 'What was sent.',
    example: 'claims.changed',
  }),
  status: openEnum(WEBHOOK_STATUSES, { description: 'Whether it has arrived.', example: 'delivered' }),
  created_at: responseField.dateTime('When it was first due.', '2026-09-01T12:00:01.250Z'),
  updated_since: responseField
    .dateTime('As in its data; null for a test.', '2026-09-01T12:00:00.871Z')
    .nullable(),
  next_attempt_at: responseField
    .dateTime('When it is tried next; null unless it is pending.', '2026-09-01T12:00:05.000Z')
    .nullable(),
  attempt_count: responseField.integer('How often it was tried.', 1),
  attempts: z
    .array(attemptSchema)
    .meta({ description: 'The latest attempts, oldest first.', example: EXAMPLE_ATTEMPTS }),
};
const deliverySchema = responseObject(deliveryFields).meta({
  id: 'WebhookDelivery',
  description: 'A webhook that was or will be sent to an endpoint.',
});
export type WebhookDeliveryResponse = z.output<typeof deliverySchema>;

const attemptedWebhookSchema = responseObject({
  ...deliveryFields,
  response_body: responseField
    .text('The start of what the endpoint responded; not stored. Null: there was no response.', 'ok')
    .nullable(),
}).meta({ id: 'AttemptedWebhook', description: 'A webhook that was sent by hand, with the response.' });
export type AttemptedWebhookResponse = z.output<typeof attemptedWebhookSchema>;

const createWebhookBody = fields({
  url: url(LIMITS.webhookUrl, {
    description: 'A public address that starts with `https://`, without a user name or a fragment.',
    example: URL,
  }),
  environment: oneOf(ENVIRONMENTS, {
    id: 'WebhookEnvironment',
    description: 'Of which changes; live by default.',
    example: 'live',
  }).optional(),
}).meta({ id: 'CreateWebhookRequest', description: 'The endpoint to add.' });

const updateWebhookBody = fields({
  state: oneOf(WEBHOOK_STATES, {
    id: 'WebhookState',
    description: 'Paused, nothing is sent; the first webhook afterwards covers what changed in between.',
    example: 'active',
  }).optional(),
  roll_secret: flag({
    description: `Whether to replace the secret. For ${LIMITS.webhookOverlapHours} hours webhooks are signed with both, and the secret cannot be replaced again.`,
    example: true,
  }).optional(),
}).meta({ id: 'UpdateWebhookRequest', description: 'What to change. Omitted fields are unchanged.' });

const webhookParams = fields({
  webhook_id: uuidParameter({ description: 'Id of the endpoint.', example: WEBHOOK_ID }),
});

export const webhookEndpoints = named({
  listWebhooks: endpoint({
    ...staffRead('webhooks:read'),
    method: 'GET',
    path: '/firm/v1/webhooks',
    audit: 'webhooks.read',
    summary: 'List the webhook endpoints',
    description: `The endpoints of the firm; at most ${LIMITS.webhooksPerEnvironment} in each environment. There is always one page.`,
    success: { status: 200, schema: pageOf('WebhookPage', webhookSchema), description: 'The endpoints.' },
    problems: STAFF_REQUEST,
  }),
  createWebhook: endpoint({
    ...staffWrite('webhooks:write'),
    method: 'POST',
    path: '/firm/v1/webhooks',
    audit: 'webhook.create',
    repeatable: false,
    summary: 'Add a webhook endpoint',
    description: 'Its secret is shown once. It is signalled the changes from now on.',
    body: createWebhookBody,
    pointers: { too_many_webhooks: '', webhook_url_refused: '/url' },
    success: { status: 201, schema: issuedWebhookSchema, description: 'The endpoint and its secret.' },
    problems: [...WITH_BODY, ...STAFF_REQUEST],
  }),
  updateWebhook: endpoint({
    ...staffWrite('webhooks:write'),
    method: 'PATCH',
    path: '/firm/v1/webhooks/{webhook_id}',
    audit: 'webhook.change',
    summary: 'Pause or resume a webhook endpoint, or roll its secret',
    description: 'The new secret is shown once.',
    params: webhookParams,
    body: updateWebhookBody,
    pointers: { already_rolled: '' },
    success: { status: 200, schema: issuedWebhookSchema, description: 'The endpoint.' },
    problems: [...WITH_BODY, ...STAFF_REQUEST, 'not_found'],
    example: { body: { state: 'active' } },
  }),
  removeWebhook: endpoint({
    ...staffWrite('webhooks:write'),
    method: 'DELETE',
    path: '/firm/v1/webhooks/{webhook_id}',
    audit: 'webhook.remove',
    summary: 'Remove a webhook endpoint',
    description: 'Removes its deliveries too.',
    params: webhookParams,
    success: { status: 204, schema: null, description: 'Removed.' },
    problems: [...WITH_BODY, ...STAFF_REQUEST, 'not_found'],
  }),
  testWebhook: endpoint({
    ...staffWrite('webhooks:write'),
    method: 'POST',
    path: '/firm/v1/webhooks/{webhook_id}/test',
    audit: 'webhook.test',
    repeatable: false,
    summary: 'Test a webhook endpoint',
    description:
      'Sends `webhook.test` once, also to a paused endpoint, and waits four seconds for the response. One at a time.',
    params: webhookParams,
    success: { status: 200, schema: attemptedWebhookSchema, description: 'The delivery with its attempt.' },
    problems: [...WITH_BODY, ...STAFF_REQUEST, 'not_found'],
  }),
  listWebhookDeliveries: endpoint({
    ...staffRead('webhooks:read'),
    method: 'GET',
    path: '/firm/v1/webhooks/{webhook_id}/deliveries',
    audit: 'webhooks.read',
    summary: 'List the deliveries to an endpoint',
    description: 'Latest first; kept for two weeks, and about 500 for each endpoint.',
    params: webhookParams,
    query: fields(pageParameters()),
    success: {
      status: 200,
      schema: pageOf('WebhookDeliveryPage', deliverySchema),
      description: 'A page of deliveries.',
    },
    problems: [...STAFF_REQUEST, 'not_found'],
  }),
  replayWebhookDelivery: endpoint({
    ...staffWrite('webhooks:write'),
    method: 'POST',
    path: '/firm/v1/webhooks/deliveries/{delivery_id}/replay',
    audit: 'webhook.replay',
    repeatable: false,
    summary: 'Send a delivery again',
    description:
      'Sends it once, with the same `webhook-id`, and waits four seconds for the response; also one that is tried again by itself. One at a time.',
    params: fields({
      delivery_id: uuidParameter({ description: 'Id of the delivery.', example: DELIVERY_ID }),
    }),
    success: { status: 200, schema: attemptedWebhookSchema, description: 'The delivery with its attempts.' },
    problems: [...WITH_BODY, ...STAFF_REQUEST, 'not_found'],
  }),
});
