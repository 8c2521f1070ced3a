import { ADJUSTER_STATUSES, ENVIRONMENTS, SCOPES } from '@svc/domain/vocabulary';
import { z } from 'zod';
import { fields, responseField, text } from './fields.ts';
import { LIMITS } from './limits.ts';
import { svcId } from './people.ts';
import { openEnum, responseObject } from './response-schema.ts';

export const inviteAdjusterBody = fields({
  svc_id: svcId(),
  invited_as: text(LIMITS.invitedAs, {
    description: "The firm's name for the adjuster; shown to the adjuster on the invitation.",
    example: 'Jean Delacroix',
  }).optional(),
  invited_by: text(LIMITS.invitedBy, {
    description: 'Who invites the adjuster; visible to the firm only.',
    example: 'Priya Natarajan',
  }).optional(),
  purpose: text(LIMITS.purpose, {
    description: 'Purpose of the invitation; visible to the firm only.',
    example: 'Hurricane deployment, Lee County',
  }).optional(),
  note: text(LIMITS.note, {
    description: 'A note; visible to the firm only.',
    example: 'Certified for large losses.',
  }).optional(),
}).meta({
  id: 'InviteAdjusterRequest',
  description: 'The adjuster to invite, and up to four notes. Omit the notes that you do not need.',
});
export type InviteAdjusterBody = z.output<typeof inviteAdjusterBody>;

export const adjusterSchema = responseObject({
  svc_id: responseField.text("The adjuster's SVCID.", 'SVC-7F3K-Delacroix'),
  status: openEnum(ADJUSTER_STATUSES, {
    id: 'AdjusterStatus',
    description: 'Status of the invitation or membership. More values may be added.',
    example: 'active',
  }),
  test: responseField.flag("Whether this is one of the firm's test accounts.", false),
  name: responseField
    .text("Name from the adjuster's account; null until the adjuster accepts.", 'Jean Delacroix')
    .nullable(),
  email: responseField
    .text("Email from the adjuster's account; null until the adjuster accepts.", 'jean.delacroix@example.com')
    .nullable(),
  invited_at: responseField
    .dateTime('Time of the invitation; null for a member added without one.', '2026-08-20T13:00:00.000Z')
    .nullable(),
  expires_at: responseField
    .dateTime('When the invitation expires; null unless it is pending.', '2026-08-27T13:00:00.000Z')
    .nullable(),
  responded_at: responseField
    .dateTime('When the adjuster accepted or declined; null without a response.', '2026-08-20T16:41:30.052Z')
    .nullable(),
  invited_as: responseField
    .text("The firm's name for the adjuster; null if not sent.", 'Jean Delacroix')
    .nullable(),
  invited_by: responseField.text('Who invited the adjuster; null if not sent.', 'Priya Natarajan').nullable(),
  purpose: responseField
    .text('Purpose of the invitation; null if not sent.', 'Hurricane deployment, Lee County')
    .nullable(),
  note: responseField.text('The note; null if not sent.', 'Certified for large losses.').nullable(),
}).meta({ id: 'Adjuster', description: 'A member of the firm, or an invitation.' });

export type AdjusterResponse = z.output<typeof adjusterSchema>;

export const firmSchema = responseObject({
  id: responseField.uuid('Id of the firm.', '5d0c2c1e-9f0d-4c6c-9a2b-6a1f0f4f7b21'),
  name: responseField.text('Name of the firm.', 'Gulf Adjusting Partners'),
}).meta({
  id: 'Firm',
  description: 'An adjusting firm.',
  example: { id: '5d0c2c1e-9f0d-4c6c-9a2b-6a1f0f4f7b21', name: 'Gulf Adjusting Partners' },
});

export const keyInfoSchema = responseObject({
  key: responseObject({
    id: responseField.text('Id of the key, not the key itself.', 'key_01980a5e-2f10-7c3d-8e21-5b9a7d4c6f02'),
    environment: openEnum(ENVIRONMENTS, {
      id: 'Environment',
      description: 'The environment whose data the key can access.',
      example: 'live',
    }),
  }).meta({
    id: 'Key',
    description: 'The key.',
    example: { id: 'key_01980a5e-2f10-7c3d-8e21-5b9a7d4c6f02', environment: 'live' },
  }),
  firm: firmSchema.meta({ description: 'The firm the key belongs to.' }),
  scopes: z
    .array(
      openEnum(SCOPES, {
        id: 'Scope',
        description: 'A scope. More values may be added.',
        example: 'claims:read',
      }),
    )
    .meta({ description: 'Current scopes of the key.', example: ['claims:create', 'claims:read'] }),
}).meta({ id: 'KeyInfo', description: 'The API key of the request, its firm and its scopes.' });
export type KeyInfo = z.output<typeof keyInfoSchema>;
