import { z } from 'zod';
import { fields, shown, text } from './fields.ts';
import { LIMITS } from './limits.ts';
import { svcId } from './people.ts';
import { openEnum, responseObject } from './response-schema.ts';
import { ADJUSTER_STATUSES, ENVIRONMENTS, SCOPES } from './vocabulary.ts';

export const inviteAdjusterBody = fields({
  svc_id: svcId(),
  invited_as: text(LIMITS.invitedAs, {
    description: "The firm's name for the adjuster; shown to the adjuster on the invitation.",
    example: 'Jean Delacroix',
  }).optional(),
  invited_by: text(LIMITS.invitedBy, {
    description: 'Who in the firm invites; seen by the firm only.',
    example: 'Priya Natarajan',
  }).optional(),
  purpose: text(LIMITS.purpose, {
    description: 'What the firm invites the adjuster for; seen by the firm only.',
    example: 'Hurricane deployment, Lee County',
  }).optional(),
  note: text(LIMITS.note, {
    description: "The firm's own note; seen by the firm only.",
    example: 'Certified for large losses.',
  }).optional(),
}).meta({
  id: 'InviteAdjuster',
  description: 'The adjuster to invite and up to four notes. To send no note, leave it out.',
});
export type InviteAdjusterBody = z.output<typeof inviteAdjusterBody>;

export const adjusterSchema = responseObject({
  svc_id: shown.text("The adjuster's SVCID.", 'SVC-7F3K-Delacroix'),
  status: openEnum(ADJUSTER_STATUSES, {
    description: 'Where the invitation or membership stands. More values may be added.',
    example: 'active',
  }),
  test: shown.flag("Whether this is one of the firm's test accounts.", false),
  name: shown.text("The account's own name; null until the adjuster accepts.", 'Jean Delacroix').nullable(),
  email: shown
    .text("The account's own email; null until the adjuster accepts.", 'jean.delacroix@example.com')
    .nullable(),
  invited_at: shown
    .dateTime(
      'When the adjuster was invited; null for a member added without an invitation.',
      '2026-08-20T13:00:00.000Z',
    )
    .nullable(),
  expires_at: shown
    .dateTime('When the invitation lapses; set only while it is pending.', '2026-08-27T13:00:00.000Z')
    .nullable(),
  responded_at: shown
    .dateTime('When the adjuster accepted or declined; otherwise null.', '2026-08-20T16:41:30.052Z')
    .nullable(),
  invited_as: shown.text("The firm's name for the adjuster, if sent.", 'Jean Delacroix').nullable(),
  invited_by: shown.text('Who in the firm invited, if sent.', 'Priya Natarajan').nullable(),
  purpose: shown.text('What the firm invited for, if sent.', 'Hurricane deployment, Lee County').nullable(),
  note: shown.text("The firm's own note, if sent.", 'Certified for large losses.').nullable(),
}).meta({ id: 'Adjuster', description: 'An adjuster of the firm, or an invitation to become one.' });

export type AdjusterRecord = z.output<typeof adjusterSchema>;

export const keyInfoSchema = responseObject({
  key: responseObject({
    id: shown.text('Id of the key; not the key itself.', 'key_01980a5e-2f10-7c3d-8e21-5b9a7d4c6f02'),
    environment: openEnum(ENVIRONMENTS, {
      description: 'Which data the key reaches.',
      example: 'live',
    }),
  }).meta({
    description: 'The key.',
    example: { id: 'key_01980a5e-2f10-7c3d-8e21-5b9a7d4c6f02', environment: 'live' },
  }),
  firm: responseObject({
    id: shown.uuid('Id of the firm.', '5d0c2c1e-9f0d-4c6c-9a2b-6a1f0f4f7b21'),
    name: shown.text('Name of the firm.', 'Gulf Adjusting Partners'),
  }).meta({
    description: 'The firm the key belongs to.',
    example: { id: '5d0c2c1e-9f0d-4c6c-9a2b-6a1f0f4f7b21', name: 'Gulf Adjusting Partners' },
  }),
  scopes: z
    .array(
      openEnum(SCOPES, {
        description: 'A permission. More values may be added.',
        example: 'claims:read',
      }),
    )
    .meta({ description: 'What the key may do right now.', example: ['claims:create', 'claims:read'] }),
}).meta({ id: 'KeyInfo', description: 'The key that was sent, its firm, and what it may do.' });
export type KeyInfo = z.output<typeof keyInfoSchema>;
