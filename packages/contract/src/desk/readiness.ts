import { READINESS_CHECKS } from '@svc/domain/vocabulary';
import { z } from 'zod';
import { endpoint, named } from '../endpoint.ts';
import { fields, instantParameter, responseField } from '../fields.ts';
import { STAFF_REQUEST, staffRead } from '../requests.ts';
import { openEnum, responseObject } from '../response-schema.ts';

const EXAMPLE_REQUESTS = [
  {
    request_id: '01990b5c-8f0d-4c6c-9a2b-6a1f0f4f7b21',
    at: '2026-08-29T15:04:11.208Z',
    key_id: 'key_EXAMPLE',
    operation: 'POST /v1/claims',
    status: 500,
    code: 'internal_error',
    simulated: true,
  },
  {
    request_id: '01990b5c-9311-4b6c-8a2b-2a1f0f4f7b22',
    at: '2026-08-29T15:04:12.241Z',
    key_id: 'key_EXAMPLE',
    operation: 'POST /v1/claims',
    status: 201,
    code: null,
    simulated: false,
  },
];
const EXAMPLE_FINDINGS = [
  {
    detail: 'A write that failed was sent again with another Idempotency-Key.',
    claim_id: '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10',
    requests: EXAMPLE_REQUESTS,
  },
];
const EXAMPLE_CHECKS = [
  {
    check: 'idempotency_keys',
    state: 'failed',
    title: 'Retries have the same Idempotency-Key',
    change: 'Send every retry with the same key and the same body.',
    exercise: 'Simulate the fault dropped while your system sends a claim.',
    passed: 3,
    finding_count: 1,
    findings: EXAMPLE_FINDINGS,
  },
];

const readinessRequest = responseObject({
  request_id: responseField.uuid('As in `X-Request-Id`.', '01990b5c-8f0d-4c6c-9a2b-6a1f0f4f7b21'),
  at: responseField.dateTime('When it arrived.', '2026-08-29T15:04:11.208Z'),
  key_id: responseField.text('The id of the key.', 'key_7f3k'),
  operation: responseField.text('Method and path template.', 'POST /v1/claims'),
  status: responseField
    .integer('Null: the connection was lost before the response was sent.', 500)
    .nullable(),
  code: responseField.text('Of the error; null without one.', 'internal_error').nullable(),
  simulated: responseField.flag('Whether it met a simulated error.', true),
}).meta({ id: 'ReadinessRequest', description: 'A request that shows a finding.' });

const readinessFinding = responseObject({
  detail: responseField.text(
    'What happened.',
    'A write that failed was sent again with another Idempotency-Key.',
  ),
  claim_id: responseField
    .uuid('The claim; null if none is known.', '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10')
    .nullable(),
  requests: z.array(readinessRequest).meta({ description: 'Earliest first.', example: EXAMPLE_REQUESTS }),
}).meta({ id: 'ReadinessFinding', description: 'Something that the program did wrong.' });

const readinessCheck = responseObject({
  check: openEnum(READINESS_CHECKS, { description: 'What is checked.', example: 'idempotency_keys' }),
  state: openEnum(['passed', 'failed', 'not_exercised'], {
    description: 'not_exercised: there is no evidence yet; `exercise` says how to get it.',
    example: 'failed',
  }),
  title: responseField.text('The check in a sentence.', 'Retries have the same Idempotency-Key'),
  change: responseField.text('What to change after a finding.', 'Send every retry with the same key.'),
  exercise: responseField.text('How to get evidence.', 'Simulate the fault dropped.'),
  passed: responseField.integer('How often the program did it right.', 3),
  finding_count: responseField.integer('How many findings there are.', 1),
  findings: z.array(readinessFinding).meta({ description: 'The latest of them.', example: EXAMPLE_FINDINGS }),
}).meta({ id: 'ReadinessCheck', description: 'One check, and what it found.' });

export const readinessSchema = responseObject({
  ready: responseField.flag('Whether every check passed, with all requests and claims since `since`.', false),
  since: responseField.dateTime('Requests from this time on were checked.', '2026-08-29T14:00:00.000Z'),
  until: responseField.dateTime('The time of the check.', '2026-08-29T15:10:00.000Z'),
  requests: responseField.integer('How many requests were checked.', 84),
  claims: responseField.integer('How many test claims that changed since then were checked.', 40),
  complete: responseField.flag(
    'False if there are more than one check covers (`ready` is then false too), or `since` was more than 14 days ago; `since` or the claims are then limited.',
    true,
  ),
  checks: z.array(readinessCheck).meta({ description: 'All checks.', example: EXAMPLE_CHECKS }),
}).meta({ id: 'Readiness', description: 'How far the integration of a firm is ready for live keys.' });
export type Readiness = z.output<typeof readinessSchema>;

export const readinessQuery = fields({
  since: instantParameter({
    description: 'Requests since this time; 24 hours ago by default. The log is kept for 14 days.',
    example: '2026-08-29T14:00:00Z',
  }).optional(),
});

export const readinessEndpoints = named({
  getFirmReadiness: endpoint({
    ...staffRead('readiness:read'),
    method: 'GET',
    path: '/firm/v1/readiness',
    audit: 'readiness.read',
    summary: 'Check the integration of the firm',
    description:
      'Checks what programs with test keys of the firm did: retries, Retry-After, back-off, polling, and how they handle duplicates and unknown values.',
    query: readinessQuery,
    success: { status: 200, schema: readinessSchema, description: 'The checks with their findings.' },
    problems: STAFF_REQUEST,
  }),
});
