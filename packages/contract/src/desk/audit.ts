import { AUDIT_ACTIONS } from '@svc/domain/vocabulary';
import { z } from 'zod';
import { endpoint, named } from '../endpoint.ts';
import { fields, instantParameter, responseField, text, uuidParameter } from '../fields.ts';
import { LIMITS } from '../limits.ts';
import { pageOf, pageParameters } from '../page.ts';
import { STAFF_REQUEST, staffRead } from '../requests.ts';
import { openEnum, responseObject } from '../response-schema.ts';

const since = instantParameter({
  description: 'From this time on.',
  example: '2026-08-29T00:00:00Z',
}).optional();
const until = instantParameter({
  description: 'Before this time.',
  example: '2026-08-30T00:00:00Z',
}).optional();

const auditText = (description: string, example: string) =>
  text(LIMITS.auditText, { description, example }).optional();

const setting = (description: string, example: string) =>
  z.unknown().meta({ description: `${description}: text, number, true or false; null: not set.`, example });

export const auditEventSchema = responseObject({
  id: responseField.text('Its own: the number of the row, and of the event in it.', '4711.0'),
  seq: responseField.integer('Number of the row of the chain; its events share it.', 4711),
  at: responseField.dateTime('When it happened.', '2026-08-29T14:52:07.113Z'),
  actor: responseField.text(
    '`key:ID`, `staff:ID`, `adjuster:SVCID`, `operator:NAME`, or `service`.',
    'key:key_01980a5e-2f10-7c3d-8e21-5b9a7d4c6f02',
  ),
  actor_name: responseField
    .text(
      'Name of the staff member; null for other actors, and after the member was removed.',
      'Priya Natarajan',
    )
    .nullable(),
  address: responseField.text('IP address of the client; null without a request.', '203.0.113.7').nullable(),
  action: openEnum(AUDIT_ACTIONS, {
    id: 'AuditAction',
    description: 'What was done. More values may be added.',
    example: 'claim.send',
  }),
  object: responseField
    .text(
      'Kind and id of what it was done to; null where there is none.',
      'claim:0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10',
    )
    .nullable(),
  claims: z
    .array(z.string())
    .meta({ description: 'Ids of the claims in a list that was read.', example: [] })
    .optional(),
  changes: z
    .record(
      z.string(),
      responseObject({ from: setting('Before', 'dispatcher'), to: setting('After', 'auditor') }).meta({
        id: 'AuditChange',
        description: 'A setting before and after.',
      }),
    )
    .meta({ description: 'What was set, by name.', example: { role: { from: 'dispatcher', to: 'auditor' } } })
    .optional(),
  device: responseObject({
    answered_at: responseField.dateTime('When the adjuster answered.', '2026-08-29T15:02:41.020Z'),
    kept_offline_since: responseField
      .dateTime(
        'Since when the app kept the answer for lack of a network; null: it did not.',
        '2026-08-29T15:02:46.300Z',
      )
      .nullable(),
  })
    .meta({
      id: 'AuditDevice',
      description: 'Of an answer to an offer, also one that does not count, by the clock of the device.',
      example: { answered_at: '2026-08-29T15:02:41.020Z', kept_offline_since: null },
    })
    .optional(),
  outcome: responseField.text('`ok`, or the code of the error.', 'ok'),
  request_id: responseField
    .text('The value of X-Request-Id; null without a request.', '01980a5e-4c7f-7b3e-9d8a-0f6c2b1a7e55')
    .nullable(),
  hash: responseField.text('Hash of the row, which covers all rows before it.', '9f86d081884c7d65'),
}).meta({ id: 'AuditEvent', description: 'An event of the audit trail: ids and settings only.' });

export const auditVerificationSchema = responseObject({
  intact: responseField.flag('Whether every hash of the period is right.', true),
  rows: responseField.integer('How many rows were checked; only if intact.', 4711).optional(),
  last: responseObject({
    seq: responseField.integer('Number of the row.', 4711),
    hash: responseField.text('Its hash. Keep it: a later check must still find it.', '9f86d081884c7d65'),
  })
    .meta({
      id: 'AuditLink',
      description: 'The last row that was checked.',
      example: { seq: 4711, hash: '9f86d081884c7d65' },
    })
    .optional(),
  seq: responseField.integer('The first row with a problem; only if not intact.', 4711).optional(),
  problem: openEnum(['changed', 'missing', 'outside', 'purged'], {
    id: 'AuditProblem',
    description: 'What is wrong with the row; only if not intact. More values may be added.',
    example: 'changed',
  }).optional(),
  next_cursor: responseField
    .text('Send it as cursor to check the rest of the period; only if any is left.', 'eyJ2IjoxfQ.c2lnbmVk')
    .optional(),
}).meta({ id: 'AuditVerification', description: 'The result of computing the hashes again.' });

/** The audit trail of the firm. */
export const auditEndpoints = named({
  listAudit: endpoint({
    ...staffRead('audit:read'),
    method: 'GET',
    path: '/firm/v1/audit',
    audit: 'audit.read',
    summary: 'List audit events',
    description:
      'Who did what in the firm, latest first; all pages together are the export. A page ends after some thousand events were searched, so it may be empty and still have a next_cursor.',
    query: fields({
      since,
      until,
      actor: auditText('Only by this actor.', 'adjuster:SVC-7F3K-Delacroix'),
      action: auditText('Only this action.', 'claim.offer'),
      object: auditText('Only about this object.', 'claim:0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10'),
      request_id: uuidParameter({
        description: 'Only of this request.',
        example: '01980a5e-4c7f-7b3e-9d8a-0f6c2b1a7e55',
      }).optional(),
      ...pageParameters(),
    }),
    success: {
      status: 200,
      schema: pageOf('AuditPage', auditEventSchema),
      description: 'A page of events.',
    },
    problems: STAFF_REQUEST,
  }),
  verifyAudit: endpoint({
    ...staffRead('audit:read'),
    method: 'GET',
    path: '/firm/v1/audit/verification',
    audit: 'audit.verify',
    summary: 'Verify the audit trail',
    description: `Computes the hashes of a period again, by default and at most the last ${LIMITS.auditVerificationDays} days. Each hash covers all rows before it, so a changed or missing row shows. One verification of a firm runs at a time; another one gets \`rate_limited\`. What takes longer than a request may is continued with next_cursor.`,
    query: fields({ since, until, cursor: pageParameters().cursor }),
    success: { status: 200, schema: auditVerificationSchema, description: 'Whether the trail is intact.' },
    problems: STAFF_REQUEST,
  }),
});
