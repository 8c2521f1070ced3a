import { ENVIRONMENTS } from '@svc/domain/vocabulary';
import { z } from 'zod';
import { responseField } from './fields.ts';
import { openEnum, responseObject } from './response-schema.ts';

const environment = openEnum(ENVIRONMENTS, {
  description: 'Of which claims.',
  example: 'live',
});

const event = <const Type extends string, Data extends z.ZodType>(
  type: Type,
  id: string,
  description: string,
  data: Data,
) =>
  responseObject({
    type: z.literal(type).meta({ description: 'What happened.', example: type }),
    timestamp: responseField.dateTime('When it was first sent.', '2026-09-01T12:00:01.250Z'),
    data,
  }).meta({ id, description });

/** A webhook that the service sends to an endpoint of a firm, without any data of a claim. */
interface WebhookDefinition {
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly schema: z.ZodType;
  readonly example: unknown;
}

export const webhooks = {
  'claims.changed': {
    id: 'claimsChanged',
    summary: 'Claims have changed',
    description:
      'Sent at most once a second to each endpoint. It names no claim: poll `GET /v1/claims` from your own position, or with `updated_since`. A lost, late or repeated one does no harm.',
    schema: event(
      'claims.changed',
      'ClaimsChangedWebhook',
      'Claims have changed.',
      responseObject({
        environment,
        updated_since: responseField.dateTime(
          'A poll from this time gets every change that no webhook before has signalled.',
          '2026-09-01T12:00:00.871Z',
        ),
      }).meta({ id: 'ClaimsChangedData', description: 'From when to poll.' }),
    ),
    example: {
      type: 'claims.changed',
      timestamp: '2026-09-01T12:00:01.250Z',
      data: { environment: 'live', updated_since: '2026-09-01T12:00:00.871Z' },
    },
  },
  'webhook.test': {
    id: 'webhookTest',
    summary: 'A test of the endpoint',
    description: 'Sent when somebody tests the endpoint. Nothing has changed.',
    schema: event(
      'webhook.test',
      'TestWebhook',
      'A test of the endpoint.',
      responseObject({ environment }).meta({
        id: 'TestWebhookData',
        description: 'The environment of the endpoint.',
      }),
    ),
    example: {
      type: 'webhook.test',
      timestamp: '2026-09-01T12:00:01.250Z',
      data: { environment: 'live' },
    },
  },
} as const satisfies Record<string, WebhookDefinition>;

/** Headers of the Standard Webhooks specification. */
export const webhookHeaders = z.object({
  'webhook-id': responseField.uuid(
    'The same for each attempt at one webhook.',
    '0199a3f0-6f52-7c1a-9d38-2b1f0a7c44e1',
  ),
  'webhook-timestamp': responseField.text(
    'When this attempt was signed, in seconds since 1970. Reject it if it is more than five minutes off.',
    '1788264001',
  ),
  'webhook-signature': responseField.text(
    'The text `v1,` and the base64 of HMAC-SHA256, with the bytes behind `whsec_` as the key, over `webhook-id`, a dot, `webhook-timestamp`, a dot and the body. While a secret is rolled there are two, separated by a space.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
});
