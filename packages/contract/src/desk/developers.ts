import { ENVIRONMENTS, KEY_PURPOSES } from '@svc/domain/vocabulary';
import { z } from 'zod';
import { keyInfoSchema } from '../adjuster.ts';
import { endpoint, named } from '../endpoint.ts';
import {
  fields,
  instantParameter,
  integer,
  nonBlankText,
  oneOf,
  responseField,
  text,
  uuidParameter,
} from '../fields.ts';
import { LIMITS } from '../limits.ts';
import { pageOf, pageParameters } from '../page.ts';
import { STAFF_REQUEST, staffRead, staffWrite, WITH_BODY } from '../requests.ts';
import { openEnum, responseObject } from '../response-schema.ts';
import { keyPurpose } from './staff.ts';

const EXAMPLE_KEY = 'key_01980a5e-2f10-7c3d-8e21-5b9a7d4c6f02';
const EXAMPLE_REQUEST = '01980a5e-4c7f-7b3e-9d8a-0f6c2b1a7e55';

const keyLimits = responseObject({
  requests_per_minute: responseField.integer('Requests per minute.', 300),
  writes_per_minute: responseField.integer('Of these, writes.', 120),
  burst: responseField.integer('Requests at once.', 20),
}).meta({
  id: 'KeyLimits',
  description: 'The rate limits of the key.',
  example: { requests_per_minute: 300, writes_per_minute: 120, burst: 20 },
});

const EXAMPLE_STAFF = '01980a5e-9b1c-7d2e-8f3a-4b5c6d7e8f90';
const keyName = () =>
  nonBlankText(LIMITS.keyName, {
    description: 'By which people tell keys apart, such as where it is used.',
    example: 'Claims import',
  });

export const apiKeySchema = responseObject({
  id: responseField.text('Id of the key, not the key itself.', EXAMPLE_KEY),
  name: responseField.text('Name of the key; null: none was given.', 'Claims import').nullable(),
  environment: keyInfoSchema.shape.key.shape.environment,
  purpose: keyPurpose,
  scopes: keyInfoSchema.shape.scopes,
  created_at: responseField.dateTime('When the key was created.', '2026-08-20T13:00:00.000Z'),
  expires_at: responseField
    .dateTime('When the key stops working; null: it does not expire.', '2026-11-18T13:00:00.000Z')
    .nullable(),
  revoked_at: responseField
    .dateTime('When the key was revoked; null: it was not.', '2026-09-01T09:00:00.000Z')
    .nullable(),
  last_used_at: responseField
    .dateTime('Last request, up to a minute late; null: not used.', '2026-08-29T14:52:07.113Z')
    .nullable(),
  created_by: responseObject({
    kind: openEnum(['staff', 'operator'], {
      id: 'KeyMakerKind',
      description: 'A staff member of the firm, or the operator of the service. More values may be added.',
      example: 'staff',
    }),
    staff_id: responseField.uuid('Id of the staff member; null for the operator.', EXAMPLE_STAFF).nullable(),
    name: responseField
      .text('Name of the person, also of one who was removed; null for the operator.', 'Priya Natarajan')
      .nullable(),
  }).meta({
    id: 'KeyMaker',
    description: 'Who made the key.',
    example: { kind: 'staff', staff_id: EXAMPLE_STAFF, name: 'Priya Natarajan' },
  }),
  attention: openEnum(['maker_removed', 'maker_role_changed'], {
    id: 'KeyAttention',
    description:
      'Why an administrator should look at the key, which works: who made it was removed from the staff, or could not make it with their role of today. Null: no reason. More values may be added.',
    example: 'maker_removed',
  }).nullable(),
  limits: keyLimits,
}).meta({ id: 'ApiKey', description: 'An API key of the firm, without its secret.' });
export type ApiKeyDocument = z.output<typeof apiKeySchema>;

const secret = responseField.text('The key itself; shown only once.', 'svc_test_EXAMPLE');

export const issuedKeySchema = responseObject({ key: apiKeySchema, secret }).meta({
  id: 'IssuedKey',
  description: 'A new key and its secret.',
});

export const rolledKeySchema = responseObject({ key: apiKeySchema, secret, replaced: apiKeySchema }).meta({
  id: 'RolledKey',
  description: 'The new key with its secret, and the one that it replaces.',
});

export const firmLimitsSchema = responseObject({
  keys: z
    .array(
      responseObject({
        key_id: responseField.text('Id of the key.', EXAMPLE_KEY),
        environment: keyInfoSchema.shape.key.shape.environment,
        purpose: keyPurpose,
        limits: keyLimits,
        used: responseObject({
          requests: responseField.integer('Requests.', 3),
          writes: responseField.integer('Writes.', 1),
        }).meta({
          id: 'KeyUse',
          description: 'What of `burst` is used now and not refilled yet.',
          example: { requests: 3, writes: 1 },
        }),
        rate_limited: responseField.integer('Requests with this key that got a 429, in these days.', 12),
      }).meta({ id: 'KeyWithUse', description: 'A key, and how near it is to its limits.' }),
    )
    .meta({ description: 'The keys that work now, the latest first; at most 200.', example: [] }),
  days: z
    .array(
      responseObject({
        date: responseField.date('The day, in UTC.', '2026-08-29'),
        live: responseField.integer('With live keys.', 0),
        test: responseField.integer('With test keys.', 12),
      }).meta({ id: 'LimitedRequestsOfDay', description: 'Requests of a day that got a 429.' }),
    )
    .meta({ description: 'The last 14 days, today last.', example: [] }),
  counted_since: responseField.dateTime(
    'Since when requests that got a 429 are counted: the first day, or later where there are too many.',
    '2026-08-16T00:00:00.000Z',
  ),
}).meta({ id: 'FirmLimits', description: 'How near the firm comes to its rate limits.' });
export type FirmLimitsDocument = z.output<typeof firmLimitsSchema>;

export const loggedRequestSchema = responseObject({
  request_id: responseField.uuid('The value of X-Request-Id.', EXAMPLE_REQUEST),
  at: responseField.dateTime('When the request arrived.', '2026-08-29T14:52:07.113Z'),
  key_id: responseField.text('Id of the key.', EXAMPLE_KEY),
  key_name: responseField.text('Name of the key; null: it has none.', 'Claims import').nullable(),
  environment: keyInfoSchema.shape.key.shape.environment,
  route: responseField.text('Method and path template.', 'POST /v1/claims'),
  status: responseField.integer('Status of the response; null: the client disconnected.', 422).nullable(),
  code: responseField.text('Code of the error; null without one.', 'validation_failed').nullable(),
  documentation_url: responseField
    .text(
      'Link to the documentation of the error; null without one.',
      'https://claims.example.com/docs/errors#validation_failed',
    )
    .nullable(),
  detail: responseField
    .text('What the error said; null without one. It repeats nothing that was sent.', '1 validation error.')
    .nullable(),
  places: z.array(z.string()).meta({
    description: 'The places that were wrong: JSON Pointers, or names of parameters and headers.',
    example: ['/loss/date'],
  }),
  place_details: z.array(z.string()).meta({
    description: 'What was wrong there, in the order of `places`; of many, that of the first 20.',
    example: ['Must be a valid calendar date (YYYY-MM-DD).'],
  }),
  existing_claim_id: responseField
    .uuid('Of `duplicate_claim`: the claim that exists; else null.', '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10')
    .nullable(),
  duration_ms: z.number().meta({ description: 'Milliseconds until the response.', example: 12.5 }),
}).meta({ id: 'LoggedRequest', description: 'A request of the firm, without anything that was sent.' });
export type LoggedRequestDocument = z.output<typeof loggedRequestSchema>;

const keyParams = fields({
  key_id: text(LIMITS.keyId, { description: 'Id of the key.', example: EXAMPLE_KEY }),
});

/** Keys and requests of the firm's systems. */
export const developerEndpoints = named({
  listKeys: endpoint({
    ...staffRead('keys:read'),
    method: 'GET',
    path: '/firm/v1/keys',
    audit: 'keys.read',
    summary: 'List keys',
    description: 'The API keys of the firm, the latest first, without their secrets.',
    query: fields(pageParameters()),
    success: { status: 200, schema: pageOf('ApiKeyPage', apiKeySchema), description: 'A page of keys.' },
    problems: STAFF_REQUEST,
  }),
  createKey: endpoint({
    ...staffWrite('keys:write'),
    method: 'POST',
    path: '/firm/v1/keys',
    audit: 'key.create',
    repeatable: false,
    summary: 'Create a key',
    description: `The response shows the secret, once. At most ${LIMITS.workingKeys} keys of a firm work at a time in each environment, unless the operator has raised the number; a key that was replaced is not counted while it still works.`,
    body: fields({
      environment: oneOf(ENVIRONMENTS, {
        id: 'EnvironmentInput',
        description: 'The environment whose data the key can access.',
        example: 'test',
      }),
      name: keyName().optional(),
      purpose: oneOf(KEY_PURPOSES, {
        id: 'KeyPurposeInput',
        description:
          'What the key is for; full_access by default. A key may do no more than who makes it: `key_purposes` of `GET /firm/v1/me` lists what is allowed.',
        example: 'full_access',
      }).optional(),
      expires_in_days: integer(LIMITS.keyLifetimeDays, {
        description: 'When the key stops working; absent: it does not expire.',
        example: 90,
      }).optional(),
    }).meta({ id: 'CreateKeyRequest', description: 'The key to create.' }),
    pointers: { too_many_keys: '' },
    success: { status: 201, schema: issuedKeySchema, description: 'The key and its secret.' },
    problems: [...WITH_BODY, ...STAFF_REQUEST],
  }),
  rollKey: endpoint({
    ...staffWrite('keys:write'),
    method: 'POST',
    path: '/firm/v1/keys/{key_id}/roll',
    audit: 'key.roll',
    summary: 'Replace a key',
    description:
      'Creates a key with the same name, environment, purpose and lifetime. The old one works until the overlap ends, and cannot be replaced again. Who replaces a key sees its secret, so they must be allowed to create such a key. A firm has at most as many replaced keys that still work as it may have keys.',
    params: keyParams,
    body: fields({
      overlap_hours: integer(LIMITS.keyOverlapHours, {
        description: 'How long the old key still works; 24 hours by default.',
        example: 24,
      }).optional(),
    }).meta({ id: 'RollKeyRequest', description: 'How long both keys work.' }),
    bodyRequired: false,
    pointers: { already_rolled: '', key_revoked: '', too_many_keys: '' },
    success: {
      status: 201,
      schema: rolledKeySchema,
      description: 'The new key, its secret, and the old key.',
    },
    problems: [...WITH_BODY, ...STAFF_REQUEST, 'not_found'],
  }),
  updateKey: endpoint({
    ...staffWrite('keys:write'),
    method: 'PATCH',
    path: '/firm/v1/keys/{key_id}',
    audit: 'key.rename',
    summary: 'Rename a key',
    description: 'Changes the name in the list.',
    params: keyParams,
    body: fields({ name: keyName() }).meta({
      id: 'UpdateKeyRequest',
      description: 'The new name.',
    }),
    success: { status: 200, schema: apiKeySchema, description: 'The key.' },
    problems: [...WITH_BODY, ...STAFF_REQUEST, 'not_found'],
  }),
  revokeKeysOfMaker: endpoint({
    ...staffWrite('keys:write'),
    method: 'POST',
    path: '/firm/v1/keys/revocation',
    audit: 'key.revoke',
    summary: 'Revoke the keys of a person',
    description:
      'Revokes all working keys that one staff member made, who may have been removed. They stop working within a second.',
    body: fields({
      staff_id: text(LIMITS.uuid, { description: 'Id of the staff member.', example: EXAMPLE_STAFF }),
    }).meta({ id: 'RevokeKeysRequest', description: 'Whose keys to revoke.' }),
    success: {
      status: 200,
      schema: pageOf('RevokedKeyPage', apiKeySchema),
      description: 'The keys that were revoked. There is always one page.',
    },
    problems: [...WITH_BODY, ...STAFF_REQUEST],
  }),
  revokeKey: endpoint({
    ...staffWrite('keys:write'),
    method: 'POST',
    path: '/firm/v1/keys/{key_id}/revocation',
    audit: 'key.revoke',
    summary: 'Revoke a key',
    description: 'The key stops working within a second.',
    params: keyParams,
    success: { status: 200, schema: apiKeySchema, description: 'The revoked key.' },
    problems: [...WITH_BODY, ...STAFF_REQUEST, 'not_found'],
  }),
  getLimits: endpoint({
    ...staffRead('keys:read'),
    method: 'GET',
    path: '/firm/v1/limits',
    audit: 'keys.read',
    summary: 'Get rate limits and their use',
    description:
      'The limits of each key, what is used of them now, and how many requests got a 429 on each of the last 14 days. Reading it uses nothing.',
    success: { status: 200, schema: firmLimitsSchema, description: 'The limits and their use.' },
    problems: STAFF_REQUEST,
  }),
  listRequests: endpoint({
    ...staffRead('requests:read'),
    method: 'GET',
    path: '/firm/v1/requests',
    audit: 'requests.read',
    summary: 'List requests',
    description:
      "Requests with the firm's keys of the last 14 days, latest first, with the places that were wrong. They appear about a second after the response. A page ends after some thousand requests were searched, so it may be empty and still have a next_cursor.",
    query: fields({
      key: text(LIMITS.keyId, {
        description: 'Only with the key of this id.',
        example: EXAMPLE_KEY,
      }).optional(),
      environment: oneOf(ENVIRONMENTS, {
        description: 'Only with keys of this environment.',
        example: 'test',
      }).optional(),
      code: text(LIMITS.errorCode, {
        description: 'Only with this error code.',
        example: 'validation_failed',
      }).optional(),
      errors: oneOf(['true', 'false'], {
        description: 'true: only requests with an error, status 400 or higher.',
        example: 'true',
      }).optional(),
      path: text(LIMITS.routePath, {
        description:
          'Only where the path starts with this text: a template or a path that was requested, with or without the method. Of a path with the id of a claim, requests with test keys about that claim.',
        example: 'POST /v1/claims',
      }).optional(),
      since: instantParameter({
        description: 'Only requests at or after this time.',
        example: '2026-08-29T14:30:00Z',
      }).optional(),
      request_id: uuidParameter({
        description: 'Only the request with this id.',
        example: EXAMPLE_REQUEST,
      }).optional(),
      ...pageParameters(),
    }),
    success: {
      status: 200,
      schema: pageOf('LoggedRequestPage', loggedRequestSchema),
      description: 'A page of requests.',
    },
    problems: STAFF_REQUEST,
  }),
  getRequest: endpoint({
    ...staffRead('requests:read'),
    method: 'GET',
    path: '/firm/v1/requests/{request_id}',
    audit: 'requests.read',
    summary: 'Get a request',
    description: 'One request of the last 14 days.',
    params: fields({
      request_id: uuidParameter({ description: 'The value of X-Request-Id.', example: EXAMPLE_REQUEST }),
    }),
    success: { status: 200, schema: loggedRequestSchema, description: 'The request.' },
    problems: [...STAFF_REQUEST, 'not_found'],
  }),
});
